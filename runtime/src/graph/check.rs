//! The check: where a work item stands, node by node, judged afresh.
//!
//! [`Case::report`] is pure but for the artifacts it reads. No recorded verdict counts; a recorded human decision counts if the event
//! log knows it; a node that nobody selected is never told as anything else (OR-1.5, OR-A3).

use serde::Serialize;

use super::gate::{self, Artifacts, Verdict};
use super::state::Declaration;
use super::walk::{Absence, Standing, Walk};
use super::{Gate, Moment, Node, NodeId, Outcome};
use crate::config::{Keywords, Routing};

/// A work item to be judged.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// Where it stands.
    pub standing: Standing<'a>,
    /// What it has left behind.
    pub artifacts: &'a dyn Artifacts,
    /// Who may answer its gates.
    pub routing: &'a Routing,
    /// Its name.
    pub work_item: &'a str,
}

/// Which pointer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// The one in the state; where that names no node of the walk, the walk is judged from its start.
    Stored,
    /// The first node that is not met.
    Recomputed,
}

/// How a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Its gates hold.
    Pass,
    /// Something that it has to leave behind is missing.
    Block,
    /// It needs a human.
    Wait,
    /// The walk has not come to its end yet.
    Pending,
    /// Somebody declared it away.
    Skipped,
    /// It is off unless selected, and nobody selected it.
    NotSelected,
    /// Its review could not run.
    Unavailable,
}

impl Status {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Block => "block",
            Self::Wait => "wait",
            Self::Pending => "pending",
            Self::Skipped => "skipped",
            Self::NotSelected => "not-selected",
            Self::Unavailable => "unavailable",
        }
    }

    /// Whether somebody has to do something before the walk is in order.
    pub const fn is_unmet(self) -> bool {
        matches!(self, Self::Block | Self::Wait)
    }
}

/// One work item, judged. Serialised, its keys are the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Its name.
    pub work_item: String,
    /// The graph it is walked by.
    #[serde(rename = "loop")]
    pub loop_name: NodeId,
    /// Where the walk stands.
    pub current: NodeId,
    /// Whether nothing is unmet.
    pub ok: bool,
    /// Every node in file order.
    pub nodes: Vec<NodeReport>,
}

/// One node, judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeReport {
    /// Its id.
    pub node: NodeId,
    /// How it stands.
    pub status: Status,
    /// What there is to say about it.
    pub messages: Vec<String>,
    /// The channel of whoever decided or declared.
    pub via: Option<String>,
    /// Who decided or declared.
    pub by: Option<String>,
    /// When.
    pub at: Option<Moment>,
}

/// Where a node lies as seen from the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Before,
    Here,
    After,
    Aside,
}

impl<'a> Case<'a> {
    /// Judges every node.
    pub fn report(&self, pointer: Pointer) -> Report {
        let graph = self.standing.graph;
        let walk = self.standing.walk();
        let stored = if pointer == Pointer::Stored { self.standing.pointer(&walk) } else { None };
        let current = stored.unwrap_or_else(|| self.first_unmet(&walk));
        let here = walk.position(current).unwrap_or_default();
        let place = |node: &Node| match walk.position(node) {
            None => Place::Aside,
            Some(at) if at < here => Place::Before,
            Some(at) if at == here => Place::Here,
            Some(_) => Place::After,
        };
        let mut nodes: Vec<NodeReport> =
            graph.nodes().iter().map(|node| self.judge(node, place(node))).collect();
        let unmet = nodes.iter().any(|node| node.status.is_unmet());
        if let Some(end) = graph.position(current.id().as_str()).filter(|_| current.is_terminal())
            && unmet
        {
            let end = &mut nodes[end];
            end.status = Status::Block;
            end.messages.push("the pointer stands here, and something before it is unmet".to_owned());
        }
        Report {
            work_item: self.work_item.to_owned(),
            loop_name: graph.name().clone(),
            current: current.id().clone(),
            ok: !unmet,
            nodes,
        }
    }

    /// The first node of the walk that is not left behind yet.
    fn first_unmet(&self, walk: &Walk<'a>) -> &'a Node {
        let open = |node: &&&Node| self.standing.absence(node).is_none() && self.unmet(node).is_some();
        let end = walk.nodes().last().copied().unwrap_or_else(|| self.standing.graph.start());
        walk.nodes().iter().find(open).copied().unwrap_or(end)
    }

    /// Why a node that is walked is not left behind; `None` when it is, or where the walk ends.
    pub fn unmet(&self, node: &Node) -> Option<String> {
        let report = self.judge_walked(node, Place::Before);
        match report.status {
            Status::Pass | Status::Unavailable => None,
            _ => Some(report.messages.join("; ")),
        }
    }

    /// The opt-in nodes that were selected and whose record is gone, one sentence each.
    pub fn losses(&self) -> Vec<String> {
        let lost = self.standing.graph.nodes().iter().filter(|node| self.is_lost(node));
        let told = |node: &Node| {
            format!(
                "`{}` was selected when the selection was answered, and that record is gone: it counts as not selected",
                node.id()
            )
        };
        lost.map(told).collect()
    }

    fn is_lost(&self, node: &Node) -> bool {
        let Standing { state, history, .. } = self.standing;
        let id = node.id().as_str();
        let frozen = state.frozen.iter().any(|frozen| frozen.id == id && frozen.opt_in && !frozen.skipped);
        node.is_opt_in() && !state.opt_ins.contains_key(id) && (frozen || history.has_selected(id))
    }

    /// A gate that the walk has come to, and that lies after the stored pointer: somebody put the pointer back.
    pub fn ahead(&self) -> Option<&'a NodeId> {
        let walk = self.standing.walk();
        let here = walk.position(self.standing.pointer(&walk)?)?;
        let later = walk.nodes()[here + 1..].iter().filter(|node| self.standing.absence(node).is_none());
        later.map(|node| node.id()).rfind(|id| self.standing.history.entered(id.as_str()).is_some())
    }

    fn judge(&self, node: &Node, place: Place) -> NodeReport {
        let mut report = match self.standing.absence(node) {
            Some(Absence::NotSelected) => not_selected(node),
            Some(Absence::Declared(skip)) => self.skipped(node, skip),
            None => self.judge_walked(node, place),
        };
        self.remark(node, &mut report);
        report
    }

    fn skipped(&self, node: &Node, skip: &Declaration) -> NodeReport {
        let Declaration { by, via, at, reason } = skip;
        let mut message = format!("skipped by declaration of `{by}` via {via} at {at}");
        if let Some(reason) = reason {
            message = format!("{message}: {reason}");
        }
        let mut report = said(node, Status::Skipped, message);
        report.attribute(by, via, *at);
        if !self.standing.history.knows_skip(node.id().as_str(), skip) {
            report.messages.push("unverified: the event log does not know this declaration".to_owned());
        }
        report
    }

    fn judge_walked(&self, node: &Node, place: Place) -> NodeReport {
        if place == Place::Aside {
            return said(
                node,
                Status::Pending,
                "the walk does not come by, since a node before it is skipped",
            );
        }
        if place == Place::After {
            let entered = self.standing.history.entered(node.id().as_str());
            let told = |at| format!("the walk came here at {at}, and the pointer is before it");
            return said(node, Status::Pending, entered.map(told).into_iter().collect::<Vec<_>>());
        }
        let mut report = match gate::judge(node, self.artifacts) {
            Verdict::Fails(missing) => said(node, Status::Block, missing),
            _ if node.classifier().is_some() => self.judge_human(node),
            Verdict::Unavailable(cause) => {
                said(node, Status::Unavailable, format!("no review could run: {cause}"))
            }
            Verdict::Holds if gate::asks_for_artifacts(node) || node.is_terminal() => {
                said(node, Status::Pass, Vec::new())
            }
            Verdict::Holds => self.judge_bare(node, place),
        };
        if let Some(selection) = self.standing.selection(node.id().as_str()).filter(|_| node.is_opt_in()) {
            let Declaration { by, via, at, .. } = selection;
            report.attribute(by, via, *at);
            if !self.standing.is_verified_selection(node.id().as_str()) {
                report.status = Status::Wait;
                report.messages.push("unverified: the event log does not know this selection".to_owned());
            }
        }
        report
    }

    /// A node that asks for nothing has been left if that is recorded.
    fn judge_bare(&self, node: &Node, place: Place) -> NodeReport {
        let record = self.standing.state.nodes.get(node.id().as_str());
        match record.filter(|record| record.outcome == Outcome::Pass.word()) {
            Some(record) => {
                let mut report = said(node, Status::Pass, Vec::new());
                report.attribute(&record.by, &record.via, record.at);
                report
            }
            None if place == Place::Here => said(node, Status::Pending, "the walk stands here"),
            None => said(node, Status::Block, "the pointer is past it, and it has no record"),
        }
    }

    fn judge_human(&self, node: &Node) -> NodeReport {
        if let Some(record) = self.standing.decision(node) {
            let mut report = said(node, Status::Pass, Vec::new());
            report.attribute(&record.by, &record.via, record.at);
            return report;
        }
        let mut report = said(node, Status::Wait, self.waiting(node));
        if let Some(record) = self.standing.state.nodes.get(node.id().as_str()) {
            let message = format!(
                "unverified: the state records `{}` by `{}`, and the event log does not know that",
                record.outcome, record.by
            );
            report.messages.insert(0, message);
        }
        report
    }

    fn waiting(&self, node: &Node) -> String {
        if self.routing.authorized_users.is_empty() {
            return "waits, and `routing.authorizedUsers` of the config names nobody who may answer"
                .to_owned();
        }
        let Keywords { execute, approve, request_changes } = &self.routing.keywords;
        match node.classifier() {
            Some(Gate::ClassifyPhaseSelection) => format!("waits for the reply `{execute}` to the checklist"),
            _ => format!("waits for the reply `{approve}` or `{request_changes}`"),
        }
    }

    /// Adds what is recorded about a node and does not count.
    fn remark(&self, node: &Node, report: &mut NodeReport) {
        let id = node.id().as_str();
        let state = self.standing.state;
        let mut remark = |text: &str| report.messages.push(text.to_owned());
        if node.is_opt_in() {
            if self.is_lost(node) {
                remark("it was selected when the selection was answered, and that record is gone");
            }
            if state.opt_ins.contains_key(id) && self.standing.selection(id).is_none() {
                remark(
                    "unverified: a recorded selection does not count, since the event log does not know it",
                );
            }
        } else if state.opt_ins.contains_key(id) {
            remark("a recorded selection does not count, since this node is not opt-in");
        }
        match (state.skips.contains_key(id), self.standing.absence(node)) {
            (true, None) if node.is_default_on() => {
                remark("unverified: a recorded skip does not count, since the event log does not know it");
            }
            (true, None | Some(Absence::NotSelected)) => {
                remark("a recorded skip does not count, since this node cannot be declared away");
            }
            _ => {}
        }
    }
}

impl NodeReport {
    fn attribute(&mut self, by: &str, via: &str, at: Moment) {
        self.by = Some(by.to_owned());
        self.via = Some(via.to_owned());
        self.at = Some(at);
    }
}

/// What a report says in words: nothing, one sentence, or several.
trait Messages {
    fn messages(self) -> Vec<String>;
}

impl Messages for Vec<String> {
    fn messages(self) -> Vec<String> {
        self
    }
}

impl Messages for String {
    fn messages(self) -> Vec<String> {
        vec![self]
    }
}

impl Messages for &str {
    fn messages(self) -> Vec<String> {
        vec![self.to_owned()]
    }
}

fn not_selected(node: &Node) -> NodeReport {
    let message = "not selected: it is off unless an authorised user ticks it at the phase selection";
    said(node, Status::NotSelected, message)
}

fn said(node: &Node, status: Status, messages: impl Messages) -> NodeReport {
    let messages = messages.messages();
    NodeReport { node: node.id().clone(), status, messages, via: None, by: None, at: None }
}
