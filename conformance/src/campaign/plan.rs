//! What a run will ask, counted before it begins.
//!
//! Main type: [`Plan`]. A check that the target does not claim has its verdict here already.

use crate::judge::{Verdict, not_applicable};
use crate::scenario::check::Check;
use crate::scenario::{Scenario, Setup};
use crate::suite::Suite;
use crate::target::Target;

use super::selection::Selection;

/// The scenarios of a run, in order.
#[derive(Debug)]
pub struct Plan<'a> {
    pub(super) parts: Vec<Part<'a>>,
}

/// What is asked of one scenario.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) scenario: &'a Scenario,
    /// Ids of the checks that are judged.
    pub(super) asked: Vec<String>,
    /// Verdicts of the others that were selected.
    pub(super) settled: Vec<Verdict>,
}

impl<'a> Plan<'a> {
    /// The selected checks of the suite, for this target.
    pub fn new(suite: &'a Suite, target: &Target, selection: &Selection) -> Self {
        let mut parts = Vec::new();
        for (number, scenario) in suite.scenarios().iter().enumerate() {
            if !selection.holds_number(number) {
                continue;
            }
            let mut part = Part { scenario, asked: Vec::new(), settled: Vec::new() };
            for check in scenario.checks() {
                let row = suite.ledger().row(scenario.requirement_of(check));
                if !selection.holds(scenario, check, row) {
                    continue;
                }
                match unclaimed(suite, scenario, check, target) {
                    Some(why) => part.settled.push(not_applicable(scenario, check, suite.ledger(), &why)),
                    None => part.asked.push(scenario.check_id(check)),
                }
            }
            if !part.asked.is_empty() || !part.settled.is_empty() {
                parts.push(part);
            }
        }
        Self { parts }
    }

    /// These scenarios, whole and claimed or not.
    pub fn of(scenarios: impl IntoIterator<Item = &'a Scenario>) -> Self {
        let part =
            |scenario: &'a Scenario| Part { scenario, asked: scenario.check_ids(), settled: Vec::new() };
        Self { parts: scenarios.into_iter().map(part).collect() }
    }

    /// How many verdicts there will be.
    pub fn expected(&self) -> usize {
        self.parts.iter().map(|part| part.asked.len() + part.settled.len()).sum()
    }

    /// How many scenarios will be run.
    pub fn scenarios(&self) -> usize {
        self.parts.iter().filter(|part| !part.asked.is_empty()).count()
    }
}

fn unclaimed(suite: &Suite, scenario: &Scenario, check: &Check, target: &Target) -> Option<String> {
    if scenario.dialect().is_some_and(|dialect| dialect != target.dialect()) {
        return Some("for targets of the other configuration dialect".to_owned());
    }
    let row = suite.ledger().row(scenario.requirement_of(check))?;
    if !target.profiles().contains(&row.profile()) {
        return Some(format!("the target does not claim the profile `{}`", row.profile().name()));
    }
    let mut steps = scenario.control().into_iter().chain([scenario.setup()]).flat_map(Setup::steps);
    let unclaimed = steps.find(|step| !target.steps().contains(&step.verb()))?;
    Some(format!("the target does not claim the step `{}`", unclaimed.verb()))
}
