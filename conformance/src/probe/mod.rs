//! Whether scenarios bite: each must-scenario again and again, every time with something of it taken away.
//!
//! Main type: [`Probe`]. A scenario whose must-checks pass however it is cut proves nothing. It runs what the campaign runs,
//! by the same pool, and says nothing about the target.

mod inputs;
mod turn;
mod variant;

use std::collections::BTreeMap;

pub use self::turn::Turn;
pub use self::variant::{Part, Variant};
use self::variant::Trunk;
use crate::campaign::{Completion, Outcome, Plan, Pool, Selection};
use crate::judge::{Kind, Verdict};
use crate::ledger::Level;
use crate::observation::Observation;
use crate::scenario::check::Check;
use crate::scenario::{Scenario, Trigger};
use crate::suite::Suite;

/// Cuts and looks.
#[derive(Debug)]
pub struct Probe<'a> {
    /// What is probed.
    pub suite: &'a Suite,
    /// Which of it.
    pub selection: &'a Selection,
    /// How scenarios are run, and against whom.
    pub pool: Pool<'a>,
}

/// What became of one must-scenario.
#[derive(Debug)]
pub struct Examination<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// What was found out.
    pub finding: Finding,
}

/// What was found out about a must-scenario.
#[derive(Debug)]
pub enum Finding {
    /// The target does not claim it.
    Unclaimed(String),
    /// Nothing can be said: these must-checks do not pass untouched.
    Untouched(Vec<Verdict>),
    /// It was cut.
    Cut(Looks),
}

/// What was seen of a scenario that was cut.
#[derive(Debug)]
pub struct Looks {
    /// By must-check: what turned it best, if anything.
    pub checks: Vec<Look>,
    /// How many variants could be made.
    pub possible: usize,
    /// What was taken away, one after the other, until every check had turned.
    pub tried: Vec<(Part, String)>,
}

/// What was seen of one must-check.
#[derive(Debug)]
pub struct Look {
    /// Its id.
    pub check: String,
    /// The strongest turn for each part that was taken away.
    pub turns: BTreeMap<Part, (Turn, String)>,
}

/// A must-scenario on the table.
struct Case<'a> {
    scenario: &'a Scenario,
    seen: Observation,
    variants: Vec<Variant>,
    looks: Looks,
}

impl Probe<'_> {
    /// Probes every must-scenario of the selection. Nothing when it was interrupted.
    pub fn run<'s>(&'s self) -> Option<Vec<Examination<'s>>> {
        let mut examinations = Vec::new();
        let mut cases = Vec::new();
        let plan = Plan::new(self.suite, self.pool.target, self.selection);
        let completion = self.pool.run(&plan, |outcome| match self.opened(outcome) {
            Some(Ok(case)) => cases.push(case),
            Some(Err(examination)) => examinations.push(examination),
            None => {}
        });
        let mut width = 1;
        let mut at = 0;
        while completion == Completion::Whole && cases.iter().any(|case| case.is_open(at)) {
            self.round(&mut cases, at, width)?;
            at += width;
            width *= 2;
        }
        examinations.extend(cases.into_iter().map(|case| Examination {
            scenario: case.scenario,
            finding: Finding::Cut(case.looks),
        }));
        examinations.sort_by(|left, right| left.scenario.id().cmp(right.scenario.id()));
        (completion == Completion::Whole).then_some(examinations)
    }

    /// The checks of a scenario that must turn.
    fn must_checks<'s>(&self, scenario: &'s Scenario) -> Vec<&'s Check> {
        let is_must = |check: &&Check| {
            let row = self.suite.ledger().row(scenario.requirement_of(check));
            row.is_some_and(|row| row.level() == Level::Must) && scenario.trigger_of(check) == Trigger::Present
        };
        scenario.checks().iter().filter(is_must).collect()
    }

    /// What a scenario is after its run untouched; nothing for one without must-checks.
    fn opened<'s>(&self, outcome: Outcome<'s>) -> Option<Result<Case<'s>, Examination<'s>>> {
        let scenario = outcome.scenario;
        let examined = |finding| Some(Err(Examination { scenario, finding }));
        let mut musts = self.must_checks(scenario);
        let mut verdicts = outcome.verdicts;
        verdicts.retain(|verdict| musts.iter().any(|check| scenario.check_id(check) == verdict.check));
        musts.retain(|check| verdicts.iter().any(|verdict| scenario.check_id(check) == verdict.check));
        if musts.is_empty() {
            return None;
        }
        let unclaimed = verdicts.iter().find(|verdict| verdict.kind == Kind::NotApplicable);
        if let Some(verdict) = unclaimed {
            return examined(Finding::Unclaimed(verdict.note.clone().unwrap_or_default()));
        }
        verdicts.retain(|verdict| verdict.kind != Kind::Pass);
        let (true, Some(seen)) = (verdicts.is_empty(), outcome.observation) else {
            return examined(Finding::Untouched(verdicts));
        };
        let variants = Trunk::new(scenario, &musts, &seen).map(|trunk| trunk.variants(&seen));
        let variants = variants.unwrap_or_default();
        let look = |check: &&Check| Look { check: scenario.check_id(check), turns: BTreeMap::new() };
        let looks =
            Looks { checks: musts.iter().map(look).collect(), possible: variants.len(), tried: Vec::new() };
        Some(Ok(Case { scenario, seen, variants, looks }))
    }

    /// Runs the next variants of every case that is still open.
    fn round(&self, cases: &mut [Case<'_>], at: usize, width: usize) -> Option<()> {
        let open: Vec<usize> = (0..cases.len()).filter(|number| cases[*number].is_open(at)).collect();
        let mut batch: Vec<(usize, Variant)> = Vec::new();
        for number in open {
            let variants = cases[number].variants.iter().skip(at).take(width);
            batch.extend(variants.map(|variant| (number, variant.clone())));
        }
        let plan = Plan::of(batch.iter().map(|(_, variant)| &variant.scenario));
        let mut turn = batch.iter();
        let completion = self.pool.run(&plan, |outcome| {
            // Outcomes come in the order of the plan.
            if let Some((number, variant)) = turn.next() {
                cases[*number].add(variant, &outcome);
            }
        });
        (completion == Completion::Whole).then_some(())
    }
}

impl Case<'_> {
    /// Whether there is something left to try, and something to try it for.
    fn is_open(&self, at: usize) -> bool {
        at < self.variants.len() && self.looks.checks.iter().any(|look| !look.has_turned())
    }

    fn add(&mut self, variant: &Variant, outcome: &Outcome<'_>) {
        self.looks.tried.push((variant.part, variant.taken.clone()));
        let Some(observation) = &outcome.observation else { return };
        for verdict in &outcome.verdicts {
            let Some(turn) = Turn::of(verdict, self.scenario, &self.seen, variant, observation) else { continue };
            let Some(look) = self.looks.checks.iter_mut().find(|look| look.check == verdict.check) else { continue };
            let found = (turn, variant.taken.clone());
            let known = look.turns.entry(variant.part).or_insert_with(|| found.clone());
            if known.0 < turn {
                *known = found;
            }
        }
    }
}

impl Look {
    /// Whether it needs no further look.
    pub fn has_turned(&self) -> bool {
        self.turns.values().any(|(turn, _)| *turn == Turn::Fine)
    }
}
