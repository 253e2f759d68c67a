//! Edges: each end is a node, and each way in which a node can end has exactly one.
//!
//! [`compile`] gives [`Edges`]. Where they lead as a whole is looked at by `walks`.

use std::collections::{HashMap, HashSet};

use super::Link;
use super::index::Index;
use crate::config::{Position, Problem};
use crate::graph::definition::{Definition, Written};
use crate::graph::{Node, Outcome};

/// The edges whose ends are known.
#[derive(Debug)]
pub(super) struct Edges {
    pub(super) links: Vec<Link>,
    /// Where each link stands in the file.
    pub(super) places: Vec<Position>,
    /// Whether every edge that is written is among them.
    pub(super) whole: bool,
}

/// Numbers the ends and tells what is missing, superfluous or contradictory.
pub(super) fn compile(
    definition: &Definition,
    index: &Index<'_>,
    nodes: &[Node],
    problems: &mut Vec<Problem>,
) -> Edges {
    let mut edges = Edges { links: Vec::new(), places: Vec::new(), whole: true };
    let mut known: HashMap<(usize, Outcome), Position> = HashMap::new();
    let mut unclear: HashSet<usize> = HashSet::new();
    for edge in &definition.edges {
        let mut end = |end: Option<&Written<String>>| {
            let found = end.map(|name| index.resolve(name))?;
            found.map_err(|unknown| problems.extend(unknown.map(|problem| problem.about("edge")))).ok()
        };
        let (from, to) = (end(edge.from.as_ref()), end(edge.to.as_ref()));
        let (Some(from), Some(on)) = (from, &edge.on) else {
            edges.whole = false;
            unclear.extend(from);
            continue;
        };
        let told = if index.nodes[from].has_outcomes() { fault(&nodes[from], on) } else { None };
        let told = told.or_else(|| {
            let first = known.get(&(from, on.value))?;
            let what = format!("a second edge for `{}`; the first stands in line {}", on.value, first.line);
            Some(Problem::new(edge.at, what).remedy("remove one of them"))
        });
        problems.extend(told.map(|problem| problem.about(format!("edge from `{}`", nodes[from].id))));
        known.entry((from, on.value)).or_insert(edge.at);
        match to {
            Some(to) => {
                edges.links.push(Link { from, to, on: on.value });
                edges.places.push(edge.at);
            }
            None => edges.whole = false,
        }
    }
    for (number, node) in nodes.iter().enumerate() {
        let named = &index.nodes[number];
        if !named.has_outcomes() || unclear.contains(&number) {
            continue;
        }
        for outcome in node.outcomes() {
            if !known.contains_key(&(number, outcome)) {
                let what = format!("no edge says what comes after `{outcome}`");
                let remedy = format!("add `- {{from: {}, to: …, on: {outcome}}}`", node.id);
                problems.push(Problem::new(named.written.at, what).about(named.subject()).remedy(remedy));
            }
        }
    }
    edges
}

/// What is wrong with an edge for an outcome that its node cannot have.
fn fault(node: &Node, on: &Written<Outcome>) -> Option<Problem> {
    let outcomes = node.outcomes();
    if outcomes.contains(&on.value) {
        return None;
    }
    let (what, remedy) = if node.is_terminal() {
        (
            "the node is terminal: nothing comes after it".to_owned(),
            "remove the edge, or `terminal`".to_owned(),
        )
    } else if on.value == Outcome::Skipped {
        let remedy = "mark it `skippable: true` or `optIn: true`, or remove the edge".to_owned();
        ("the node cannot be skipped".to_owned(), remedy)
    } else {
        let words: Vec<&str> = outcomes.iter().map(|outcome| outcome.word()).collect();
        (format!("the node never ends with `{}`", on.value), format!("its outcomes are {}", words.join(", ")))
    };
    Some(Problem::new(on.at, what).remedy(remedy))
}
