//! The walk of a work item: which nodes it comes by, in which order, and which of them it goes round.
//!
//! [`Standing`] joins a compiled graph with a state and with what the event log knows; all that is read of a state is read
//! through it, so that an entry counts only where the graph allows it (OR-1.4, OR-1.7, OR-SEC).

use std::collections::HashMap;

use super::history::History;
use super::state::{Declaration, Record, State};
use super::{CompiledGraph, Node, Outcome};

/// Where a work item stands in its graph.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The graph, as compiled now.
    pub graph: &'a CompiledGraph,
    /// What was written down.
    pub state: &'a State,
    /// What the event log knows.
    pub history: &'a History,
}

/// Why a node is gone round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence<'a> {
    /// It would run, and was declared away.
    Declared(&'a Declaration),
    /// It is off unless selected, and was not.
    NotSelected,
}

/// All nodes that a walk comes by, those that it goes round included.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    nodes: Vec<&'a Node>,
    positions: HashMap<&'a str, usize>,
}

impl<'a> Standing<'a> {
    /// Why the node is gone round; `None` when it is walked.
    pub fn absence(&self, node: &Node) -> Option<Absence<'a>> {
        let id = node.id().as_str();
        if node.is_opt_in() {
            return if self.selection(id).is_some() { None } else { Some(Absence::NotSelected) };
        }
        let declared = if node.is_default_on() { self.state.skips.get(id) } else { None };
        let counted = declared.filter(|skip| self.history.knows_skip(id, skip) || !self.is_logged());
        counted.map(Absence::Declared)
    }

    /// The recorded selection of an opt-in node, if it counts.
    pub fn selection(&self, id: &str) -> Option<&'a Declaration> {
        let recorded = self.state.opt_ins.get(id)?;
        (self.is_verified_selection(id) || !self.is_logged()).then_some(recorded)
    }

    /// Whether the event log knows the recorded selection of an opt-in node.
    pub fn is_verified_selection(&self, id: &str) -> bool {
        self.state.opt_ins.get(id).is_some_and(|recorded| self.history.knows_selection(id, recorded))
    }

    /// Whether the event log knows every selection and every skip that there is: the answer is logged, or the walk is logged from
    /// its start and, as the state has it too, nobody has answered yet.
    fn is_logged(&self) -> bool {
        let stands_at = |node: &Node| self.state.current == node.id().as_str();
        let is_unanswered =
            stands_at(self.graph.start()) || self.graph.phase_selection().is_some_and(stands_at);
        self.is_selection_logged() || (self.history.is_started() && is_unanswered)
    }

    /// Whether the event log knows that the phase selection was answered.
    pub fn is_selection_logged(&self) -> bool {
        let node = self.graph.phase_selection();
        node.is_some_and(|node| self.history.decision(node.id().as_str()).is_some())
    }

    /// The record of a human's decision at a node, if the event log knows it and it leads on.
    pub fn decision(&self, node: &Node) -> Option<&'a Record> {
        let id = node.id().as_str();
        let record = self.state.nodes.get(id)?;
        let leads_on = forward(node).is_some_and(|outcome| outcome.word() == record.outcome);
        (leads_on && self.history.knows(id, record)).then_some(record)
    }

    /// The first node that is walked, from this one on.
    pub fn settle(&self, node: &'a Node) -> &'a Node {
        let mut at = node;
        while self.absence(at).is_some() {
            match self.graph.next(at.id().as_str(), Outcome::Skipped) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// The walk from the start to its end.
    pub fn walk(&self) -> Walk<'a> {
        let mut walk = Walk { nodes: Vec::new(), positions: HashMap::new() };
        let mut next = Some(self.graph.start());
        while let Some(node) = next {
            if walk.positions.insert(node.id().as_str(), walk.nodes.len()).is_some() {
                break;
            }
            walk.nodes.push(node);
            let outcome = if self.absence(node).is_some() { Some(Outcome::Skipped) } else { forward(node) };
            next = outcome.and_then(|outcome| self.graph.next(node.id().as_str(), outcome));
        }
        walk
    }

    /// Where the stored pointer stands, gone round what is skipped; `None` when it names no node of the walk.
    pub fn pointer(&self, walk: &Walk<'a>) -> Option<&'a Node> {
        let node = self.graph.node(&self.state.current)?;
        walk.position(node).map(|_| self.settle(node))
    }
}

impl<'a> Walk<'a> {
    /// The nodes in the order of the walk.
    pub fn nodes(&self) -> &[&'a Node] {
        &self.nodes
    }

    /// Where a node comes in the walk; `None` when the walk does not come by it.
    pub fn position(&self, node: &Node) -> Option<usize> {
        self.positions.get(node.id().as_str()).copied()
    }
}

/// The outcome by which a node is left when all is well; `None` where a walk ends.
pub fn forward(node: &Node) -> Option<Outcome> {
    let leading = |outcome: &Outcome| !matches!(outcome, Outcome::Skipped | Outcome::ChangesRequested);
    node.outcomes().into_iter().find(leading)
}
