//! The suite bites: every fault planted in the strawman turns a check red, harmless changes turn none, a crash proves nothing.
//!
//! `cargo kill-matrix` finds out what notices each fault and writes `tests/kill-matrix.yaml`; this test repeats the checks
//! that the matrix names, each with its fault, so that no row can rot.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};

use tests::binaries::{Binary, Profile};
use tests::kills::{Bench, Fault, Matrix, NoMatrix, Part, side_by_side};
use tests::workspace::root;

/// Faults that the kit cannot bring about, each with what holds the behaviour instead.
const OUT_OF_REACH: [(&str, &str); 3] = [
    ("prompt-file-readable", "no fake looks at the mode of a file; runtime/src/invocation/prompt.rs"),
    ("state-written-in-place", "no step sees a state that is half written; runtime/tests/walks/races.rs"),
    ("nohup-ignored", "the kit starts targets with the usual signals; runtime/tests/rounds/signals.rs"),
];

/// Checks of level must or should that no fault turns red, each with the reason.
const NEVER_KILLED: [(&str, &str); 0] = [];

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

/// How much a level binds; 0 is most.
fn rank(level: &str) -> usize {
    ["must", "should", "open"].iter().position(|known| *known == level).unwrap_or(usize::MAX)
}

/// The level that binds most among the checks that notice a fault.
fn noticed<'a>(matrix: &Matrix, levels: &'a BTreeMap<String, String>, fault: &Fault) -> Option<&'a str> {
    let checks = matrix.faults.get(&fault.slug).map(|row| row.checks.as_slice()).unwrap_or_default();
    checks.iter().filter_map(|check| levels.get(check)).map(String::as_str).min_by_key(|level| rank(level))
}

fn fail_on(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_fault_has_its_row_and_every_row_its_fault() {
    let faults = bench().faults().expect("faults");
    assert!(faults.len() > 100, "only {} faults", faults.len());
    let offered: BTreeSet<String> =
        faults.into_iter().filter(|fault| fault.level != "crash").map(|fault| fault.slug).collect();
    let recorded: BTreeSet<String> = matrix().faults.into_keys().collect();
    assert_eq!(offered, recorded, "renew with `cargo kill-matrix SLUG…`");
}

#[test]
fn every_fault_is_noticed_at_its_level_and_nothing_harmless_is() {
    let (bench, matrix) = (bench(), matrix());
    let levels = bench.levels().expect("levels");
    let complaint = |fault: &Fault| {
        let (slug, level) = (&fault.slug, fault.level.as_str());
        let found = noticed(&matrix, &levels, fault);
        match (level, found) {
            ("crash", _) | ("harmless", None) => None,
            ("harmless", Some(_)) => {
                Some(format!("`{slug}` breaks no rule and yet turns checks red: let them ask less"))
            }
            (_, None) if is_out_of_reach(slug) => None,
            (_, Some(_)) if is_out_of_reach(slug) => {
                Some(format!("`{slug}` is within reach now: take it off OUT_OF_REACH"))
            }
            (_, None) => Some(format!(
                "no check notices `{slug}`: write the scenario that does, then `cargo kill-matrix {slug}`"
            )),
            (_, Some(found)) if rank(found) > rank(level) => Some(format!(
                "`{slug}` is said to break a rule of level {level} and is noticed by checks of level {found} only: give it the \
                 level that the ledger gives what it breaks, or write the {level}-scenario that notices it"
            )),
            _ => None,
        }
    };
    let complaints: Vec<String> = bench.faults().expect("faults").iter().filter_map(complaint).collect();
    fail_on(&complaints);
}

#[test]
fn every_check_that_binds_is_turned_red_by_some_fault() {
    let (bench, matrix) = (bench(), matrix());
    let complaint = |(check, level): (&String, &String)| {
        let excused = NEVER_KILLED.iter().any(|(name, _)| name == check);
        match (matrix.checks.contains_key(check), excused) {
            (false, false) if level != "open" => Some(format!(
                "no fault turns `{check}` ({level}) red: plant one in tests/src/bin/strawman/fault.rs that does, then `cargo \
                 kill-matrix SLUG`; or say in NEVER_KILLED why there is none"
            )),
            (true, true) => Some(format!("`{check}` is turned red now: take it off NEVER_KILLED")),
            _ => None,
        }
    };
    let levels = bench.levels().expect("levels");
    assert!(levels.len() > 500, "only {} checks", levels.len());
    let complaints: Vec<String> = levels.iter().filter_map(complaint).collect();
    fail_on(&complaints);
    let unknown: Vec<&String> = matrix.checks.keys().filter(|check| !levels.contains_key(*check)).collect();
    assert!(unknown.is_empty(), "checks of the matrix that the suite does not have, renew it: {unknown:?}");
}

#[test]
fn what_the_matrix_says_is_so() {
    let bench = bench();
    let matrix = matrix();
    let mut wanted: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
    for (slug, row) in &matrix.faults {
        wanted.entry(slug).or_default().extend(row.checks.first());
    }
    for (check, slug) in &matrix.checks {
        wanted.entry(slug).or_default().insert(check);
    }
    let clean = bench.run(None, Part::Whole).expect("a clean run");
    let outcomes = side_by_side(bench.faults().expect("faults"), |fault| {
        let only: Vec<String> =
            wanted.get(fault.slug.as_str()).into_iter().flatten().map(|check| (*check).clone()).collect();
        if only.is_empty() {
            return Ok(Vec::new());
        }
        let seen = bench.run(Some(&fault.slug), Part::Checks(&only))?;
        let line = |check: &String| {
            let before = clean.get(check).is_some_and(|reported| reported.held);
            let after = seen.get(check).map(|reported| reported.held);
            let line = format!("`{}`: {check} held {before} without it, {after:?} with it", fault.slug);
            (!before || after != Some(false)).then_some(line)
        };
        Ok::<_, NoMatrix>(only.iter().filter_map(line).collect())
    });
    fail_on(&outcomes.expect("runs").concat());
}

/// What the contract leaves open for rounds and policy may be chosen otherwise, each and all of it. Choices about graphs
/// contradict each other, so that they are made one at a time only.
#[test]
fn a_target_that_chooses_otherwise_wherever_it_may_conforms() {
    let (bench, matrix) = (bench(), matrix());
    let levels = bench.levels().expect("levels");
    let faults = bench.faults().expect("faults");
    let choices: Vec<&str> = faults
        .iter()
        .filter(|fault| fault.profiles.contains(&"critic"))
        .filter(|fault| fault.level == "open" && noticed(&matrix, &levels, fault) == Some("open"))
        .map(|fault| fault.slug.as_str())
        .collect();
    assert!(choices.len() > 40, "only {choices:?}");
    let seen = bench.run(Some(&choices.join(",")), Part::Whole).expect("a run");
    let failed: Vec<&String> =
        seen.iter().filter(|(_, check)| !check.held && check.level != "open").map(|(name, _)| name).collect();
    assert!(failed.is_empty(), "checks that bind and fail for a choice: {failed:?}");
}

#[test]
fn a_crash_passes_no_check_and_is_no_proof() {
    let bench = bench();
    let seen = bench.run(Some("crash"), Part::Checks(&["cli".into(), "list".into()])).expect("a run");
    let passed: Vec<&String> =
        seen.iter().filter(|(_, check)| check.held && check.level != "open").map(|(name, _)| name).collect();
    assert!(passed.is_empty(), "a target that crashes passes {passed:?}");
}
