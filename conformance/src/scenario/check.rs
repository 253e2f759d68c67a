//! One check of a scenario: the unit that passes or fails.
//!
//! [`Check`] holds typed assertions, made from [`CheckFile`] as written. Whether they hold is the judge's work.

use std::time::Duration;

use serde::Deserialize;

use super::Trigger;
use super::entries::Entries;
use super::graph_check::{EdgeCheck, EventFile, GraphAssertion, GraphCheckFile, RowCheck};
use super::step::Step;
use crate::matcher::{Matcher, given};
use crate::text::Text;

/// A checked check.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub(super) name: String,
    pub(super) requirement: Option<String>,
    pub(super) trigger: Option<Trigger>,
    pub(super) step: usize,
    pub(super) given: Vec<String>,
    pub(super) assertions: Vec<Assertion>,
}

impl Check {
    /// Its name within the scenario.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The ledger row of its own, where it has one.
    pub fn requirement(&self) -> Option<&str> {
        self.requirement.as_deref()
    }

    /// Whether the condition of that row occurs, where it is not as in the scenario's.
    pub fn trigger(&self) -> Option<Trigger> {
        self.trigger
    }

    /// Index of the step that is judged.
    pub fn step(&self) -> usize {
        self.step
    }

    /// Names of earlier checks that must hold, else this one proves nothing.
    pub fn given(&self) -> &[String] {
        &self.given
    }

    /// What must hold, at least one.
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }
}

/// One thing that must hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Assertion {
    /// The exit code.
    Exit(Matcher),
    /// Standard output as text.
    Stdout(Matcher),
    /// Standard error as text.
    Stderr(Matcher),
    /// Standard output is exactly one strict JSON object; pointer to matcher.
    Envelope(Vec<(Pointer, Matcher)>),
    /// Standard output is one JSON value; pointer to matcher.
    Json(Vec<(Pointer, Matcher)>),
    /// The file holds JSON equal to standard output's.
    SameEnvelope(Text),
    /// Files after the last step.
    Files(Vec<(Text, Matcher)>),
    /// Wall time of the step.
    Seconds(Bounds),
    /// How often each fake was started over all steps.
    Started(Vec<(String, Matcher)>),
    /// What a start of a fake saw.
    Received(Vec<(String, Received)>),
    /// How many processes were alive when the step was over.
    Survivors(Matcher),
    /// Bystanders that still live after the last step.
    Alive(Vec<String>),
    /// Peak resident memory, MiB at most.
    Memory(u64),
    /// Bytes that the target holds on disk, at most.
    Disk(u64),
    /// How many files are left in `%{tmp}` after the last step.
    Temporary(Matcher),
    /// Something of the graph profile.
    Graph(GraphAssertion),
}

/// A JSON pointer: empty, or starting with `/`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Pointer(String);

impl Pointer {
    /// As written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Pointer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.is_empty() || text.starts_with('/') {
            Ok(Self(text))
        } else {
            Err(format!("`{text}` is no JSON pointer, expected `/{text}` or `\"\"` for the whole"))
        }
    }
}

/// Lower and upper bound of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// At least this.
    pub min: Option<Duration>,
    /// At most this, and the target's start-up on top.
    pub max: Option<Duration>,
}

/// What one start of a fake saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// Which start, from 0.
    pub start: usize,
    /// The arguments, all of them, without argv[0].
    pub args: Option<Vec<Matcher>>,
    /// argv[0].
    pub argv0: Option<Matcher>,
    /// Variables.
    pub env: Vec<(String, Matcher)>,
    /// Working directory.
    pub cwd: Option<Matcher>,
    /// What standard input held, once it was read.
    pub stdin: Option<Matcher>,
    /// Whether standard input ended.
    pub stdin_ended: Option<bool>,
    /// What standard input was.
    pub stdin_kind: Option<Matcher>,
    /// Whether it led a process group of its own.
    pub group: Option<Group>,
    /// Signals it handled, in order.
    pub signals: Option<Matcher>,
}

/// Whose process group a fake is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// It leads its own.
    Own,
    /// It shares the target's or another one.
    Shared,
}

impl Group {
    /// Its name, as in the scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Shared => "shared",
        }
    }
}

/// A check as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct CheckFile {
    requirement: Option<String>,
    trigger: Option<Trigger>,
    step: Option<String>,
    #[serde(default)]
    given: Vec<String>,
    #[serde(default, deserialize_with = "given")]
    exit: Option<Matcher>,
    #[serde(default, deserialize_with = "given")]
    stdout: Option<Matcher>,
    #[serde(default, deserialize_with = "given")]
    stderr: Option<Matcher>,
    envelope: Option<Entries<Matcher>>,
    json: Option<Entries<Matcher>>,
    same_envelope: Option<Text>,
    files: Option<Entries<Matcher>>,
    seconds: Option<BoundsFile>,
    started: Option<Entries<Matcher>>,
    received: Option<Entries<ReceivedFile>>,
    #[serde(default, deserialize_with = "given")]
    survivors: Option<Matcher>,
    alive: Option<Entries<bool>>,
    memory: Option<MostFile>,
    disk: Option<MostFile>,
    #[serde(default, deserialize_with = "given")]
    temporary: Option<Matcher>,
    checklist: Option<Entries<RowCheck>>,
    rows: Option<Entries<Matcher>>,
    nodes: Option<Entries<Entries<Matcher>>>,
    edges: Option<Vec<EdgeCheck>>,
    no_edges: Option<Vec<EdgeCheck>>,
    adjacent: Option<Vec<String>>,
    state: Option<Entries<Matcher>>,
    frozen: Option<Entries<Entries<Matcher>>>,
    events: Option<Entries<EventFile>>,
    unchanged: Option<Vec<Text>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundsFile {
    min: Option<f64>,
    max: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MostFile {
    max: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ReceivedFile {
    #[serde(default)]
    start: usize,
    args: Option<Vec<Matcher>>,
    argv0: Option<Matcher>,
    #[serde(default)]
    env: Entries<Matcher>,
    cwd: Option<Matcher>,
    stdin: Option<Matcher>,
    stdin_ended: Option<bool>,
    stdin_kind: Option<Matcher>,
    group: Option<Group>,
    signals: Option<Matcher>,
}

impl CheckFile {
    /// The checked check, or what is wrong with it.
    pub(super) fn check(self, name: String, steps: &[Step]) -> Result<Check, String> {
        let step = match &self.step {
            None => steps.len().saturating_sub(1),
            Some(wanted) => steps
                .iter()
                .position(|step| step.id == *wanted)
                .or_else(|| wanted.parse().ok().filter(|number| *number < steps.len()))
                .ok_or_else(|| {
                    let known: Vec<&str> = steps.iter().map(Step::id).collect();
                    format!("unknown step `{wanted}`, expected one of {}", known.join(", "))
                })?,
        };
        if self.trigger.is_some() && self.requirement.is_none() {
            return Err("`trigger` without `requirement`, name the row whose condition it is".to_owned());
        }
        let (requirement, trigger) = (self.requirement.clone(), self.trigger);
        let given = self.given.clone();
        let assertions = self.assertions()?;
        if assertions.is_empty() {
            return Err("an empty check passes always, say what must hold".to_owned());
        }
        Ok(Check { name, requirement, trigger, step, given, assertions })
    }

    fn assertions(self) -> Result<Vec<Assertion>, String> {
        let mut found = Vec::new();
        found.extend(self.exit.map(Assertion::Exit));
        found.extend(self.stdout.map(Assertion::Stdout));
        found.extend(self.stderr.map(Assertion::Stderr));
        found.extend(self.envelope.map(pointers).transpose()?.map(Assertion::Envelope));
        found.extend(self.json.map(pointers).transpose()?.map(Assertion::Json));
        found.extend(self.same_envelope.map(Assertion::SameEnvelope));
        if let Some(files) = self.files {
            let files = files.not_empty("files")?;
            let files = files.into_iter().map(|(path, matcher)| {
                Text::new(path).map(|path| (path, matcher)).map_err(|error| error.to_string())
            });
            found.push(Assertion::Files(files.collect::<Result<_, _>>()?));
        }
        found.extend(self.seconds.map(BoundsFile::check).transpose()?.map(Assertion::Seconds));
        if let Some(started) = self.started {
            found.push(Assertion::Started(started.not_empty("started")?));
        }
        if let Some(received) = self.received {
            let received = received.not_empty("received")?.into_iter();
            let received = received.map(|(fake, file)| Ok((fake, file.check()?)));
            found.push(Assertion::Received(received.collect::<Result<_, String>>()?));
        }
        found.extend(self.survivors.map(Assertion::Survivors));
        if let Some(alive) = self.alive {
            let alive = alive.not_empty("alive")?;
            if let Some((name, _)) = alive.iter().find(|(_, expected)| !expected) {
                return Err(format!(
                    "`{name}: false` in alive, only `true` is a check: bystanders are left alone"
                ));
            }
            found.push(Assertion::Alive(alive.into_iter().map(|(name, _)| name).collect()));
        }
        found.extend(self.memory.map(|memory| Assertion::Memory(memory.max)));
        found.extend(self.disk.map(|disk| Assertion::Disk(disk.max)));
        found.extend(self.temporary.map(Assertion::Temporary));
        let graph = GraphCheckFile {
            checklist: self.checklist,
            rows: self.rows,
            nodes: self.nodes,
            edges: self.edges,
            no_edges: self.no_edges,
            adjacent: self.adjacent,
            state: self.state,
            frozen: self.frozen,
            events: self.events,
            unchanged: self.unchanged,
        };
        found.extend(graph.assertions()?.into_iter().map(Assertion::Graph));
        Ok(found)
    }
}

pub(super) fn pointers(entries: Entries<Matcher>) -> Result<Vec<(Pointer, Matcher)>, String> {
    let entries = entries.not_empty("pointers")?.into_iter();
    entries.map(|(pointer, matcher)| Ok((Pointer::try_from(pointer)?, matcher))).collect()
}

impl BoundsFile {
    fn check(self) -> Result<Bounds, String> {
        let bound = |seconds: Option<f64>| {
            seconds
                .map(|seconds| {
                    Duration::try_from_secs_f64(seconds)
                        .map_err(|_| format!("`{seconds}` is no time, expected seconds from 0"))
                })
                .transpose()
        };
        match (bound(self.min)?, bound(self.max)?) {
            (None, None) => Err("`seconds` without bounds, expected min, max or both".to_owned()),
            (Some(min), Some(max)) if min > max => {
                Err("`seconds` with min above max can never hold, exchange them".to_owned())
            }
            (min, max) => Ok(Bounds { min, max }),
        }
    }
}

impl ReceivedFile {
    fn check(self) -> Result<Received, String> {
        let received = Received {
            start: self.start,
            args: self.args,
            argv0: self.argv0,
            env: self.env.into_inner(),
            cwd: self.cwd,
            stdin: self.stdin,
            stdin_ended: self.stdin_ended,
            stdin_kind: self.stdin_kind,
            group: self.group,
            signals: self.signals,
        };
        let nothing = Received { start: self.start, ..Received::nothing() };
        if received == nothing {
            return Err("`received` asks for nothing, expected args, env, cwd, stdin or another".to_owned());
        }
        Ok(received)
    }
}

impl Received {
    fn nothing() -> Self {
        Self {
            start: 0,
            args: None,
            argv0: None,
            env: Vec::new(),
            cwd: None,
            stdin: None,
            stdin_ended: None,
            stdin_kind: None,
            group: None,
            signals: None,
        }
    }
}
