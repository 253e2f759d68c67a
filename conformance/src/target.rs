//! A target: an implementation under judgement, and how it is started.
//!
//! [`Target`] is the checked form of a target file, or of a bare command line. Starting it is the supervisor's work.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ledger::Profile;
use crate::scenario::Dialect;
use crate::scenario::verb::Verb;
use crate::source::Source;
use crate::source::fault::Fault;
use crate::text::{self, GraphPlaces};

/// An implementation and how to start it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "TargetFile", into = "TargetFile")]
pub struct Target {
    name: String,
    command: Vec<String>,
    version: Option<Vec<String>>,
    env: BTreeMap<String, String>,
    dialect: Dialect,
    channel: Channel,
    profiles: Vec<Profile>,
    steps: Vec<Verb>,
    serial: bool,
    baseline: Option<PathBuf>,
    graph: GraphPlaces,
}

/// How a target is told where its operator's file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// It is the default one, `~/.the-loop/cli-config.yaml`.
    #[default]
    Home,
    /// By the variable `THE_LOOP_CLI_CONFIG`.
    Env,
    /// By `--config` before the subcommand.
    Flag,
}

/// Why there is no target.
#[derive(Debug, Error)]
pub enum TargetError {
    /// The file cannot be read.
    #[error("cannot read target file `{path}` ({source}), name an existing one")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is wrong.
    #[error("{0}")]
    Faulty(Box<Fault>),
    /// A rule across its keys is broken.
    #[error("{0}")]
    Invalid(String),
}

impl Target {
    /// A target that takes the canonical command line; all profiles are claimed.
    ///
    /// # Errors
    /// The command is empty.
    pub fn from_command(command: Vec<String>) -> Result<Self, TargetError> {
        let name = command.first().map(|program| {
            Path::new(program)
                .file_name()
                .map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned())
        });
        let file = TargetFile {
            name: name.unwrap_or_default(),
            command,
            version: None,
            env: BTreeMap::new(),
            config: None,
            profiles: None,
            steps: None,
            serial: false,
            baseline: None,
            graph: None,
        };
        Self::try_from(file).map_err(TargetError::Invalid)
    }

    /// Reads a target file. A relative baseline, and a program with a relative path, lie beside it.
    ///
    /// # Errors
    /// It cannot be read, or something in it is wrong.
    pub fn read(path: &Path) -> Result<Self, TargetError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| TargetError::Unreadable { path: path.to_owned(), source })?;
        let mut target = Self::parse(&Source::new(path.display().to_string(), text))?;
        let Some(folder) = path.parent() else { return Ok(target) };
        target.baseline = target.baseline.map(|baseline| folder.join(baseline));
        let beside = |program: &str| folder.join(program).display().to_string();
        Ok(target.resolved(
            |program| {
                if program.contains('/') { beside(program) } else { program.to_owned() }
            },
        ))
    }

    /// The target that a file's text describes.
    ///
    /// # Errors
    /// Something in it is wrong.
    pub fn parse(source: &Source) -> Result<Self, TargetError> {
        let file: TargetFile = source.read().map_err(|fault| TargetError::Faulty(Box::new(fault)))?;
        Self::try_from(file).map_err(|message| TargetError::Faulty(Box::new(source.fault("", message))))
    }

    /// The same target with variables laid over.
    #[must_use]
    pub fn with_env(mut self, env: impl IntoIterator<Item = (String, String)>) -> Self {
        self.env.extend(env);
        self
    }

    /// The same target with these profiles claimed instead.
    #[must_use]
    pub fn with_profiles(mut self, profiles: Vec<Profile>) -> Self {
        self.profiles = profiles;
        self
    }

    /// The same target with another baseline.
    #[must_use]
    pub fn with_baseline(mut self, baseline: PathBuf) -> Self {
        self.baseline = Some(baseline);
        self
    }

    /// The same target with its program made absolute by `resolve`, which keeps what it does not know.
    #[must_use]
    pub fn resolved(mut self, resolve: impl Fn(&str) -> String) -> Self {
        for words in std::iter::once(&mut self.command).chain(self.version.as_mut()) {
            if let Some(program) = words.first_mut() {
                *program = resolve(program);
            }
        }
        self
    }

    /// The program that prints its version, as a target: by default its own with `--version`.
    #[must_use]
    pub fn asked_for_version(&self) -> Self {
        let mut asked = self.clone();
        asked.command = self.version.clone().unwrap_or_else(|| {
            self.command.iter().cloned().chain(std::iter::once("--version".to_owned())).collect()
        });
        asked.channel = Channel::Home;
        asked
    }

    /// Its name in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Program and leading arguments, at least the program.
    pub fn command(&self) -> &[String] {
        &self.command
    }

    /// What prints its version, if it says.
    pub fn version(&self) -> Option<&[String]> {
        self.version.as_deref()
    }

    /// Variables of every start.
    pub fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// Where it reads its critics from.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// How it is told where that file is; only for the operator dialect.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// What it claims to keep.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// The steps it can be driven through; all, unless its file says otherwise.
    pub fn steps(&self) -> &[Verb] {
        &self.steps
    }

    /// Whether only one scenario may run at a time.
    pub fn serial(&self) -> bool {
        self.serial
    }

    /// Where it keeps what belongs to a work item.
    pub fn graph(&self) -> &GraphPlaces {
        &self.graph
    }

    /// Its baseline, if it has one.
    pub fn baseline(&self) -> Option<&Path> {
        self.baseline.as_deref()
    }
}

/// A target file, as written.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct TargetFile {
    name: String,
    command: Vec<String>,
    version: Option<Vec<String>>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    config: Option<ConfigFile>,
    profiles: Option<Vec<Profile>>,
    steps: Option<Vec<Verb>>,
    #[serde(default)]
    serial: bool,
    baseline: Option<PathBuf>,
    graph: Option<GraphFile>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct GraphFile {
    specs: Option<String>,
    state: Option<String>,
    record: Option<RecordFile>,
    events: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct RecordFile {
    file: String,
    section: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    #[serde(default)]
    dialect: Dialect,
    #[serde(default)]
    via: Option<Channel>,
}

impl GraphFile {
    /// With what is not said as the reference has it.
    fn check(self) -> Result<GraphPlaces, String> {
        let (record, section) =
            self.record.map_or((None, None), |record| (Some(record.file), record.section));
        let places = GraphPlaces {
            specs: self.specs.unwrap_or_else(|| "docs/specs".to_owned()),
            state: self.state.unwrap_or_else(|| "graph-state.json".to_owned()),
            record: record.unwrap_or_else(|| "evidence/design-critic-review.md".to_owned()),
            section: section.unwrap_or_else(|| "Design critic review".to_owned()),
            events: self.events.unwrap_or_else(|| "%{home}/.the-loop/events.jsonl".to_owned()),
        };
        for (key, path) in [("specs", &places.specs), ("state", &places.state), ("record", &places.record)] {
            if Path::new(path).is_absolute() || path.is_empty() {
                return Err(format!(
                    "graph: {key}: `{path}` is absolute or empty, expected a path inside the checkout"
                ));
            }
        }
        text::check(&places.events).map_err(|error| format!("graph: events: {error}"))?;
        Ok(places)
    }
}

impl TryFrom<TargetFile> for Target {
    type Error = String;

    fn try_from(file: TargetFile) -> Result<Self, String> {
        if file.name.trim().is_empty() && !file.command.is_empty() {
            return Err("empty `name`, expected the name of the implementation".to_owned());
        }
        for (key, words) in [("command", Some(&file.command)), ("version", file.version.as_ref())] {
            if words.is_some_and(|words| words.first().is_none_or(String::is_empty)) {
                return Err(format!("empty `{key}`, expected a program and its leading arguments"));
            }
        }
        if file.steps.as_ref().is_some_and(Vec::is_empty) {
            return Err(
                "empty `steps`, expected those that the command can be asked for, or no such key".to_owned()
            );
        }
        let (dialect, via) =
            file.config.map_or((Dialect::default(), None), |config| (config.dialect, config.via));
        if dialect == Dialect::Repository && via.is_some_and(|via| via != Channel::Home) {
            return Err("`via` beside the repository dialect, whose file lies in the checkout; leave it out"
                .to_owned());
        }
        let nothing = GraphFile { specs: None, state: None, record: None, events: None };
        Ok(Self {
            graph: file.graph.unwrap_or(nothing).check()?,
            name: file.name,
            command: file.command,
            version: file.version,
            env: file.env,
            dialect,
            channel: via.unwrap_or_default(),
            profiles: file.profiles.unwrap_or_else(|| Profile::ALL.to_vec()),
            steps: file.steps.unwrap_or_else(|| Verb::ALL.to_vec()),
            serial: file.serial,
            baseline: file.baseline,
        })
    }
}

impl From<Target> for TargetFile {
    fn from(target: Target) -> Self {
        Self {
            name: target.name,
            command: target.command,
            version: target.version,
            env: target.env,
            config: Some(ConfigFile {
                dialect: target.dialect,
                via: (target.dialect == Dialect::Operator).then_some(target.channel),
            }),
            profiles: Some(target.profiles),
            steps: Some(target.steps),
            serial: target.serial,
            baseline: target.baseline,
            graph: Some(GraphFile {
                specs: Some(target.graph.specs),
                state: Some(target.graph.state),
                record: Some(RecordFile { file: target.graph.record, section: Some(target.graph.section) }),
                events: Some(target.graph.events),
            }),
        }
    }
}
