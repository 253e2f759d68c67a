//! Where an item stands, and by which way it came there. Main type: [`Walk`].
//!
//! The way is worked out from the start each time: a pointer that no way leads to is no pointer. Which nodes on the
//! way were rightly left is judged by whoever asks.

use crate::fault::graph::{Fault, on};

use super::choices::Choices;
use super::definition::{Graph, Node, Outcome};
use super::state::State;

/// A graph, and what counts of a state.
pub(crate) struct Walk<'a> {
    /// The graph.
    pub(crate) graph: &'a Graph,
    /// The state.
    pub(crate) state: &'a State,
    /// The choices in it that count.
    pub(crate) choices: Choices,
}

impl<'a> Walk<'a> {
    /// The walk of an item.
    pub(crate) fn new(graph: &'a Graph, state: &'a State) -> Self {
        Self { graph, state, choices: Choices::of(state, graph) }
    }

    /// The node that the pointer means, round those that are left out; nothing if it names no node.
    pub(crate) fn pointer(&self) -> Option<&'a Node> {
        let node = self.graph.node(self.state.text("current")?)?;
        if on(Fault::PointerNotRouted) {
            return Some(node);
        }
        Some(self.choices.route(self.graph, node))
    }

    /// The first node that is not left out.
    pub(crate) fn first(&self) -> Option<&'a Node> {
        self.graph.node(&self.graph.start.text).map(|node| self.choices.route(self.graph, node))
    }

    /// The nodes on the way to `end`, those that were left out too; nothing if no way leads there.
    pub(crate) fn before(&self, end: &Node) -> Option<Vec<&'a Node>> {
        let mut way = Vec::new();
        let mut node = self.graph.node(&self.graph.start.text)?;
        while node.id.text != end.id.text {
            if way.len() > self.graph.nodes.len() {
                return None;
            }
            way.push(node);
            node = self.graph.next(&node.id.text, self.outcome(node)?)?;
        }
        Some(way)
    }

    /// How a node ended, as far as the walk is concerned; the way forward where nothing is recorded.
    pub(crate) fn outcome(&self, node: &Node) -> Option<Outcome> {
        if self.choices.absence(node).is_some() {
            return Some(Outcome::Skipped);
        }
        let possible = node.outcomes();
        let recorded = self.state.record(&node.id.text).map(|record| record.outcome);
        recorded.filter(|outcome| possible.contains(outcome)).or_else(|| possible.first().copied())
    }

    /// Whether the phase selection was answered.
    pub(crate) fn is_answered(&self) -> bool {
        let recorded = |node: &Node| self.state.record(&node.id.text).is_some();
        self.graph.selection().is_some_and(recorded)
    }
}
