//! What it means that a check does not pass any more once something was taken away.
//!
//! Main type: [`Turn`].

use fake_critics::journal::Event;

use super::variant::Variant;
use crate::judge::{Kind, Verdict};
use crate::observation::{Observation, Session};
use crate::scenario::Scenario;

/// How a check turned. The later ones say more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// Everything fell with what was taken away: the call was refused, or no critic was started any more.
    Gross,
    /// The target got as far as it did untouched, and the check fails.
    Fine,
}

impl Turn {
    /// How this check of a variant turned, if it did. One that could not be judged did not.
    pub(super) fn of(
        verdict: &Verdict,
        scenario: &Scenario,
        untouched: &Observation,
        variant: &Variant,
        seen: &Observation,
    ) -> Option<Self> {
        if verdict.kind != Kind::Fail {
            return None;
        }
        let name = verdict.check.rsplit('/').next().unwrap_or_default();
        let step = |scenario: &Scenario| {
            scenario.checks().iter().find(|check| check.name() == name).map(crate::scenario::check::Check::step)
        };
        let (before, after) = (step(scenario)?, step(&variant.scenario)?);
        let refused = !is_refused(&untouched.subject, before) && is_refused(&seen.subject, after);
        let bystanders = scenario.setup().bystanders();
        let idle = starts(&untouched.subject, bystanders) > 0 && starts(&seen.subject, bystanders) == 0;
        Some(if refused || idle { Self::Gross } else { Self::Fine })
    }
}

/// Whether a step ended as wrong calls and configurations do.
fn is_refused(session: &Session, step: usize) -> bool {
    session.steps.get(step).is_some_and(|record| record.copies.iter().all(|copy| copy.ending.code() == Some(2)))
}

fn starts(session: &Session, bystanders: &[String]) -> usize {
    let journals = session.journals.iter().filter(|(fake, _)| !bystanders.contains(fake));
    journals.flat_map(|(_, journal)| journal).filter(|entry| matches!(entry.event, Event::Started(_))).count()
}
