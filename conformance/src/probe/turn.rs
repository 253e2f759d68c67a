//! What it means that a check fails once something was taken away.
//!
//! Main type: [`Turn`]. Whatever a check asks, it fails when nothing is left to ask it of: that is told apart here from a
//! target that got as far as before and did otherwise.

use fake_critics::journal::Event;

use super::inputs::Weight;
use super::variant::Variant;
use crate::judge::{Kind, Verdict};
use crate::observation::{Ending, Observation, Session};
use crate::scenario::Scenario;
use crate::scenario::check::Check;

/// How a check turned; the later one says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// All fell with what was taken away: the step that succeeded does not, was refused or started no critic any more, and
    /// every call has such a part; or something else was looked at.
    Collapse,
    /// The target got as far as it did before, or fell over a part that other calls do without; and the check fails.
    Change,
}

impl Turn {
    /// How this check of a variant turned, if it did. One that could not be judged did not.
    pub(super) fn of(
        verdict: &Verdict,
        scenario: &Scenario,
        before: &Observation,
        variant: &Variant,
        after: &Observation,
    ) -> Option<Self> {
        if verdict.kind != Kind::Fail {
            return None;
        }
        let step = |scenario: &Scenario| {
            let is_it = |check: &&Check| scenario.check_id(check) == verdict.check;
            scenario.checks().iter().find(is_it).map(Check::step)
        };
        let (was, is) = (step(scenario)?, step(&variant.scenario)?);
        let (before, after) = (&before.subject, &after.subject);
        let ends = |session, step, code| ends_with(session, step, code);
        let idle = |session: &Session| starts(session, scenario.setup().bystanders()) == 0;
        let collapsed = (ends(before, was, 0) && !ends(after, is, 0))
            || (!ends(before, was, 2) && ends(after, is, 2))
            || (!idle(before) && idle(after));
        Some(match variant.weight {
            Weight::Optional => Self::Change,
            Weight::Needed if !collapsed => Self::Change,
            Weight::Needed | Weight::Subject => Self::Collapse,
        })
    }
}

/// Whether every copy of a step ended with this code.
fn ends_with(session: &Session, step: usize, code: i32) -> bool {
    let record = session.steps.get(step);
    record.is_some_and(|record| record.copies.iter().all(|copy| copy.ending == Ending::Exit(code)))
}

/// How often critics were started, apart from those that the kit starts itself.
fn starts(session: &Session, bystanders: &[String]) -> usize {
    let journals = session.journals.iter().filter(|(fake, _)| !bystanders.contains(fake));
    journals.flat_map(|(_, journal)| journal).filter(|entry| matches!(entry.event, Event::Started(_))).count()
}
