//! `cargo kill-matrix`: runs the suite once for every fault that can be planted in the strawman and writes down what notices it.
//!
//! Takes a quarter of an hour or more; with the names of some faults as arguments, only those rows are renewed. The test `kill_matrix` repeats one scenario for each fault from the file this writes.

use std::io::Write as _;
use std::process::ExitCode;

use tests::binaries::{Binary, Profile};
use tests::kills::{Bench, Matrix};

fn main() -> ExitCode {
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "kill-matrix: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write() -> Result<(), Box<dyn std::error::Error>> {
    let bench = Bench {
        kit: Binary::Kit.build(Profile::Development)?,
        strawman: Binary::Strawman.build(Profile::Development)?,
        jobs: 8,
    };
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut faults = bench.faults()?;
    faults.retain(|fault| fault.level != "crash" && (wanted.is_empty() || wanted.contains(&fault.slug)));
    let anew = bench.matrix(faults, |fault, row| {
        let _ = writeln!(std::io::stderr(), "{:<34} {:>4} {}", fault.slug, row.kills, row.checks.join(" "));
    })?;
    let place = tests::workspace::root().join("tests/kill-matrix.yaml");
    let matrix = if wanted.is_empty() {
        anew
    } else {
        serde_saphyr::from_str::<Matrix>(&std::fs::read_to_string(&place)?)?.renewed(anew)
    };
    std::fs::write(place, serde_saphyr::to_string(&matrix)?)?;
    Ok(())
}
