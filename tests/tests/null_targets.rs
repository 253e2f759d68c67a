//! Targets that do nothing, or that print the same whatever is asked, pass the pinned few checks and no other.
//!
//! Main type: [`NullTarget`], read from `null-targets.yaml`. A pass that is not pinned is a fault of its scenario, which
//! then needs evidence, a control or a check of what must be there.

#![cfg(test)]
#![allow(clippy::expect_used, reason = "a folder that cannot be made fails its test")]

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;
use tests::binaries::{Binary, Profile};
use tests::scratch::scratch;
use tests::workspace::root;

/// One target without a mind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NullTarget {
    name: String,
    script: String,
    #[serde(default)]
    hangs: bool,
    reason: Option<String>,
    passes: BTreeSet<String>,
}

impl NullTarget {
    /// The lines of the kit's report, and its exit code.
    fn judged(&self, kit: &Path) -> (Vec<Value>, Option<i32>) {
        let folder = scratch().expect("a folder");
        let program = folder.path().join("target");
        std::fs::write(&program, format!("#!/bin/sh\n{}\n", self.script)).expect("a script");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("a run bit");
        let mut command = Command::new(kit);
        command.args(["run", "--no-preflight", "--level=must", "--level=should", "--format=jsonl"]);
        if self.hangs {
            // An earlier end of the waiting helps a target that hangs: it is late for fewer bounds, early for none.
            command.args(["--hang-after=0.2", "--jobs=32"]);
        }
        let output =
            command.arg("--").arg(&program).env("TMPDIR", folder.path()).output().expect("the kit runs");
        let lines = String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line of JSON"))
            .collect();
        (lines, output.status.code())
    }
}

#[test]
fn null_targets_pass_the_pinned_few_and_no_other() {
    let text = std::fs::read_to_string(root().join("tests/null-targets.yaml")).expect("the pinned passes");
    let targets: Vec<NullTarget> = serde_saphyr::from_str(&text).expect("a list of null targets");
    let kit = Binary::Kit.build(Profile::Release).expect("the kit");
    for target in &targets {
        assert_eq!(
            target.reason.is_some(),
            !target.passes.is_empty(),
            "{}: a reason for passes",
            target.name
        );
        let (lines, exit) = target.judged(&kit);
        assert_eq!(exit, Some(1), "{}", target.name);
        let checks: Vec<&Value> = lines.iter().filter(|line| line.get("check").is_some()).collect();
        assert_eq!(Some(checks.len() as u64), lines[0]["expected"].as_u64(), "{}", target.name);
        let passes: BTreeSet<String> = checks
            .iter()
            .filter(|line| line["verdict"] == "pass")
            .filter_map(|line| line["check"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(passes, target.passes, "{}", target.name);
    }
}
