//! One entry of `critics`, from tree to row. Main function: [`read`].
//!
//! Values of a wrong type are never replaced by a default; each is a reason of its own.

use std::time::Duration;

use crate::fault::{self, Fault};
use crate::flags;
use crate::placeholder;
use crate::roster::{Critic, Program, Reading, Row};
use crate::yaml::Node;

const DEFAULT_LIMIT: Duration = Duration::from_mins(15);

/// Every key that an entry may have.
const KEYS: [&str; 10] = [
    "name",
    "harness",
    "model",
    "command",
    "args",
    "env",
    "cwd",
    "outputFormat",
    "timeoutSeconds",
    "enabled",
];

/// Reads the entry at that place of the list, counted from 0.
pub(crate) fn read(at: usize, node: &Node) -> Row {
    let mut entry = Entry { node, label: format!("number {}", at + 1), reasons: Vec::new() };
    if !matches!(node, Node::Map(..)) {
        entry.complain(&format!("it is {node}, not a mapping of keys"));
    }
    if let Some(key) = node.repeated_key() {
        entry.complain(&format!("the key {key} stands twice"));
    }
    entry.known_keys();
    let name = entry.name();
    let harness = entry.text("harness");
    let model = entry.text("model");
    let command = entry.text("command");
    let cwd = Some(entry.text("cwd")).filter(|cwd| !cwd.is_empty());
    let env = entry.env();
    let bare = command.is_empty() && harness.is_empty() && fault::on(Fault::NameIsCommand);
    let program = if bare { Some(Program::Command(name.clone())) } else { program(&harness, &command) };
    let reading = entry.reading(program.as_ref());
    let limit = entry.limit();
    let enabled = entry.enabled();
    let args = if bare { Some(vec!["{prompt}".to_owned()]) } else { entry.args() };
    if matches!(node, Node::Map(..)) {
        entry.judge(program.as_ref(), args.as_deref());
    }
    let path = env.iter().rev().find(|(key, _)| key == "PATH").and_then(|(_, value)| value.clone());
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
    let line = match node {
        Node::Map(_, place) => place.line,
        _ => 0,
    };
    let has_no_args = node.at("args").is_none();
    Row { name, harness, model, program, path, has_no_args, enabled, line, critic }
}

fn program(harness: &str, command: &str) -> Option<Program> {
    let built_in = Program::built_in(harness);
    if built_in.is_some() && fault::on(Fault::HarnessWins) {
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
        let place = match self.node {
            Node::Map(_, place) if !fault::on(Fault::PlacesUntold) => {
                format!(", line {}, column {}", place.line, place.column)
            }
            _ => String::new(),
        };
        self.reasons.push(format!("critic {}{place}: {what}", self.label));
    }

    fn known_keys(&mut self) {
        let Node::Map(pairs, _) = self.node else { return };
        if fault::on(Fault::UnknownKeyAccepted) {
            return;
        }
        for (key, _) in pairs {
            let key = key.text().unwrap_or_else(|| key.to_string());
            if !KEYS.contains(&key.as_str()) {
                let near = nearest(&key);
                self.complain(&format!("there is no key `{key}`; the nearest is `{near}`"));
            }
        }
    }

    fn name(&mut self) -> String {
        let node = self.node.at("name");
        match (node.and_then(Node::text).filter(|name| !name.trim().is_empty()), node) {
            (Some(name), _) => {
                self.label = format!("`{name}`");
                name
            }
            _ if fault::on(Fault::NamelessAccepted) => String::new(),
            (None, Some(other)) => {
                self.complain(&format!("`name` is {other}, it must be a text; quote it"));
                String::new()
            }
            (None, None) => {
                self.complain("`name` is missing");
                String::new()
            }
        }
    }

    fn text(&mut self, key: &str) -> String {
        let Some(node) = self.node.at(key) else { return String::new() };
        if let Node::List(items) = node
            && key == "command"
            && fault::on(Fault::CommandListRun)
        {
            return items.first().and_then(Node::text).unwrap_or_default();
        }
        match node.text() {
            Some(text) => text,
            None if fault::on(Fault::WrongTypeAccepted) => String::new(),
            None => {
                self.complain(&format!(
                    "`{key}` is {node}, it must be a text; quote it or leave the key out"
                ));
                String::new()
            }
        }
    }

    fn args(&mut self) -> Option<Vec<String>> {
        let items = match self.node.at("args") {
            None => return Some(Vec::new()),
            Some(Node::List(items)) => items.clone(),
            Some(node) if fault::on(Fault::ArgsTextAccepted) && node.text().is_some() => vec![node.clone()],
            Some(other) => {
                self.complain(&format!("`args` is {other}, it must be a list of texts"));
                return None;
            }
        };
        let mut args = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item.text() {
                Some(text) => args.push(text),
                None if fault::on(Fault::WrongTypeAccepted) => {}
                None => self.complain(&format!("`args[{at}]` is {item}, it must be a text; quote it")),
            }
        }
        (args.len() == items.len() || fault::on(Fault::WrongTypeAccepted)).then_some(args)
    }

    fn env(&mut self) -> Vec<(String, Option<String>)> {
        let pairs = match self.node.at("env") {
            None => return Vec::new(),
            Some(Node::Map(pairs, _)) => pairs.clone(),
            Some(_) if fault::on(Fault::EnvListAccepted) => Vec::new(),
            Some(other) => {
                self.complain(&format!("`env` is {other}, it must map names to texts"));
                return Vec::new();
            }
        };
        let mut env = Vec::new();
        for (name, value) in pairs {
            match (name.text(), value.text()) {
                (Some(name), _)
                    if (name.is_empty() || name.contains(['=', '\0']))
                        && !fault::on(Fault::EnvNamesUnchecked) =>
                {
                    self.complain(&format!("`env`: {name:?} is no name of a variable"));
                }
                (Some(name), Some(value)) if !value.contains('\0') => env.push((name, Some(value))),
                (Some(_), None) if value == Node::Null && fault::on(Fault::EnvNullIgnored) => {}
                (Some(name), None) if value == Node::Null && !fault::on(Fault::EnvNullRefused) => {
                    env.push((name, None));
                }
                _ if fault::on(Fault::EnvListAccepted) => {}
                _ => self
                    .complain(&format!("`env`: {name} is {value}, name and value must be texts without NUL")),
            }
        }
        env
    }

    fn reading(&mut self, program: Option<&Program>) -> Reading {
        let is_built_in = matches!(program, Some(Program::Claude | Program::Cursor));
        match self.node.at("outputFormat") {
            None if is_built_in && !fault::on(Fault::OwnReadingMissed) => Reading::Own,
            None => Reading::Text,
            Some(Node::Text(text)) if text == "text" && !fault::on(Fault::TextFormatRefused) => Reading::Text,
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
            None if self.node.at("command").is_none() && fault::on(Fault::NewKeysRequired) => {
                self.complain("`timeoutSeconds` is missing");
                None
            }
            None => return DEFAULT_LIMIT,
            _ if fault::on(Fault::EntryTimeoutIgnored) => return DEFAULT_LIMIT,
            Some(Node::Int(901.., _)) if fault::on(Fault::LongTimeoutRefused) => None,
            Some(Node::Int(seconds, _)) => Some(*seconds as f64),
            Some(Node::Float(seconds, _))
                if seconds.fract() > 0.0 && fault::on(Fault::FractionalTimeoutRefused) =>
            {
                None
            }
            Some(Node::Float(seconds, _)) => Some(*seconds),
            Some(Node::Text(text)) if fault::on(Fault::QuotedTimeoutAccepted) => text.parse().ok(),
            Some(_) => None,
        };
        let least = if fault::on(Fault::TimeoutBelowOneAccepted) { 0.0 } else { 1.0 };
        let most = if fault::on(Fault::HugeTimeoutCapped) { f64::MAX } else { flags::LONGEST.as_secs_f64() };
        match (seconds.filter(|seconds| *seconds <= most && *seconds >= least), node) {
            // Time enough that it shows whether the critic was started.
            (Some(seconds), _) => flags::duration(seconds.max(1.0)),
            (None, Some(other)) if !fault::on(Fault::BadTimeoutDefault) => {
                self.complain(&format!("`timeoutSeconds` is {other}, it must be a number from 1 to a year"));
                DEFAULT_LIMIT
            }
            (None, _) => DEFAULT_LIMIT,
        }
    }

    fn enabled(&mut self) -> bool {
        match self.node.at("enabled") {
            None => true,
            Some(_) if fault::on(Fault::EnabledKeyDisables) => false,
            Some(Node::Bool(enabled, _)) => *enabled,
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
        } else if fault::on(Fault::UnknownHarnessRefused)
            && self
                .node
                .at("harness")
                .and_then(Node::text)
                .is_some_and(|name| Program::built_in(&name).is_none())
        {
            self.complain("`harness` is neither `claude` nor `cursor`");
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
        let near: Vec<(&str, &str)> = args.iter().flat_map(|arg| placeholder::near_misses(arg)).collect();
        for (word, name) in near.into_iter().filter(|_| !fault::on(Fault::NearMissKept)) {
            self.complain(&format!("`args`: `{{{word}}}` is no placeholder, did you mean `{{{name}}}`?"));
        }
        if args.iter().any(|arg| placeholder::has_other_braces(arg)) && fault::on(Fault::BracesRefused) {
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

/// The key with which a word shares the longest beginning.
fn nearest(word: &str) -> &'static str {
    let shared = |key: &&str| word.chars().zip(key.chars()).take_while(|(left, right)| left == right).count();
    KEYS.iter().max_by_key(|key| shared(key)).copied().unwrap_or_default()
}
