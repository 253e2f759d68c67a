//! From a graph as written to the parts of one that can be walked, with everything that stands in the way.
//!
//! [`compile`] gives [`Parts`]; they are fit for use only if no problem was told. Each file below looks at one
//! thing, in a time that grows with the size of the graph and not faster.

mod edges;
mod evidence;
mod index;
mod nodes;
mod skip_sets;
mod walks;

use super::definition::Definition;
use super::{Node, NodeId, Outcome};
use crate::config::Problem;
use index::Index;

/// What a compiled graph consists of. Numbers are places in `nodes`.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) name: NodeId,
    pub(super) start: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Link>,
    pub(super) skip_sets: Vec<(NodeId, Vec<usize>)>,
}

/// An edge between two numbered nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) on: Outcome,
}

/// Puts the parts together and tells every problem. `None` when a name or a start is missing altogether.
pub(super) fn compile(definition: &Definition, problems: &mut Vec<Problem>) -> Option<Parts> {
    let index = Index::new(definition, problems);
    let nodes: Vec<Node> = index.nodes.iter().map(|node| nodes::compile(node, problems)).collect();
    evidence::check(&index, &nodes, problems);
    let edges = edges::compile(definition, &index, &nodes, problems);
    let skip_sets = skip_sets::compile(definition, &index, &nodes, problems);
    let start = definition.start.as_ref().and_then(|start| {
        let found = index.resolve(start);
        found.map_err(|unknown| problems.extend(unknown.map(|problem| problem.about("graph: `start`")))).ok()
    });
    walks::check(definition, &index, &nodes, &edges, start, problems);
    Some(Parts { name: definition.name.clone()?, start: start?, nodes, edges: edges.links, skip_sets })
}

#[cfg(test)]
mod tests;
