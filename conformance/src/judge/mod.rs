//! The judge: from what was recorded to verdicts, and nothing else.
//!
//! [`judge`] is a pure function: no clock, no disk, no process. Whether a verdict was expected is not asked here.

mod assertion;
mod evidence;
mod graph;
mod premise;
mod received;
mod trace;
mod verdict;

use std::collections::BTreeMap;
use std::time::Duration;

pub use self::verdict::{Finding, Kind, Verdict};
use crate::ledger::{Ledger, Level};
use crate::observation::{Observation, Session, StepRecord};
use crate::scenario::Scenario;
use crate::scenario::check::Check;
use crate::text::Names;

/// One verdict per check, in the order of the scenario. `startup` is the time the target needs to do nothing: upper
/// time bounds grow by it.
pub fn judge(
    scenario: &Scenario,
    ledger: &Ledger,
    observation: &Observation,
    startup: Duration,
) -> Vec<Verdict> {
    let trouble = evidence::trouble(scenario, observation);
    let vacuous = evidence::missing(scenario, observation);
    let verdicts = scenario.checks().iter().map(|check| {
        let mut verdict = unjudged(scenario, check, ledger);
        let record = observation.subject.steps.get(check.step());
        if let Some(trouble) = &trouble {
            return Verdict { kind: Kind::KitError, note: Some(trouble.clone()), ..verdict };
        }
        let Some(record) = record else {
            let note = Some("the step was not begun".to_owned());
            return Verdict { kind: Kind::KitError, note, ..verdict };
        };
        verdict.seconds = record.copies.iter().map(|copy| copy.wall).max().unwrap_or_default();
        let bench = Bench { session: &observation.subject, record, startup };
        verdict.findings = bench.findings(check);
        verdict.peaks = bench.peaks(check);
        let blocked = premise::of_steps(scenario, &observation.subject, check.step());
        (verdict.kind, verdict.note) = kind(&verdict, vacuous.as_deref(), blocked);
        verdict
    });
    premise::of_checks(scenario, verdicts.collect())
}

/// A check that the target was not asked about.
pub fn not_applicable(scenario: &Scenario, check: &Check, ledger: &Ledger, why: &str) -> Verdict {
    Verdict { note: Some(why.to_owned()), ..unjudged(scenario, check, ledger) }
}

/// The verdicts of a scenario that the kit could not run.
pub fn kit_errors(scenario: &Scenario, ledger: &Ledger, why: &str) -> Vec<Verdict> {
    let error = |check| Verdict {
        kind: Kind::KitError,
        note: Some(why.to_owned()),
        ..unjudged(scenario, check, ledger)
    };
    scenario.checks().iter().map(error).collect()
}

fn unjudged(scenario: &Scenario, check: &Check, ledger: &Ledger) -> Verdict {
    let requirement = scenario.requirement_of(check);
    let row = ledger.row(requirement);
    Verdict {
        check: scenario.check_id(check),
        requirement: requirement.to_owned(),
        source: row.map(|row| row.source().to_vec()).unwrap_or_default(),
        level: row.map_or(Level::Open, crate::ledger::Requirement::level),
        kind: Kind::NotApplicable,
        findings: Vec::new(),
        note: None,
        seconds: Duration::ZERO,
        peaks: BTreeMap::new(),
    }
}

fn kind(verdict: &Verdict, vacuous: Option<&str>, blocked: Option<String>) -> (Kind, Option<String>) {
    let judged = if let Some(why) = vacuous {
        (Kind::Vacuous, Some(why.to_owned()))
    } else if let Some(why) = blocked {
        (Kind::Blocked, Some(why))
    } else if verdict.findings.is_empty() {
        (Kind::Pass, None)
    } else {
        (Kind::Fail, None)
    };
    if verdict.level == Level::Open { (Kind::Observed, judged.1) } else { judged }
}

/// Everything that the assertions of one check look at.
struct Bench<'a> {
    session: &'a Session,
    record: &'a StepRecord,
    startup: Duration,
}

impl Bench<'_> {
    fn findings(&self, check: &Check) -> Vec<Finding> {
        check.assertions().iter().flat_map(|assertion| self.judge(assertion)).collect()
    }

    /// The names of the sandbox, for one copy of the step.
    fn names(&self, copy: usize) -> Names {
        let prompt = self.record.copies.get(copy).and_then(|copy| copy.prompt.as_ref());
        self.session.places.names(prompt.map(|prompt| prompt.0.as_slice()), copy)
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod walk_tests;
