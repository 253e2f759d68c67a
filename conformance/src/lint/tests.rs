//! One planted fault of each kind, and how it is shown.

use std::collections::BTreeMap;

use insta::assert_snapshot;

use super::lint;
use crate::source::Source;
use crate::suite::Draft;

const LEDGER: &str = "\
- id: critic.exit.success
  pattern: event
  ears: WHEN a round succeeds THEN the runtime SHALL exit 0.
  level: must
  source: [CC-exit]
  profile: critic
  since: 1
";
const TAGS: &str = "- {tag: CC-exit, asks: exit codes}\n- {tag: OR-1.1, asks: optIn, with: graph}\n";
const PRESENT: &str = r#"title: A round that succeeds exits 0
requirement: critic.exit.success
trigger: present
critics: |
  - {name: one, command: "%{bin}/one", args: ["{prompt}"]}
fakes: {one: [{print: ok}]}
steps:
  - run: {critic: one, prompt: review}
checks:
  ok: {exit: 0, envelope: {/ok: true}}
"#;
const ABSENT: &str = r#"title: A round that fails does not exit 0
requirement: critic.exit.success
trigger: absent
critics: |
  - {name: one, command: "%{bin}/one", args: ["{prompt}"]}
fakes: {one: [{exit: 3}]}
steps:
  - run: {critic: one, prompt: review}
checks:
  failed: {exit: 1, envelope: {/ok: false}}
"#;

fn draft(ledger: &str, tags: &str, scenarios: &[(&str, &str)]) -> Draft {
    let source = |path: &str, text: &str| Source::new(path, text);
    let specs = BTreeMap::from([
        ("critic".to_owned(), source("specs/critic.yaml", ledger)),
        ("tags".to_owned(), source("specs/tags.yaml", tags)),
    ]);
    let files = scenarios.iter().map(|(id, text)| ((*id).to_owned(), source(&format!("{id}.yaml"), text)));
    Draft::read(specs, files.collect())
}

/// The faults of a suite whose scenario with the trigger is `present`.
fn faults_of(present: &str) -> String {
    faults(LEDGER, TAGS, &[("exit/present", present), ("exit/absent", ABSENT)])
}

fn faults(ledger: &str, tags: &str, scenarios: &[(&str, &str)]) -> String {
    let faults = lint(&draft(ledger, tags, scenarios));
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_whole_suite_has_no_faults() {
    assert_snapshot!(faults_of(PRESENT), @"");
}

#[test]
fn a_misspelt_key_is_located() {
    assert_snapshot!(faults_of(&PRESENT.replace("checks:", "cheks:")), @"");
    assert_snapshot!(faults_of(&PRESENT.replace("exit: 0", "exot: 0")), @"");
    assert_snapshot!(faults_of(&PRESENT.replace("print: ok", "pront: ok")), @"");
    assert_snapshot!(faults_of(&PRESENT.replace("/ok: true", "/ok: {equal: true}")), @"");
}

#[test]
fn an_unknown_requirement_is_located() {
    assert_snapshot!(faults_of(&PRESENT.replace("exit.success", "exit.sucess")), @"");
    let check = PRESENT.replace("ok: {exit: 0,", "ok: {exit: 0, requirement: critic.exit.failure,");
    assert_snapshot!(faults_of(&check), @"");
}

#[test]
fn a_duplicate_id_is_located() {
    assert_snapshot!(faults_of(&format!("{PRESENT}  ok: {{exit: 0}}\n")), @"");
    assert_snapshot!(faults(&LEDGER.repeat(2), TAGS, &[("exit/present", PRESENT), ("exit/absent", ABSENT)]), @"");
}

#[test]
fn an_unused_fake_is_located() {
    let unused =
        PRESENT.replace("fakes: {one: [{print: ok}]}", "fakes: {one: [{print: ok}], two: [{print: ok}]}");
    assert_snapshot!(faults_of(&unused), @"");
}

#[test]
fn a_missing_side_is_located() {
    assert_snapshot!(faults(LEDGER, TAGS, &[("exit/present", PRESENT)]), @"");
}

#[test]
fn a_row_without_scenarios_is_located() {
    assert_snapshot!(faults(LEDGER, TAGS, &[]), @"");
}

#[test]
fn a_tag_without_a_row_is_located() {
    let tags = format!("{TAGS}- {{tag: CC-one, asks: one critic per call}}\n");
    assert_snapshot!(faults(LEDGER, &tags, &[("exit/present", PRESENT), ("exit/absent", ABSENT)]), @"");
    let cited = LEDGER.replace("[CC-exit]", "[CC-exit, CC-ext]");
    assert_snapshot!(faults(&cited, TAGS, &[("exit/present", PRESENT), ("exit/absent", ABSENT)]), @"");
}

#[test]
fn an_unknown_name_is_located() {
    assert_snapshot!(faults_of(&PRESENT.replace("%{bin}", "%{bim}")), @"");
    assert_snapshot!(faults_of(&PRESENT.replace("print: ok", "print: '%{bim}'")), @"");
    assert_snapshot!(faults_of(&PRESENT.replace("/ok: true", "/ok: '%{bim}'")), @"");
}

#[test]
fn an_empty_check_is_located() {
    assert_snapshot!(faults_of(&PRESENT.replace("ok: {exit: 0, envelope: {/ok: true}}", "ok: {}")), @"");
    assert_snapshot!(faults_of(&PRESENT.replace("  ok: {exit: 0, envelope: {/ok: true}}", "  {}")), @"");
}

#[test]
fn what_idleness_passes_is_located() {
    let idle = PRESENT
        .replace("ok: {exit: 0, envelope: {/ok: true}}", "refused: {exit: 2, stdout: '', started: {one: 0}}");
    assert_snapshot!(faults_of(&idle), @"");
    let proved = idle.replace("steps:", "evidence: {one: [started]}\nsteps:");
    assert_snapshot!(faults_of(&proved), @"");
}

#[test]
fn unknown_fakes_and_steps_are_located() {
    assert_snapshot!(faults_of(&PRESENT.replace("exit: 0", "exit: 0, started: {ones: 1}")), @"");
    assert_snapshot!(faults_of(&PRESENT.replace("exit: 0", "exit: 0, step: second")), @"");
}

#[test]
fn two_descriptions_of_the_configuration_are_refused() {
    assert_snapshot!(faults_of(&PRESENT.replace("trigger: present", "trigger: present\nno-config: true")), @"");
}
