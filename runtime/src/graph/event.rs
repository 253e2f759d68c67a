//! Events: what the event log is told, one JSON line each.
//!
//! [`Event`] is written before the state, and read back to tell a recorded decision from a forged one. Writing the file is
//! not done here.

use serde_json::{Value, json};

use super::comment::CommentId;
use super::{Moment, NodeId, Outcome};

/// An item was started; decisions from before do not count for it any more.
pub(super) const STARTED: &str = "graph.started";
/// The walk has come to a gate that waits for a human.
pub(super) const GATE_ENTERED: &str = "graph.gate_entered";
/// A human has decided.
pub(super) const GATE_DECIDED: &str = "graph.gate_decided";
/// Opt-in phases were selected (OR-N2).
pub(super) const OPT_INS_SELECTED: &str = "graph.opt_ins_selected";
/// Default-on phases were declared away.
pub(super) const SKIPS_DECLARED: &str = "graph.skips_declared";

/// A checklist was printed.
pub(super) const CHECKLIST_PRINTED: &str = "graph.checklist_printed";
/// The checklist was seen among the comments.
pub(super) const CHECKLIST_SEEN: &str = "graph.checklist_seen";

/// Which walk an event belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The checkout, absolute, links resolved.
    pub root: String,
    /// The work item.
    pub work_item: String,
    /// The graph.
    pub loop_name: String,
}

/// Who did something, by which channel, when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act<'a> {
    /// Who.
    pub by: &'a str,
    /// `comment` or `cli`.
    pub via: &'a str,
    /// When.
    pub at: Moment,
}

/// One line of the event log.
#[derive(Clone, Debug, PartialEq)]
pub struct Event(Value);

impl Event {
    /// The item was started.
    pub fn started(scope: &Scope, act: Act) -> Self {
        Self::of_walk(STARTED, scope, act, json!({}))
    }

    /// The walk came to a gate that waits for a human.
    pub fn gate_entered(scope: &Scope, act: Act, node: &NodeId) -> Self {
        Self::of_walk(GATE_ENTERED, scope, act, json!({ "node": node }))
    }

    /// A checklist was printed, whose token has this hash.
    pub fn checklist_printed(scope: &Scope, act: Act, hash: &str) -> Self {
        Self::of_walk(CHECKLIST_PRINTED, scope, act, json!({ "token": hash }))
    }

    /// The checklist was found to be this comment; `None` when it cannot be told from a copy.
    pub fn checklist_seen(scope: &Scope, act: Act, comment: Option<&CommentId>) -> Self {
        Self::of_walk(CHECKLIST_SEEN, scope, act, json!({ "comment": comment }))
    }

    /// A human decided at a gate that was entered at `entered`.
    pub fn gate_decided(
        scope: &Scope,
        act: Act,
        node: &NodeId,
        outcome: Outcome,
        comment: &CommentId,
        entered: Moment,
    ) -> Self {
        let more = json!({"node": node, "outcome": outcome.word(), "comment": comment, "entered": entered});
        Self::of_walk(GATE_DECIDED, scope, act, more)
    }

    /// Opt-in phases were selected.
    pub fn opt_ins_selected(scope: &Scope, act: Act, nodes: &[NodeId]) -> Self {
        Self::of_nodes(OPT_INS_SELECTED, scope, act, nodes)
    }

    /// Default-on phases were declared away.
    pub fn skips_declared(scope: &Scope, act: Act, nodes: &[NodeId]) -> Self {
        Self::of_nodes(SKIPS_DECLARED, scope, act, nodes)
    }

    fn of_walk(event: &str, scope: &Scope, Act { by, via, at }: Act, more: Value) -> Self {
        let Scope { root, work_item, loop_name } = scope;
        let mut line = json!({"ts": at, "event": event, "work_item": work_item, "via": via, "by": by, "root": root, "loop": loop_name});
        if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        Self(line)
    }

    fn of_nodes(event: &str, scope: &Scope, Act { by, via, at }: Act, nodes: &[NodeId]) -> Self {
        let Scope { root, work_item, loop_name } = scope;
        Self(
            json!({"ts": at, "event": event, "work_item": work_item, "via": via, "by": by, "nodes": nodes, "root": root, "loop": loop_name}),
        )
    }

    /// Its members.
    pub(super) const fn members(&self) -> &Value {
        &self.0
    }

    /// Its line, ended.
    pub fn line(&self) -> String {
        format!("{}\n", self.0)
    }
}
