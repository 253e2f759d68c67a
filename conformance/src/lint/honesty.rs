//! Whether a scenario could be passed by a process that does nothing.
//!
//! [`fault`] is the rule: without `control` or `evidence`, a check that idleness passes needs a positive one beside it.
//! Which checks a real idle target passes is measured elsewhere, by the null targets.

use crate::matcher::{Matcher, Seen};
use crate::scenario::Scenario;
use crate::scenario::check::{Assertion, Check};
use crate::scenario::graph_check::{GraphAssertion, Pointers};
use crate::source::escape;
use crate::source::fault::Fault;
use crate::text::Names;

/// What is dishonest about this scenario, if anything.
pub(super) fn fault(scenario: &Scenario) -> Option<Fault> {
    if scenario.control().is_some() || !scenario.evidence().is_empty() {
        return None;
    }
    if scenario.checks().iter().any(|check| !idle_passes(scenario, check)) {
        return None;
    }
    let name = scenario.checks().first()?.name();
    let message = format!("a process that does nothing passes `{}`", scenario.id());
    let remedy = "add `control` (the nearest legal case) or `evidence` (what must have happened), a check of what must be there, or `expect` of an earlier step that must end otherwise";
    Some(scenario.source().fault(&format!("/checks/{}", escape(name)), message).remedy(remedy))
}

/// Whether a process that prints and starts nothing, and always ends with the same exit code, passes this check.
fn idle_passes(scenario: &Scenario, check: &Check) -> bool {
    let given =
        scenario.checks().iter().filter(|other| check.given().iter().any(|name| name == other.name()));
    let checks: Vec<&Check> = given.chain([check]).collect();
    let holds = |assertion: &&Assertion| holds_when_idle(assertion, scenario);
    checks.iter().flat_map(|check| check.assertions()).all(|assertion| holds(&assertion))
        && (0..=255).any(|code| checks.iter().all(|check| ends_with(scenario, check, code)))
}

/// Whether this exit code suits the check and the steps before it.
fn ends_with(scenario: &Scenario, check: &Check, code: i32) -> bool {
    let steps = &scenario.setup().steps()[..check.step()];
    let seen = Seen::json(Some(code.into()));
    steps.iter().all(|step| step.expect().is_none_or(|expected| expected == code))
        && check.assertions().iter().all(|assertion| match assertion {
            Assertion::Exit(matcher) => matcher.holds(&seen, &Names::default()),
            _ => true,
        })
}

fn holds_when_idle(assertion: &Assertion, scenario: &Scenario) -> bool {
    match assertion {
        Assertion::Envelope(_) | Assertion::Json(_) | Assertion::SameEnvelope(_) | Assertion::Received(_) => {
            false
        }
        Assertion::Stdout(matcher) | Assertion::Stderr(matcher) => matcher.holds_of_silence(),
        Assertion::Survivors(matcher) | Assertion::Temporary(matcher) => matcher.holds_of_zero(),
        Assertion::Started(started) => started.iter().all(|(_, matcher)| matcher.holds_of_zero()),
        Assertion::Files(files) => files.iter().all(|(_, matcher)| matcher.holds_of_absence()),
        Assertion::Seconds(bounds) => bounds.min.is_none_or(|min| min.is_zero()),
        Assertion::Graph(assertion) => graph_holds_when_idle(assertion, scenario),
        // Whether some code suits is asked for all checks together.
        Assertion::Exit(_) | Assertion::Alive(_) | Assertion::Memory(_) | Assertion::Disk(_) => true,
    }
}

fn graph_holds_when_idle(assertion: &GraphAssertion, scenario: &Scenario) -> bool {
    match assertion {
        GraphAssertion::Checklist(rows) => rows.iter().all(|(_, row)| row.absent == Some(true)),
        GraphAssertion::Rows(rows) => rows.iter().all(|(_, matcher)| matcher.holds_of_absence()),
        GraphAssertion::Nodes(_)
        | GraphAssertion::Edges(_)
        | GraphAssertion::NoEdges(_)
        | GraphAssertion::Adjacent(_) => false,
        // Only a state that the scenario itself puts there can be right without the target.
        GraphAssertion::State(_) => places_a_state(scenario),
        GraphAssertion::Frozen(nodes) => {
            let absent = |(_, pointers): &(String, Pointers)| {
                pointers.iter().all(|(_, matcher)| matcher.holds_of_absence())
            };
            places_a_state(scenario) || nodes.iter().all(absent)
        }
        GraphAssertion::Events(events) => {
            events.iter().all(|(_, event)| event.count.as_ref().is_some_and(Matcher::holds_of_zero))
        }
        GraphAssertion::Unchanged(_) => true,
    }
}

fn places_a_state(scenario: &Scenario) -> bool {
    let written = scenario.setup().steps().iter().flat_map(|step| &step.before().write);
    scenario.setup().files().iter().chain(written).any(|(path, _)| path.source().contains("%{state}"))
}
