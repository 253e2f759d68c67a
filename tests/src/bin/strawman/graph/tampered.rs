//! The shipped loops with the faults that are planted in them. Main function: [`with_faults`].
//!
//! Without a fault a loop stays as it is.

use crate::fault::graph::{Fault, on};

use super::definition::{Edge, Graph, Located, Node, Outcome, Place};
use super::tree::Spot;

const REVIEW: &str = "design-critic-review";

/// The loop with what is switched on.
pub(crate) fn with_faults(mut graph: Graph) -> Graph {
    if on(Fault::SelectionNotRequired) {
        graph.nodes.iter_mut().take(1).for_each(|node| node.required = false);
    }
    match graph.node(REVIEW).cloned() {
        Some(review) => tamper(&mut graph, review),
        None if on(Fault::DesignReviewEverywhere) => {
            let mut review = graph.nodes.get(1).cloned().unwrap_or_else(|| graph.nodes[0].clone());
            review.id = word(REVIEW);
            review.opt_in = true;
            insert_after(&mut graph, review, 0);
        }
        None => {}
    }
    index(&mut graph);
    graph
}

fn tamper(graph: &mut Graph, review: Node) {
    for node in graph.nodes.iter_mut().filter(|node| node.id.text == REVIEW) {
        if on(Fault::DesignReviewOnByDefault) {
            (node.opt_in, node.skippable) = (false, true);
        }
        if on(Fault::DesignReviewUnstaged) {
            node.stage.clear();
        }
    }
    if on(Fault::DesignReviewLoopsBack) {
        graph.edges.push(edge(REVIEW, "design", Outcome::ChangesRequested));
    }
    if on(Fault::DesignReviewMissing) || on(Fault::DesignReviewLate) {
        take_out(graph);
    }
    if on(Fault::DesignReviewUnordered) {
        graph.nodes.retain(|node| node.id.text != REVIEW);
        graph.nodes.push(review.clone());
    }
    let planning = graph.nodes.iter().position(|node| node.id.text == "test-planning");
    if let Some(planning) = planning.filter(|_| on(Fault::DesignReviewLate)) {
        insert_after(graph, review, planning);
    }
}

fn take_out(graph: &mut Graph) {
    let next = graph.next(REVIEW, Outcome::Skipped).map_or(String::new(), |node| node.id.text.clone());
    graph.nodes.retain(|node| node.id.text != REVIEW);
    graph.edges.retain(|edge| edge.from.text != REVIEW);
    for edge in graph.edges.iter_mut().filter(|edge| edge.to.text == REVIEW) {
        edge.to.text.clone_from(&next);
    }
}

/// Puts a node behind another one, on every way that leads on from there.
fn insert_after(graph: &mut Graph, node: Node, place: usize) {
    let Some(before) = graph.nodes.get(place).map(|node| node.id.text.clone()) else { return };
    let mut next = String::new();
    for edge in graph.edges.iter_mut().filter(|edge| edge.from.text == before) {
        next.clone_from(&edge.to.text);
        edge.to.text.clone_from(&node.id.text);
    }
    graph.edges.push(edge(&node.id.text, &next, Outcome::Pass));
    graph.edges.push(edge(&node.id.text, &next, Outcome::Skipped));
    graph.nodes.insert(place + 1, node);
}

fn index(graph: &mut Graph) {
    graph.index.clear();
    for (node, at) in graph.nodes.iter().zip(0..) {
        graph.index.insert(node.id.text.clone(), Place { node: at, edges: Vec::new() });
    }
    for (edge, at) in graph.edges.iter().zip(0..) {
        if let Some(place) = graph.index.get_mut(&edge.from.text) {
            place.edges.push(at);
        }
    }
}

fn edge(from: &str, to: &str, on: Outcome) -> Edge {
    Edge { from: word(from), to: word(to), on, spot: Spot::TOP }
}

fn word(text: &str) -> Located {
    Located { text: text.to_owned(), spot: Spot::TOP }
}
