//! `graph template`: the form of what a phase has to leave behind.

use std::error::Error;

use clap::Args;

use super::item::{Desk, Place};
use crate::cli::Global;
use crate::config::{nearest, visible};
use crate::graph::template::form;
use crate::graph::{CompiledGraph, DEFAULT_LOOP, NodeId};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop graph template design
  mkdir -p docs/specs/issue-7/evidence
  the-loop graph template design-critic-review > docs/specs/issue-7/evidence/design-critic-review.md

No gate takes an unedited form.";

/// The arguments of `graph template`.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Arguments {
    /// The phase
    #[arg(value_name = "NODE")]
    node: String,
    /// The loop that it belongs to, instead of that of the item in --spec-dir or the default
    #[arg(long = "loop", value_name = "NAME")]
    loop_name: Option<String>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("`{graph}` has no phase `{}`{hint}", visible(node))]
    Unknown { node: String, graph: NodeId, hint: String },
    #[error("the phase `{0}` asks for no artifact, so there is no form for it")]
    Formless(NodeId),
}

/// The text for standard output.
pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<String, Box<dyn Error>> {
    let desk = Desk::open(global, &arguments.place.root)?;
    let graph = match (&arguments.loop_name, &arguments.place.spec_dir) {
        (Some(name), _) => desk.loops.load(name)?,
        (None, Some(folder)) => desk.look_at(&desk.given(folder))?.graph,
        (None, None) => desk.loops.load(DEFAULT_LOOP)?,
    };
    let node = graph.node(&arguments.node).ok_or_else(|| unknown(&graph, &arguments.node))?;
    Ok(form(node).ok_or_else(|| Refusal::Formless(node.id().clone()))?)
}

fn unknown(graph: &CompiledGraph, node: &str) -> Refusal {
    let near = nearest(node, graph.nodes().iter().map(|node| node.id().as_str()));
    let hint = near.map_or_else(
        || format!("; `the-loop graph show {}` lists them", graph.name()),
        |near| format!("; did you mean `{near}`?"),
    );
    Refusal::Unknown { node: node.to_owned(), graph: graph.name().clone(), hint }
}
