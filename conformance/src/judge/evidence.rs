//! Whether a scenario proved anything: the trigger happened, the nearest legal case ran, the kit did its part.
//!
//! [`missing`] and [`trouble`] give the reason if not. They say nothing about the checks.

use fake_critics::journal::{Entry, Event};

use crate::observation::{Observation, Session};
use crate::scenario::step::Call;
use crate::scenario::{Scenario, Setup};

/// Why nothing is proved by this scenario, if so.
pub(super) fn missing(scenario: &Scenario, observation: &Observation) -> Option<String> {
    for (fake, events) in scenario.evidence() {
        let journal = observation.subject.journals.get(fake).map_or(&[][..], Vec::as_slice);
        for event in events {
            if !journal.iter().any(|entry| entry.event.name() == *event) {
                let event = serde_json::to_string(event).unwrap_or_default();
                return Some(format!("`{fake}` never journaled {}", event.trim_matches('"')));
            }
        }
    }
    for (number, step) in observation.subject.steps.iter().enumerate() {
        if step.copies.iter().any(|copy| copy.signal_unsent) {
            return Some(format!("the signal of step {number} was not sent: its event never came"));
        }
    }
    let setup = scenario.control()?;
    match &observation.control {
        None => Some("the control did not run".to_owned()),
        Some(control) => illegal(setup, control),
    }
}

/// What the kit or the machine failed at, if anything.
pub(super) fn trouble(scenario: &Scenario, observation: &Observation) -> Option<String> {
    let sessions = std::iter::once(&observation.subject).chain(&observation.control);
    for session in sessions {
        if let Some(trouble) = &session.trouble {
            return Some(trouble.clone());
        }
        for (fake, journal) in &session.journals {
            for entry in journal {
                if let Event::Failed { error } = &entry.event {
                    return Some(format!("fake `{fake}` could not do a step: {error}"));
                }
            }
        }
    }
    let begun = observation.subject.steps.len();
    let planned = scenario.setup().steps().len();
    (begun < planned).then(|| format!("{begun} of {planned} steps were begun"))
}

/// Why the control was no legal case for this target.
fn illegal(setup: &Setup, control: &Session) -> Option<String> {
    let mut rounds = 0;
    for (step, record) in setup.steps().iter().zip(&control.steps) {
        if let Call::Run(_) = step.call() {
            rounds += record.copies.len();
            continue;
        }
        if let Some(lack) = &record.lack {
            return Some(format!("control: step `{}` could not be made: {lack}", record.id));
        }
        let expected = step.expect().unwrap_or(0);
        if let Some(copy) = record.copies.iter().find(|copy| copy.ending.code() != Some(expected)) {
            return Some(format!(
                "control: step `{}` ended with {:?}, expected exit {expected}",
                record.id, copy.ending
            ));
        }
    }
    let starts: usize = control
        .journals
        .iter()
        .filter(|(fake, _)| !setup.bystanders().contains(fake))
        .map(|(_, journal)| starts(journal))
        .sum();
    (starts < rounds).then(|| format!("control: {starts} of {rounds} rounds started a fake"))
}

/// How often the target started a fake.
pub(super) fn starts(journal: &[Entry]) -> usize {
    journal.iter().filter(|entry| matches!(entry.event, Event::Started(_))).count()
}
