//! One start of the target, fully resolved: arguments, environment, directory, streams. Main type: [`Invocation`].
//!
//! A value that both driving and replaying are made from. It starts nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::dialect::Told;
use super::sandbox::Sandbox;
use crate::scenario::graph_step::{GraphCall, GraphVerb};
use crate::scenario::step::{Call, Environment, RunCall, Stdin, Stdout, Step};
use crate::scenario::thread::Through;
use crate::target::Target;
use crate::text::{Names, Text};

/// What is started, and how.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Invocation {
    /// The number of the copy.
    pub(super) number: usize,
    /// The prompt after replacement.
    pub(super) prompt: Option<Vec<u8>>,
    /// Program and arguments.
    pub(super) words: Vec<OsString>,
    /// The whole environment.
    pub(super) environment: BTreeMap<String, OsString>,
    /// The working directory.
    pub(super) directory: PathBuf,
    /// Standard input.
    pub(super) stdin: Input,
    /// Standard output.
    pub(super) stdout: Stdout,
}

/// Standard input, resolved.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Input {
    /// The null device.
    Null,
    /// A pipe that stays open and empty.
    Held,
    /// A pipe with these bytes.
    Bytes(Vec<u8>),
    /// This file, as it is when the target is started.
    File(PathBuf),
}

impl Invocation {
    /// One copy of a step in a sandbox.
    pub(super) fn new(step: &Step, number: usize, sandbox: &Sandbox, target: &Target) -> Self {
        let unprompted = sandbox.places().names(None, number);
        let prompt = step.prompt().map(|prompt| prompt.bytes(&unprompted));
        let names = sandbox.places().names(prompt.as_deref(), number);
        let manner = step.manner();
        let directory = manner.directory.as_ref().map_or_else(
            || sandbox.places().root.clone(),
            |directory| sandbox.places().root.join(directory.expand(&names)),
        );
        let mut environment = sandbox.environment(target, &names);
        environment.insert("PWD".to_owned(), directory.clone().into());
        lay_over(&mut environment, sandbox.overlay(), &names);
        lay_over(&mut environment, &manner.env, &names);
        let stdin = match &manner.stdin {
            Stdin::None => Input::Null,
            Stdin::Held => Input::Held,
            Stdin::Content(content) => Input::Bytes(content.bytes(&names)),
        };
        let thread = step.graph().and_then(GraphCall::thread);
        let comments = thread.map(|thread| (thread.through, sandbox.comments(step.id())));
        let stdin = match &comments {
            Some((Through::Stdin, path)) => Input::File(path.clone()),
            _ => stdin,
        };
        let mut words = words(step.call(), prompt.as_deref(), sandbox, target, &names);
        match comments {
            Some((Through::Stdin, _)) => words.extend(["--comments".into(), "-".into()]),
            Some((Through::File, path)) => words.extend(["--comments".into(), path.into()]),
            None => {}
        }
        Self { number, prompt, words, environment, directory, stdin, stdout: manner.stdout }
    }

    /// The command line for reports.
    pub(super) fn command(&self) -> Vec<String> {
        self.words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }
}

fn lay_over(environment: &mut BTreeMap<String, OsString>, over: &Environment, names: &Names) {
    for (name, value) in over {
        match value {
            Some(value) => environment.insert(name.clone(), value.expand(names).into()),
            None => environment.remove(name),
        };
    }
}

fn words(
    call: &Call,
    prompt: Option<&[u8]>,
    sandbox: &Sandbox,
    target: &Target,
    names: &Names,
) -> Vec<OsString> {
    let mut line = Line { words: Vec::new(), names };
    if let [program, leading @ ..] = target.command() {
        line.words.push(program_word(program));
        line.words.extend(leading.iter().map(OsString::from));
    }
    if let (Told::Flag, Some(config)) = (sandbox.told(), sandbox.config()) {
        line.words.extend(["--config".into(), config.into()]);
    }
    match call {
        Call::Run(run) => line.run(run, prompt),
        Call::List { format, root, args } => {
            line.literals(&["critic", "list"]);
            line.flag("--format", format.as_ref());
            line.flag("--root", root.as_ref());
            line.texts(args);
        }
        Call::Policy { format, args } => {
            line.literals(&["critic", "policy"]);
            line.flag("--format", format.as_ref());
            line.texts(args);
        }
        Call::Graph(call) => line.graph(call),
        Call::Raw { args } => line.texts(args),
    }
    line.words
}

/// A program with a slash is meant from where the kit was called, not from the sandbox.
fn program_word(word: &str) -> OsString {
    if word.contains('/') {
        std::path::absolute(Path::new(word)).map_or_else(|_| word.into(), PathBuf::into_os_string)
    } else {
        word.into()
    }
}

struct Line<'a> {
    words: Vec<OsString>,
    names: &'a Names,
}

impl Line<'_> {
    fn run(&mut self, run: &RunCall, prompt: Option<&[u8]>) {
        self.literals(&["critic", "run"]);
        self.words.extend(run.critic.as_ref().map(|critic| critic.expand(self.names).into()));
        if let Some(prompt) = prompt {
            self.words.extend(["--prompt".into(), OsString::from_vec(prompt.to_vec())]);
        }
        let flags = [
            ("--prompt-file", &run.prompt_file),
            ("--root", &run.root),
            ("--cwd", &run.cwd),
            ("--work-item", &run.work_item),
            ("--spec-dir", &run.spec_dir),
            ("--timeout", &run.timeout),
            ("--output-file", &run.output_file),
        ];
        for (flag, value) in flags {
            self.flag(flag, value.as_ref());
        }
        self.texts(&run.args);
    }

    fn graph(&mut self, call: &GraphCall) {
        match &call.verb {
            GraphVerb::Compile { files } => {
                self.literals(&["graph", "compile"]);
                self.texts(files);
            }
            GraphVerb::Show { name, format } => {
                self.literals(&["graph", "show"]);
                self.texts(name.as_slice());
                self.flag("--format", format.as_ref());
            }
            GraphVerb::Start { item, graph } => {
                self.verb("start", item);
                self.flag("--loop", graph.as_ref());
            }
            GraphVerb::Checklist { item } => self.verb("checklist", item),
            GraphVerb::Advance { item, .. } => self.verb("advance", item),
            GraphVerb::Skip { item, node, reason } => {
                self.verb("skip", item);
                self.flag("--node", node.as_ref());
                self.flag("--reason", reason.as_ref());
            }
            GraphVerb::Template { node } => self.verb("template", node),
            GraphVerb::Check { item, format, recompute, fail_on } => {
                self.literals(&["check"]);
                match item {
                    Some(item) => self.texts(std::slice::from_ref(item)),
                    None => self.literals(&["--all"]),
                }
                self.flag("--format", format.as_ref());
                if *recompute {
                    self.literals(&["--recompute"]);
                }
                self.flag("--fail-on", fail_on.as_ref());
            }
        }
        self.texts(&call.args);
    }

    fn verb(&mut self, verb: &str, about: &Text) {
        self.literals(&["graph", verb]);
        self.texts(std::slice::from_ref(about));
    }

    fn literals(&mut self, words: &[&str]) {
        self.words.extend(words.iter().map(OsString::from));
    }

    fn flag(&mut self, flag: &str, value: Option<&Text>) {
        if let Some(value) = value {
            self.words.extend([flag.into(), value.expand(self.names).into()]);
        }
    }

    fn texts(&mut self, texts: &[Text]) {
        self.words.extend(texts.iter().map(|text| OsString::from(text.expand(self.names))));
    }
}
