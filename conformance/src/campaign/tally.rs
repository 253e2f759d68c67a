//! What a run comes to: counts, and whether the target conforms.
//!
//! Main type: [`Tally`]. It knows verdicts only, not how they came about.

use std::collections::BTreeMap;

use super::pool::Completion;
use crate::baseline::Baseline;
use crate::judge::{Kind, Verdict};
use crate::ledger::Level;

/// Which levels decide whether a target conforms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Gate {
    /// Only must.
    #[default]
    Must,
    /// Must and should.
    Should,
}

impl Gate {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
        }
    }

    fn holds(self, level: Level) -> bool {
        match level {
            Level::Must => true,
            Level::Should => self == Self::Should,
            Level::Open => false,
        }
    }
}

/// What a run comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// The target conforms.
    Conforms,
    /// It does not.
    DoesNot,
    /// Nothing was executed.
    NothingExecuted,
    /// The kit or the machine failed, so that nothing can be said.
    KitFailed,
    /// The run was stopped.
    Interrupted,
}

impl Conclusion {
    /// The exit code: 0 conforms, 1 does not, 2 the kit could not tell.
    pub fn exit(self) -> u8 {
        match self {
            Self::Conforms => 0,
            Self::DoesNot | Self::NothingExecuted => 1,
            Self::KitFailed | Self::Interrupted => 2,
        }
    }
}

/// Counts of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: BTreeMap<Kind, usize>,
    rows: BTreeMap<String, Row>,
    decisive: usize,
    otherwise: usize,
}

/// Counts of one requirement.
#[derive(Clone, Debug)]
pub struct Row {
    /// How much it binds.
    pub level: Level,
    /// Its verdicts.
    pub counts: BTreeMap<Kind, usize>,
}

impl Row {
    /// Whether every check that was asked passed.
    pub fn is_kept(&self) -> bool {
        self.counts.contains_key(&Kind::Pass)
            && self.counts.keys().all(|kind| matches!(kind, Kind::Pass | Kind::NotApplicable))
    }

    /// Whether it was asked and judged at all.
    pub fn is_judged(&self) -> bool {
        self.counts.keys().any(|kind| !matches!(kind, Kind::NotApplicable | Kind::Observed))
    }
}

impl Tally {
    /// Counts one verdict.
    pub fn add(&mut self, verdict: &Verdict, gate: Gate, baseline: &Baseline) {
        *self.counts.entry(verdict.kind).or_default() += 1;
        let row = self
            .rows
            .entry(verdict.requirement.clone())
            .or_insert_with(|| Row { level: verdict.level, counts: BTreeMap::new() });
        *row.counts.entry(verdict.kind).or_default() += 1;
        let breaks = match verdict.kind {
            kind if kind.is_failure() => gate.holds(verdict.level) || baseline.knows(&verdict.check),
            Kind::UnexpectedPass => true,
            _ => false,
        };
        self.decisive += usize::from(breaks);
        self.otherwise += usize::from(verdict.kind == Kind::Observed && !verdict.holds());
    }

    /// How many verdicts of this kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.counts.get(&kind).copied().unwrap_or(0)
    }

    /// How many verdicts.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }

    /// How many observed checks the target keeps otherwise than the scenario says.
    pub fn otherwise(&self) -> usize {
        self.otherwise
    }

    /// By requirement.
    pub fn rows(&self) -> &BTreeMap<String, Row> {
        &self.rows
    }

    /// What it comes to. A run that executed nothing proves nothing.
    pub fn conclusion(&self, completion: Completion) -> Conclusion {
        let executed: usize =
            self.counts.iter().filter(|(kind, _)| kind.is_executed()).map(|(_, count)| count).sum();
        if completion == Completion::Interrupted {
            Conclusion::Interrupted
        } else if self.count(Kind::KitError) > 0 {
            Conclusion::KitFailed
        } else if executed == 0 {
            Conclusion::NothingExecuted
        } else if self.decisive > 0 {
            Conclusion::DoesNot
        } else {
            Conclusion::Conforms
        }
    }
}
