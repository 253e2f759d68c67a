//! One step of a scenario: what is called, and how.
//!
//! [`Step`] is the checked form, made from [`StepFile`] as written. Running it is the supervisor's work.

use std::collections::BTreeMap;
use std::time::Duration;

use fake_critics::SignalName;
use fake_critics::journal::EventName;
use serde::{Deserialize, Deserializer};

use super::content::Content;
use super::edit::{Edits, EditsFile};
use super::graph_step::{
    AdvanceFile, CheckStepFile, ChecklistFile, CompileFile, GraphCall, ShowFile, SkipFile, StartFile,
    TemplateFile,
};
use super::verb::Verb;
use crate::text::Text;

/// Where a step counts as hung unless it says otherwise.
pub const WITHIN: Duration = Duration::from_secs(30);

/// Variables laid over an environment; `None` removes.
pub type Environment = BTreeMap<String, Option<Text>>;

/// A checked step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub(super) id: String,
    pub(super) call: Call,
    pub(super) manner: Manner,
    pub(super) signal: Option<SignalPlan>,
    pub(super) within: Duration,
    pub(super) before: Edits,
    pub(super) expect: Option<i32>,
}

/// What is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// `critic run`.
    Run(RunCall),
    /// `critic list`.
    List {
        /// `--format`.
        format: Option<Text>,
        /// `--root`.
        root: Option<Text>,
        /// Further arguments at the end.
        args: Vec<Text>,
    },
    /// `critic policy`.
    Policy {
        /// `--format`.
        format: Option<Text>,
        /// Further arguments at the end.
        args: Vec<Text>,
    },
    /// A verb of the graph profile.
    Graph(GraphCall),
    /// The raw arguments after the target's command.
    Raw {
        /// All of them.
        args: Vec<Text>,
    },
}

/// The arguments of `critic run`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCall {
    /// Name of the critic; left out where a scenario is about its absence.
    pub critic: Option<Text>,
    /// `--prompt`.
    pub prompt: Option<Content>,
    /// `--prompt-file`.
    pub prompt_file: Option<Text>,
    /// `--root`.
    pub root: Option<Text>,
    /// `--cwd`.
    pub cwd: Option<Text>,
    /// `--work-item`.
    pub work_item: Option<Text>,
    /// `--spec-dir`.
    pub spec_dir: Option<Text>,
    /// `--timeout`, as written.
    pub timeout: Option<Text>,
    /// `--output-file`.
    pub output_file: Option<Text>,
    /// Further arguments at the end.
    pub args: Vec<Text>,
}

/// How the process is started, whatever the verb.
#[derive(Clone, Debug, PartialEq)]
pub struct Manner {
    /// Over the scenario's environment.
    pub env: Environment,
    /// Working directory; `%{root}` where `None`.
    pub directory: Option<Text>,
    /// Standard input.
    pub stdin: Stdin,
    /// Standard output.
    pub stdout: Stdout,
    /// How many at once, at least 1.
    pub copies: u32,
}

/// Standard input of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stdin {
    /// Nothing to read.
    #[default]
    None,
    /// A pipe that stays open and empty.
    Held,
    /// This, then its end.
    Content(Content),
}

/// Standard output of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stdout {
    /// Recorded.
    #[default]
    Captured,
    /// A pipe that nobody reads.
    Closed,
    /// A device without space.
    Full,
}

/// A signal that is sent to the target's process during a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignalPlan {
    /// The journal event that is waited for.
    pub after: EventName,
    /// The fake that journals it; `None` only where the scenario has exactly one.
    pub of: Option<String>,
    /// What is sent.
    pub send: SignalName,
    /// How often, at least 1.
    pub times: u32,
}

impl Step {
    /// Its `id`, else its number.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is called.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// How it is started.
    pub fn manner(&self) -> &Manner {
        &self.manner
    }

    /// The signal sent to it, if any.
    pub fn signal(&self) -> Option<&SignalPlan> {
        self.signal.as_ref()
    }

    /// Where it counts as hung. The target's start-up comes on top.
    pub fn within(&self) -> Duration {
        self.within
    }

    /// What is done to the sandbox before it.
    pub fn before(&self) -> &Edits {
        &self.before
    }

    /// The exit code without which nothing after it proves anything, if it says one.
    pub fn expect(&self) -> Option<i32> {
        self.expect
    }

    /// The verb of its call.
    pub fn verb(&self) -> Verb {
        match &self.call {
            Call::Run(_) => Verb::Run,
            Call::List { .. } => Verb::List,
            Call::Policy { .. } => Verb::Policy,
            Call::Graph(call) => call.verb.word(),
            Call::Raw { .. } => Verb::Call,
        }
    }

    /// The call, where it is one of the graph profile.
    pub fn graph(&self) -> Option<&GraphCall> {
        match &self.call {
            Call::Graph(call) => Some(call),
            _ => None,
        }
    }

    /// The prompt that `%{prompt}` stands for.
    pub fn prompt(&self) -> Option<&Content> {
        match &self.call {
            Call::Run(run) => run.prompt.as_ref(),
            _ => None,
        }
    }
}

/// A step as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepFile {
    run: Option<RunFile>,
    list: Option<ListFile>,
    policy: Option<PolicyFile>,
    call: Option<RawFile>,
    compile: Option<CompileFile>,
    show: Option<ShowFile>,
    start: Option<StartFile>,
    checklist: Option<ChecklistFile>,
    advance: Option<AdvanceFile>,
    skip: Option<SkipFile>,
    template: Option<TemplateFile>,
    check: Option<CheckStepFile>,
    before: Option<EditsFile>,
    expect: Option<i32>,
    id: Option<String>,
    signal: Option<SignalFile>,
    within: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RunFile {
    critic: Option<Text>,
    prompt: Option<Content>,
    prompt_file: Option<Text>,
    root: Option<Text>,
    cwd: Option<Text>,
    work_item: Option<Text>,
    spec_dir: Option<Text>,
    timeout: Option<Text>,
    output_file: Option<Text>,
    #[serde(default)]
    args: Vec<Text>,
    #[serde(default)]
    env: Environment,
    directory: Option<Text>,
    #[serde(default)]
    stdin: Stdin,
    #[serde(default)]
    stdout: Stdout,
    copies: Option<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListFile {
    format: Option<Text>,
    root: Option<Text>,
    #[serde(default)]
    args: Vec<Text>,
    #[serde(default)]
    env: Environment,
    directory: Option<Text>,
    #[serde(default)]
    stdin: Stdin,
    #[serde(default)]
    stdout: Stdout,
    copies: Option<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    format: Option<Text>,
    #[serde(default)]
    args: Vec<Text>,
    #[serde(default)]
    env: Environment,
    directory: Option<Text>,
    #[serde(default)]
    stdin: Stdin,
    #[serde(default)]
    stdout: Stdout,
    copies: Option<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    args: Vec<Text>,
    #[serde(default)]
    env: Environment,
    directory: Option<Text>,
    #[serde(default)]
    stdin: Stdin,
    #[serde(default)]
    stdout: Stdout,
    copies: Option<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SignalFile {
    after: EventName,
    of: Option<String>,
    send: SignalName,
    times: Option<u32>,
}

impl<'de> Deserialize<'de> for Stdin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Content::deserialize(deserializer)? {
            Content::Text(text) if text.source() == "none" => Self::None,
            Content::Text(text) if text.source() == "held" => Self::Held,
            content => Self::Content(content),
        })
    }
}

impl StepFile {
    /// The checked step, or what is wrong with it.
    pub(super) fn check(self, number: usize) -> Result<Step, String> {
        let mut calls = Vec::new();
        calls.extend(self.run.map(RunFile::split));
        calls.extend(self.list.map(|list| {
            let manner = manner(list.env, list.directory, list.stdin, list.stdout, list.copies);
            (Call::List { format: list.format, root: list.root, args: list.args }, manner)
        }));
        calls.extend(self.policy.map(|policy| {
            let manner = manner(policy.env, policy.directory, policy.stdin, policy.stdout, policy.copies);
            (Call::Policy { format: policy.format, args: policy.args }, manner)
        }));
        calls.extend(self.call.map(|raw| {
            let manner = manner(raw.env, raw.directory, raw.stdin, raw.stdout, raw.copies);
            (Call::Raw { args: raw.args }, manner)
        }));
        calls.extend(self.compile.map(CompileFile::split).transpose()?);
        calls.extend(self.show.map(ShowFile::split).transpose()?);
        calls.extend(self.start.map(StartFile::split).transpose()?);
        calls.extend(self.checklist.map(ChecklistFile::split).transpose()?);
        calls.extend(self.advance.map(AdvanceFile::split).transpose()?);
        calls.extend(self.skip.map(SkipFile::split).transpose()?);
        calls.extend(self.template.map(TemplateFile::split).transpose()?);
        calls.extend(self.check.map(CheckStepFile::split).transpose()?);
        if calls.len() != 1 {
            let known = Verb::ALL.map(Verb::name).join(", ");
            return Err(format!("found {} verbs, expected exactly one of {known}", calls.len()));
        }
        let (call, manner) = calls.remove(0);
        if manner.copies == 0 {
            return Err("`copies: 0` runs nothing, expected at least 1".to_owned());
        }
        let item = match &call {
            Call::Graph(call) => call.item(),
            _ => None,
        };
        Ok(Step {
            before: self.before.map(|edits| edits.check(item)).transpose()?.unwrap_or_default(),
            expect: self.expect,
            id: self.id.unwrap_or_else(|| number.to_string()),
            call,
            manner,
            signal: self.signal.map(SignalFile::check).transpose()?,
            within: match self.within {
                None => WITHIN,
                Some(seconds) => Duration::try_from_secs_f64(seconds)
                    .ok()
                    .filter(|within| !within.is_zero())
                    .ok_or_else(|| format!("within `{seconds}` is no time, expected seconds above 0"))?,
            },
        })
    }
}

impl SignalFile {
    fn check(self) -> Result<SignalPlan, String> {
        match self.times {
            Some(0) => Err("`times: 0` sends nothing, expected at least 1".to_owned()),
            times => {
                Ok(SignalPlan { after: self.after, of: self.of, send: self.send, times: times.unwrap_or(1) })
            }
        }
    }
}

impl RunFile {
    fn split(self) -> (Call, Manner) {
        let manner = manner(self.env, self.directory, self.stdin, self.stdout, self.copies);
        let call = Call::Run(RunCall {
            critic: self.critic,
            prompt: self.prompt,
            prompt_file: self.prompt_file,
            root: self.root,
            cwd: self.cwd,
            work_item: self.work_item,
            spec_dir: self.spec_dir,
            timeout: self.timeout,
            output_file: self.output_file,
            args: self.args,
        });
        (call, manner)
    }
}

fn manner(
    env: Environment,
    directory: Option<Text>,
    stdin: Stdin,
    stdout: Stdout,
    copies: Option<u32>,
) -> Manner {
    Manner { env, directory, stdin, stdout, copies: copies.unwrap_or(1) }
}
