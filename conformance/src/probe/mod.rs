//! Whether scenarios bite: every must-scenario is run again and again, each time with some part of it taken away.
//!
//! Main type: [`Probe`]. A scenario whose must-checks pass whatever is taken away proves nothing. It runs what the campaign
//! runs, in the same pool. It does not judge the target, and does not know how its findings are shown.

mod case;
mod inputs;
mod turn;
mod variant;

use self::case::Case;
pub use self::case::{Look, Looks};
pub use self::inputs::Weight;
pub use self::turn::Turn;
pub use self::variant::{Part, Variant};
use crate::campaign::{Completion, Outcome, Plan, Pool, Selection};
use crate::judge::{Kind, Verdict};
use crate::ledger::Level;
use crate::scenario::check::Check;
use crate::scenario::{Scenario, Trigger};
use crate::suite::Suite;

/// How scenarios are probed.
#[derive(Debug)]
pub struct Probe<'a> {
    /// What is probed.
    pub suite: &'a Suite,
    /// Which of it.
    pub selection: &'a Selection,
    /// How scenarios are run, and against whom.
    pub pool: Pool<'a>,
}

/// What was found out about one must-scenario.
#[derive(Debug)]
pub struct Examination<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// What was found out.
    pub finding: Finding,
}

/// What can be found out.
#[derive(Debug)]
pub enum Finding {
    /// Nothing: the target does not claim it, for this reason.
    Unclaimed(String),
    /// Nothing: these must-checks do not pass to begin with.
    Failing(Vec<Verdict>),
    /// Parts were taken away.
    Probed(Looks),
}

impl Probe<'_> {
    /// Probes the must-scenarios of the selection, in the order of the suite; nothing where it was interrupted.
    pub fn run(&self) -> Option<Vec<Examination<'_>>> {
        let mut examinations = Vec::new();
        let mut cases = Vec::new();
        let plan = Plan::new(self.suite, self.pool.target, self.selection);
        let completion = self.pool.run(&plan, |outcome| match self.open(outcome) {
            Some(Ok(case)) => cases.push(case),
            Some(Err(examination)) => examinations.push(examination),
            None => {}
        });
        if completion == Completion::Interrupted {
            return None;
        }
        // Most turn at once, some never: whoever is left gets twice as many tries in each round.
        let (mut from, mut width) = (0, 1);
        while cases.iter().any(|case| case.is_open(from)) {
            self.round(&mut cases, from, width)?;
            from += width;
            width *= 2;
        }
        examinations.extend(cases.into_iter().map(Case::close));
        examinations.sort_by(|left, right| left.scenario.id().cmp(right.scenario.id()));
        Some(examinations)
    }

    /// The checks that must turn: about rows of level must, whose condition occurs.
    fn must_checks<'s>(&self, scenario: &'s Scenario) -> Vec<&'s Check> {
        let is_must = |check: &&Check| {
            let row = self.suite.ledger().row(scenario.requirement_of(check));
            row.is_some_and(|row| row.level() == Level::Must)
                && scenario.trigger_of(check) == Trigger::Present
        };
        scenario.checks().iter().filter(is_must).collect()
    }

    /// What a scenario is after its run untouched; nothing for one without must-checks.
    fn open<'s>(&self, outcome: Outcome<'s>) -> Option<Result<Case<'s>, Examination<'s>>> {
        let scenario = outcome.scenario;
        let examined = |finding| Some(Err(Examination { scenario, finding }));
        let verdict_of = |check: &Check| {
            let id = scenario.check_id(check);
            outcome.verdicts.iter().find(|verdict| verdict.check == id)
        };
        let mut musts = self.must_checks(scenario);
        musts.retain(|check| verdict_of(check).is_some());
        let claimed: Vec<&Check> = musts
            .iter()
            .copied()
            .filter(|check| verdict_of(check).is_some_and(|verdict| verdict.kind != Kind::NotApplicable))
            .collect();
        let first = claimed.first().or(musts.first())?;
        if claimed.is_empty() {
            let note = verdict_of(first).and_then(|verdict| verdict.note.clone());
            return examined(Finding::Unclaimed(note.unwrap_or_default()));
        }
        let verdicts = claimed.iter().copied().filter_map(verdict_of);
        let failing: Vec<Verdict> = verdicts.filter(|verdict| verdict.kind != Kind::Pass).cloned().collect();
        match outcome.observation {
            Some(seen) if failing.is_empty() => {
                Some(Ok(Case::new(scenario, &claimed, self.suite.ledger(), seen)))
            }
            _ => examined(Finding::Failing(failing)),
        }
    }

    /// Tries the next variants of every case that is still open; nothing where it was interrupted.
    fn round(&self, cases: &mut [Case<'_>], from: usize, width: usize) -> Option<()> {
        let mut batch: Vec<(usize, Variant)> = Vec::new();
        for (number, case) in cases.iter().enumerate().filter(|(_, case)| case.is_open(from)) {
            batch.extend(case.next(from, width).iter().map(|variant| (number, variant.clone())));
        }
        let plan = Plan::of(batch.iter().map(|(_, variant)| &variant.scenario));
        // Outcomes come in the order of the plan.
        let mut due = batch.iter();
        let completion = self.pool.run(&plan, |outcome| {
            if let Some((number, variant)) = due.next()
                && let Some(case) = cases.get_mut(*number)
            {
                case.take(variant, &outcome);
            }
        });
        (completion == Completion::Whole).then_some(())
    }
}

#[cfg(test)]
mod tests;
