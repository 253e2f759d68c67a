//! Reports of made-up outcomes.

use std::collections::BTreeMap;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;

use super::{Detail, Format};
use crate::baseline::Baseline;
use crate::campaign::{Completion, Ending, Event, Gate, Header, Outcome, Tally};
use crate::judge::{Finding, Kind, Verdict};
use crate::ledger::{Ledger, Level};
use crate::scenario::Scenario;
use crate::source::Source;

const LEDGER: &str = "\
- id: critic.exit.refused
  pattern: unwanted
  ears: IF an entry is disabled THEN the runtime SHALL exit 2.
  level: must
  source: [CR-1.4, CC-exit]
  profile: critic
  since: 1
";
const SCENARIO: &str = "title: A disabled critic is refused\nrequirement: critic.exit.refused\ntrigger: present\n\
steps: [list: {}]\nchecks:\n  refused: {exit: 2}\n  said: {stderr: {contains: disabled}}\n";

fn verdict(name: &str, kind: Kind, findings: Vec<Finding>) -> Verdict {
    Verdict {
        check: format!("entry/disabled/{name}"),
        requirement: "critic.exit.refused".to_owned(),
        source: vec!["CR-1.4".to_owned(), "CC-exit".to_owned()],
        level: Level::Must,
        kind,
        findings,
        note: None,
        seconds: Duration::from_millis(12),
        peaks: BTreeMap::new(),
    }
}

fn report(format: Format, completion: Completion) -> String {
    let ledger = Ledger::parse(&[Source::new("critic.yaml", LEDGER)]).unwrap();
    let scenario = Scenario::parse("entry/disabled", Source::new("entry/disabled.yaml", SCENARIO)).unwrap();
    let exit =
        Finding { what: "exit".to_owned(), expected: json!(2), seen: json!(0), trace: "exit: 0".to_owned() };
    let verdicts = vec![verdict("refused", Kind::Fail, vec![exit]), verdict("said", Kind::Pass, Vec::new())];
    let mut tally = Tally::default();
    for verdict in &verdicts {
        tally.add(verdict, Gate::Must, &Baseline::default());
    }
    let header = Header {
        kit: "0.1.0".to_owned(),
        suite: 1,
        target: "mine".to_owned(),
        target_version: Some("mine 3.2".to_owned()),
        startup: Some(Duration::from_millis(40)),
        expected: 2,
        scenarios: 1,
    };
    let outcome = Outcome {
        scenario: &scenario,
        verdicts,
        observation: None,
        replay: Some("/tmp/x/entry/disabled/replay.sh".into()),
    };
    let ending = Ending {
        expected: 2,
        conclusion: tally.conclusion(completion),
        tally,
        gate: Gate::Must,
        seconds: Duration::from_millis(1240),
        results: Some("/tmp/x".into()),
    };
    let mut stream = anstream::StripStream::new(Vec::new());
    {
        let mut report = format.report(&mut stream, &ledger, Detail::Failures);
        for event in [Event::Begun(&header), Event::Judged(&outcome), Event::Ended(&ending)] {
            report.event(&event).unwrap();
        }
    }
    String::from_utf8(stream.into_inner()).unwrap()
}

#[test]
fn a_failure_has_sentence_difference_and_script() {
    assert_snapshot!(report(Format::Text, Completion::Whole), @r"
    kit      0.1.0, suite 1
    target   mine (mine 3.2, start-up 40 ms)
    expected 2 checks of 1 scenarios

    fail entry/disabled/refused
      critic.exit.refused (must; CR-1.4, CC-exit)
      IF an entry is disabled THEN the runtime SHALL exit 2.
      scenario: A disabled critic is refused
        exit: expected (-) and seen (+)
          - 2
          + 0
      repeat:  /tmp/x/entry/disabled/replay.sh

     critic.exit.refused  must  1 pass, 1 fail
    must: 0 of 1 requirements kept
    2 of 2 checks in 1.2 s: 1 pass, 1 fail
    sandboxes kept in /tmp/x
    does not conform (gate must)
    ");
}

#[test]
fn json_lines_have_head_checks_and_end() {
    assert_snapshot!(report(Format::Jsonl, Completion::Whole), @r#"
    {"kit":"0.1.0","suite":1,"target":"mine","targetVersion":"mine 3.2","startup":0.04,"expected":2}
    {"check":"entry/disabled/refused","requirement":"critic.exit.refused","source":["CR-1.4","CC-exit"],"level":"must","verdict":"fail","expected":{"exit":2},"seen":{"exit":0},"seconds":0.012,"fingerprint":"exit: 0","replay":"/tmp/x/entry/disabled/replay.sh"}
    {"check":"entry/disabled/said","requirement":"critic.exit.refused","source":["CR-1.4","CC-exit"],"level":"must","verdict":"pass","expected":{},"seen":{},"seconds":0.012}
    {"counts":{"pass":1,"fail":1,"expected-fail":0,"unexpected-pass":0,"not-applicable":0,"blocked":0,"vacuous":0,"kit-error":0,"observed":0},"exit":1}
    "#);
}

#[test]
fn an_interrupted_run_has_no_last_line() {
    let report = report(Format::Jsonl, Completion::Interrupted);
    assert_eq!(report.lines().count(), 3);
    assert!(!report.contains("counts"), "{report}");
}

#[test]
fn nothing_executed_does_not_conform() {
    let mut tally = Tally::default();
    tally.add(&verdict("refused", Kind::NotApplicable, Vec::new()), Gate::Must, &Baseline::default());
    assert_eq!(tally.conclusion(Completion::Whole).exit(), 1);
}

#[test]
fn the_gate_decides_which_levels_count() {
    let exits: BTreeMap<&str, Vec<u8>> =
        [("must", Level::Must), ("should", Level::Should), ("open", Level::Open)]
            .map(|(name, level)| {
                let exit = |gate| {
                    let mut tally = Tally::default();
                    tally.add(
                        &Verdict { level, ..verdict("x", Kind::Fail, Vec::new()) },
                        gate,
                        &Baseline::default(),
                    );
                    tally.conclusion(Completion::Whole).exit()
                };
                (name, vec![exit(Gate::Must), exit(Gate::Should)])
            })
            .into();
    assert_eq!(exits, BTreeMap::from([("must", vec![1, 1]), ("should", vec![0, 1]), ("open", vec![0, 0])]));
}

#[test]
fn a_matcher_shares_no_lines_with_what_was_seen() {
    let told = |expected: serde_json::Value, seen: serde_json::Value| -> Vec<String> {
        let changes = super::words::difference(&expected, &seen).into_iter();
        changes
            .map(|change| match change {
                super::words::Change::Missing(line) => format!("- {line}"),
                super::words::Change::Found(line) => format!("+ {line}"),
                super::words::Change::Same(line) => format!("  {line}"),
            })
            .collect()
    };
    let keys = ["a, which is rather long", "b, which is rather long", "c, which is rather long"];
    assert_eq!(
        told(serde_json::json!({"type": "object", "contains": keys}), serde_json::json!({"type": 1})),
        [
            r#"- {"type":"object","contains":["a, which is rather long","b, which is rather long","c, which is rather long"]}"#,
            r#"+ {"type":1}"#
        ]
    );
    assert_eq!(told(serde_json::json!({"ok": {"a": 1}}), serde_json::json!({"ok": {"a": 1}})).len(), 5);
}
