//! Everything recorded while a scenario ran. Main type: [`Observation`].
//!
//! Plain data that travels from the supervisor process to the judge as JSON. Nothing here judges or runs anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fake_critics::Bytes;
use fake_critics::journal::Entry;
use serde::{Deserialize, Serialize};

use crate::text::{GraphPlaces, Names, expand};

/// What one supervisor recorded: the scenario itself, and its control where it has one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The scenario's own steps.
    pub subject: Session,
    /// The nearest legal case, in a sandbox of its own.
    pub control: Option<Session>,
}

/// All steps of one sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Where things lay; for replacing `%{…}` in the checks.
    pub places: Places,
    /// What could not be set up or recorded: a fault of the kit or of the machine, not of the target.
    pub trouble: Option<String>,
    /// One record per step that was begun, in order. Fewer than the scenario has when there was trouble.
    pub steps: Vec<StepRecord>,
    /// What each fake journaled over all steps, in the order of writing; also for fakes that were never started.
    pub journals: BTreeMap<String, Vec<Entry>>,
    /// The files that checks name, after the last step; the key is the path with the names of the judged step and
    /// copy put in, as [`Places::names`] gives them. Relative ones lie in the checkout.
    pub files: BTreeMap<String, FileRecord>,
    /// What lies in the temporary directory after the last step, as paths relative to it, directories left out.
    pub temporary: Vec<String>,
    /// Whether each bystander still lived after the last step.
    pub bystanders: BTreeMap<String, Liveness>,
}

/// The directories of one sandbox, all absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// `%{bin}`: where the fakes lie.
    pub bin: PathBuf,
    /// `%{root}`: the checkout.
    pub root: PathBuf,
    /// `%{home}`: HOME.
    pub home: PathBuf,
    /// `%{tmp}`: TMPDIR.
    pub tmp: PathBuf,
    /// `%{canary}`: a path that does not exist and that nothing should create.
    pub canary: PathBuf,
    /// Where the target keeps what belongs to a work item.
    pub graph: GraphPlaces,
}

impl Places {
    /// The places below the directory of a sandbox, for a target that keeps work items there.
    pub fn below(sandbox: &Path, graph: &GraphPlaces) -> Self {
        let mut places = Self {
            bin: sandbox.join("bin"),
            root: sandbox.join("checkout"),
            home: sandbox.join("home"),
            tmp: sandbox.join("tmp"),
            canary: sandbox.join("canary"),
            graph: graph.clone(),
        };
        places.graph.events = expand(&graph.events, &places.names(None, 0));
        places
    }

    /// The folder of a work item.
    pub fn item(&self, item: &str) -> PathBuf {
        self.root.join(&self.graph.specs).join(item)
    }

    /// The state of a work item.
    pub fn state(&self, item: &str) -> PathBuf {
        self.item(item).join(&self.graph.state)
    }

    /// The values of `%{…}` for one copy of a step with this prompt.
    pub fn names(&self, prompt: Option<&[u8]>, copy: usize) -> Names {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Names {
            bin: text(&self.bin),
            root: text(&self.root),
            home: text(&self.home),
            tmp: text(&self.tmp),
            canary: text(&self.canary),
            prompt: prompt.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default(),
            copy: u32::try_from(copy).unwrap_or(u32::MAX),
            graph: self.graph.clone(),
        }
    }
}

/// One step, all its copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    /// The step's id, or its number from 0.
    pub id: String,
    /// One record per copy; one when the step asks for none.
    pub copies: Vec<CopyRecord>,
    /// Processes that still lived when the last copy was over. They have been killed since.
    pub survivors: Vec<Survivor>,
    /// Why the step could not be made from what the target did before, if so; it was not begun then.
    pub lack: Option<String>,
    /// The state of the work item and the event log after the step; only for steps of the graph profile.
    pub walk: Option<WalkRecord>,
    /// Those of the paths that `unchanged` names for this step whose content differs after it.
    pub changed: Vec<String>,
}

impl StepRecord {
    /// The record of a step of which nothing is known but its id.
    pub fn nothing(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            copies: Vec::new(),
            survivors: Vec::new(),
            lack: None,
            walk: None,
            changed: Vec::new(),
        }
    }
}

/// What a step of the graph profile left behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalkRecord {
    /// The state of the item that the step names; absent where it names none.
    pub state: FileRecord,
    /// The event log.
    pub events: FileRecord,
}

/// One start of the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopyRecord {
    /// The number of the copy, from 0.
    pub number: usize,
    /// The prompt of this copy after replacement, for `%{prompt}`; `None` for a step without one.
    pub prompt: Option<Bytes>,
    /// The command line that was started, all arguments.
    pub command: Vec<String>,
    /// How it ended.
    pub ending: Ending,
    /// Everything on standard output; empty where the step does not capture it.
    pub stdout: Bytes,
    /// Everything on standard error.
    pub stderr: Bytes,
    /// Whether an output was longer than the kit keeps, so that the end is missing.
    pub cut: bool,
    /// From before the start to the exit.
    pub wall: Duration,
    /// Peak resident memory in KiB, of the target's process or one below it that is no fake; looked at every 10 ms, so
    /// that the last moments are missing. 0 when no check asks for it.
    pub peak_memory: u64,
    /// Peak bytes on disk that were not there before the step: in HOME, checkout and TMPDIR, which copies share, and in
    /// deleted files that the target or a process below it has open. Looked at every 10 ms and at the end. 0 when no
    /// check asks for it.
    pub peak_disk: u64,
    /// The scenario's `signal` was asked for and the event it waits for never came.
    pub signal_unsent: bool,
}

/// How a start of the target ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// It exited with a code.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It was still running at the step's limit and was killed by the kit.
    Hung,
    /// The program could not be started.
    NotStarted,
}

impl Ending {
    /// The exit code, if it has one.
    pub fn code(self) -> Option<i32> {
        match self {
            Self::Exit(code) => Some(code),
            Self::Signal(_) | Self::Hung | Self::NotStarted => None,
        }
    }
}

/// A process that outlived its step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Survivor {
    /// Its process id.
    pub pid: i32,
    /// Its command line, arguments joined by spaces.
    pub command: String,
}

/// What lay at a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileRecord {
    /// Nothing.
    Absent,
    /// A regular file, also behind a symbolic link.
    File(Bytes),
    /// A directory.
    Directory,
    /// Something that cannot be read as a file, with the reason.
    Other(String),
}

/// Whether a process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Liveness {
    /// It lives.
    Alive,
    /// It is gone.
    Gone,
}
