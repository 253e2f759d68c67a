//! Whether a scenario asks what can be at all.
//!
//! [`faults`] finds checks that no target passes and evidence that no run gives. It does not ask whether a check is hard
//! enough: that is honesty's and the kill matrix's matter.

use std::collections::BTreeSet;

use fake_critics::journal::EventName;
use fake_critics::script::{Script, Step};

use crate::matcher::Matcher;
use crate::scenario::Scenario;
use crate::scenario::check::{Assertion, Check};
use crate::source::escape;
use crate::source::fault::Fault;

/// As many processes, starts and files as a check may ask for.
const MANY: u64 = 10_000;

/// What can never be.
pub(super) fn faults(scenario: &Scenario) -> Vec<Fault> {
    let checks = scenario.checks().iter().flat_map(|check| impossible(scenario, check));
    checks.chain(unreachable_evidence(scenario)).chain(denied_evidence(scenario)).collect()
}

fn impossible(scenario: &Scenario, check: &Check) -> Vec<Fault> {
    let place = format!("/checks/{}", escape(check.name()));
    let fault = |key: String, what: &str, range: &str| {
        let message = format!("`{what}` of check `{}` can never hold", check.name());
        scenario.source().fault(&format!("{place}/{key}"), message).remedy(format!("expect {range}"))
    };
    let counts = "a whole number from 0";
    let mut faults = Vec::new();
    for assertion in check.assertions() {
        match assertion {
            Assertion::Exit(matcher) if !holds_of_some(matcher, 255) => {
                faults.push(fault("exit".to_owned(), "exit", "an exit code, a whole number from 0 to 255"));
            }
            Assertion::Survivors(matcher) if !holds_of_some(matcher, MANY) => {
                faults.push(fault("survivors".to_owned(), "survivors", counts));
            }
            Assertion::Temporary(matcher) if !holds_of_some(matcher, MANY) => {
                faults.push(fault("temporary".to_owned(), "temporary", counts));
            }
            Assertion::Started(started) => {
                let never = started.iter().filter(|(_, matcher)| !holds_of_some(matcher, MANY));
                faults.extend(never.map(|(fake, _)| {
                    fault(format!("started/{}", escape(fake)), &format!("started: {fake}"), counts)
                }));
            }
            _ => {}
        }
    }
    faults
}

fn holds_of_some(matcher: &Matcher, most: u64) -> bool {
    (0..=most).any(|count| matcher.holds_of_count(count))
}

/// Events that the script of a fake never journals.
fn unreachable_evidence(scenario: &Scenario) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (fake, events) in scenario.evidence() {
        let Some(script) = scenario.setup().fakes().get(fake) else { continue };
        let possible = events_of(script);
        for event in events.iter().filter(|event| !possible.contains(event)) {
            let name = serde_json::to_string(event).unwrap_or_default();
            let message = format!("evidence that `{fake}` never gives: {}", name.trim_matches('"'));
            let remedy = if *event == EventName::Failed {
                "remove it: a fake that fails is a fault of the kit"
            } else {
                "give its script the step that journals it, or name another event"
            };
            faults.push(
                scenario.source().fault(&format!("/evidence/{}", escape(fake)), message).remedy(remedy),
            );
        }
    }
    faults
}

/// Evidence that a check contradicts: whoever passes the one fails the other.
fn denied_evidence(scenario: &Scenario) -> Vec<Fault> {
    let mut faults = Vec::new();
    for check in scenario.checks() {
        for assertion in check.assertions() {
            let Assertion::Started(started) = assertion else { continue };
            let is_denied = |fake: &str, matcher: &Matcher| {
                scenario.evidence().iter().any(|(name, _)| name == fake)
                    && !(1..=MANY).any(|count| matcher.holds_of_count(count))
            };
            faults.extend(started.iter().filter(|(fake, matcher)| is_denied(fake, matcher)).map(
                |(fake, _)| {
                    let place = format!("/checks/{}/started/{}", escape(check.name()), escape(fake));
                    let message = format!(
                        "`{fake}` must have started as evidence and must not in check `{}`",
                        check.name()
                    );
                    scenario.source().fault(&place, message).remedy("use `control` where nothing may start")
                },
            ));
        }
    }
    faults
}

/// What a fake with this script may journal, its children included.
fn events_of(script: &Script) -> BTreeSet<EventName> {
    let mut found = BTreeSet::from([EventName::Started, EventName::Exiting]);
    collect(&script.0, &mut found);
    found
}

fn collect(steps: &[Step], found: &mut BTreeSet<EventName>) {
    for step in steps {
        match step {
            Step::Print(_)
            | Step::PrintBytes(_)
            | Step::PrintError(_)
            | Step::PrintArgv(_)
            | Step::PrintFile(_)
            | Step::Flood(_)
            | Step::ReopenStdout(_) => {
                found.insert(EventName::Printed);
            }
            Step::PrintStdin(_) => found.extend([EventName::ReadStdin, EventName::Printed]),
            Step::ReadStdin(_) => {
                found.insert(EventName::ReadStdin);
            }
            Step::Sleep(_) => {
                found.insert(EventName::Sleeping);
            }
            Step::Ignore(_) => {
                found.insert(EventName::Signal);
            }
            Step::OnSignal(handler) => {
                found.insert(EventName::Signal);
                collect(&handler.steps, found);
            }
            Step::Child(child) => {
                found.insert(EventName::ChildStarted);
                collect(&child.steps, found);
            }
            Step::Exit(_) | Step::DieBy(_) | Step::Stop(_) | Step::WriteFile(_) | Step::CloseStdout(_) => {}
        }
    }
}
