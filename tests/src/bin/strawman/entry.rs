//! One entry of `critics`, from tree to row. Main function: [`read`].
//!
//! Values of a wrong type are never replaced by a default; each is a reason of its own. Keys that are not known are
//! skipped.

use std::time::Duration;

use crate::fault::{self, Fault};
use crate::flags;
use crate::placeholder;
use crate::roster::{Critic, Program, Reading, Row};
use crate::yaml::Node;

const DEFAULT_LIMIT: Duration = Duration::from_mins(15);

/// Reads the entry at that place of the list, counted from 0.
pub(crate) fn read(at: usize, node: &Node) -> Row {
    let mut entry = Entry { node, label: format!("number {}", at + 1), reasons: Vec::new() };
    if !matches!(node, Node::Map(_)) {
        entry.complain(&format!("it is {node}, not a mapping of keys"));
    }
    if let Some(key) = node.repeated_key() {
        entry.complain(&format!("the key {key} stands twice"));
    }
    let name = entry.name();
    let harness = entry.text("harness");
    let model = entry.text("model");
    let command = entry.text("command");
    let cwd = Some(entry.text("cwd")).filter(|cwd| !cwd.is_empty());
    let env = entry.env();
    let reading = entry.reading();
    let limit = entry.limit();
    let enabled = entry.enabled();
    let program = program(&harness, &command);
    let args = entry.args();
    if matches!(node, Node::Map(_)) {
        entry.judge(program.as_ref(), args.as_deref());
    }
    let path = env.iter().rev().find(|(key, _)| key == "PATH").map(|(_, value)| value.clone());
    let reasons = entry.reasons;
    let critic = match (&program, args) {
        (Some(program), Some(args)) if reasons.is_empty() => Ok(Critic {
            name: name.clone(),
            harness: harness.clone(),
            model: model.clone(),
            program: program.clone(),
            args,
            env,
            cwd,
            reading,
            limit,
        }),
        _ => Err(reasons),
    };
    Row { name, harness, model, program, path, enabled, critic }
}

fn program(harness: &str, command: &str) -> Option<Program> {
    let built_in = Program::built_in(harness);
    if fault::on(Fault::HarnessWins) && built_in.is_some() {
        return built_in;
    }
    if !command.is_empty() {
        return Some(Program::Command(command.to_owned()));
    }
    let guessed = (fault::on(Fault::UnknownHarnessRun) && !harness.is_empty()).then(|| harness.to_owned());
    built_in.or(guessed.map(Program::Command))
}

struct Entry<'a> {
    node: &'a Node,
    label: String,
    reasons: Vec<String>,
}

impl Entry<'_> {
    fn complain(&mut self, what: &str) {
        self.reasons.push(format!("critic {}: {what}", self.label));
    }

    fn name(&mut self) -> String {
        match self.node.at("name") {
            Some(Node::Text(name)) if !name.trim().is_empty() => {
                self.label = format!("`{name}`");
                name.clone()
            }
            _ if fault::on(Fault::NamelessAccepted) => String::new(),
            Some(other) => {
                self.complain(&format!("`name` is {other}, it must be a text; quote it"));
                String::new()
            }
            None => {
                self.complain("`name` is missing");
                String::new()
            }
        }
    }

    fn text(&mut self, key: &str) -> String {
        match self.node.at(key) {
            None => String::new(),
            Some(Node::Text(text)) => text.clone(),
            Some(_) if fault::on(Fault::WrongTypeAccepted) => String::new(),
            Some(other) => {
                self.complain(&format!(
                    "`{key}` is {other}, it must be a text; quote it or leave the key out"
                ));
                String::new()
            }
        }
    }

    fn args(&mut self) -> Option<Vec<String>> {
        let items = match self.node.at("args") {
            None => return Some(Vec::new()),
            Some(Node::List(items)) => items.clone(),
            Some(Node::Text(text)) if fault::on(Fault::ArgsTextAccepted) => vec![Node::Text(text.clone())],
            Some(_) if fault::on(Fault::ArgsTextAccepted) => Vec::new(),
            Some(other) => {
                self.complain(&format!("`args` is {other}, it must be a list of texts"));
                return None;
            }
        };
        let mut args = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item {
                Node::Text(text) => args.push(text.clone()),
                _ if fault::on(Fault::WrongTypeAccepted) => {}
                other => self.complain(&format!("`args[{at}]` is {other}, it must be a text; quote it")),
            }
        }
        (args.len() == items.len() || fault::on(Fault::WrongTypeAccepted)).then_some(args)
    }

    fn env(&mut self) -> Vec<(String, String)> {
        let pairs = match self.node.at("env") {
            None => return Vec::new(),
            Some(Node::Map(pairs)) => pairs.clone(),
            Some(_) if fault::on(Fault::EnvListAccepted) => Vec::new(),
            Some(other) => {
                self.complain(&format!("`env` is {other}, it must map names to texts"));
                return Vec::new();
            }
        };
        let mut env = Vec::new();
        for (name, value) in pairs {
            match (&name, &value) {
                (Node::Text(name), _) if name.is_empty() || name.contains(['=', '\0']) => {
                    self.complain(&format!("`env`: {name:?} is no name of a variable"));
                }
                (Node::Text(name), Node::Text(value)) if !value.contains('\0') => {
                    env.push((name.clone(), value.clone()));
                }
                _ if fault::on(Fault::EnvListAccepted) => {}
                _ => self
                    .complain(&format!("`env`: {name} is {value}, name and value must be texts without NUL")),
            }
        }
        env
    }

    fn reading(&mut self) -> Reading {
        match self.node.at("outputFormat") {
            None => Reading::Text,
            Some(Node::Text(text)) if text == "text" => Reading::Text,
            Some(Node::Text(text)) if text == "json" => Reading::Json,
            Some(_) if fault::on(Fault::UnknownFormatAccepted) => Reading::Text,
            Some(other) => {
                self.complain(&format!("`outputFormat` is {other}, it must be \"text\" or \"json\""));
                Reading::Text
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a limit of 2^53 seconds is cut at a year")]
    fn limit(&mut self) -> Duration {
        let node = self.node.at("timeoutSeconds");
        let seconds = match node {
            None if fault::on(Fault::DefaultTimeoutIgnored) => return flags::LONGEST,
            None if fault::on(Fault::NewKeysRequired) => {
                self.complain("`timeoutSeconds` is missing");
                None
            }
            None => return DEFAULT_LIMIT,
            _ if fault::on(Fault::EntryTimeoutIgnored) => return DEFAULT_LIMIT,
            Some(Node::Int(seconds)) => Some(*seconds as f64),
            Some(Node::Float(seconds)) => Some(*seconds),
            Some(Node::Text(text)) if fault::on(Fault::QuotedTimeoutAccepted) => text.parse().ok(),
            Some(_) => None,
        };
        let least = if fault::on(Fault::TimeoutBelowOneAccepted) { 0.0 } else { 1.0 };
        match (seconds.filter(|seconds| seconds.is_finite() && *seconds >= least), node) {
            (Some(seconds), _) => flags::duration(seconds),
            (None, Some(other)) if !fault::on(Fault::BadTimeoutDefault) => {
                self.complain(&format!("`timeoutSeconds` is {other}, it must be a number of at least 1"));
                DEFAULT_LIMIT
            }
            (None, _) => DEFAULT_LIMIT,
        }
    }

    fn enabled(&mut self) -> bool {
        match self.node.at("enabled") {
            None => true,
            Some(Node::Bool(enabled)) => *enabled,
            Some(_) if fault::on(Fault::QuotedEnabledRuns) => true,
            Some(other) => {
                self.complain(&format!("`enabled` is {other}, it must be true or false, without quotes"));
                false
            }
        }
    }

    /// What only shows when program and arguments are seen together.
    fn judge(&mut self, program: Option<&Program>, args: Option<&[String]>) {
        let args = args.unwrap_or_default();
        if program.is_none() && fault::on(Fault::RemediesMissing) {
            self.complain("it cannot be run");
        } else if program.is_none() {
            self.complain(
                "nothing to start: set `command` to an executable, or `harness` to `claude` or `cursor`",
            );
        }
        let unknown: Vec<&str> = args.iter().filter_map(|arg| placeholder::unknown(arg)).collect();
        for word in unknown {
            if fault::on(Fault::UnknownPlaceholderKept) {
            } else if fault::on(Fault::UnknownPlaceholderUnnamed) {
                self.complain("`args` holds an unknown placeholder");
            } else {
                let known = placeholder::NAMES.map(|name| format!("{{{name}}}")).join(" ");
                self.complain(&format!("`args`: unknown placeholder `{{{word}}}`, known are {known}"));
            }
        }
        if fault::on(Fault::BracesRefused) && args.iter().any(|arg| placeholder::has_other_braces(arg)) {
            self.complain("`args` holds braces that are no placeholder");
        }
        let whole = self.node.at("args").is_none_or(|node| matches!(node, Node::List(_)));
        let command = matches!(program, Some(Program::Command(_)));
        if command
            && whole
            && !fault::on(Fault::NoPlaceholderAccepted)
            && !placeholder::hands_over_prompt(args)
        {
            self.complain("it is handed nothing to review: put `{prompt}` or `{promptFile}` into `args`");
        }
    }
}
