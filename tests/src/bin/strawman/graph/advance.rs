//! `graph advance`: decides one node at most and moves the pointer. Main function: [`advance`].
//!
//! Events are written before the state, so that a decision is never there without its event. Whether the node may be
//! left is judged by `decide`.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::fault::graph::{Fault, on};
use crate::listing::Listing;
use crate::refusal::Refusal;
use crate::say;

use super::checklist;
use super::choices::{self, Choices};
use super::clock::Moment;
use super::comment::Comment;
use super::confirmation;
use super::decide::{Decision, ENTERED, Point, USED};
use super::definition::{Graph, Hook, Node, Outcome};
use super::desk::{Desk, demand_pointer};
use super::item::Item;
use super::reply::Waiting;
use super::rows;
use super::selection::Selection;
use super::settings::Settings;
use super::state::{self, Lock, Provenance, State};
use super::walk::Walk;

/// Carries the command out.
pub(crate) fn advance(desk: &Desk, item: &Item, comments: Option<&PathBuf>) -> Result<Listing, Refusal> {
    State::load(item)?;
    let comments = comments.map_or_else(|| Ok(Vec::new()), |path| Comment::read_for(item, path))?;
    let lock = Lock::take(item)?;
    let mut state = State::load(item)?;
    let graph = desk.graph_of(&state)?;
    if on(Fault::UnknownPointerRestarts) && Walk::new(&graph, &state).pointer().is_none() {
        state.set("current", json!(graph.start.text));
    }
    demand_pointer(&Walk::new(&graph, &state))?;
    let mut pinned = pin(&mut state, &comments);
    if on(Fault::Reselection) {
        pinned |= reselect(&mut state, &graph, &comments, &desk.settings);
    }
    let decisions = desk.log().decisions(item, &graph.name);

    let mut moved = state.clone();
    let walk = Walk::new(&graph, &state);
    let Some(node) = walk.pointer() else { return Err(Refusal::new("the pointer is lost")) };
    let point = Point { walk: &walk, node, folder: &item.folder, decisions: &decisions };
    let entered = point.entered();
    match point.decide(&comments, &desk.settings) {
        Ok(decision) => {
            let step = Step { graph: &graph, node, decision, entered, now: Moment::now() };
            let selection = step.selection(&comments, &state, &desk.settings);
            let events = step.events(desk, item, selection.as_ref());
            step.apply(&mut moved, selection.as_ref());
            if on(Fault::StateBeforeEvents) {
                moved.save(item, &lock)?;
            }
            if !on(Fault::NoEvents) {
                let written = desk.log().append(&events);
                if !on(Fault::LogFailureIgnored) {
                    written?;
                }
            }
            moved.save(item, &lock)?;
            Ok(print(&step.report(item, &moved, selection.as_ref()), &moved, &graph, Moved::Yes))
        }
        Err(stay) => {
            if pinned {
                state.save(item, &lock)?;
            }
            let report = json!({
                "workItem": item.name, "node": node.id.text, "outcome": stay.word, "current": node.id.text,
                "refused": [], "confirmation": null, "messages": stay.messages,
            });
            Ok(print(&report, &state, &graph, Moved::No))
        }
    }
}

/// Takes a later reply for another selection, as only a fault does.
fn reselect(state: &mut State, graph: &Graph, comments: &[Comment], settings: &Settings) -> bool {
    let answered = Walk::new(graph, state).is_answered();
    let waiting = Waiting { hook: Hook::PhaseSelection, entered: None, used: state.items(USED) };
    let Some(reply) = waiting.answer(comments, settings).filter(|_| answered) else { return false };
    let by = Provenance {
        by: reply.comment.login.clone(),
        via: "comment".to_owned(),
        at: Moment::now().to_string(),
        reason: None,
    };
    let selection = Selection::read(graph, reply.comment, checklist::find(comments, state));
    select(state, graph, &selection, &by);
    true
}

/// Keeps which comment is our checklist, once it was seen.
fn pin(state: &mut State, comments: &[Comment]) -> bool {
    let found = checklist::find(comments, state).map(|comment| comment.id.clone());
    match found.filter(|_| state.member(checklist::PINNED).is_none()) {
        Some(id) => {
            state.set(checklist::PINNED, id);
            true
        }
        None => false,
    }
}

/// One node that is left.
struct Step<'a> {
    graph: &'a Graph,
    node: &'a Node,
    decision: Decision<'a>,
    entered: Option<Moment>,
    now: Moment,
}

impl Step<'_> {
    /// What the reply selects, at a phase selection.
    fn selection(&self, comments: &[Comment], state: &State, settings: &Settings) -> Option<Selection> {
        let reply = self.decision.reply.as_ref().filter(|reply| reply.outcome == Outcome::Selected)?;
        let mut ours = checklist::find(comments, state);
        if on(Fault::StrangersRowsCount) {
            let ticks =
                |comment: &&Comment| rows::read(&comment.body, self.graph).iter().any(|row| row.ticked);
            let poster = ours.map(|comment| comment.login.as_str());
            let mut strangers = comments.iter().filter(|comment| {
                !settings.authorises(&comment.login) && Some(comment.login.as_str()) != poster
            });
            ours = strangers.find(ticks).or(ours);
        }
        Some(Selection::read(self.graph, reply.comment, ours))
    }

    fn events(&self, desk: &Desk, item: &Item, selection: Option<&Selection>) -> Vec<Value> {
        let Some(by) = self.provenance() else { return Vec::new() };
        let log = desk.log();
        let event = |name: &str, mut more: Value| {
            more["by"] = json!(by.by);
            more["via"] = json!(by.via);
            log.event(name, item, self.now, more)
        };
        let mut events = Vec::new();
        let declared = [
            ("graph.opt_ins_selected", selection.map(|selection| &selection.opt_ins), Fault::NoOptInEvent),
            ("graph.skips_declared", selection.map(|selection| &selection.skips), Fault::NoSkipEvent),
        ];
        for (name, ids, fault) in declared {
            if let Some(ids) = ids.filter(|ids| !ids.is_empty() && !on(fault)) {
                let more = if on(Fault::EventWithoutNodes) { json!({}) } else { json!({ "nodes": ids }) };
                events.push(event(name, more));
            }
        }
        if !on(Fault::NoDecisionEvent) {
            events.push(event(
                "graph.gate_decided",
                json!({
                    "loop": self.graph.name,
                    "node": self.node.id.text,
                    "outcome": self.decision.outcome.name(),
                    "comment": self.comment(),
                    "entered": self.entered.map(|entered| entered.to_string()),
                    "at": by.at,
                }),
            ));
        }
        events
    }

    /// Who decided; nothing at nodes that nobody decides.
    fn provenance(&self) -> Option<Provenance> {
        let reply = self.decision.reply.as_ref()?;
        Some(Provenance {
            by: reply.comment.login.clone(),
            via: "comment".to_owned(),
            at: self.now.to_string(),
            reason: None,
        })
    }

    fn comment(&self) -> Value {
        self.decision.reply.as_ref().map(|reply| reply.comment.id.clone()).unwrap_or_default()
    }

    fn apply(&self, state: &mut State, selection: Option<&Selection>) {
        if let (Some(selection), Some(by)) = (selection, self.provenance()) {
            select(state, self.graph, selection, &by);
        }
        let id = self.node.id.text.as_str();
        let mut record = json!({ "outcome": self.decision.outcome.name(), "at": self.now.to_string() });
        if let Some(by) = self.provenance() {
            record["by"] = json!(by.by);
            record["via"] = json!(by.via);
            record["comment"] = self.comment();
            record["entered"] = json!(self.entered.map(|entered| entered.to_string()));
            state.push(USED, self.comment());
        }
        if self.decision.reply.is_some() || id != selection_id(self.graph) {
            state.insert("nodes", id, record);
        }
        let choices = Choices::of(state, self.graph);
        let Some(next) = self.graph.next(id, self.decision.outcome) else { return };
        if self.decision.outcome == Outcome::ChangesRequested && !on(Fault::ChangesKeepRecords) {
            let mut later = self.graph.here_and_later(&next.id.text);
            // The selection stays answered.
            later.retain(|id| *id != selection_id(self.graph));
            state.remove("nodes", &later);
            state.remove(ENTERED, &later);
        }
        let next = choices.route(self.graph, next);
        state.set("current", json!(next.id.text));
        state.insert(ENTERED, &next.id.text, json!(self.now.to_string()));
    }

    fn report(&self, item: &Item, state: &State, selection: Option<&Selection>) -> Value {
        let said = selection.filter(|_| !on(Fault::ConfirmationMissing));
        let said = said.map(|selection| {
            let by = self.provenance().map_or_else(String::new, |by| by.by);
            confirmation::text(self.graph, selection, &by)
        });
        json!({
            "workItem": item.name,
            "node": self.node.id.text,
            "outcome": self.decision.outcome.name(),
            "current": state.text("current"),
            "refused": selection.map(|selection| selection.refused.clone()).unwrap_or_default(),
            "confirmation": said,
            "messages": self.decision.messages,
        })
    }
}

fn selection_id(graph: &Graph) -> &str {
    graph.selection().map_or("", |node| &node.id.text)
}

/// Writes a selection into a state. What was selected before somebody answered counts for nothing.
fn select(state: &mut State, graph: &Graph, selection: &Selection, by: &Provenance) {
    if !on(Fault::ForgedSelectionKept) {
        state.set("optIns", json!({}));
    }
    for id in &selection.opt_ins {
        let mut value = by.to_value();
        if let Some(value) = value.as_object_mut().filter(|_| on(Fault::SelectionWithoutChannel)) {
            value.shift_remove("via");
        }
        if on(Fault::SelectionWithoutProvenance) {
            value = state::anonymous();
        }
        state.insert("optIns", id, value);
    }
    for id in &selection.skips {
        state.insert("skips", id, by.to_value());
        if on(Fault::RequiredUntickSkips) && graph.node(id).is_some_and(|node| !node.can_be_skipped()) {
            state.push(choices::UNTICKED, json!(id));
        }
    }
    let choices = Choices::of(state, graph);
    let mut nodes = Vec::new();
    for node in &graph.nodes {
        let mut row = json!({
            "id": node.id.text,
            "phase": node.phase,
            "skipped": choices.absence(node).is_some() && !(node.opt_in && on(Fault::FrozenUnselectedRuns)),
        });
        if !on(Fault::FrozenWithoutSelectable) {
            row["selectable"] = json!(node.can_be_skipped());
        }
        if !on(Fault::FrozenWithoutOptIn) {
            row["optIn"] = json!(node.opt_in);
        }
        nodes.push(row);
    }
    if !on(Fault::NothingFrozen) {
        state.set("frozen", json!({ "nodes": nodes }));
    }
}

/// Whether the pointer moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    Yes,
    No,
}

fn print(report: &Value, state: &State, graph: &Graph, moved: Moved) -> Listing {
    let choices = Choices::of(state, graph);
    let mut report = report.clone();
    for message in report["messages"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        say(message);
    }
    report["skips"] = choices::to_value(&choices.skips);
    if !on(Fault::AdvanceWithoutOptIns) {
        report["optIns"] = choices::to_value(&choices.opt_ins);
    }
    if let Some(report) = report.as_object_mut().filter(|_| on(Fault::HarmlessTerse)) {
        report.shift_remove("messages");
    }
    let ok = match moved {
        Moved::Yes => true,
        Moved::No => on(Fault::WaitingIsSuccess),
    };
    Listing { text: format!("{report}\n"), ok }
}
