//! A graph that holds what is promised of it: every walk ends, every offer can be answered, every edge exists once.
//!
//! [`CompiledGraph`] is the only form in which a graph is walked. It knows nothing of work items and their states.

use std::collections::{HashMap, HashSet};

use super::compile::{Parts, compile};
use super::definition::Definition;
use super::{Node, NodeId, Outcome};
use crate::config::Problem;

/// A graph without faults. Its nodes stand in file order.
#[derive(Clone, Debug)]
pub struct CompiledGraph {
    parts: Parts,
    index: HashMap<NodeId, usize>,
    next: HashMap<(usize, Outcome), usize>,
}

/// Where a node leads when it ends in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<'a> {
    /// The node that ends.
    pub from: &'a Node,
    /// The node that comes next.
    pub to: &'a Node,
    /// How the first one ends.
    pub on: Outcome,
}

impl CompiledGraph {
    /// Compiles the text of a graph file.
    ///
    /// # Errors
    /// Everything that is wrong with it, in file order (OR-1.1 to OR-1.3).
    pub fn compile(text: &str) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let definition = Definition::read(text, &mut problems);
        let parts = definition.and_then(|definition| compile(&definition, &mut problems));
        match parts {
            Some(parts) if problems.is_empty() => Ok(Self::new(parts)),
            _ => {
                problems.sort_by_key(Problem::at);
                Err(problems)
            }
        }
    }

    fn new(parts: Parts) -> Self {
        let numbered = parts.nodes.iter().enumerate();
        let index = numbered.map(|(at, node)| (node.id.clone(), at)).collect();
        let next = parts.edges.iter().map(|edge| ((edge.from, edge.on), edge.to)).collect();
        Self { parts, index, next }
    }

    /// Its name, by which states and configs speak of it.
    pub const fn name(&self) -> &NodeId {
        &self.parts.name
    }

    /// Where a walk begins.
    pub fn start(&self) -> &Node {
        &self.parts.nodes[self.parts.start]
    }

    /// All nodes in file order.
    pub fn nodes(&self) -> &[Node] {
        &self.parts.nodes
    }

    /// The node of that name, if there is one. Any text may be asked for.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.position(id).map(|at| &self.parts.nodes[at])
    }

    /// Where the node of that name stands in [`CompiledGraph::nodes`].
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// The node after `id` when that one ends in `outcome`. `None` for an outcome that it cannot have, and for an
    /// unknown node; every outcome of [`Node::outcomes`] leads somewhere.
    pub fn next(&self, id: &str, outcome: Outcome) -> Option<&Node> {
        let to = self.next.get(&(self.position(id)?, outcome))?;
        Some(&self.parts.nodes[*to])
    }

    /// `from` and every node that a walk can come to from there without a request for changes, by their ids.
    pub fn reachable<'a>(&'a self, from: &'a Node) -> HashSet<&'a str> {
        let mut found = HashSet::from([from.id.as_str()]);
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            let outcomes =
                node.outcomes().into_iter().filter(|outcome| *outcome != Outcome::ChangesRequested);
            let next = outcomes.filter_map(|outcome| self.next(node.id.as_str(), outcome));
            open.extend(next.filter(|next| found.insert(next.id.as_str())));
        }
        found
    }

    /// All edges in file order.
    pub fn edges(&self) -> impl Iterator<Item = Edge<'_>> {
        let nodes = &self.parts.nodes;
        self.parts.edges.iter().map(|edge| Edge { from: &nodes[edge.from], to: &nodes[edge.to], on: edge.on })
    }

    /// The node whose answer is the phase selection. There is one wherever there is a node that can be left out.
    pub fn phase_selection(&self) -> Option<&Node> {
        self.parts.nodes.iter().find(|node| node.is_phase_selection())
    }

    /// The names of the skip sets in file order.
    pub fn skip_set_names(&self) -> impl Iterator<Item = &NodeId> {
        self.parts.skip_sets.iter().map(|(name, _)| name)
    }

    /// The default-on nodes that the skip set of that name declares away, as the file lists them.
    pub fn skip_set(&self, name: &str) -> Option<Vec<&Node>> {
        let (_, members) = self.parts.skip_sets.iter().find(|(known, _)| known.as_str() == name)?;
        Some(members.iter().map(|at| &self.parts.nodes[*at]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> CompiledGraph {
        CompiledGraph::compile(include_str!("../../tests/graphs/small.yaml")).unwrap()
    }

    #[test]
    fn every_outcome_of_a_node_leads_somewhere_and_no_other() {
        let graph = small();
        for node in graph.nodes() {
            for outcome in Outcome::ALL {
                let leads = graph.next(node.id.as_str(), outcome).is_some();
                assert_eq!(leads, node.outcomes().contains(&outcome), "{} on {outcome}", node.id);
            }
        }
        assert_eq!(graph.next("select", Outcome::Selected).unwrap().id.as_str(), "build");
        assert!(graph.next("nobody", Outcome::Pass).is_none());
    }

    #[test]
    fn nodes_edges_and_sets_stand_in_file_order() {
        let graph = small();
        let ids: Vec<&str> = graph.nodes().iter().map(|node| node.id.as_str()).collect();
        assert_eq!(ids, ["select", "build", "deep-review", "ship", "complete"]);
        let edges: Vec<String> =
            graph.edges().map(|edge| format!("{} {} {}", edge.from.id, edge.on, edge.to.id)).collect();
        assert_eq!(edges[..2], ["select selected build", "build pass deep-review"]);
        assert_eq!(graph.skip_set_names().map(NodeId::as_str).collect::<Vec<_>>(), ["quick"]);
        assert!(graph.skip_set("build").is_none() && graph.skip_set("").is_none());
    }

    #[test]
    fn what_is_reachable_lies_ahead() {
        let graph = small();
        let mut ahead: Vec<&str> = graph.reachable(graph.node("deep-review").unwrap()).into_iter().collect();
        ahead.sort_unstable();
        assert_eq!(ahead, ["complete", "deep-review", "ship"]);
    }
}
