//! Whether a scenario could be passed by a process that does nothing.
//!
//! [`fault`] is the rule: without `control` or `evidence`, a check that idleness passes needs a positive one beside it.
//! Which checks a real idle target passes is measured elsewhere, by the null targets.

use crate::scenario::Scenario;
use crate::scenario::check::{Assertion, Check};
use crate::source::escape;
use crate::source::fault::Fault;

/// What is dishonest about this scenario, if anything.
pub(super) fn fault(scenario: &Scenario) -> Option<Fault> {
    if scenario.control().is_some() || !scenario.evidence().is_empty() {
        return None;
    }
    if scenario.checks().iter().any(|check| !idle_passes(check)) {
        return None;
    }
    let name = scenario.checks().first()?.name();
    let message = format!("a process that does nothing passes `{}`", scenario.id());
    let remedy = "add `control` (the nearest legal case) or `evidence` (what must have happened), or a check of what must be there";
    Some(scenario.source().fault(&format!("/checks/{}", escape(name)), message).remedy(remedy))
}

/// Whether a process that prints and starts nothing passes this check with some exit code.
fn idle_passes(check: &Check) -> bool {
    check.assertions().iter().all(holds_when_idle)
}

fn holds_when_idle(assertion: &Assertion) -> bool {
    match assertion {
        Assertion::Envelope(_) | Assertion::Json(_) | Assertion::SameEnvelope(_) | Assertion::Received(_) => {
            false
        }
        Assertion::Stdout(matcher) | Assertion::Stderr(matcher) => matcher.holds_of_silence(),
        Assertion::Survivors(matcher) | Assertion::Temporary(matcher) => matcher.holds_of_zero(),
        Assertion::Started(started) => started.iter().all(|(_, matcher)| matcher.holds_of_zero()),
        Assertion::Files(files) => files.iter().all(|(_, matcher)| matcher.holds_of_absence()),
        Assertion::Seconds(bounds) => bounds.min.is_none_or(|min| min.is_zero()),
        // Any code is one that some idle process ends with.
        Assertion::Exit(_) | Assertion::Alive(_) | Assertion::Memory(_) | Assertion::Disk(_) => true,
    }
}
