//! `graph show`: one loop, for people, for programs, or as a drawing.
//!
//! [`run`] prints it. A loop that does not compile is not shown.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Value, json};

use super::mermaid;
use crate::cli::stdout::columns;
use crate::cli::{Global, operator, print, refuse};
use crate::graph::{CompiledGraph, DEFAULT_LOOP, Gate, Loops, Node, Outcome, Presence};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop graph show
  the-loop graph show pdlc-pr-loop --format json
  the-loop graph show --format mermaid > loop.mmd

Shipped are pdlc-work-item-loop, pdlc-pr-loop and pdlc-contribution-loop; declare others under `graphs:` of your
config as `- {name: my-loop, path: my-loop.yaml}`, the path relative to the config.";

/// What can be typed after `graph show`.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Arguments {
    /// The loop, shipped or declared in your config
    #[arg(default_value = DEFAULT_LOOP)]
    pub name: String,
    /// How to show it
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How a loop is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Format {
    /// Aligned columns for people
    #[default]
    Text,
    /// One JSON object with name, start, nodes and edges
    Json,
    /// A Mermaid flowchart; opt-in phases are dashed
    Mermaid,
}

/// Finds the loop and prints it.
pub(super) fn run(arguments: &Arguments, global: &Global) -> ExitCode {
    let config = match operator::load(global) {
        Ok(config) => config,
        Err(error) => return refuse(&error),
    };
    let loops = match Loops::read(&config) {
        Ok(loops) => loops,
        Err(error) => return refuse(&error),
    };
    match loops.load(&arguments.name) {
        Ok(graph) => print(&shown(&graph, arguments.format)),
        Err(error) => refuse(&error),
    }
}

fn shown(graph: &CompiledGraph, format: Format) -> String {
    match format {
        Format::Text => text(graph),
        Format::Json => format!("{}\n", object(graph)),
        Format::Mermaid => mermaid::draw(graph),
    }
}

/// The protocol's object; nodes have the keys of a graph file.
fn object(graph: &CompiledGraph) -> Value {
    let edges: Vec<Value> = graph
        .edges()
        .map(|edge| json!({"from": edge.from.id(), "to": edge.to.id(), "on": edge.on.word()}))
        .collect();
    json!({
        "name": graph.name(),
        "start": graph.start().id(),
        "nodes": graph.nodes().iter().map(node).collect::<Vec<_>>(),
        "edges": edges,
    })
}

fn node(node: &Node) -> Value {
    json!({
        "id": node.id(),
        "phase": node.phase(),
        "actor": node.actor().word(),
        "required": node.is_required(),
        "skippable": node.is_skippable(),
        "optIn": node.is_opt_in(),
        "description": node.description(),
        "stage": node.stage(),
        "produces": node.produces().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "entry": node.entry(),
        "exit": node.exit().iter().map(gate).collect::<Vec<_>>(),
        "terminal": node.is_terminal(),
    })
}

fn gate(gate: &Gate) -> Value {
    match gate {
        Gate::ClassifyPhaseSelection | Gate::ClassifyFeedback => json!({"hook": gate.name()}),
        Gate::ValidateArtifacts { .. } | Gate::ValidateReviewRecord { .. } => {
            let files: Vec<String> = gate.files().iter().map(ToString::to_string).collect();
            json!({"hook": gate.name(), "with": {"validates": files, "sections": gate.sections()}})
        }
    }
}

fn text(graph: &CompiledGraph) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["NODE", "RUNS", "ACTOR", "STAGE", "LEFT WHEN", "THEN"]);
    if let Some(width) = columns() {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 1));
    }
    for node in graph.nodes() {
        let gates: Vec<String> = node.exit().iter().map(told).collect();
        table.add_row([
            node.id().as_str(),
            runs(node.presence()),
            node.actor().word(),
            node.stage().unwrap_or("-"),
            &or_dash(gates.join("; ")),
            &or_dash(after(graph, node)),
        ]);
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    format!("{}, from {}\n\n{}", graph.name(), graph.start().id(), lines.concat())
}

const fn runs(presence: Presence) -> &'static str {
    match presence {
        Presence::Required => "required",
        Presence::Fixed => "always",
        Presence::DefaultOn => "unless unticked",
        Presence::OptIn => "only if ticked",
        Presence::Terminal => "end",
    }
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

fn told(gate: &Gate) -> String {
    let files: Vec<String> = gate.files().iter().map(ToString::to_string).collect();
    match gate {
        Gate::ClassifyPhaseSelection => "a human chose the phases".to_owned(),
        Gate::ClassifyFeedback => "a human answered".to_owned(),
        Gate::ValidateArtifacts { sections, .. } if sections.is_empty() => {
            format!("{} is there", files.join(", "))
        }
        Gate::ValidateArtifacts { sections, .. } => {
            format!("{} has {}", files.join(", "), sections.join(", "))
        }
        Gate::ValidateReviewRecord { section, .. } => {
            format!("{} records rounds in {section}", files.join(", "))
        }
    }
}

/// What comes after a node, outcomes that lead to the same place together.
fn after(graph: &CompiledGraph, node: &Node) -> String {
    let mut targets: Vec<(&Node, Vec<&str>)> = Vec::new();
    for outcome in node.outcomes() {
        let Some(to) = graph.next(node.id().as_str(), outcome) else { continue };
        match targets.iter_mut().find(|(known, _)| known.id() == to.id()) {
            Some((_, words)) => words.push(outcome.word()),
            None => targets.push((to, vec![outcome.word()])),
        }
    }
    let told = targets.iter().map(|(to, words)| {
        if words.contains(&Outcome::ChangesRequested.word()) {
            format!("{} on {}", to.id(), words.join(", "))
        } else {
            to.id().to_string()
        }
    });
    told.collect::<Vec<_>>().join("; ")
}
