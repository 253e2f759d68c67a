//! The nodes of a definition by their names.
//!
//! [`Index`] numbers the nodes that have a name of their own. A name that means none is told with the nearest.

use std::collections::{HashMap, HashSet};

use crate::config::{Problem, nearest, shortened};
use crate::graph::definition::{Definition, ExitDefinition, NodeDefinition, Written};
use crate::graph::{Actor, NodeId};

/// Above this number of nodes no nearest name is looked for: for every wrong name it would cost a look at all.
const SUGGESTED_AMONG: usize = 500;

/// A node with its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named<'a> {
    pub(super) id: &'a NodeId,
    pub(super) written: &'a NodeDefinition,
}

impl Named<'_> {
    /// What messages call it.
    pub(super) fn subject(&self) -> String {
        format!("node `{}`", self.id)
    }

    /// Whether it is known how the node can end: its gates could be read, and a human's answer has its gate.
    pub(super) fn has_outcomes(&self) -> bool {
        let answered = |gate: &Written<ExitDefinition>| gate.value.is_answer();
        let human = self.written.actor.as_ref().is_some_and(|actor| actor.value == Actor::Human);
        !self.written.unclear && (!human || self.written.exit.iter().any(answered))
    }
}

/// The nodes of a definition, numbered.
#[derive(Debug)]
pub(super) struct Index<'a> {
    pub(super) nodes: Vec<Named<'a>>,
    numbers: HashMap<&'a str, usize>,
    broken: HashSet<&'a str>,
}

impl<'a> Index<'a> {
    /// Numbers the nodes. A name that stands twice is told and means the first.
    pub(super) fn new(definition: &'a Definition, problems: &mut Vec<Problem>) -> Self {
        let mut index = Self { nodes: Vec::new(), numbers: HashMap::new(), broken: HashSet::new() };
        for written in &definition.nodes {
            let Some(id) = &written.id else {
                index.broken.extend(written.unusable_id.as_deref());
                continue;
            };
            let number = index.nodes.len();
            if let Some(first) = index.numbers.get(id.value.as_str()) {
                let line = index.nodes[*first].written.at.line;
                let what = format!("the id `{}` stands here and in line {line}", id.value);
                problems.push(
                    Problem::new(id.at, what)
                        .about(format!("node `{}`", id.value))
                        .remedy("rename one of them"),
                );
                continue;
            }
            index.numbers.insert(id.value.as_str(), number);
            index.nodes.push(Named { id: &id.value, written });
        }
        index
    }

    /// The number of a node's name.
    ///
    /// # Errors
    /// The problem of a name that means none; no problem when it means a node whose own name is told to be wrong.
    pub(super) fn resolve(&self, name: &Written<String>) -> Result<usize, Option<Problem>> {
        let word = name.value.as_str();
        if let Some(number) = self.numbers.get(word) {
            return Ok(*number);
        }
        if self.broken.contains(word) {
            return Err(None);
        }
        let near = (self.nodes.len() <= SUGGESTED_AMONG)
            .then(|| nearest(word, self.numbers.keys().copied()))
            .flatten();
        let remedy = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name one that stands under `nodes`".to_owned(),
        };
        Err(Some(Problem::new(name.at, format!("no node is called `{}`", shortened(word))).remedy(remedy)))
    }

    /// Whether a node has this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// Whether every node that is written has a number.
    pub(super) fn is_whole(&self, definition: &Definition) -> bool {
        self.nodes.len() == definition.nodes.len()
    }
}
