//! `run` and `baseline write`: the suite against a target.
//!
//! Main type: [`Run`]. Running is the campaign's work, reporting the report's; here the two meet.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Instant;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::arguments::RunArguments;
use super::list::{expect_matches, selection};
use super::workshop::Workshop;
use super::{CliError, print, program, suite};
use crate::baseline::Baseline;
use crate::campaign::{
    Checkup, Completion, Conclusion, Ending, Event, Findings, Header, Outcome, Plan, Pool, Sandboxes,
    Selection, Tally,
};
use crate::judge::Verdict;
use crate::report::{Detail, Progress, Report};
use crate::suite::{self as kit_suite, Suite};
use crate::target::Target;

/// How many scenarios run at once for each processor: most of them wait most of the time.
const PER_PROCESSOR: usize = 4;

/// Everything a run needs, worked out from the command line.
struct Run {
    suite: Suite,
    target: Target,
    selection: Selection,
    baseline: Baseline,
    arguments: RunArguments,
    stop: Arc<AtomicBool>,
}

/// What a run leaves: its verdicts and what they come to.
struct Judgement {
    verdicts: Vec<Verdict>,
    conclusion: Conclusion,
}

pub(super) fn run(arguments: RunArguments) -> Result<u8, CliError> {
    let mut run = Run::new(arguments)?;
    if let Some(path) = run.baseline_path() {
        run.baseline = Baseline::read(&path)?;
        let faults = run.baseline.faults(&run.check_ids());
        if !faults.is_empty() {
            return Err(CliError::Faults(faults));
        }
    }
    Ok(run.execute()?.conclusion.exit())
}

pub(super) fn write_baseline(arguments: RunArguments) -> Result<u8, CliError> {
    let run = Run::new(arguments)?;
    let path = run.baseline_path().ok_or_else(|| {
        CliError::Call(
            "no place for the baseline, name it by --baseline FILE or in the target file".to_owned(),
        )
    })?;
    if !run.asks_all_that_is_claimed() {
        return Err(CliError::Call(
            "a baseline of a filtered run would hide the rest, leave out --only, --level, --profile, --tag and --shard"
                .to_owned(),
        ));
    }
    let known = if path.exists() { Baseline::read(&path)? } else { Baseline::default() };
    let result = run.execute()?;
    if let Conclusion::Interrupted | Conclusion::KitFailed | Conclusion::NothingExecuted = result.conclusion {
        return Err(CliError::Call(format!(
            "the run did not come to an end that a baseline can be made of, `{}` is as it was",
            path.display()
        )));
    }
    let renewed = known.renewed(&result.verdicts);
    renewed.write(&path)?;
    let (entries, unexplained) = renewed.sizes();
    print(&format!(
        "{}: {entries} entries, {unexplained} without a reason; `run` and `lint` refuse those until each has one\n",
        path.display()
    ))?;
    Ok(0)
}

impl Run {
    fn new(arguments: RunArguments) -> Result<Self, CliError> {
        let suite = suite(arguments.selection.scenarios.as_deref())?;
        let mut target = program::target(&arguments.target)?;
        if arguments.target.target.is_none() && !arguments.selection.profile.is_empty() {
            // Without a target file the profile also says what is claimed.
            target = target.with_profiles(arguments.selection.profile.clone());
        }
        let selection = selection(&arguments.selection, arguments.shard);
        let stop = stop_on_signals()?;
        Ok(Self { suite, target, selection, baseline: Baseline::default(), arguments, stop })
    }

    /// Profiles of a target without a file narrow nothing that it claims.
    fn asks_all_that_is_claimed(&self) -> bool {
        let mut selection = self.selection.clone();
        if self.arguments.target.target.is_none() {
            selection.profiles.clear();
        }
        selection.is_whole()
    }

    fn baseline_path(&self) -> Option<PathBuf> {
        self.arguments.baseline.clone().or_else(|| self.target.baseline().map(Path::to_owned))
    }

    fn check_ids(&self) -> BTreeSet<String> {
        self.suite.check_ids().into_iter().collect()
    }

    fn execute(&self) -> Result<Judgement, CliError> {
        expect_matches(&self.selection, &self.suite)?;
        let plan = Plan::new(&self.suite, &self.target, &self.selection);
        if plan.expected() == 0 {
            return Err(CliError::Call(
                "nothing matches, compare with `the-loop-conformance list`".to_owned(),
            ));
        }
        let mut workshop = Workshop::open(self.arguments.keep.as_ref().and_then(Option::as_deref))?;
        let findings = self.preflight(&workshop)?;
        let (mut report, progress) = (self.report()?, Progress::new());
        let mut failed = None;
        let mut tell = |event: &Event<'_>| {
            progress.event(event);
            if let Err(error) = progress.aside(|| report.event(event)) {
                failed.get_or_insert(error);
            }
        };
        tell(&Event::Begun(&self.header(&plan, findings.as_ref())));
        let begin = Instant::now();
        let (mut tally, mut verdicts, mut is_kept) = (Tally::default(), Vec::new(), false);
        let completion = self.pool(&workshop, findings.as_ref()).run(&plan, |outcome: Outcome<'_>| {
            for verdict in &outcome.verdicts {
                tally.add(verdict, self.arguments.gate, &self.baseline);
            }
            is_kept |= outcome.replay.is_some();
            tell(&Event::Judged(&outcome));
            verdicts.extend(outcome.verdicts);
        });
        let conclusion = conclusion(&tally, completion, &plan);
        tell(&Event::Ended(&Ending {
            expected: plan.expected(),
            conclusion,
            gate: self.arguments.gate,
            seconds: begin.elapsed(),
            results: is_kept.then(|| workshop.keep()),
            tally,
        }));
        match failed {
            Some(error) => Err(CliError::System("write the report", error)),
            None => Ok(Judgement { verdicts, conclusion }),
        }
    }

    fn preflight(&self, workshop: &Workshop) -> Result<Option<Findings>, CliError> {
        if self.arguments.no_preflight {
            return Ok(None);
        }
        let checkup = Checkup {
            target: &self.target,
            kit: workshop.kit(),
            results: workshop.folder(),
            hang_after: self.arguments.hang_after,
            stop: &self.stop,
        };
        Ok(Some(checkup.run()?))
    }

    fn header(&self, plan: &Plan<'_>, findings: Option<&Findings>) -> Header {
        Header {
            kit: env!("CARGO_PKG_VERSION").to_owned(),
            suite: kit_suite::VERSION,
            target: self.target.name().to_owned(),
            target_version: findings.and_then(|findings| findings.version.clone()),
            startup: findings.map(|findings| findings.startup),
            expected: plan.expected(),
            scenarios: plan.scenarios(),
        }
    }

    fn pool<'a>(&'a self, workshop: &'a Workshop, findings: Option<&Findings>) -> Pool<'a> {
        Pool {
            ledger: self.suite.ledger(),
            target: &self.target,
            startup: findings.map(|findings| findings.startup).unwrap_or_default(),
            hang_after: self.arguments.hang_after,
            baseline: &self.baseline,
            kit: workshop.kit(),
            results: workshop.folder(),
            keep: if self.arguments.keep.is_some() { Sandboxes::All } else { Sandboxes::OfFailures },
            jobs: jobs(self.arguments.jobs, &self.target),
            repeat: self.arguments.repeat.into(),
            stop: &self.stop,
        }
    }

    fn report(&self) -> Result<Box<dyn Report + '_>, CliError> {
        let detail = if self.arguments.verbose { Detail::Everything } else { Detail::Failures };
        let stream: Box<dyn Write> = match &self.arguments.output {
            Some(path) => {
                let file =
                    File::create(path).map_err(|error| CliError::System("create the report", error))?;
                Box::new(anstream::StripStream::new(file))
            }
            None => Box::new(anstream::stdout()),
        };
        Ok(self.arguments.format.report(stream, self.suite.ledger(), detail))
    }
}

/// Set once somebody asks this process to stop.
pub(super) fn stop_on_signals() -> Result<Arc<AtomicBool>, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|error| CliError::System("handle signals", error))?;
    }
    Ok(stop)
}

/// How many scenarios run at once.
pub(super) fn jobs(wanted: Option<u16>, target: &Target) -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    if target.serial() { 1 } else { wanted.map_or(processors * PER_PROCESSOR, usize::from) }
}

/// A run whose count is not what was expected is a fault of the kit, whatever its verdicts.
fn conclusion(tally: &Tally, completion: Completion, plan: &Plan<'_>) -> Conclusion {
    match tally.conclusion(completion) {
        Conclusion::Interrupted => Conclusion::Interrupted,
        _ if tally.total() != plan.expected() => Conclusion::KitFailed,
        conclusion => conclusion,
    }
}
