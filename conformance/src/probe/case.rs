//! One must-scenario while it is probed, and what comes of it.
//!
//! Main types: [`Case`], and [`Looks`] for others to read. Which variants there are and what counts as a turn is not decided
//! here.

use std::collections::BTreeMap;

use super::turn::Turn;
use super::variant::{Part, Trunk, Variant};
use super::{Examination, Finding};
use crate::campaign::Outcome;
use crate::ledger::{Ledger, Pattern, Requirement};
use crate::observation::Observation;
use crate::scenario::Scenario;
use crate::scenario::check::Check;

/// A scenario that passes untouched.
#[derive(Debug)]
pub(super) struct Case<'a> {
    scenario: &'a Scenario,
    seen: Observation,
    variants: Vec<Variant>,
    looks: Looks,
}

/// What was seen of a scenario that was taken apart.
#[derive(Debug, Default)]
pub struct Looks {
    /// By must-check, in the order of the file.
    pub checks: Vec<Look>,
    /// What was taken away, one after the other, until every check had turned.
    pub tried: Vec<(Part, String)>,
}

/// What was seen of one must-check.
#[derive(Debug)]
pub struct Look {
    /// Its id.
    pub check: String,
    /// What counts as its turn.
    pub wanted: Turn,
    /// Whether other must-checks are asked only where it holds: it stands for the trigger of those.
    pub is_given: bool,
    /// The strongest turn by part, and what was taken away then.
    pub turns: BTreeMap<Part, (Turn, String)>,
}

impl<'a> Case<'a> {
    /// The scenario, reduced to these checks, and its observation untouched.
    pub(super) fn new(scenario: &'a Scenario, checks: &[&Check], ledger: &Ledger, seen: Observation) -> Self {
        let trunk = Trunk::new(scenario, checks, &seen);
        let variants = trunk.map(|trunk| trunk.variants(&seen)).unwrap_or_default();
        let look = |check: &&Check| {
            // A sentence without a condition has no other trigger than that the target is called at all.
            let pattern = ledger.row(scenario.requirement_of(check)).map(Requirement::pattern);
            Look {
                check: scenario.check_id(check),
                wanted: if pattern == Some(Pattern::Ubiquitous) { Turn::Collapse } else { Turn::Change },
                is_given: checks.iter().any(|other| other.given().iter().any(|name| name == check.name())),
                turns: BTreeMap::new(),
            }
        };
        let looks = Looks { checks: checks.iter().map(look).collect(), tried: Vec::new() };
        Self { scenario, seen, variants, looks }
    }

    /// Whether there is something left to try from this number on, and a check to try it for.
    pub(super) fn is_open(&self, from: usize) -> bool {
        from < self.variants.len() && self.looks.checks.iter().any(|look| look.best() < Some(Turn::Change))
    }

    /// Variants from this number on.
    pub(super) fn next(&self, from: usize, width: usize) -> &[Variant] {
        let to = (from + width).min(self.variants.len());
        self.variants.get(from..to).unwrap_or_default()
    }

    /// Takes note of what a variant came to.
    pub(super) fn take(&mut self, variant: &Variant, outcome: &Outcome<'_>) {
        self.looks.tried.push((variant.part, variant.taken.clone()));
        let Some(seen) = &outcome.observation else { return };
        for look in &mut self.looks.checks {
            let verdict = outcome.verdicts.iter().find(|verdict| verdict.check == look.check);
            let turn =
                verdict.and_then(|verdict| Turn::of(verdict, self.scenario, &self.seen, variant, seen));
            let Some(turn) = turn else { continue };
            let known = look.turns.entry(variant.part).or_insert_with(|| (turn, variant.taken.clone()));
            if known.0 < turn {
                *known = (turn, variant.taken.clone());
            }
        }
    }

    /// What it comes to.
    pub(super) fn close(self) -> Examination<'a> {
        Examination { scenario: self.scenario, finding: Finding::Probed(self.looks) }
    }
}

impl Looks {
    /// How the scenario bites, if it does: the best turn of a deciding check by its trigger, where that is enough for it.
    pub fn bite(&self) -> Option<Turn> {
        let part = self.trigger();
        self.deciding().filter(|look| look.turns_by(part)).filter_map(|look| look.best_by(part)).max()
    }

    /// The part that is the trigger for certain: what the control replaces, where there is one.
    fn trigger(&self) -> Option<Part> {
        self.tried.iter().map(|(part, _)| *part).find(|part| *part == Part::Control)
    }

    /// The checks of which one must turn: a check that is given to others counts only where there are no others.
    pub fn deciding(&self) -> impl Iterator<Item = &Look> {
        let others = self.checks.iter().any(|look| !look.is_given);
        self.checks.iter().filter(move |look| !look.is_given || !others)
    }
}

impl Look {
    /// Whether it turns, by this part if one is named.
    fn turns_by(&self, only: Option<Part>) -> bool {
        self.best_by(only) >= Some(self.wanted)
    }

    fn best_by(&self, only: Option<Part>) -> Option<Turn> {
        let turns = self.turns.iter().filter(|(part, _)| only.is_none_or(|only| **part == only));
        turns.map(|(_, (turn, _))| *turn).max()
    }

    /// Whether it turns at all.
    pub fn turns(&self) -> bool {
        self.turns_by(None)
    }

    /// Its strongest turn.
    pub fn best(&self) -> Option<Turn> {
        self.best_by(None)
    }
}
