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
    assert_snapshot!(faults_of(&PRESENT.replace("checks:", "cheks:")), @r"
    error: unknown field `cheks`, expected one of title, requirement, trigger, tags, dialect, critics, reviews, routing, event-log, graphs, config, no-config, files, env, fakes, bystanders, steps, control, evidence, checks
     --> exit/present.yaml:9:1
      |
    9 | cheks:
      | ^^^^^
      |
      = help: did you mean `checks`?
    ");
    assert_snapshot!(faults_of(&PRESENT.replace("exit: 0", "exot: 0")), @r"
    error: unknown field `exot`, expected one of requirement, trigger, step, given, exit, stdout, stderr, envelope, json, same-envelope, files, seconds, started, received, survivors, alive, memory, disk, temporary, checklist, rows, nodes, edges, no-edges, adjacent, state, frozen, events, unchanged
      --> exit/present.yaml:10:8
       |
    10 |   ok: {exot: 0, envelope: {/ok: true}}
       |        ^^^^
       |
       = help: did you mean `exit`?
    ");
    assert_snapshot!(faults_of(&PRESENT.replace("print: ok", "pront: ok")), @r"
    error: unknown variant `pront`, expected one of print, print-bytes, print-error, print-argv, print-file, print-stdin, flood, read-stdin, sleep, exit, die-by, ignore, on-signal, stop, child, write-file, reopen-stdout, close-stdout
     --> exit/present.yaml:6:16
      |
    6 | fakes: {one: [{pront: ok}]}
      |                ^^^^^
      |
      = help: did you mean `print`?
    ");
    assert_snapshot!(faults_of(&PRESENT.replace("/ok: true", "/ok: {equal: true}")), @r"
    error: unknown field `equal`, expected one of equals, type, matches, contains, line, falsy, one_of, not, min, max, size, base64, absent
      --> exit/present.yaml:10:34
       |
    10 |   ok: {exit: 0, envelope: {/ok: {equal: true}}}
       |                                  ^^^^^
       |
       = help: did you mean `equals`?
    ");
}

#[test]
fn an_unknown_requirement_is_located() {
    assert_snapshot!(faults_of(&PRESENT.replace("exit.success", "exit.sucess")), @r"
    error: unknown requirement `critic.exit.sucess`
     --> exit/present.yaml:2:1
      |
    2 | requirement: critic.exit.sucess
      | ^^^^^^^^^^^
      |
      = help: did you mean `critic.exit.success`?
    error: requirement `critic.exit.success` has no scenario with `trigger: present`
     --> specs/critic.yaml:1:3
      |
    1 | - id: critic.exit.success
      |   ^^
      |
      = help: a sentence that opens with `WHEN` needs both sides
    ");
    let check = PRESENT.replace("ok: {exit: 0,", "ok: {exit: 0, requirement: critic.exit.failure,");
    assert_snapshot!(faults_of(&check), @r"
    error: unknown requirement `critic.exit.failure`
      --> exit/present.yaml:10:17
       |
    10 |   ok: {exit: 0, requirement: critic.exit.failure, envelope: {/ok: true}}
       |                 ^^^^^^^^^^^
       |
       = help: did you mean `critic.exit.success`?
    ");
}

#[test]
fn a_duplicate_id_is_located() {
    assert_snapshot!(faults_of(&format!("{PRESENT}  ok: {{exit: 0}}\n")), @r"
    error: duplicate key `ok`
      --> exit/present.yaml:11:3
       |
    11 |   ok: {exit: 0}
       |   ^^
       |
       = help: rename one of the two, or remove it
    ");
    assert_snapshot!(faults(&LEDGER.repeat(2), TAGS, &[("exit/present", PRESENT), ("exit/absent", ABSENT)]), @r"
    error: duplicate requirement `critic.exit.success`
     --> specs/critic.yaml:8:3
      |
    8 | - id: critic.exit.success
      |   ^^
      |
      = help: give one of them another id
    ");
}

#[test]
fn an_unused_fake_is_located() {
    let unused =
        PRESENT.replace("fakes: {one: [{print: ok}]}", "fakes: {one: [{print: ok}], two: [{print: ok}]}");
    assert_snapshot!(faults_of(&unused), @r"
    error: fake `two` is used nowhere
     --> exit/present.yaml:6:29
      |
    6 | fakes: {one: [{print: ok}], two: [{print: ok}]}
      |                             ^^^
      |
      = help: use it, for example as `%{bin}/two`, or remove it
    ");
}

#[test]
fn a_missing_side_is_located() {
    assert_snapshot!(faults(LEDGER, TAGS, &[("exit/present", PRESENT)]), @r"
    error: requirement `critic.exit.success` has no scenario with `trigger: absent`
     --> specs/critic.yaml:1:3
      |
    1 | - id: critic.exit.success
      |   ^^
      |
      = help: a sentence that opens with `WHEN` needs both sides
    ");
}

#[test]
fn a_row_without_scenarios_is_located() {
    assert_snapshot!(faults(LEDGER, TAGS, &[]), @r"
    error: requirement `critic.exit.success` has no scenario
     --> specs/critic.yaml:1:3
      |
    1 | - id: critic.exit.success
      |   ^^
      |
      = help: write one under conformance/scenarios, or say why none can decide it: `excluded: …`
    ");
}

#[test]
fn a_tag_without_a_row_is_located() {
    let tags = format!("{TAGS}- {{tag: CC-one, asks: one critic per call}}\n");
    assert_snapshot!(faults(LEDGER, &tags, &[("exit/present", PRESENT), ("exit/absent", ABSENT)]), @r"
    error: no requirement cites `CC-one`: one critic per call
     --> specs/tags.yaml:3:9
      |
    3 | - {tag: CC-one, asks: one critic per call}
      |         ^^^^^^
      |
      = help: add a row for it to specs/critic.yaml or specs/graph.yaml, with scenarios or `excluded`
    ");
    let cited = LEDGER.replace("[CC-exit]", "[CC-exit, CC-ext]");
    assert_snapshot!(faults(&cited, TAGS, &[("exit/present", PRESENT), ("exit/absent", ABSENT)]), @r"
    error: requirement `critic.exit.success` cites the unknown tag `CC-ext`
     --> specs/critic.yaml:1:3
      |
    1 | - id: critic.exit.success
      |   ^^
      |
      = help: did you mean `CC-exit`?
    ");
}

#[test]
fn an_unknown_name_is_located() {
    assert_snapshot!(faults_of(&PRESENT.replace("%{bin}", "%{bim}")), @r#"
    error: unknown name `%{bim}`, expected one of bin, root, home, tmp, canary, prompt, copy, specs, state, record, section, events; write `%{{` for a literal `%{`
     --> exit/present.yaml:5:27
      |
    5 |   - {name: one, command: "%{bim}/one", args: ["{prompt}"]}
      |                           ^^^^^^
      |
      = help: docs/writing-scenarios.md describes what may stand here
    "#);
    assert_snapshot!(faults_of(&PRESENT.replace("print: ok", "print: '%{bim}'")), @r"
    error: unknown name `%{bim}`, expected one of bin, root, home, tmp, canary, prompt, copy, specs, state, record, section, events; write `%{{` for a literal `%{`
     --> exit/present.yaml:6:9
      |
    6 | fakes: {one: [{print: '%{bim}'}]}
      |         ^^^
      |
      = help: correct the name in this script
    ");
    assert_snapshot!(faults_of(&PRESENT.replace("/ok: true", "/ok: '%{bim}'")), @r"
    error: unknown name `%{bim}`, expected one of bin, root, home, tmp, canary, prompt, copy, specs, state, record, section, events; write `%{{` for a literal `%{`
      --> exit/present.yaml:10:34
       |
    10 |   ok: {exit: 0, envelope: {/ok: '%{bim}'}}
       |                                  ^^^^^^
       |
       = help: docs/writing-scenarios.md describes what may stand here
    ");
}

#[test]
fn an_empty_check_is_located() {
    assert_snapshot!(faults_of(&PRESENT.replace("ok: {exit: 0, envelope: {/ok: true}}", "ok: {}")), @r"
    error: an empty check passes always, say what must hold
      --> exit/present.yaml:10:3
       |
    10 |   ok: {}
       |   ^^
       |
       = help: see the table of checks in writing-scenarios.md
    ");
    assert_snapshot!(faults_of(&PRESENT.replace("  ok: {exit: 0, envelope: {/ok: true}}", "  {}")), @r"
    error: no checks: the scenario would prove nothing
     --> exit/present.yaml:9:1
      |
    9 | checks:
      | ^^^^^^
      |
      = help: add one, for example `ok: {exit: 0}`
    ");
}

#[test]
fn what_idleness_passes_is_located() {
    let idle = PRESENT
        .replace("ok: {exit: 0, envelope: {/ok: true}}", "refused: {exit: 2, stdout: '', started: {one: 0}}");
    assert_snapshot!(faults_of(&idle), @r"
    error: a process that does nothing passes `exit/present`
      --> exit/present.yaml:10:3
       |
    10 |   refused: {exit: 2, stdout: '', started: {one: 0}}
       |   ^^^^^^^
       |
       = help: add `control` (the nearest legal case) or `evidence` (what must have happened), a check of what must be there, or `expect` of an earlier step that must end otherwise
    ");
    for small in ["memory: {max: 64}", "disk: {max: 64}", "seconds: {max: 8}", "survivors: 0"] {
        let check = format!("refused: {{exit: 2, {small}}}");
        assert!(
            faults_of(&PRESENT.replace("ok: {exit: 0, envelope: {/ok: true}}", &check))
                .contains("does nothing"),
            "{small}"
        );
    }
    let proved = idle
        .replace("started: {one: 0}", "survivors: 0")
        .replace("steps:", "evidence: {one: [started]}\nsteps:");
    assert_snapshot!(faults_of(&proved), @"");
}

#[test]
fn unknown_fakes_and_steps_are_located() {
    assert_snapshot!(faults_of(&PRESENT.replace("exit: 0", "exit: 0, started: {ones: 1}")), @r"
    error: unknown fake `ones`
      --> exit/present.yaml:10:27
       |
    10 |   ok: {exit: 0, started: {ones: 1}, envelope: {/ok: true}}
       |                           ^^^^
       |
       = help: did you mean `one`?
    ");
    assert_snapshot!(faults_of(&PRESENT.replace("exit: 0", "exit: 0, step: second")), @r"
    error: unknown step `second`, expected one of 0
      --> exit/present.yaml:10:3
       |
    10 |   ok: {exit: 0, step: second, envelope: {/ok: true}}
       |   ^^
       |
       = help: see the table of checks in writing-scenarios.md
    ");
}

#[test]
fn two_descriptions_of_the_configuration_are_refused() {
    assert_snapshot!(faults_of(&PRESENT.replace("trigger: present", "trigger: present\nno-config: true")), @r"
    error: `no-config` beside another description of the configuration, or false
     --> exit/present.yaml:4:1
      |
    4 | no-config: true
      | ^^^^^^^^^
      |
      = help: keep one: parts such as critics and reviews, or config, or `no-config: true`
    ");
}

#[test]
fn what_no_exit_code_and_no_count_is_cannot_be_expected() {
    assert_snapshot!(faults_of(&PRESENT.replace("exit: 0", "exit: 1.5")), @r"
    error: `exit` of check `ok` can never hold
      --> exit/present.yaml:10:8
       |
    10 |   ok: {exit: 1.5, envelope: {/ok: true}}
       |        ^^^^
       |
       = help: expect an exit code, a whole number from 0 to 255
    ");
    for never in [
        "exit: {type: string}",
        "exit: 256",
        "exit: -1",
        "exit: {min: 2, max: 1}",
        "exit: null",
        "survivors: none",
    ] {
        let faults = faults_of(&PRESENT.replace("exit: 0", never));
        assert!(faults.contains("of check `ok` can never hold"), "{never}: {faults}");
    }
    for possible in ["exit: {not: 0}", "exit: {one_of: [x, 1]}", "exit: {type: integer}", "started: {one: 1}"]
    {
        assert_eq!(faults_of(&PRESENT.replace("exit: 0", possible)), "", "{possible}");
    }
}

#[test]
fn evidence_that_cannot_be_is_located() {
    let with =
        |evidence: &str| PRESENT.replace("steps:", &format!("evidence: {{one: [{evidence}]}}\nsteps:"));
    assert_eq!(faults_of(&with("started, printed, exiting")), "");
    assert_snapshot!(faults_of(&with("sleeping")), @r"
    error: evidence that `one` never gives: sleeping
     --> exit/present.yaml:7:12
      |
    7 | evidence: {one: [sleeping]}
      |            ^^^
      |
      = help: give its script the step that journals it, or name another event
    ");
    assert!(faults_of(&with("failed")).contains("a fake that fails is a fault of the kit"));
    let denied = with("started").replace("exit: 0", "exit: 0, started: {one: 0}");
    assert_snapshot!(faults_of(&denied), @r"
    error: `one` must have started as evidence and must not in check `ok`
      --> exit/present.yaml:11:27
       |
    11 |   ok: {exit: 0, started: {one: 0}, envelope: {/ok: true}}
       |                           ^^^
       |
       = help: use `control` where nothing may start
    ");
}
