//! Whether a target can be driven at all, what its version is and how long it takes to start.
//!
//! Main type: [`Checkup`]. Wrong values are no matter here: only a target that does not start, or that neither reaches
//! a critic nor prints any JSON, stops a run.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use thiserror::Error;

use crate::ledger::Profile;
use crate::observation::{CopyRecord, Ending, Observation};
use crate::scenario::Scenario;
use crate::scenario::checklist::Checklist;
use crate::scenario::verb::Verb;
use crate::source::Source;
use crate::supervisor::{Job, Keep, LaunchError, launch};
use crate::target::Target;

const TRIVIAL: &str = include_str!("trivial.yaml");
const REFUSED: &str = include_str!("refused.yaml");
const VERSION: &str = include_str!("version.yaml");
const WALK: &str = include_str!("walk.yaml");

/// How a target is looked at before a run.
#[derive(Debug)]
pub struct Checkup<'a> {
    /// Who.
    pub target: &'a Target,
    /// The kit's own file beside the sandboxes.
    pub kit: &'a Path,
    /// Where the sandboxes lie.
    pub results: &'a Path,
    /// Where every step counts as hung at the latest.
    pub hang_after: Option<Duration>,
    /// Set from outside to stop.
    pub stop: &'a AtomicBool,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The first line of what the version command prints.
    pub version: Option<String>,
    /// Median wall time of three calls that list the critics.
    pub startup: Duration,
    /// How the trivial round ended.
    pub trivial: Round,
    /// How a round of an unknown critic ended.
    pub refused: Round,
    /// How a work item was begun, for a target that claims the graph profile.
    pub walk: Option<Walk>,
}

/// The beginning of a walk, as far as a preflight looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// How `show`, `start` and `checklist` ended.
    pub endings: Vec<(Verb, Ending)>,
    /// How many nodes were shown, where that was JSON.
    pub nodes: Option<usize>,
    /// How many rows the checklist had.
    pub rows: usize,
}

/// One round, as far as a preflight looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// How the target ended.
    pub ending: Ending,
    /// Whether the critic was started.
    pub reached: bool,
    /// Whether standard output was one JSON object.
    pub envelope: bool,
    /// The first line of standard error.
    pub complaint: Option<String>,
}

/// Why a target cannot be judged.
#[derive(Debug, Error)]
pub enum PreflightError {
    /// Nothing starts.
    #[error("{0}; name an executable file, or one on PATH")]
    NotStarted(String),
    /// It starts, and does nothing that can be judged.
    #[error(
        "the target neither started a critic nor printed JSON (trivial round: {0}); look at it with `doctor`, or go on with --no-preflight"
    )]
    Unusable(String),
    /// The kit failed.
    #[error("the preflight failed: {0}")]
    Kit(String),
    /// Stopped from outside.
    #[error("the preflight was interrupted")]
    Interrupted,
}

impl Checkup<'_> {
    /// Looks at the target.
    ///
    /// # Errors
    /// It cannot be driven, or the kit failed.
    pub fn run(&self) -> Result<Findings, PreflightError> {
        let trivial = self.observe("trivial", TRIVIAL, self.target)?;
        let round = round(&trivial)?;
        let calls: Vec<&CopyRecord> =
            trivial.subject.steps.iter().filter_map(|step| step.copies.first()).collect();
        let refused = self.observe("refused", REFUSED, self.target)?;
        let walk = self.walk()?;
        let shown = walk.as_ref().is_some_and(|walk| walk.nodes.is_some() || walk.rows > 0);
        let any_json = calls.iter().any(|call| serde_json::from_slice::<Value>(&call.stdout.0).is_ok());
        if !round.reached && !any_json && !shown {
            return Err(PreflightError::Unusable(round.shown()));
        }
        Ok(Findings {
            version: self.version()?,
            startup: median(calls.iter().skip(1).map(|call| call.wall).collect()),
            trivial: round,
            refused: self::round(&refused)?,
            walk,
        })
    }

    /// What comes of beginning a walk, with the steps that the target claims.
    fn walk(&self) -> Result<Option<Walk>, PreflightError> {
        if !self.target.profiles().contains(&Profile::Graph) {
            return Ok(None);
        }
        let observation = self.observe("walk", WALK, self.target)?;
        let mut walk = Walk { endings: Vec::new(), nodes: None, rows: 0 };
        for (verb, step) in
            [Verb::Show, Verb::Start, Verb::Checklist].into_iter().zip(&observation.subject.steps)
        {
            let Some(call) = step.copies.first().filter(|_| self.target.steps().contains(&verb)) else {
                continue;
            };
            walk.endings.push((verb, call.ending));
            match verb {
                Verb::Show => {
                    let shown = serde_json::from_slice::<Value>(&call.stdout.0).ok();
                    walk.nodes = shown.and_then(|graph| Some(graph.get("nodes")?.as_array()?.len()));
                }
                Verb::Checklist => walk.rows = Checklist::read(&call.stdout.lossy()).rows().len(),
                _ => {}
            }
        }
        Ok(Some(walk))
    }

    /// What the version command prints; nothing where it fails, or where a target file names none.
    fn version(&self) -> Result<Option<String>, PreflightError> {
        let target = self.target.asked_for_version();
        let observation = match self.observe("version", VERSION, &target) {
            Err(PreflightError::NotStarted(_)) => return Ok(None),
            other => other?,
        };
        let call = observation.subject.steps.first().and_then(|step| step.copies.first());
        Ok(call.filter(|call| call.ending == Ending::Exit(0)).and_then(|call| {
            let line = call.stdout.lossy().lines().next().unwrap_or_default().trim().to_owned();
            (!line.is_empty()).then(|| line.chars().filter(|c| !c.is_control()).take(80).collect())
        }))
    }

    fn observe(&self, name: &str, text: &str, target: &Target) -> Result<Observation, PreflightError> {
        let id = format!("preflight/{name}");
        let source = Source::new(format!("conformance/src/campaign/{name}.yaml"), text);
        let scenario = Scenario::parse(&id, source).map_err(|faults| {
            PreflightError::Kit(faults.first().map(ToString::to_string).unwrap_or_default())
        })?;
        let sandbox = self.results.join(&id);
        if let Some(parent) = sandbox.parent() {
            std::fs::create_dir_all(parent).map_err(|error| PreflightError::Kit(error.to_string()))?;
        }
        let job = Job {
            scenario,
            target: target.clone(),
            startup: Duration::ZERO,
            hang_after: self.hang_after,
            sandbox,
            kit: self.kit.to_owned(),
            keep: Keep::Discard,
        };
        let observation = launch(&job, self.stop).map_err(|error| match error {
            LaunchError::Interrupted => PreflightError::Interrupted,
            error => PreflightError::Kit(error.to_string()),
        })?;
        let begun = observation.subject.steps.first().and_then(|step| step.copies.first());
        match &observation.subject.trouble {
            None => Ok(observation),
            Some(trouble) if begun.is_some_and(|call| call.ending == Ending::NotStarted) => {
                Err(PreflightError::NotStarted(trouble.clone()))
            }
            Some(trouble) => Err(PreflightError::Kit(trouble.clone())),
        }
    }
}

impl Round {
    /// One line for people.
    pub fn shown(&self) -> String {
        let ending = ending(self.ending);
        let reached = if self.reached { "critic started" } else { "no critic started" };
        let envelope = if self.envelope { "one JSON object" } else { "no JSON object" };
        match &self.complaint {
            Some(complaint) => format!("{ending}, {reached}, {envelope}, stderr: {complaint}"),
            None => format!("{ending}, {reached}, {envelope}"),
        }
    }
}

impl Walk {
    /// One line for people.
    pub fn shown(&self) -> String {
        if self.endings.is_empty() {
            return "not tried: none of its steps is claimed".to_owned();
        }
        let steps: Vec<String> =
            self.endings.iter().map(|(verb, ended)| format!("{verb}: {}", ending(*ended))).collect();
        let nodes = self.nodes.map_or_else(|| "no graph".to_owned(), |nodes| format!("{nodes} nodes"));
        format!("{}, {nodes}, {} rows offered", steps.join(", "), self.rows)
    }
}

fn ending(ending: Ending) -> String {
    match ending {
        Ending::Exit(code) => format!("exit {code}"),
        Ending::Signal(number) => format!("ended by signal {number}"),
        Ending::Hung => "hung".to_owned(),
        Ending::NotStarted => "not started".to_owned(),
    }
}

fn round(observation: &Observation) -> Result<Round, PreflightError> {
    let call = observation
        .subject
        .steps
        .first()
        .and_then(|step| step.copies.first())
        .ok_or_else(|| PreflightError::Kit("the round was not begun".to_owned()))?;
    let started = |entry: &fake_critics::journal::Entry| {
        matches!(entry.event, fake_critics::journal::Event::Started(_))
    };
    Ok(Round {
        ending: call.ending,
        reached: observation.subject.journals.values().flatten().any(started),
        envelope: serde_json::from_slice::<Value>(&call.stdout.0).is_ok_and(|value| value.is_object()),
        complaint: call
            .stderr
            .lossy()
            .lines()
            .find(|line| !line.trim().is_empty())
            .map(|line| line.trim().chars().filter(|c| !c.is_control()).take(160).collect()),
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
