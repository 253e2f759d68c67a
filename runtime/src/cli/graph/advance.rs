//! `graph advance`: one step of a walk, told as one JSON object.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};

use super::item::{Desk, Loaded, Named};
use crate::cli::{FAILED, Global, refuse, report};
use crate::config::visible;
use crate::graph::advance::{Advance, Step, StepOutcome};
use crate::graph::check::Case;
use crate::graph::comment::{Comments, LARGEST};
use crate::graph::state::Declaration;
use crate::graph::walk::{Absence, Standing};
use crate::graph::{CompiledGraph, Moment};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop graph advance issue-7
  gh api --paginate repos/O/R/issues/7/comments | the-loop graph advance issue-7 --comments -

Decides at most one phase and prints one JSON object: workItem, node, outcome, current, skips, optIns, refused, confirmation.
Exit codes: 0 the pointer moved; 1 it did not, standard error says why; 2 an error, nothing was changed unless standard error\nsays so.";

/// The arguments of `graph advance`.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    named: Named,
    /// The comments on the item as GitHub's REST interface gives them; - reads standard input
    #[arg(long, value_name = "FILE")]
    comments: Option<PathBuf>,
}

/// Takes the step.
pub(super) fn run(arguments: &Arguments, global: &Global) -> ExitCode {
    match attempt(arguments, global) {
        Ok((text, outcome)) => match (report(&text), outcome) {
            (ExitCode::SUCCESS, StepOutcome::Wait | StepOutcome::Block) => ExitCode::from(FAILED),
            (code, _) => code,
        },
        Err(error) => refuse(error.as_ref()),
    }
}

fn attempt(arguments: &Arguments, global: &Global) -> Result<(String, StepOutcome), Box<dyn Error>> {
    let Named { item, place } = &arguments.named;
    let desk = Desk::open(global, &place.root)?;
    let item = desk.item(item, place.spec_dir.as_deref())?;
    // Before the lock: whoever writes into the pipe may take their time.
    let comments = arguments.comments.as_deref().map(read).transpose()?.unwrap_or_default();
    if comments.unreadable > 0 {
        tracing::warn!(
            "{} of the comments have no id, author or text, and do not count",
            comments.unreadable
        );
    }
    let lock = item.folder.lock()?;
    let Loaded { state, graph, history, scope } = desk.load(&item)?;
    let standing = Standing { graph: &graph, state: &state, history: &history };
    let case = Case { standing, artifacts: &item.folder, routing: &desk.routing, work_item: &item.name };
    let advance = Advance {
        case,
        scope: &scope,
        comments: &comments.readable,
        operator: &desk.operator,
        now: Moment::now(),
    };
    let step = advance.decide()?;
    if step.state != state || !step.events.is_empty() {
        desk.write(&item, &lock, &step.state, &step.events)?;
    }
    for note in &step.notes {
        tracing::warn!("{}", visible(note));
    }
    Ok((format!("{}\n", told(&item.name, &graph, &step)), step.outcome))
}

/// Reads comments from a file, or from standard input.
fn read(path: &Path) -> Result<Comments, Box<dyn Error>> {
    let limit = LARGEST as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        let path = path.to_string_lossy();
        format!("cannot read the comments `{}`: {error}; name a readable file, or `-`", visible(&path))
    })?;
    Ok(Comments::read(&bytes)?)
}

/// The step as JSON; its keys are the protocol.
fn told(work_item: &str, graph: &CompiledGraph, step: &Step) -> Value {
    let standing = Standing { graph, state: &step.state, history: &step.history };
    let mut skips = Map::new();
    let mut opt_ins = Map::new();
    for node in graph.nodes() {
        let id = node.id().as_str();
        if let Some(Absence::Declared(skip)) = standing.absence(node) {
            skips.insert(id.to_owned(), entry(skip));
        }
        if let Some(selection) = standing.selection(id).filter(|_| node.is_opt_in()) {
            opt_ins.insert(id.to_owned(), entry(selection));
        }
    }
    let current = graph.node(&step.state.current).map(|node| standing.settle(node).id());
    json!({
        "workItem": work_item,
        "node": step.node,
        "outcome": step.outcome.word(),
        "current": current,
        "skips": skips,
        "optIns": opt_ins,
        "refused": step.refused,
        "confirmation": step.confirmation,
    })
}

fn entry(declaration: &Declaration) -> Value {
    json!(declaration)
}
