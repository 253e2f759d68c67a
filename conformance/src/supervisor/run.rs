//! The course of one scenario: sandbox, bystanders, steps, leftovers, control. Main function: [`run_supervisor`].
//!
//! Trouble of the kit's own ends the session and is recorded in it; only an interruption is an error.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use fake_critics::Bytes;
use fake_critics::journal::{self, EventName};
use thiserror::Error;

use super::call::Invocation;
use super::disk::Disk;
use super::lifeline::Lifeline;
use super::observe::{Leftovers, leftovers};
use super::sandbox::{Sandbox, SandboxError, discard};
use super::signalling::Signalling;
use super::stage::Stage;
use super::watch::{Watch, Watched};
use super::{Job, Keep, descent, drive, photograph, replay};
use crate::observation::{CopyRecord, Ending, Liveness, Observation, Places, Session, StepRecord};
use crate::scenario::Setup;
use crate::scenario::check::{Assertion, Check};
use crate::scenario::step::Step;

/// So long may a bystander take to run.
const PATIENCE: Duration = Duration::from_mins(1);

/// Why a session came to no proper end.
#[derive(Debug, Error)]
pub enum SupervisorError {
    /// The kit was interrupted or died.
    #[error("the run was interrupted")]
    Interrupted,
    /// The sandbox could not be made.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The system refused something that the kit needs.
    #[error("the system refused something that the kit needs: {0}")]
    System(#[from] io::Error),
    /// A bystander did not start.
    #[error("bystander `{0}` did not start: expected its first journal entry within a minute")]
    Bystander(String),
    /// The target could not be started.
    #[error("cannot start `{program}`: {cause}")]
    NotStarted {
        /// The program.
        program: String,
        /// Why.
        cause: io::Error,
    },
    /// Something outlived its killing.
    #[error("processes could not be ended: {0:?}")]
    Unending(Vec<i32>),
}

/// Runs a scenario and its control. The calling process becomes the reaper of all its descendants, and ends them.
///
/// # Errors
/// [`SupervisorError::Interrupted`] when the lifeline was cut; nothing is left then, also no sandbox.
pub fn run_supervisor(job: &Job, lifeline: &Lifeline) -> Result<Observation, SupervisorError> {
    let observed = observe_both(job, lifeline);
    if job.keep == Keep::Discard || observed.is_err() {
        // What cannot be removed is left to the run's own directory.
        let _ = discard(&job.sandbox);
    }
    observed
}

fn observe_both(job: &Job, lifeline: &Lifeline) -> Result<Observation, SupervisorError> {
    let subject = session(job, job.scenario.setup(), "subject", lifeline)?;
    let control =
        job.scenario.control().map(|control| session(job, control, "control", lifeline)).transpose()?;
    Ok(Observation { subject, control })
}

/// One sandbox from beginning to end.
fn session(job: &Job, setup: &Setup, name: &str, lifeline: &Lifeline) -> Result<Session, SupervisorError> {
    let directory = job.sandbox.join(name);
    let mut record = Session {
        places: Places::below(&directory, job.target.graph()),
        trouble: None,
        steps: Vec::new(),
        journals: BTreeMap::new(),
        files: BTreeMap::new(),
        temporary: Vec::new(),
        bystanders: BTreeMap::new(),
    };
    let course = Course { job, setup, lifeline };
    let outcome = course.run(&directory, &mut record);
    let unending = descent::end(&[]);
    let outcome =
        outcome.and(if unending.is_empty() { Ok(()) } else { Err(SupervisorError::Unending(unending)) });
    match outcome {
        Err(SupervisorError::Interrupted) => Err(SupervisorError::Interrupted),
        Err(trouble) => {
            record.trouble = Some(trouble.to_string());
            Ok(record)
        }
        Ok(()) => Ok(record),
    }
}

/// What the steps of one session have in common.
struct Course<'a> {
    job: &'a Job,
    setup: &'a Setup,
    lifeline: &'a Lifeline,
}

impl Course<'_> {
    fn run(&self, directory: &Path, record: &mut Session) -> Result<(), SupervisorError> {
        descent::become_reaper()?;
        let sandbox = Sandbox::create(directory, self.setup, &self.job.target, &self.job.kit)?;
        let mut bystanders = self.start_bystanders(&sandbox)?;
        if self.job.keep == Keep::Keep {
            replay::write(&self.job.scenario, self.setup, &sandbox, &self.job.target)?;
        }
        let mut stage = Stage::new(self.setup, &sandbox, &self.job.kit);
        let mut steps = self.setup.steps().iter();
        let outcome = steps.try_for_each(|step| self.step(step, &sandbox, &mut stage, &bystanders, record));
        for (name, process) in &mut bystanders {
            // One that was killed is gone, also where it has not been scheduled since.
            let leaving = i32::try_from(process.id()).is_ok_and(descent::is_leaving);
            let gone = leaving || process.try_wait()?.is_some();
            record.bystanders.insert(name.clone(), if gone { Liveness::Gone } else { Liveness::Alive });
        }
        // Nothing may write while leftovers are read.
        descent::end(&[]);
        let Leftovers { journals, files, temporary } = leftovers(&self.job.scenario, &sandbox)?;
        (record.journals, record.files, record.temporary) = (journals, files, temporary);
        outcome
    }

    fn asks_for(&self, what: impl Fn(&Assertion) -> bool) -> bool {
        self.job.scenario.checks().iter().flat_map(Check::assertions).any(what)
    }

    fn start_bystanders(&self, sandbox: &Sandbox) -> Result<Vec<(String, Child)>, SupervisorError> {
        let mut bystanders: Vec<(String, Child)> = Vec::new();
        for name in self.setup.bystanders() {
            let process = drive::start_bystander(sandbox, name, &self.job.target)?;
            let pid = process.id();
            bystanders.push((name.clone(), process));
            let path = sandbox.journal(name);
            let runs = || {
                let entries = journal::read(&path).unwrap_or_default();
                entries.iter().any(|entry| {
                    entry.event.name() == EventName::Started && u32::try_from(entry.pid) == Ok(pid)
                })
            };
            if !self.lifeline.wait_until(PATIENCE, runs)? {
                return Err(SupervisorError::Bystander(name.clone()));
            }
        }
        Ok(bystanders)
    }

    fn step(
        &self,
        step: &Step,
        sandbox: &Sandbox,
        stage: &mut Stage<'_>,
        bystanders: &[(String, Child)],
        record: &mut Session,
    ) -> Result<(), SupervisorError> {
        self.lifeline.check()?;
        if let Some(lack) = stage.set(step, &record.steps)? {
            record.steps.push(StepRecord { lack: Some(lack), ..StepRecord::nothing(step.id()) });
            return Ok(());
        }
        if self.job.keep == Keep::Keep && photograph::is_wanted(self.setup) {
            photograph::take(step, sandbox)?;
        }
        let before = stage.look(&self.job.scenario, record.steps.len());
        let copies = step.manner().copies as usize;
        let invocations: Vec<_> =
            (0..copies).map(|number| Invocation::new(step, number, sandbox, &self.job.target)).collect();
        let only = || self.setup.fakes().keys().next().cloned().unwrap_or_default();
        let signalling = step.signal().map(|plan| {
            let fake = plan.of.clone().unwrap_or_else(only);
            Signalling::new(plan, sandbox.journal(&fake), copies)
        });
        let within = self.job.hang_after.map_or(step.within(), |most| most.min(step.within()));
        let mut watch = Watch {
            lifeline: self.lifeline,
            limit: within + self.job.startup,
            memory_outside: self
                .asks_for(|assertion| matches!(assertion, Assertion::Memory(_)))
                .then_some(&*sandbox.places().bin),
            disk: self
                .asks_for(|assertion| matches!(assertion, Assertion::Disk(_)))
                .then(|| Disk::new(sandbox.places())),
            signalling: signalling.transpose()?,
        };
        let mut watched = Vec::new();
        let mut trouble = None;
        for invocation in &invocations {
            match drive::start(invocation).and_then(Watched::new) {
                Ok(copy) => watched.push(copy),
                Err(cause) => {
                    let program = invocation.command().into_iter().next().unwrap_or_default();
                    trouble = Some(SupervisorError::NotStarted { program, cause });
                    break;
                }
            }
        }
        watch.until_over(&mut watched)?;
        let spared: Vec<i32> =
            bystanders.iter().filter_map(|(_, process)| i32::try_from(process.id()).ok()).collect();
        let survivors = descent::survivors(&spared, self.lifeline)?;
        let unending = descent::end(&spared);
        let unsent = watch.signalling.as_ref().is_some_and(Signalling::is_unsent);
        let started = watched.len();
        let over =
            watched.into_iter().zip(&invocations).map(|(copy, invocation)| copy.record(invocation, unsent));
        let rest = invocations.iter().skip(started).map(not_started);
        let after = stage.look(&self.job.scenario, record.steps.len());
        record.steps.push(StepRecord {
            copies: over.chain(rest).collect(),
            survivors,
            walk: stage.walked(step),
            changed: before.differing(&after),
            ..StepRecord::nothing(step.id())
        });
        match trouble {
            Some(trouble) => Err(trouble),
            None if unending.is_empty() => Ok(()),
            None => Err(SupervisorError::Unending(unending)),
        }
    }
}

fn not_started(invocation: &Invocation) -> CopyRecord {
    CopyRecord {
        number: invocation.number,
        prompt: invocation.prompt.clone().map(Bytes),
        command: invocation.command(),
        ending: Ending::NotStarted,
        stdout: Bytes::default(),
        stderr: Bytes::default(),
        cut: false,
        wall: Duration::ZERO,
        peak_memory: 0,
        peak_disk: 0,
        signal_unsent: false,
    }
}
