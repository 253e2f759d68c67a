//! `cargo kill-matrix [FAULT…]`: measures which checks each fault of the strawman turns red, and writes it down in
//! `tests/faults.yaml` and `docs/proof.md`. With names, only those are measured anew.
//!
//! It judges nothing; the test `kill_matrix` does, and measures again.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use tests::bench::{Bench, BenchError, Clean, side_by_side};
use tests::fault_list::{Entry, FaultList};
use tests::proof;

fn main() -> ExitCode {
    match renew(&std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "kill-matrix: {error}");
            ExitCode::FAILURE
        }
    }
}

fn renew(names: &BTreeSet<String>) -> Result<(), Box<dyn Error>> {
    let bench = Bench::build()?;
    let planted = bench.planted()?;
    if let Some(name) = names.iter().find(|name| planted.iter().all(|fault| fault.slug != **name)) {
        return Err(format!("the strawman has no fault `{name}`, see `strawman faults`").into());
    }
    let checks = bench.checks()?;
    let known = if FaultList::path().exists() { FaultList::read()? } else { FaultList::default() };
    let list = known.told_by(&planted);
    let clean = bench.clean()?;
    let wanted: Vec<Entry> = list
        .0
        .iter()
        .filter(|entry| entry.level != "crash" && (names.is_empty() || names.contains(&entry.name)))
        .cloned()
        .collect();
    let list = Mutex::new(list);
    side_by_side(wanted, |entry| {
        let measured = measured(&bench, &clean, entry)?;
        let (fails, sometimes) = (measured.fails.len(), measured.sometimes.len());
        let _ = writeln!(std::io::stderr(), "{:<36} {fails:>4} {sometimes:>2}", entry.name);
        let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = list.0.iter_mut().find(|place| place.name == entry.name) {
            *place = measured;
        }
        // Whoever breaks off keeps what was measured.
        Ok::<_, Box<dyn Error + Send + Sync>>(list.write()?)
    })
    .map_err(|error| error.to_string())?;
    let list = list.into_inner().unwrap_or_else(PoisonError::into_inner);
    list.write()?;
    std::fs::write(proof::path(), proof::proof(&proof::ledger()?, &list, &checks))?;
    Ok(())
}

/// What is not as it was known is measured once more: what is red in one of two runs is so only sometimes.
fn measured(bench: &Bench, clean: &Clean, entry: &Entry) -> Result<Entry, BenchError> {
    let once = bench.failing(clean, &entry.name)?;
    if once == entry.fails || entry.fails.is_empty() {
        return Ok(Entry { fails: once, sometimes: BTreeSet::new(), ..entry.clone() });
    }
    let twice = bench.failing(clean, &entry.name)?;
    let fails = once.intersection(&twice).cloned().collect();
    let sometimes = once.symmetric_difference(&twice).cloned().collect();
    Ok(Entry { fails, sometimes, ..entry.clone() })
}
