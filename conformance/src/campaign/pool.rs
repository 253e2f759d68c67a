//! Runs the scenarios of a plan side by side and gives their outcomes in the order of the plan.
//!
//! Main type: [`Pool`]. Each scenario runs in a supervisor process of its own; the threads here only wait for them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::naming::opaque;
use super::plan::{Part, Plan};
use super::{Outcome, flaky, order};
use crate::baseline::Baseline;
use crate::judge::{Kind, Verdict, judge, kit_errors};
use crate::ledger::{Ledger, Level};
use crate::observation::Observation;
use crate::supervisor::{Job, Keep, LaunchError, discard, launch};
use crate::target::Target;

/// How a run is made.
#[derive(Debug)]
pub struct Pool<'a> {
    /// The ledger.
    pub ledger: &'a Ledger,
    /// Who is judged.
    pub target: &'a Target,
    /// Its start-up time.
    pub startup: Duration,
    /// Where every step counts as hung at the latest.
    pub hang_after: Option<Duration>,
    /// Its known failures.
    pub baseline: &'a Baseline,
    /// The kit's own file beside the sandboxes.
    pub kit: &'a Path,
    /// Where the sandboxes lie.
    pub results: &'a Path,
    /// Which sandboxes stay.
    pub keep: Sandboxes,
    /// How many scenarios at once, at least 1.
    pub jobs: usize,
    /// How often each scenario is run, at least 1; the verdicts must agree.
    pub repeat: usize,
    /// Set from outside to stop.
    pub stop: &'a AtomicBool,
}

/// Which sandboxes stay after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandboxes {
    /// None.
    None,
    /// Those of scenarios with a failure.
    OfFailures,
    /// All.
    All,
}

impl Pool<'_> {
    /// Runs the plan; `take` gets each outcome as soon as those before it are there. Gives whether it came to the end.
    pub fn run<'p>(&self, plan: &Plan<'p>, mut take: impl FnMut(Outcome<'p>)) -> Completion {
        let (order, next) = (order::order(plan), AtomicUsize::new(0));
        let (sender, receiver) = mpsc::channel();
        let workers = self.jobs.clamp(1, plan.parts.len().max(1));
        let (mut interrupted, mut started) = (false, 0);
        thread::scope(|scope| {
            for _ in 0..workers {
                let (sender, order, next) = (sender.clone(), &order, &next);
                let work = move || {
                    while let Some(&number) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let outcome = self.part(number, &plan.parts[number]);
                        let stopped = outcome.is_none();
                        if sender.send((number, outcome)).is_err() || stopped {
                            break;
                        }
                    }
                };
                // On a machine that is out of threads, those that there are do the work; without any, nothing was run.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    interrupted = started == 0;
                    break;
                }
                started += 1;
            }
            drop(sender);
            let mut early = BTreeMap::new();
            let mut due = 0;
            for (number, outcome) in receiver {
                let Some(outcome) = outcome else {
                    interrupted = true;
                    continue;
                };
                early.insert(number, outcome);
                while let Some(outcome) = early.remove(&due) {
                    take(outcome);
                    due += 1;
                }
            }
            early.into_values().for_each(&mut take);
        });
        if interrupted { Completion::Interrupted } else { Completion::Whole }
    }

    /// One scenario, or nothing when the run was stopped.
    fn part<'p>(&self, number: usize, part: &Part<'p>) -> Option<Outcome<'p>> {
        let mut outcome = Outcome {
            scenario: part.scenario,
            verdicts: part.settled.iter().cloned().map(|verdict| self.baseline.apply(verdict)).collect(),
            observation: None,
            replay: None,
        };
        if part.asked.is_empty() {
            return Some(outcome);
        }
        let mut rounds: Vec<Vec<Verdict>> = Vec::new();
        for round in 0..self.repeat.max(1) {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let sandbox = self.sandbox(number, round);
            let observation = match self.observe(part, &sandbox) {
                Ok(observation) => Ok(observation),
                Err(LaunchError::Interrupted) => return None,
                Err(error) => Err(error.to_string()),
            };
            let verdicts = match &observation {
                Ok(observation) => judge(part.scenario, self.ledger, observation, self.startup),
                Err(error) => kit_errors(part.scenario, self.ledger, error),
            };
            let verdicts: Vec<Verdict> =
                verdicts.into_iter().filter(|verdict| part.asked.contains(&verdict.check)).collect();
            let keep = self.keep(&verdicts);
            let is_worse = outcome.replay.is_none();
            if !keep {
                // What cannot be removed is no fault of the target; the run says where its folder is.
                let _ = discard(&sandbox);
            }
            if let Ok(observation) = observation
                && (is_worse || keep)
            {
                outcome.replay = keep.then(|| self.shown(part, round, &sandbox, &observation)).flatten();
                outcome.observation = Some(observation);
            }
            rounds.push(verdicts);
        }
        let verdicts = flaky::agreed(rounds);
        outcome.verdicts.extend(verdicts.into_iter().map(|verdict| self.baseline.apply(verdict)));
        Some(outcome)
    }

    fn observe(&self, part: &Part<'_>, sandbox: &Path) -> Result<Observation, LaunchError> {
        if let Some(parent) = sandbox.parent() {
            fs::create_dir_all(parent)?;
        }
        let job = Job {
            scenario: part.scenario.clone(),
            target: self.target.clone(),
            startup: self.startup,
            hang_after: self.hang_after,
            sandbox: sandbox.to_owned(),
            kit: self.kit.to_owned(),
            keep: Keep::Keep,
        };
        launch(&job, self.stop)
    }

    fn sandbox(&self, number: usize, round: usize) -> PathBuf {
        self.results.join(opaque((number * self.repeat.max(1) + round) as u64))
    }

    /// Where a kept sandbox repeats its scenario: by a link that bears the scenario's name, which the target never saw.
    fn shown(
        &self,
        part: &Part<'_>,
        round: usize,
        sandbox: &Path,
        observation: &Observation,
    ) -> Option<PathBuf> {
        let replay = observation.subject.places.bin.with_file_name("replay.sh");
        let id = part.scenario.id();
        let link = self.results.join(if round == 0 { id.to_owned() } else { format!("{id}~{}", round + 1) });
        let linked = link.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| symlink(sandbox, &link));
        let shown = replay.strip_prefix(sandbox).ok().filter(|_| linked.is_ok()).map(|rest| link.join(rest));
        Some(shown.unwrap_or(replay)).filter(|replay| replay.is_file())
    }

    fn keep(&self, verdicts: &[Verdict]) -> bool {
        let failed = |verdict: &Verdict| match self.baseline.apply(verdict.clone()).kind {
            Kind::Fail | Kind::Vacuous | Kind::Blocked | Kind::KitError => verdict.level != Level::Open,
            _ => false,
        };
        match self.keep {
            Sandboxes::None => false,
            Sandboxes::OfFailures => verdicts.iter().any(failed),
            Sandboxes::All => true,
        }
    }
}

/// Whether a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It did.
    Whole,
    /// It was stopped before.
    Interrupted,
}
