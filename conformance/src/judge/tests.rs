//! The judge on made-up observations.

use std::collections::BTreeMap;
use std::time::Duration;

use fake_critics::Bytes;
use fake_critics::journal::{Entry, Event, Started, StdinKind};

use super::{Kind, Verdict, judge};
use crate::ledger::Ledger;
use crate::observation::{CopyRecord, Ending, FileRecord, Observation, Places, Session, StepRecord};
use crate::scenario::Scenario;
use crate::source::Source;
use crate::text::GraphPlaces;

const LEDGER: &str = "\
- {id: a.must, pattern: ubiquitous, ears: The runtime SHALL., level: must, source: [X], profile: critic, since: 1}
- {id: a.open, pattern: ubiquitous, ears: The runtime SHALL., level: open, source: [X], profile: critic, since: 1}
";

fn scenario(checks: &str, more: &str) -> Scenario {
    let text = format!(
        "title: t\nrequirement: a.must\ntrigger: present\n\
         critics: |\n  - {{name: one, command: \"%{{bin}}/one\", args: [\"{{prompt}}\"]}}\n\
         fakes: {{one: []}}\nsteps:\n  - run: {{critic: one, prompt: review}}\n{more}checks:\n  it: {checks}\n"
    );
    Scenario::parse("a/b", Source::new("a/b.yaml", text)).unwrap()
}

fn session(ending: Ending, stdout: &str, starts: &[&[&str]]) -> Session {
    let places = Places {
        bin: "/s/bin".into(),
        root: "/s/root".into(),
        home: "/s/home".into(),
        tmp: "/s/tmp".into(),
        canary: "/s/canary".into(),
        graph: GraphPlaces::default(),
    };
    let journal = (7..).zip(starts).map(|(pid, argv)| start(pid, argv)).collect();
    let copy = CopyRecord {
        number: 0,
        prompt: Some(Bytes::from("review")),
        command: vec!["target".to_owned()],
        ending,
        stdout: Bytes::from(stdout),
        stderr: Bytes::default(),
        cut: false,
        wall: Duration::from_millis(1500),
        peak_memory: 10 * 1024,
        peak_disk: 4096,
        signal_unsent: false,
    };
    Session {
        places,
        trouble: None,
        steps: vec![StepRecord { copies: vec![copy], ..StepRecord::nothing("0") }],
        journals: BTreeMap::from([("one".to_owned(), journal)]),
        files: BTreeMap::from([("/s/root/there".to_owned(), FileRecord::File(Bytes::from("{\"a\": 1}")))]),
        temporary: Vec::new(),
        bystanders: BTreeMap::new(),
    }
}

fn start(pid: i32, argv: &[&str]) -> Entry {
    let event = Event::Started(Box::new(Started {
        parent: 1,
        group: pid,
        session: 1,
        argv: argv.iter().map(|word| Bytes::from(*word)).collect(),
        environment: vec![Bytes::from("HOME=/s/home")],
        cwd: Bytes::from("/s/root"),
        stdin: StdinKind::Null,
    }));
    Entry { pid, monotonic: 1, wall: 1, event }
}

fn verdict_of(scenario: &Scenario, subject: Session, control: Option<Session>) -> Verdict {
    let ledger = Ledger::parse(&[Source::new("l.yaml", LEDGER)]).unwrap();
    let observation = Observation { subject, control };
    judge(scenario, &ledger, &observation, Duration::from_secs(1)).remove(0)
}

/// The kind of verdict on a round that exited 0, printed an envelope and started the fake once.
fn kind(checks: &str) -> Kind {
    let session = session(Ending::Exit(0), "{\"ok\": true, \"n\": 1.0}", &[&["one", "review"]]);
    verdict_of(&scenario(checks, ""), session, None).kind
}

#[test]
fn assertions_are_judged() {
    for holds in [
        "{exit: 0}",
        "{envelope: {/ok: true, /n: 1, /error: {absent: true}}}",
        "{json: {'': {type: object, size: 2}}}",
        "{stdout: {contains: ok, matches: '^.{3,}$'}}",
        "{started: {one: 1}}",
        "{received: {one: {args: ['%{prompt}'], argv0: one, env: {HOME: '%{home}', NOPE: {absent: true}}, cwd: '%{root}', stdin-kind: 'null', group: own}}}",
        "{seconds: {min: 1, max: 1}}",
        "{survivors: 0, temporary: 0, memory: {max: 10}, disk: {max: 4096}}",
        "{files: {'%{root}/there': {contains: a}}}",
    ] {
        assert_eq!(kind(holds), Kind::Pass, "{holds}");
    }
}

#[test]
fn a_peak_is_told_also_where_it_is_within_its_bound() {
    let session = session(Ending::Exit(0), "", &[]);
    let peaks = |checks: &str| verdict_of(&scenario(checks, ""), session.clone(), None).peaks;
    assert_eq!(
        peaks("{memory: {max: 10}, disk: {max: 1}}"),
        BTreeMap::from([("memory", 10), ("disk", 4096)])
    );
    assert_eq!(peaks("{exit: 0}"), BTreeMap::new());
}

#[test]
fn what_does_not_hold_fails() {
    for fails in [
        "{exit: 1}",
        "{envelope: {/ok: false}}",
        "{envelope: {/missing: {type: string}}}",
        "{started: {one: 0}}",
        "{received: {one: {args: []}}}",
        "{received: {one: {args: ['%{prompt}', x]}}}",
        "{received: {one: {start: 1, cwd: '%{root}'}}}",
        "{received: {one: {stdin: ''}}}",
        "{received: {one: {group: shared}}}",
        "{seconds: {max: 0.4}}",
        "{seconds: {min: 2}}",
        "{memory: {max: 9}}",
        "{disk: {max: 4095}}",
        "{files: {'%{root}/there': {absent: true}}}",
        "{files: {'%{root}/nobody-looked': {absent: true}}}",
        "{same-envelope: '%{root}/there'}",
        "{survivors: 1}",
    ] {
        assert_eq!(kind(fails), Kind::Fail, "{fails}");
    }
}

#[test]
fn two_objects_are_no_envelope() {
    for stdout in ["{} {}", "[]", "{\"n\": NaN}", "", "{\"s\": \"\\ud800\"}"] {
        let session = session(Ending::Exit(0), stdout, &[]);
        let verdict = verdict_of(&scenario("{envelope: {/x: {absent: true}}}", ""), session, None);
        assert_eq!(verdict.kind, Kind::Fail, "{stdout}");
    }
}

#[test]
fn who_was_killed_or_hung_has_no_exit_code() {
    for ending in [Ending::Signal(9), Ending::Hung, Ending::NotStarted] {
        let verdict = verdict_of(&scenario("{exit: {not: 5}}", ""), session(ending, "", &[]), None);
        assert_eq!(verdict.kind, Kind::Fail, "{ending:?}");
    }
}

#[test]
fn without_its_evidence_a_pass_is_vacuous() {
    let scenario = scenario("{exit: 0}", "evidence: {one: [started, printed]}\n");
    let verdict = verdict_of(&scenario, session(Ending::Exit(0), "", &[&["one"]]), None);
    assert_eq!(verdict.kind, Kind::Vacuous);
    assert_eq!(verdict.note.as_deref(), Some("`one` never journaled printed"));
}

#[test]
fn a_refusal_without_a_legal_control_is_vacuous() {
    let control = "control: {critics: \"- {name: one, command: '%{bin}/one', args: [x, '{prompt}']}\"}\n";
    let scenario = scenario("{exit: 2}", control);
    let refused = || session(Ending::Exit(2), "", &[]);
    assert_eq!(verdict_of(&scenario, refused(), Some(refused())).kind, Kind::Vacuous);
    assert_eq!(verdict_of(&scenario, refused(), None).kind, Kind::Vacuous);
    let legal = session(Ending::Exit(1), "", &[&["one"]]);
    assert_eq!(verdict_of(&scenario, refused(), Some(legal)).kind, Kind::Pass);
}

#[test]
fn an_open_row_is_only_observed() {
    for exit in [0, 1] {
        let verdict = verdict_of(
            &scenario("{exit: 0, requirement: a.open}", ""),
            session(Ending::Exit(exit), "", &[]),
            None,
        );
        assert_eq!(verdict.kind, Kind::Observed);
        assert_eq!(verdict.findings.is_empty(), exit == 0);
    }
}

#[test]
fn a_hung_step_blocks_the_next() {
    let text = "title: t\nrequirement: a.must\ntrigger: present\nsteps: [list: {}, list: {}]\nchecks:\n  first: {step: 0, exit: 0}\n  second: {exit: 0}\n";
    let scenario = Scenario::parse("a/b", Source::new("a/b.yaml", text)).unwrap();
    let mut subject = session(Ending::Hung, "", &[]);
    subject.steps.push(session(Ending::Exit(0), "", &[]).steps.remove(0));
    let ledger = Ledger::parse(&[Source::new("l.yaml", LEDGER)]).unwrap();
    let verdicts = judge(&scenario, &ledger, &Observation { subject, control: None }, Duration::ZERO);
    let kinds: Vec<Kind> = verdicts.iter().map(|verdict| verdict.kind).collect();
    assert_eq!(kinds, [Kind::Fail, Kind::Blocked]);
}

#[test]
fn trouble_of_the_kit_is_no_verdict_on_the_target() {
    let mut subject = session(Ending::Exit(0), "", &[]);
    subject.trouble = Some("no space".to_owned());
    assert_eq!(verdict_of(&scenario("{exit: 0}", ""), subject, None).kind, Kind::KitError);
}

#[test]
fn a_missed_time_bound_does_not_change_the_fingerprint_of_another_failure() {
    let both =
        verdict_of(&scenario("{exit: 1, seconds: {max: 0.1}}", ""), session(Ending::Exit(0), "", &[]), None);
    let one = verdict_of(&scenario("{exit: 1}", ""), session(Ending::Exit(0), "", &[]), None);
    assert_eq!(both.fingerprint(), "exit: 0");
    assert_eq!(both.fingerprint(), one.fingerprint());
    let late = verdict_of(&scenario("{seconds: {max: 0.1}}", ""), session(Ending::Exit(0), "", &[]), None);
    assert_eq!(late.fingerprint(), "seconds: above max");
}

#[test]
fn what_is_no_envelope_is_told_with_the_place() {
    let seen = |stdout: &str| {
        let verdict =
            verdict_of(&scenario("{envelope: {/ok: true}}", ""), session(Ending::Exit(0), stdout, &[]), None);
        verdict.findings[0].seen.as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(seen(" \n"), "nothing");
    assert_eq!(seen("[]\n"), "another JSON value: []");
    let infinite = seen("{\n  \"cost\": Infinity,\n  \"ok\": true\n}\n");
    assert!(infinite.contains("line 2") && infinite.ends_with("\"cost\": Infinity,"), "{infinite}");
}
