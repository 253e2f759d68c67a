//! The suite bites: every fault planted in the strawman turns a check red, harmless changes turn none, a crash proves nothing.
//!
//! `cargo kill-matrix` finds out what notices each fault and writes `tests/kill-matrix.yaml`; this test repeats one check of
//! each row, so that a row cannot rot.

#![cfg(test)]

use std::collections::BTreeSet;

use tests::binaries::{Binary, Profile};
use tests::kills::{Bench, Matrix, NoMatrix, side_by_side};
use tests::workspace::root;

/// Faults that the kit cannot bring about, each with what holds the behaviour instead.
const OUT_OF_REACH: [(&str, &str); 3] = [
    ("prompt-file-readable", "no fake looks at the mode of a file; runtime/src/invocation/prompt.rs"),
    ("nohup-ignored", "the kit starts targets with the usual signals; runtime/tests/rounds/signals.rs"),
    (
        "bystanders-killed",
        "the kit hands no processes to a target before it starts; runtime/tests/rounds/leftovers.rs",
    ),
];

fn is_out_of_reach(slug: &str) -> bool {
    OUT_OF_REACH.iter().any(|(name, _)| *name == slug)
}

fn bench() -> Bench {
    Bench {
        kit: Binary::Kit.build(Profile::Development).expect("a kit"),
        strawman: Binary::Strawman.build(Profile::Development).expect("a strawman"),
        jobs: 8,
    }
}

fn matrix() -> Matrix {
    let text = std::fs::read_to_string(root().join("tests/kill-matrix.yaml")).expect("a matrix");
    serde_saphyr::from_str(&text).expect("a well-formed matrix")
}

#[test]
fn every_fault_has_its_row_and_every_row_its_fault() {
    let faults = bench().faults().expect("faults");
    assert!(faults.len() > 100, "only {} faults", faults.len());
    let offered: BTreeSet<String> =
        faults.into_iter().filter(|fault| fault.level != "crash").map(|fault| fault.slug).collect();
    let recorded: BTreeSet<String> = matrix().faults.into_keys().collect();
    assert_eq!(offered, recorded);
}

#[test]
fn every_fault_is_noticed_and_nothing_harmless_is() {
    let matrix = matrix();
    for fault in bench().faults().expect("faults") {
        let kills = matrix.faults.get(&fault.slug).map_or(0, |row| row.kills);
        match fault.level.as_str() {
            "crash" => {}
            "harmless" => assert_eq!(kills, 0, "`{}` breaks no rule and yet turns checks red", fault.slug),
            _ if is_out_of_reach(&fault.slug) => assert_eq!(kills, 0, "`{}` is within reach now", fault.slug),
            _ => assert!(kills > 0, "no check notices `{}`", fault.slug),
        }
    }
}

#[test]
fn every_must_check_is_turned_red_by_some_fault() {
    assert_eq!(matrix().never_killed, Vec::<String>::new());
}

#[test]
fn what_the_matrix_says_is_so() {
    let bench = bench();
    let rows = matrix().faults;
    let only: Vec<String> = rows.values().filter_map(|row| row.checks.first().cloned()).collect();
    let clean = bench.run(None, &only).expect("a clean run");
    let outcomes = side_by_side(bench.faults().expect("faults"), |fault| {
        let Some(check) = rows.get(&fault.slug).and_then(|row| row.checks.first()) else { return Ok(None) };
        let seen = bench.run(Some(&fault.slug), std::slice::from_ref(check))?;
        let before = clean.get(check).is_some_and(|reported| reported.held);
        let after = seen.get(check).map(|reported| reported.held);
        let line = format!("`{}`: {check} held {before} without it, {after:?} with it", fault.slug);
        Ok::<_, NoMatrix>((!before || after != Some(false)).then_some(line))
    });
    let wrong: Vec<String> = outcomes.expect("runs").into_iter().flatten().collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn a_crash_passes_no_check_and_is_no_proof() {
    let bench = bench();
    let seen = bench.run(Some("crash"), &["cli".into(), "list".into()]).expect("a run");
    let passed: Vec<&String> =
        seen.iter().filter(|(_, check)| check.held && check.level != "open").map(|(name, _)| name).collect();
    assert!(passed.is_empty(), "a target that crashes passes {passed:?}");
}
