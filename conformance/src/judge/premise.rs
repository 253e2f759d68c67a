//! What must have gone well before a check can say anything: earlier steps, and the checks it names as given.
//!
//! [`of_steps`] gives why a check is blocked by steps, [`of_checks`] blocks by other verdicts.

use super::{Kind, Verdict};
use crate::ledger::Level;
use crate::observation::{Ending, Session, StepRecord};
use crate::scenario::Scenario;
use crate::scenario::step::Step;

/// Why the steps up to this one leave nothing to judge, if so.
pub(super) fn of_steps(scenario: &Scenario, session: &Session, step: usize) -> Option<String> {
    let records = session.steps.iter().take(step + 1);
    if let Some(lacking) = records.clone().find_map(|record| Some((record, record.lack.as_ref()?))) {
        return Some(format!("step `{}` could not be made: {}", lacking.0.id, lacking.1));
    }
    records.take(step).zip(scenario.setup().steps()).find_map(|(record, step)| not_as_expected(record, step))
}

fn not_as_expected(record: &StepRecord, step: &Step) -> Option<String> {
    record.copies.iter().find_map(|copy| match copy.ending {
        Ending::Hung => Some(format!("step `{}` before it hung", record.id)),
        Ending::NotStarted => Some(format!("step `{}` before it could not be started", record.id)),
        Ending::Exit(_) | Ending::Signal(_) => {
            let expected = step.expect().filter(|code| copy.ending.code() != Some(*code))?;
            let found =
                copy.ending.code().map_or_else(|| "a signal".to_owned(), |code| format!("exit {code}"));
            Some(format!("step `{}` before it ended with {found}, expected exit {expected}", record.id))
        }
    })
}

/// The verdicts with those blocked whose given checks do not hold. What was given by choice only, and chosen otherwise,
/// leaves nothing to ask.
pub(super) fn of_checks(scenario: &Scenario, mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    for (number, check) in scenario.checks().iter().enumerate() {
        let (earlier, rest) = verdicts.split_at_mut(number);
        let Some(verdict) = rest.first_mut() else { break };
        if matches!(verdict.kind, Kind::KitError | Kind::Vacuous) {
            continue;
        }
        let named = check.given().iter().filter_map(|name| {
            let number = scenario.checks().iter().position(|check| check.name() == name)?;
            Some((name, earlier.get(number)?))
        });
        let Some((name, broken)) = named.into_iter().find(|(_, verdict)| !verdict.holds()) else { continue };
        (verdict.kind, verdict.note) = match (broken.level, verdict.level) {
            (_, Level::Open) => (Kind::Observed, Some(format!("`{name}` does not hold"))),
            (Level::Open, _) => {
                (Kind::NotApplicable, Some(format!("`{name}`, a choice, was chosen otherwise")))
            }
            _ => (Kind::Blocked, Some(format!("`{name}` before it does not hold"))),
        };
    }
    verdicts
}
