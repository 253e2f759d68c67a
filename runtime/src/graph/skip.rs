//! Declaring phases away before the selection is answered.
//!
//! [`declare`] gives the new state; there is no counterpart that selects an opt-in phase, nor will there be (OR-X).

use super::event::{Act, Event, Scope};
use super::state::{Declaration, State};
use super::walk::Standing;
use super::{Node, NodeId};
use crate::config::{nearest, visible};

/// Why a phase is not declared away. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum SkipError {
    /// Neither a node nor a skip set.
    #[error("no phase or skip set of `{graph}` is called `{}`{hint}", visible(name))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The graph.
        graph: NodeId,
        /// The nearest, as the end of the sentence.
        hint: String,
    },
    /// An opt-in node.
    #[error("`{0}` is opt-in: it is off already unless an authorised user ticks it at the phase selection")]
    OptIn(NodeId),
    /// A node that always runs.
    #[error("`{0}` always runs and cannot be declared away; expected a phase that runs by default")]
    AlwaysRuns(NodeId),
    /// The human has answered.
    #[error(
        "the phase selection has been answered, so `{0}` can no longer be declared away; say so on the ticket"
    )]
    Answered(NodeId),
    /// The walk has come to the node.
    #[error("the walk has come to `{0}` already, so it can no longer be declared away")]
    Entered(NodeId),
    /// The state's pointer names no node of the walk.
    #[error("the state's `current` is `{}`, which is no node of the walk; restore it to where the item stands", visible(.0))]
    UnknownCurrent(String),
    /// Nothing was said.
    #[error("the reason is blank; say in a few words why the phase is not needed")]
    NoReason,
}

/// The state with a node, or all of a skip set, declared away, and the event that says so; `None` when all of it
/// was declared away before, which stays as it was declared.
///
/// # Errors
/// When any of the nodes cannot be declared away, or no longer.
pub fn declare(
    standing: &Standing,
    scope: &Scope,
    name: &str,
    reason: &str,
    act: Act,
) -> Result<Option<(State, Event)>, SkipError> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(SkipError::NoReason);
    }
    let nodes = named(standing, name)?;
    for node in &nodes {
        refuse(standing, node)?;
    }
    let mut state = standing.state.clone();
    let Act { by, via, at } = act;
    let declaration =
        Declaration { by: by.to_owned(), via: via.to_owned(), at, reason: Some(reason.to_owned()) };
    let new: Vec<NodeId> =
        nodes.iter().filter(|node| standing.absence(node).is_none()).map(|node| node.id().clone()).collect();
    for id in &new {
        state.skips.insert(id.to_string(), declaration.clone());
    }
    Ok((!new.is_empty()).then(|| (state, Event::skips_declared(scope, act, &new))))
}

fn named<'a>(standing: &Standing<'a>, name: &str) -> Result<Vec<&'a Node>, SkipError> {
    let graph = standing.graph;
    if let Some(node) = graph.node(name) {
        return Ok(vec![node]);
    }
    graph.skip_set(name).ok_or_else(|| {
        let nodes = graph.nodes().iter().filter(|node| node.is_default_on()).map(Node::id);
        let known = graph.skip_set_names().chain(nodes).map(NodeId::as_str);
        let hint = nearest(name, known).map_or_else(
            || format!("; `the-loop graph show {}` lists them", graph.name()),
            |near| format!("; did you mean `{near}`?"),
        );
        SkipError::Unknown { name: name.to_owned(), graph: graph.name().clone(), hint }
    })
}

fn refuse(standing: &Standing, node: &Node) -> Result<(), SkipError> {
    let id = node.id().clone();
    if node.is_opt_in() {
        return Err(SkipError::OptIn(id));
    }
    if !node.is_default_on() {
        return Err(SkipError::AlwaysRuns(id));
    }
    let walk = standing.walk();
    let current = standing.graph.node(&standing.state.current).filter(|node| walk.position(node).is_some());
    let current = current.ok_or_else(|| SkipError::UnknownCurrent(standing.state.current.clone()))?;
    let has_come = |node: &Node| walk.position(node).is_some_and(|at| Some(at) <= walk.position(current));
    if has_come(node) || standing.state.nodes.contains_key(node.id().as_str()) {
        return Err(SkipError::Entered(id));
    }
    let selection = standing.graph.phase_selection();
    let is_past = selection.is_some_and(|selection| {
        let recorded = standing.state.nodes.contains_key(selection.id().as_str());
        recorded || walk.position(selection) < walk.position(current)
    });
    if is_past || standing.is_selection_logged() || !standing.state.frozen.is_empty() {
        return Err(SkipError::Answered(id));
    }
    Ok(())
}
