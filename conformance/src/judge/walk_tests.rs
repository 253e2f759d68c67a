//! The judge on made-up observations of the graph profile: assertions, and what blocks a check.

use std::time::Duration;

use fake_critics::Bytes;
use serde_json::{Value, json};

use super::{Kind, Verdict, judge};
use crate::ledger::Ledger;
use crate::observation::{
    CopyRecord, Ending, FileRecord, Observation, Places, Session, StepRecord, WalkRecord,
};
use crate::scenario::Scenario;
use crate::source::Source;
use crate::text::GraphPlaces;

const LEDGER: &str = "\
- {id: a.must, pattern: ubiquitous, ears: The runtime SHALL., level: must, source: [X], profile: graph, since: 1}
- {id: a.open, pattern: ubiquitous, ears: The runtime SHALL., level: open, source: [X], profile: graph, since: 1}
";

const CHECKLIST: &str = "\
## Phases
- [x] build — the work
## Off unless ticked
- [ ] deep-review
";

const TABLE: &str = "\
node         status        message
build        skipped       by alice, before deep-review
deep-review  not-selected
";

fn shown() -> Value {
    json!({
        "name": "small",
        "nodes": [{"id": "build", "optIn": false}, {"id": "deep-review", "optIn": true}, {"id": "ship"}],
        "edges": [{"from": "build", "to": "deep-review", "on": "pass", "more": 1}],
    })
}

fn record(exit: i32, stdout: &str) -> StepRecord {
    let copy = CopyRecord {
        number: 0,
        prompt: None,
        command: vec!["target".to_owned()],
        ending: Ending::Exit(exit),
        stdout: Bytes::from(stdout),
        stderr: Bytes::default(),
        cut: false,
        wall: Duration::ZERO,
        peak_memory: 0,
        peak_disk: 0,
        signal_unsent: false,
    };
    let file = |text: &str| FileRecord::File(Bytes::from(text));
    let state = json!({"optIns": {"deep-review": {"by": "alice"}}, "frozen": {"nodes": [{"id": "build", "skipped": true}]}});
    let events =
        "{\"event\": \"chosen\", \"nodes\": [\"a\"]}\nnoise\n{\"event\": \"chosen\", \"nodes\": [\"b\"]}\n";
    StepRecord {
        copies: vec![copy],
        walk: Some(WalkRecord { state: file(&state.to_string()), events: file(events) }),
        changed: vec!["docs/touched".to_owned()],
        ..StepRecord::nothing("0")
    }
}

fn scenario(steps: &str, checks: &str) -> Scenario {
    let text =
        format!("title: t\nrequirement: a.must\ntrigger: present\nsteps:\n{steps}\nchecks:\n{checks}\n");
    Scenario::parse("a/b", Source::new("a/b.yaml", text)).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

fn verdicts(scenario: &Scenario, steps: Vec<StepRecord>) -> Vec<Verdict> {
    let graph = GraphPlaces { specs: "docs".to_owned(), ..GraphPlaces::default() };
    let subject = Session {
        places: Places::below("/s".as_ref(), &graph),
        trouble: None,
        steps,
        journals: std::collections::BTreeMap::new(),
        files: std::collections::BTreeMap::new(),
        temporary: Vec::new(),
        bystanders: std::collections::BTreeMap::new(),
    };
    let ledger = Ledger::parse(&[Source::new("l.yaml", LEDGER)]).unwrap();
    judge(scenario, &ledger, &Observation { subject, control: None }, Duration::ZERO)
}

fn kind(stdout: &str, check: &str) -> Kind {
    let scenario = scenario("  - check: {item: w1}", &format!("  it: {check}"));
    verdicts(&scenario, vec![record(0, stdout)]).remove(0).kind
}

#[test]
fn what_holds_of_a_walk_passes() {
    for (stdout, check) in [
        (CHECKLIST, "{checklist: {build: {ticked: true, description: the work, under: {matches: Phases}}}}"),
        (
            CHECKLIST,
            "{checklist: {deep-review: {ticked: false, under: {contains: unless}}, ship: {absent: true}}}",
        ),
        (
            TABLE,
            "{rows: {deep-review: {matches: not-selected, not: {contains: alice}}, build: {contains: skipped}}}",
        ),
        (TABLE, "{rows: {ship: {absent: true}}}"),
        (&shown().to_string(), "{rows: {deep-review: {contains: '\"optIn\":true'}}}"),
        (&shown().to_string(), "{nodes: {deep-review: {/optIn: true}, gone: {'': {absent: true}}}}"),
        (
            &shown().to_string(),
            "{edges: [{from: build, to: deep-review, on: pass}, {from: build}], no-edges: [{to: build}]}",
        ),
        (&shown().to_string(), "{adjacent: [deep-review, ship]}"),
        ("", "{state: {/optIns/deep-review/by: alice, /skips: {absent: true}}}"),
        ("", "{frozen: {build: {/skipped: true}}}"),
        ("", "{events: {chosen: {}, other: {count: 0}}}"),
        ("", "{events: {chosen: {count: 1, where: {/nodes: [b]}}}}"),
        ("", "{unchanged: ['%{specs}/quiet']}"),
    ] {
        assert_eq!(kind(stdout, check), Kind::Pass, "{check}");
    }
}

#[test]
fn what_does_not_hold_of_a_walk_fails() {
    let shown = shown().to_string();
    for (stdout, check) in [
        (CHECKLIST, "{checklist: {build: {ticked: false}}}"),
        (CHECKLIST, "{checklist: {build: {absent: true}}}"),
        (CHECKLIST, "{checklist: {ship: {ticked: true}}}"),
        (CHECKLIST, "{checklist: {deep-review: {description: {type: string}}}}"),
        (CHECKLIST, "{checklist: {build: {under: {contains: unless}}}}"),
        ("", "{checklist: {build: {ticked: true}}}"),
        (TABLE, "{rows: {deep-review: {contains: alice}}}"),
        (TABLE, "{rows: {ship: {matches: .}}}"),
        (&shown, "{nodes: {deep-review: {/optIn: false}}}"),
        (&shown, "{nodes: {gone: {'': {type: object}}}}"),
        (&shown, "{edges: [{from: build, to: ship}]}"),
        (&shown, "{no-edges: [{from: build}]}"),
        (&shown, "{adjacent: [build, ship]}"),
        (&shown, "{adjacent: [ship, deep-review]}"),
        (TABLE, "{nodes: {gone: {'': {absent: true}}}}"),
        (TABLE, "{no-edges: [{from: ship}]}"),
        ("", "{state: {/optIns/deep-review/by: mallory}}"),
        ("", "{frozen: {build: {/skipped: false}}}"),
        ("", "{events: {chosen: {count: 1}}}"),
        ("", "{events: {chosen: {where: {/nodes: [c]}}}}"),
        ("", "{events: {other: {}}}"),
        ("", "{unchanged: ['%{specs}/touched']}"),
    ] {
        assert_eq!(kind(stdout, check), Kind::Fail, "{check}");
    }
}

#[test]
fn a_state_that_is_no_json_fails_every_look_into_it() {
    let scenario = scenario("  - check: {item: w1}", "  it: {state: {/gone: {absent: true}}}");
    for state in [FileRecord::Absent, FileRecord::File(Bytes::from("{"))] {
        let mut step = record(0, "");
        step.walk = Some(WalkRecord { state, events: FileRecord::Absent });
        assert_eq!(verdicts(&scenario, vec![step])[0].kind, Kind::Fail);
    }
}

#[test]
fn a_step_that_ends_otherwise_than_expected_blocks_what_follows() {
    let scenario = scenario(
        "  - {id: one, start: {item: w1}, expect: 0}\n  - check: {item: w1}",
        "  itself: {step: one, exit: 2}\n  after: {exit: 0}",
    );
    let kinds = |exit| {
        let verdicts = verdicts(&scenario, vec![record(exit, ""), record(0, "")]);
        verdicts.into_iter().map(|verdict| verdict.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(0), [Kind::Fail, Kind::Pass]);
    assert_eq!(kinds(2), [Kind::Pass, Kind::Blocked]);
}

#[test]
fn a_step_that_cannot_be_made_blocks_itself_and_what_follows() {
    let scenario = scenario(
        "  - {id: one, start: {item: w1}}\n  - {id: two, start: {item: w2}}\n  - check: {item: w1}",
        "  before: {step: one, exit: 0}\n  itself: {step: two, exit: {not: 7}}\n  after: {exit: 0}",
    );
    let lacking = StepRecord { lack: Some("no row".to_owned()), ..StepRecord::nothing("two") };
    let verdicts = verdicts(&scenario, vec![record(0, ""), lacking, record(0, "")]);
    let kinds: Vec<Kind> = verdicts.iter().map(|verdict| verdict.kind).collect();
    assert_eq!(kinds, [Kind::Pass, Kind::Blocked, Kind::Blocked]);
    assert_eq!(verdicts[1].note.as_deref(), Some("step `two` could not be made: no row"));
}

#[test]
fn a_check_says_nothing_without_what_is_given() {
    let kinds = |given: &str, check: &str| {
        let checks = format!("  first: {{{given}}}\n  then: {{given: [first], {check}}}");
        let scenario = scenario("  - check: {item: w1}", &checks);
        let verdicts = verdicts(&scenario, vec![record(0, "")]);
        verdicts.into_iter().map(|verdict| verdict.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds("exit: 0", "exit: 0"), [Kind::Pass, Kind::Pass]);
    assert_eq!(kinds("exit: 0", "exit: 1"), [Kind::Pass, Kind::Fail]);
    assert_eq!(kinds("exit: 1", "exit: 0"), [Kind::Fail, Kind::Blocked]);
    assert_eq!(kinds("exit: 1", "exit: 1"), [Kind::Fail, Kind::Blocked]);
    assert_eq!(kinds("exit: 0, requirement: a.open", "exit: 1"), [Kind::Observed, Kind::Fail]);
    assert_eq!(kinds("exit: 1, requirement: a.open", "exit: 1"), [Kind::Observed, Kind::NotApplicable]);
    assert_eq!(
        kinds("exit: 1, requirement: a.open", "exit: 0, requirement: a.open"),
        [Kind::Observed, Kind::Observed]
    );
}
