//! A target that needs 1.5 s before it does anything still conforms: upper bounds are generous, and grow by its start-up.
//!
//! Asked are the scenarios with an upper bound; the others know no clock. The target behind the delay is the strawman.

#![cfg(test)]
#![allow(clippy::expect_used, reason = "a folder that cannot be made fails its test")]

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use tests::binaries::{Binary, Profile};
use tests::scratch::scratch;
use tests::workspace::{files_with_extension, root};

/// The ids of all scenarios with an upper bound of time.
fn bounded() -> Vec<String> {
    let folder = root().join("conformance/scenarios");
    let bound = regex::Regex::new(r"seconds: \{[^}]*max").expect("a pattern");
    files_with_extension(&folder, "yaml")
        .expect("the suite")
        .into_iter()
        .filter(|path| bound.is_match(&std::fs::read_to_string(path).expect("a scenario")))
        .filter_map(|path| Some(path.strip_prefix(&folder).ok()?.with_extension("").display().to_string()))
        .collect()
}

#[test]
fn a_target_that_starts_late_keeps_every_upper_bound() {
    let scenarios = bounded();
    assert!(scenarios.len() >= 20, "{scenarios:?}");
    let folder = scratch().expect("a folder");
    let target = folder.path().join("late");
    std::fs::write(&target, "#!/bin/sh\nsleep 1.5\nexec \"$STRAWMAN\" \"$@\"\n").expect("a script");
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o755)).expect("a run bit");
    let kit = Binary::Kit.build(Profile::Release).expect("the kit");
    let strawman = env!("CARGO_BIN_EXE_strawman");
    let output = Command::new(kit)
        .args(["run", "--gate=should", "--jobs=16", &format!("--env=STRAWMAN={strawman}")])
        .args(scenarios.iter().map(|id| format!("--only={id}")))
        .arg("--")
        .arg(&target)
        .env("TMPDIR", folder.path())
        .output()
        .expect("the kit runs");
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{report}{}", String::from_utf8_lossy(&output.stderr));
    assert!(report.contains("conforms (gate should)"), "{report}");
}
