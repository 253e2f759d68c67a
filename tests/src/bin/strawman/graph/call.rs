//! The words of `graph` and `check`. Main type: [`Command`].
//!
//! Words are given a meaning here and nothing is opened. `flags` has sorted them already.

use std::path::PathBuf;

use crate::fault::graph::{Fault, on};
use crate::flags::{Shape, Words, nothing_else};
use crate::refusal::Refusal;

use super::check::Pointer;
use super::report::Threshold;
use super::selecting;
use super::show::View;

/// Flags with a value.
pub(crate) const FLAGS: &[&str] = &[
    "--config",
    "--root",
    "--spec-dir",
    "--format",
    "--loop",
    "--node",
    "--reason",
    "--comments",
    "--fail-on",
];
/// Flags without one.
pub(crate) const SWITCHES: &[&str] = &["--recompute", "--all"];

/// What the caller wants.
pub(crate) enum Command {
    /// `graph compile FILE…`
    Compile(Vec<PathBuf>),
    /// `graph show [NAME]`
    Show(Option<String>, View),
    /// `graph start ITEM`, with the name of the loop.
    Start(String, Option<String>),
    /// `graph checklist ITEM`
    Checklist(String),
    /// `graph advance ITEM`, with the file of comments.
    Advance(String, Option<PathBuf>),
    /// `graph skip ITEM`, with node or skip set and reason.
    Skip(String, String, String),
    /// `graph template NODE`, with the name of the loop.
    Template(String, Option<String>),
    /// `check ITEM`, or `check --all` without one.
    Check(Option<String>, Shape, Pointer, Threshold),
}

/// Reads what `flags` has sorted; the first words are `graph VERB` or `check`.
pub(crate) fn read(words: &mut Words) -> Result<Command, Refusal> {
    let positionals: Vec<String> =
        words.positionals.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let rest = |skip: usize| positionals.iter().skip(skip).cloned();
    if positionals.first().is_some_and(|word| word == "check") {
        return check(words, rest(1).next());
    }
    let verb = positionals.get(1).map_or("", String::as_str);
    let subject = rest(2).next();
    let item = |what: &str| {
        subject
            .clone()
            .ok_or_else(|| Refusal::new(format!("which {what}? `graph {verb} {}`", what.to_uppercase())))
    };
    match verb {
        "compile" => {
            allow(words, &[], usize::MAX)?;
            let files: Vec<PathBuf> = words.positionals.drain(..).skip(2).map(PathBuf::from).collect();
            if files.is_empty() {
                return Err(Refusal::new("which file? `graph compile FILE…`"));
            }
            Ok(Command::Compile(files))
        }
        "show" => {
            allow(words, &["--format"], 3)?;
            Ok(Command::Show(subject, view(words)?))
        }
        "start" => {
            allow(words, &["--loop"], 3)?;
            Ok(Command::Start(item("item")?, text(words, "--loop")?))
        }
        "checklist" => {
            allow(words, &[], 3)?;
            Ok(Command::Checklist(item("item")?))
        }
        "advance" => {
            allow(words, &["--comments"], 3)?;
            Ok(Command::Advance(item("item")?, words.values.remove("--comments").map(PathBuf::from)))
        }
        verb if verb == "skip" || selecting::is_verb(verb) => {
            allow(words, &["--node", "--reason"], 3)?;
            let node = text(words, "--node")?.ok_or_else(|| Refusal::new("which node? `--node NODE`"))?;
            // A verb that selects is no declaration, and a fault that asked more than its caller knows would hide.
            let asked = selecting::is_verb(verb).then(|| "asked for".to_owned());
            let excuse = on(Fault::SkipWithoutReason).then(String::new).or(asked);
            let reason = text(words, "--reason")?.or(excuse);
            let reason = reason.ok_or_else(|| Refusal::new("why? `--reason TEXT`"))?;
            Ok(Command::Skip(item("item")?, node, reason))
        }
        "template" => {
            allow(words, &["--loop"], 3)?;
            Ok(Command::Template(item("node")?, text(words, "--loop")?))
        }
        other => Err(Refusal::new(format!(
            "no command `graph {other}`: use compile, show, start, checklist, advance, skip or template"
        ))),
    }
}

fn check(words: &mut Words, item: Option<String>) -> Result<Command, Refusal> {
    allow(words, &["--format", "--recompute", "--fail-on", "--all"], 2)?;
    let all = words.values.contains_key("--all");
    if all == item.is_some() || all && words.values.contains_key("--spec-dir") {
        return Err(Refusal::new("`check ITEM` for one item, `check --all` for all of them"));
    }
    let shape = match text(words, "--format")?.as_deref() {
        None | Some("table") => Shape::Words,
        Some("json") => Shape::Json,
        Some(other) => return Err(Refusal::new(format!("`--format {other}`: it is `table` or `json`"))),
    };
    let threshold = match text(words, "--fail-on")?.as_deref() {
        None | Some("unmet") => Threshold::Unmet,
        Some("block") => Threshold::Block,
        Some(other) => return Err(Refusal::new(format!("`--fail-on {other}`: it is `unmet` or `block`"))),
    };
    let recompute = words.values.contains_key("--recompute");
    let pointer = if recompute { Pointer::Recomputed } else { Pointer::Stored };
    Ok(Command::Check(item, shape, pointer, threshold))
}

/// Where a command looks is the same for all of them; what else it may be told is not.
fn allow(words: &Words, more: &[&str], positionals: usize) -> Result<(), Refusal> {
    let everywhere = ["--config", "--root", "--spec-dir"];
    let allowed: Vec<&str> = everywhere.iter().chain(more).copied().collect();
    nothing_else(words, &allowed, positionals)
}

fn view(words: &mut Words) -> Result<View, Refusal> {
    match text(words, "--format")?.as_deref() {
        None | Some("text") => Ok(View::Text),
        Some("json") => Ok(View::Json),
        Some("mermaid") => Ok(View::Mermaid),
        Some(other) => Err(Refusal::new(format!("`--format {other}`: it is `text`, `json` or `mermaid`"))),
    }
}

fn text(words: &mut Words, flag: &'static str) -> Result<Option<String>, Refusal> {
    let value = words.values.remove(flag);
    let text =
        value.map(|value| value.into_string().map_err(|_| Refusal::new(format!("`{flag}` is no text"))));
    text.transpose()
}
