//! `check`: what an item is worth, node by node. Main type: [`Report`], main function: [`check`].
//!
//! Files are looked at afresh and decisions are held against the log; what an agent recorded about itself counts
//! only where nothing else could tell. Nothing is written.

use crate::fault::graph::{Fault, on};
use crate::refusal::Refusal;
use crate::say;

use super::choices::{self, Absence};
use super::definition::{Hook, Node};
use super::desk::Desk;
use super::gate::{self, Verdict};
use super::item::Item;
use super::state::{Provenance, State};
use super::verify::Known;
use super::walk::Walk;

/// How a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// What it should leave behind is there.
    Pass,
    /// It is not there.
    Block,
    /// A person has not decided.
    Wait,
    /// It was not reached.
    Pending,
    /// It was declared away.
    Skipped,
    /// It is opt-in and nobody selected it.
    NotSelected,
    /// It is a review that could not be held.
    Unavailable,
}

impl Status {
    /// Its word.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NotSelected if on(Fault::NotSelectedIsPass) => "pass",
            Self::NotSelected if on(Fault::NotSelectedIsSkipped) => "skipped",
            Self::NotSelected if on(Fault::NotSelectedIsPending) => "pending",
            Self::Skipped if on(Fault::DeclaredIsNotSelected) => "not-selected",
            Self::Skipped if on(Fault::DeclaredIsPass) => "pass",
            Self::Unavailable if on(Fault::UnavailableIsPass) => "pass",
            Self::Pass => "pass",
            Self::Block => "block",
            Self::Wait => "wait",
            Self::Pending => "pending",
            Self::Skipped => "skipped",
            Self::NotSelected => "not-selected",
            Self::Unavailable => "unavailable",
        }
    }
}

/// A node and how it stands.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The node.
    pub(crate) id: String,
    /// How it stands.
    pub(crate) status: Status,
    /// Why.
    pub(crate) messages: Vec<String>,
    /// Who decided, by which channel, when, where somebody did.
    pub(crate) decided: Option<Provenance>,
}

/// All nodes of an item.
pub(crate) struct Report {
    /// The item.
    pub(crate) item: String,
    /// Its loop.
    pub(crate) loop_name: String,
    /// Where it stands.
    pub(crate) current: String,
    /// Its nodes in the order of the loop.
    pub(crate) rows: Vec<Row>,
}

/// Whether the stored pointer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pointer {
    /// It does.
    Stored,
    /// It is worked out from what is there.
    Recomputed,
}

/// Judges an item.
pub(crate) fn check(desk: &Desk, item: &Item, pointer: Pointer) -> Result<Report, Refusal> {
    let state = State::load(item)?;
    let graph = desk.graph_of(&state)?;
    let decisions = desk.log().decisions(item, &graph.name);
    let mut walk = Walk::new(&graph, &state);
    if pointer == Pointer::Recomputed && on(Fault::RecomputeForgetsOptIns) {
        let all = graph.opt_ins().map(|node| (node.id.text.clone(), Provenance::unknown()));
        walk.choices.opt_ins = all.collect();
    }
    if pointer == Pointer::Recomputed && on(Fault::RecomputeForgetsSkips) {
        walk.choices.skips.clear();
    }
    let inspector = Inspector { walk: &walk, known: Known::new(&graph, &decisions), item };
    let (way, current) = inspector.place(pointer)?;
    let mut rows: Vec<Row> = Vec::new();
    let passed: Vec<Row> = way.iter().map(|node| inspector.left(node)).collect();
    let sound =
        passed.iter().all(|row| !matches!(row.status, Status::Block | Status::Wait | Status::Pending));
    for node in &graph.nodes {
        let id = &node.id.text;
        let row = match passed.iter().find(|row| row.id == *id) {
            Some(row) => row.clone(),
            None if *id == current.id.text => inspector.here(node, sound),
            None => inspector.later(node),
        };
        rows.push(row);
    }
    if on(Fault::UnselectedNotReported) {
        rows.retain(|row| row.status != Status::NotSelected);
    }
    Ok(Report {
        item: item.name.clone(),
        loop_name: graph.name.clone(),
        current: current.id.text.clone(),
        rows,
    })
}

struct Inspector<'a> {
    walk: &'a Walk<'a>,
    known: Known<'a>,
    item: &'a Item,
}

impl<'a> Inspector<'a> {
    /// The way so far and the node where the item stands.
    fn place(&self, pointer: Pointer) -> Result<(Vec<&'a Node>, &'a Node), Refusal> {
        if pointer == Pointer::Stored || on(Fault::RecomputeIgnored) {
            let found = self.walk.pointer().and_then(|node| Some((self.walk.before(node)?, node)));
            if let Some(found) = found {
                return Ok(found);
            }
            if on(Fault::UnknownPointerFails) {
                return Err(Refusal::new("`current` is no node"));
            }
            let pointer = self.walk.state.text("current").unwrap_or_default().escape_debug();
            say(&format!(
                "warning: no way leads to a node `{pointer}`, where `current` stands; judging from the start"
            ));
        }
        self.recomputed().ok_or_else(|| Refusal::new("the loop has no start"))
    }

    fn recomputed(&self) -> Option<(Vec<&'a Node>, &'a Node)> {
        let mut node = self.walk.graph.node(&self.walk.graph.start.text)?;
        let mut way = Vec::new();
        while way.len() <= self.walk.graph.nodes.len() && !node.terminal {
            let done = match self.left(node).status {
                Status::Block if !has_gates(node) => false,
                Status::Pass | Status::Unavailable | Status::Skipped | Status::NotSelected => true,
                Status::Block | Status::Wait | Status::Pending => false,
            };
            let next =
                self.walk.outcome(node).and_then(|outcome| self.walk.graph.next(&node.id.text, outcome));
            let Some(next) = next.filter(|_| done) else { break };
            way.push(node);
            node = next;
        }
        Some((way, node))
    }

    /// A node that does not run.
    fn absent(&self, node: &Node) -> Option<Row> {
        let id = &node.id.text;
        let absence = self.walk.choices.absence(node)?;
        let mut row = Row { id: id.clone(), status: Status::Skipped, messages: Vec::new(), decided: None };
        match absence {
            Absence::Declared => {
                if let Some(by) = self.walk.choices.skips.get(id) {
                    let reason = by.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
                    row.messages.push(format!("declared away by {}{reason}", by.by));
                    row.decided = Some(by.clone()).filter(|_| !on(Fault::SkipReportedWithoutWho));
                }
            }
            Absence::NotSelected if on(Fault::ForgedRecordCounts) && self.walk.state.record(id).is_some() => {
                row.status = Status::Pass;
            }
            Absence::NotSelected => {
                row.status = Status::NotSelected;
                let word = if on(Fault::NotSelectedIsPass) {
                    "nothing to do"
                } else {
                    "not selected: off unless ticked"
                };
                if !on(Fault::NotSelectedIsSkipped) && !on(Fault::NotSelectedIsPending) {
                    row.messages.push(word.to_owned());
                }
                let frozen = choices::frozen_as_running(self.walk.state, self.walk.graph);
                let lost = frozen.iter().any(|(frozen, _)| frozen == id);
                if lost && on(Fault::LostSelectionPasses) {
                    return Some(Row { status: Status::Pass, messages: Vec::new(), ..row });
                }
                if lost && !on(Fault::LostSelectionSilent) {
                    row.messages
                        .push("it was selected once, and the selection is gone from the state".to_owned());
                }
            }
        }
        Some(row)
    }

    /// A node that the item has left.
    fn left(&self, node: &Node) -> Row {
        if let Some(row) = self.absent(node) {
            return row;
        }
        let id = &node.id.text;
        let row = |status, messages| Row { id: id.clone(), status, messages, decided: self.decided(node) };
        if on(Fault::RecordedVerdictCounts)
            && node.human_gate().is_none()
            && self.walk.state.record(id).is_some()
        {
            return row(Status::Pass, Vec::new());
        }
        match gate::judge(node, &self.item.folder) {
            Verdict::Fails(flaws) => row(Status::Block, flaws),
            Verdict::Unavailable(cause) => row(Status::Unavailable, vec![cause]),
            Verdict::Holds if node.human_gate().is_some() => {
                match self.known.confirmed(self.walk.state, id) {
                    Some(_) => row(Status::Pass, Vec::new()),
                    None if self.walk.state.record(id).is_some() => {
                        row(Status::Wait, vec!["unverified: the event log knows no such decision".to_owned()])
                    }
                    None => row(Status::Wait, vec!["nobody has decided".to_owned()]),
                }
            }
            Verdict::Holds if !has_gates(node) && self.walk.state.record(id).is_none() => {
                row(Status::Block, vec!["nothing is recorded about it".to_owned()])
            }
            Verdict::Holds => row(Status::Pass, Vec::new()),
        }
    }

    /// The node where the item stands; `sound` says that all before it is well.
    fn here(&self, node: &Node, sound: bool) -> Row {
        if self.absent(node).is_some() {
            return self.later(node);
        }
        let row = |status, messages| Row { id: node.id.text.clone(), status, messages, decided: None };
        if node.terminal {
            return row(if sound { Status::Pass } else { Status::Pending }, Vec::new());
        }
        match gate::judge(node, &self.item.folder) {
            Verdict::Fails(flaws) => row(Status::Block, flaws),
            Verdict::Unavailable(cause) => row(Status::Unavailable, vec![cause]),
            Verdict::Holds => match node.human_gate() {
                Some(_) if self.known.confirmed(self.walk.state, &node.id.text).is_some() => {
                    row(Status::Pending, Vec::new())
                }
                Some(Hook::PhaseSelection) => {
                    row(Status::Wait, vec!["the phases are not settled".to_owned()])
                }
                Some(_) => row(Status::Wait, vec!["nobody has decided".to_owned()]),
                None if has_gates(node) => row(Status::Pass, Vec::new()),
                None => row(Status::Pending, Vec::new()),
            },
        }
    }

    /// A node that comes later.
    fn later(&self, node: &Node) -> Row {
        let pending = || Row {
            id: node.id.text.clone(),
            status: Status::Pending,
            messages: Vec::new(),
            decided: self.decided(node),
        };
        let early = node.opt_in && !self.walk.is_answered() && on(Fault::NotSelectedOnlyOnceAnswered);
        self.absent(node).filter(|_| !early).unwrap_or_else(pending)
    }

    /// Who decided about a node: at its gate, or that it runs at all.
    fn decided(&self, node: &Node) -> Option<Provenance> {
        let id = &node.id.text;
        let selected = self.walk.choices.opt_ins.get(id).filter(|_| node.opt_in).cloned();
        let human = node.human_gate().and_then(|_| self.walk.state.record(id)?.decided);
        selected.or(human)
    }
}

/// Whether anything can be judged afresh about a node.
fn has_gates(node: &Node) -> bool {
    !node.exit.is_empty()
}
