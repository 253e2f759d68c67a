//! Baselines through the built kit: written, refused without reasons, held to what they say.
#![allow(clippy::unwrap_used, reason = "only tests are here")]

mod kit;

use std::fs;

use self::kit::{Called, Kit, TINY};

/// A policy that is wrong in one key.
const WRONG: &str = r#"POLICY={"selfReviewCount":3,"criticReviewCount":3,"stopOnNoNewFindings":true}"#;

fn call(kit: &Kit, command: &[&str], policy: &str, more: &[&str]) -> Called {
    let tiny = kit.program("tiny", TINY);
    let mut arguments = command.to_vec();
    arguments.extend(["--profile", "policy", "--baseline", "known.yaml", "--env", policy]);
    arguments.extend(more);
    arguments.extend(["--", &tiny]);
    kit.call(&arguments)
}

#[test]
fn a_baseline_is_written_explained_and_held() {
    let kit = Kit::new();
    let written = call(&kit, &["baseline", "write"], WRONG, &["--output", "report.txt"]);
    assert_eq!(written.exit, Some(0), "{}{}", written.stdout, written.stderr);
    assert!(written.stdout.contains("without a reason"), "{}", written.stdout);

    let path = kit.path("known.yaml");
    let unexplained = fs::read_to_string(&path).unwrap();
    for refused in [call(&kit, &["run"], WRONG, &[]), kit.call(&["lint", "--baseline", "known.yaml"])] {
        assert_eq!(refused.exit, Some(2));
        assert!(refused.stderr.contains("has no reason"), "{}", refused.stderr);
        assert!(refused.stderr.contains("known.yaml:1:"), "{}", refused.stderr);
    }

    let explained = unexplained.replace("- check:", "- reason: a known gap\n  check:");
    fs::write(&path, &explained).unwrap();
    let held = call(&kit, &["run"], WRONG, &[]);
    assert_eq!(held.exit, Some(0), "{}{}", held.stdout, held.stderr);
    assert!(held.stdout.contains("expected-fail"), "{}", held.stdout);

    let other = call(&kit, &["run"], "POLICY=none", &[]);
    assert_eq!(other.exit, Some(1));
    assert!(other.stdout.contains("the baseline knows another failure"), "{}", other.stdout);

    let again = call(&kit, &["baseline", "write"], WRONG, &["--output", "report.txt"]);
    assert!(again.stdout.contains(" 0 without a reason"), "{}", again.stdout);
}

#[test]
fn an_unexpected_pass_and_an_unknown_id_are_refused() {
    let kit = Kit::new();
    let right = r#"POLICY={"selfReviewCount":3,"criticReviewCount":3,"stopOnNoNewFindings":true,"escalateOnRepeatFinding":true}"#;
    let report = call(&kit, &["run"], right, &["--format", "jsonl", "--baseline", "empty.yaml"]);
    assert_eq!(report.exit, Some(2), "an absent baseline is no empty one");

    let list = kit.call(&["list", "--only", "policy/", "--level", "must", "--format", "jsonl"]);
    let checks: Vec<String> =
        list.lines().iter().map(|line| line["check"].as_str().unwrap().to_owned()).collect();
    kit.file("known.yaml", "[]");
    let fresh = call(&kit, &["run"], right, &["--format", "jsonl"]);
    let passing = checks.iter().find(|check| fresh.verdict(check) == "pass").unwrap();

    kit.file("known.yaml", &format!("- {{check: {passing}, fingerprint: x, reason: y}}\n"));
    let called = call(&kit, &["run"], right, &["--format", "jsonl"]);
    assert_eq!(called.exit, Some(1));
    assert_eq!(called.verdict(passing), "unexpected-pass");

    kit.file("known.yaml", "- {check: policy/none-such/x, fingerprint: x, reason: y}\n");
    let called = call(&kit, &["run"], right, &[]);
    assert_eq!(called.exit, Some(2));
    assert!(called.stderr.contains("unknown check `policy/none-such/x`"), "{}", called.stderr);
}

#[test]
fn a_baseline_of_a_part_is_refused() {
    let kit = Kit::new();
    for part in [["--only", "policy/"], ["--level", "must"], ["--tag", "x"], ["--shard", "1/2"]] {
        let called = call(&kit, &["baseline", "write"], WRONG, &part);
        assert_eq!(called.exit, Some(2), "{part:?}");
        assert!(!kit.path("known.yaml").exists(), "{part:?}");
    }
}
