//! `lint --deep`: which must-scenarios pass without their triggers.
//!
//! Main function: [`deep`]. Taking things away is the probe's work; here are its target, its words and its exit code.

use std::fmt::Write as _;

use super::arguments::{LintArguments, TargetArguments};
use super::list::expect_matches;
use super::run::{jobs, stop_on_signals};
use super::workshop::Workshop;
use super::{CliError, print, program};
use crate::baseline::Baseline;
use crate::campaign::{Checkup, Pool, PreflightError, Sandboxes, Selection};
use crate::probe::{Examination, Finding, Look, Looks, Probe, Turn};
use crate::scenario::Scenario;
use crate::source::fault::Fault;
use crate::suite::Suite;
use crate::target::Target;

/// So much of what was taken away is told.
const TOLD: usize = 6;

/// Exit code where the target leaves scenarios unexamined.
const UNEXAMINED: u8 = 1;

/// The implementation that the caller names: one, by command or by file.
pub(super) fn subject(arguments: &LintArguments) -> Result<Target, CliError> {
    let (files, words) = (&arguments.target, &arguments.command);
    if files.len() + usize::from(!words.is_empty()) != 1 {
        return Err(CliError::Call(format!(
            "`lint --deep` runs scenarios and needs exactly one implementation to run them against, found {}; name it by `-- COMMAND` or by `--target FILE`",
            files.len() + usize::from(!words.is_empty())
        )));
    }
    let (target, env, command) = (files.first().cloned(), arguments.env.clone(), words.clone());
    program::target(&TargetArguments { target, env, command })
}

/// Probes the must-scenarios and says what came of it.
pub(super) fn deep(arguments: &LintArguments, suite: &Suite, target: &Target) -> Result<u8, CliError> {
    let selection = Selection { only: arguments.only.clone(), ..Selection::default() };
    expect_matches(&selection, suite)?;
    let stop = stop_on_signals()?;
    let workshop = Workshop::open(None)?;
    let (kit, results) = (workshop.kit(), workshop.folder());
    let findings = Checkup { target, kit, results, hang_after: None, stop: &stop }.run()?;
    let baseline = Baseline::default();
    let pool = Pool {
        ledger: suite.ledger(),
        target,
        startup: findings.startup,
        hang_after: None,
        baseline: &baseline,
        kit,
        results,
        keep: Sandboxes::None,
        jobs: jobs(arguments.jobs, target),
        repeat: 1,
        stop: &stop,
    };
    let probe = Probe { suite, selection: &selection, pool };
    let examinations = probe.run().ok_or(CliError::Preflight(PreflightError::Interrupted))?;
    if examinations.is_empty() {
        let nothing = "no must-scenario with its trigger present is selected, leave out --only or widen it";
        return Err(CliError::Call(nothing.to_owned()));
    }
    let told = Told::new(&examinations);
    print(&told.text)?;
    match (told.faults.is_empty(), told.failing) {
        (false, _) => Err(CliError::Faults(told.faults)),
        (true, 0) => Ok(0),
        (true, _) => Ok(UNEXAMINED),
    }
}

/// What is told of all examinations.
#[derive(Default)]
struct Told {
    text: String,
    faults: Vec<Fault>,
    failing: usize,
}

impl Told {
    fn new(examinations: &[Examination<'_>]) -> Self {
        let mut told = Self::default();
        let (mut biting, mut unclaimed) = (0, 0);
        for Examination { scenario, finding } in examinations {
            let id = scenario.id();
            match finding {
                Finding::Unclaimed(why) => {
                    unclaimed += 1;
                    told.line(&format!("not examined: {id}: {why}"));
                }
                Finding::Failing(verdicts) => {
                    told.failing += 1;
                    let shown: Vec<String> = verdicts
                        .iter()
                        .map(|verdict| format!("{} is `{}`", last(&verdict.check), verdict.kind.name()))
                        .collect();
                    let why = if shown.is_empty() { "it was not run".to_owned() } else { shown.join(", ") };
                    told.line(&format!("not examined: {id}: with everything in place, {why}"));
                }
                Finding::Probed(looks) if let Some(bite) = looks.bite() => {
                    biting += 1;
                    if bite == Turn::Collapse {
                        told.line(&format!(
                            "only collapses: {id}: its sentence has no condition, and it changes only where nothing is left of the call"
                        ));
                    }
                    let still = looks.checks.iter().filter(|look| !look.turns());
                    still.for_each(|look| told.line(&unturned(look, looks)));
                }
                Finding::Probed(looks) => told.faults.push(fault(scenario, looks)),
            }
        }
        let (all, dull) = (examinations.len(), told.faults.len());
        let mut summary =
            format!("{all} must-scenarios: {biting} change without their trigger, {dull} do not");
        for (count, why) in
            [(told.failing, "do not pass with it"), (unclaimed, "are not claimed by the target")]
        {
            if count > 0 {
                // A String takes whatever is written to it.
                let _ = write!(summary, ", {count} {why}");
            }
        }
        told.line(&summary);
        told
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }
}

/// A check that nothing turns, in a scenario that bites.
fn unturned(look: &Look, looks: &Looks) -> String {
    let tried = looks.tried.len();
    match look.turns.values().max_by_key(|(turn, _)| *turn) {
        Some((_, taken)) => format!(
            "unturned: {}: of {tried} things taken away, only what takes the step with it changes it: {taken}",
            look.check
        ),
        None => format!("unturned: {}: {tried} things taken away, it passes without each", look.check),
    }
}

/// A scenario that proves nothing, with what was tried.
fn fault(scenario: &Scenario, looks: &Looks) -> Fault {
    let checks: Vec<&str> = looks.deciding().map(|look| last(&look.check)).collect();
    let message = format!(
        "`{}` does not change without its trigger: {} passes all the same",
        scenario.id(),
        checks.join(", ")
    );
    let mut seen = match looks.tried.len() {
        0 => "nothing could be taken away that leaves a scenario".to_owned(),
        tried => {
            let names: Vec<&str> = looks.tried.iter().take(TOLD).map(|(_, taken)| taken.as_str()).collect();
            let rest = if tried > TOLD { format!(" and {} others", tried - TOLD) } else { String::new() };
            format!("taken away, one at a time: {}{rest}", names.join(", "))
        }
    };
    let turns = looks.deciding().flat_map(|look| look.turns.values());
    if let Some((turn, taken)) = turns.max_by_key(|(turn, _)| *turn) {
        let what = match turn {
            Turn::Collapse => "only the whole step falls, without",
            Turn::Change => "the control changes nothing, but a check fails without",
        };
        // A String takes whatever is written to it.
        let _ = write!(seen, "; {what} {taken}");
    }
    let remedy =
        "ask for something that only the trigger brings about, or give a `control` that does without it";
    scenario.source().fault("/trigger", message).remedy(format!("{seen}\n{remedy}"))
}

/// The name of a check, without its scenario.
fn last(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}
