//! A graph as a Mermaid flowchart.
//!
//! [`draw`] gives its text. Opt-in phases are dashed, the ways back are dotted.

use std::fmt::Write as _;

use crate::graph::{Actor, CompiledGraph, Node, Outcome};

/// The flowchart.
pub(super) fn draw(graph: &CompiledGraph) -> String {
    let mut drawing = String::from("flowchart TD\n");
    // Writing to a string cannot fail, here and below.
    for (number, node) in graph.nodes().iter().enumerate() {
        // Numbers, since a node may be called `end`, which Mermaid takes for a word of its own.
        let _ = writeln!(drawing, "  n{number}{}", shape(node));
    }
    let number = |node: &Node| graph.position(node.id().as_str()).unwrap_or_default();
    let mut arrows: Vec<(usize, usize, Vec<Outcome>)> = Vec::new();
    for edge in graph.edges() {
        let (from, to) = (number(edge.from), number(edge.to));
        // Outcomes of one node that lead to the same place share an arrow; they stand near each other in most files.
        let near = arrows.iter_mut().rev().take(Outcome::ALL.len());
        let same = near.into_iter().find(|(other, target, outcomes)| {
            (*other, *target) == (from, to) && is_back(outcomes) == (edge.on == Outcome::ChangesRequested)
        });
        match same {
            Some((.., outcomes)) => outcomes.push(edge.on),
            None => arrows.push((from, to, vec![edge.on])),
        }
    }
    for (from, to, outcomes) in arrows {
        let arrow = if is_back(&outcomes) { "-.->" } else { "-->" };
        let words: Vec<&str> = outcomes.iter().map(|outcome| outcome.word()).collect();
        let _ = writeln!(drawing, "  n{from} {arrow}|{}| n{to}", words.join(", "));
    }
    drawing.push_str("  classDef optIn stroke-dasharray: 5 5\n");
    drawing
}

fn is_back(outcomes: &[Outcome]) -> bool {
    outcomes.contains(&Outcome::ChangesRequested)
}

/// The box of a node: a human decides in a rhombus, the end is round.
fn shape(node: &Node) -> String {
    let id = node.id();
    let (open, close) = match node.actor() {
        _ if node.is_terminal() => ("([", "])"),
        Actor::Human => ("{{", "}}"),
        Actor::Agent | Actor::Code => ("[", "]"),
    };
    let class = if node.is_opt_in() { ":::optIn" } else { "" };
    format!("{open}\"{id}\"{close}{class}")
}
