//! The suite bites: every fault of the strawman turns exactly the checks red that `tests/faults.yaml` says, harmless changes turn
//! none, and every check that binds is turned red by some fault.
//!
//! `cargo kill-matrix` measures and writes the list; this measures again and compares. A fault is asked only in the scenarios in
//! which the strawman comes to the place of the fault, as a run without a fault shows: in no other can it be noticed.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};

use tests::bench::{Bench, BenchError, scenario, side_by_side};
use tests::fault_list::{Entry, FaultList};
use tests::kill_matrix::KillMatrix;
use tests::proof;
use tests::workspace::root;

fn fail_on(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_check_that_binds_is_killed_and_every_kill_has_its_reason() {
    let bench = Bench::build().expect("a bench");
    let (planted, checks) = (bench.planted().expect("faults"), bench.checks().expect("checks"));
    assert!(planted.len() > 100 && checks.len() > 500, "{} faults, {} checks", planted.len(), checks.len());
    let list = FaultList::read().expect("a list");
    fail_on(&KillMatrix::new(&list, &checks).complaints(&planted));
}

#[test]
fn the_proof_is_what_the_list_of_faults_proves() {
    let checks = Bench::build().expect("a bench").checks().expect("checks");
    let ledger = proof::ledger().expect("a ledger");
    let expected = proof::proof(&ledger, &FaultList::read().expect("a list"), &checks);
    let kept = std::fs::read_to_string(proof::path()).expect("docs/proof.md");
    assert!(
        kept == expected,
        "docs/proof.md is not up to date: `cargo kill-matrix NAME` with any fault writes it anew"
    );
}

#[test]
fn every_fault_turns_red_what_the_list_says_and_nothing_else() {
    let bench = Bench::build().expect("a bench");
    let list = FaultList::read().expect("a list");
    fail_on(&differences(&bench, list.0).expect("runs"));
}

/// What is not as the entries say.
fn differences(bench: &Bench, entries: Vec<Entry>) -> Result<Vec<String>, BenchError> {
    let clean = bench.clean()?;
    let complaints = side_by_side(entries, |entry| {
        if entry.level == "crash" {
            return Ok(Vec::new());
        }
        let differs = bench.difference(&clean, &entry.name, &entry.fails)?;
        Ok::<_, BenchError>(KillMatrix::of_difference(entry, &differs))
    })?;
    Ok(complaints.concat())
}

/// Checks that ask for less than they did: the scenario, what it says, what is said in its place, and the check.
const WEAKENED: [(&str, &str, &str, &str); 3] = [
    (
        "argv/single-element",
        r#"received: {one: {args: ["--message=two words\nand a line --flag 'quoted' \"twice\" \\", plain, "-m", "gpt 5.5 -x"]}}"#,
        "started: {one: 1}",
        "argv/single-element/whole",
    ),
    ("timeout/kills-tree", "{survivors: 0, exit: 1}", "{exit: 1}", "timeout/kills-tree/nothing-alive"),
    (
        "graph-select/unticked",
        "{given: [proved], step: select, state: {/optIns/deep-review: {absent: true}, /current: build}}",
        "{given: [proved], step: select, state: {/current: build}}",
        "graph-select/unticked/not-selected",
    ),
];

#[test]
fn a_check_that_got_weaker_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for (id, strict, lax, _) in WEAKENED {
        let file = format!("{id}.yaml");
        let text =
            std::fs::read_to_string(root().join("conformance/scenarios").join(&file)).expect("a scenario");
        assert_eq!(text.matches(strict).count(), 1, "{id} says `{strict}` once");
        let place = folder.path().join(&file);
        std::fs::create_dir_all(place.parent().expect("a parent")).expect("a folder");
        std::fs::write(place, text.replace(strict, lax)).expect("a scenario");
    }
    let bench = Bench::build().expect("a bench").with_scenarios(folder.path().to_owned());
    let list = FaultList::read().expect("a list");
    let hit = |entry: &Entry| WEAKENED.iter().any(|(.., check)| entry.fails.contains(*check));
    let complaints = differences(&bench, list.0.into_iter().filter(hit).collect()).expect("runs");
    for (.., check) in WEAKENED {
        assert!(
            complaints.iter().any(|line| line.contains(&format!("`{check}` red any more"))),
            "{check}: {complaints:#?}"
        );
    }
}

/// What the contract leaves open for rounds and policy may be chosen otherwise, each and all of it. Choices about graphs
/// contradict each other, so that they are made one at a time only.
#[test]
fn a_target_that_chooses_otherwise_wherever_it_may_conforms() {
    let bench = Bench::build().expect("a bench");
    let levels: BTreeMap<String, String> =
        bench.checks().expect("checks").into_iter().map(|check| (check.id, check.level)).collect();
    let of_graphs = |entry: &Entry| entry.breaks.iter().any(|requirement| requirement.starts_with("graph."));
    // What has a reason under `stricter` is a choice that the kit has to ask against.
    let free = |entry: &Entry| entry.level == "open" && entry.stricter.is_none();
    let chosen = |entry: &&Entry| free(entry) && !entry.fails.is_empty() && !of_graphs(entry);
    let list = FaultList::read().expect("a list");
    let choices: Vec<&str> = list.0.iter().filter(chosen).map(|entry| entry.name.as_str()).collect();
    assert!(choices.len() > 40, "only {choices:?}");
    let scenarios: BTreeSet<&str> = levels.keys().map(|check| scenario(check)).collect();
    let seen = bench.run(&choices.join(","), scenarios).expect("a run");
    let failed: Vec<&String> = seen
        .iter()
        .filter(|(check, held)| !**held && levels[*check] != "open")
        .map(|(check, _)| check)
        .collect();
    assert!(failed.is_empty(), "checks that bind and fail for a choice: {failed:?}");
}

#[test]
fn a_crash_passes_no_check_and_is_no_proof() {
    let bench = Bench::build().expect("a bench");
    let checks = bench.checks().expect("checks");
    let binding: BTreeSet<&str> =
        checks.iter().filter(|check| check.level != "open").map(|check| check.id.as_str()).collect();
    let seen = bench.run("crash", ["cli", "list"]).expect("a run");
    let passed: Vec<&String> = seen
        .iter()
        .filter(|(check, held)| **held && binding.contains(check.as_str()))
        .map(|(check, _)| check)
        .collect();
    assert!(!seen.is_empty() && passed.is_empty(), "a target that crashes passes {passed:?}");
}
