//! The suite says the same every time, also on a machine that is busy with something else.
//!
//! Twenty runs take minutes, so they are asked for: `cargo test -p tests --test repeatable -- --ignored`.

#![cfg(test)]

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use tests::binaries::{Binary, Profile};

const RUNS: usize = 20;

/// Lets the busy threads end, also when a run panics.
struct Enough<'a>(&'a AtomicBool);

impl Drop for Enough<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Each check with its verdict, and, where the contract leaves the choice, with what was chosen.
type Verdicts = BTreeMap<String, (String, Option<String>)>;

fn judged() -> Verdicts {
    let kit = Binary::Kit.build(Profile::Release).expect("the kit");
    let reference = Binary::Reference.build(Profile::Development).expect("the reference");
    let mut command = Command::new(kit);
    let printed =
        command.args(["run", "--format=jsonl", "--"]).arg(reference).output().expect("the kit runs").stdout;
    let text = String::from_utf8_lossy(&printed).into_owned();
    let word = |line: &serde_json::Value, key: &str| line.get(key)?.as_str().map(str::to_owned);
    text.lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|line| {
            Some((word(&line, "check")?, (word(&line, "verdict")?, word(&line, "fingerprint"))))
        })
        .collect()
}

#[test]
#[ignore = "takes minutes; asked for by name"]
fn twenty_runs_on_busy_cores_do_not_differ_in_one_verdict() {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let enough = AtomicBool::new(false);
    let runs: Vec<Verdicts> = std::thread::scope(|scope| {
        for _ in 0..2 * cores {
            scope.spawn(|| {
                while !enough.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let _enough = Enough(&enough);
        (0..RUNS).map(|_| judged()).collect()
    });
    assert!(runs[0].len() > 500, "only {} checks", runs[0].len());
    let differs = |check: &&String| runs.iter().any(|run| run.get(*check) != runs[0].get(*check));
    let differing: Vec<&String> = runs.iter().flat_map(BTreeMap::keys).filter(differs).collect();
    assert!(differing.is_empty(), "verdicts that differ between runs: {differing:?}");
}
