//! The history of a walk: what the event log knows of one work item.
//!
//! [`History`] is what recorded decisions are held against, since the state can be written by anybody (OR-SEC). Lines that are
//! not understood are not there.

use std::collections::HashMap;

use serde_json::Value;

use super::comment::CommentId;
use super::event::{
    CHECKLIST_PRINTED, CHECKLIST_SEEN, Event, GATE_DECIDED, GATE_ENTERED, OPT_INS_SELECTED, SKIPS_DECLARED,
    STARTED, Scope,
};
use super::state::{Declaration, Record};
use super::{CompiledGraph, Moment, Outcome};

/// The channel of answers.
const BY_ANSWER: &str = "comment";

/// What is known of one walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    decisions: HashMap<String, Decision>,
    entered: HashMap<String, Moment>,
    used: Vec<Use>,
    /// Skips that no answer declared.
    skips: Vec<Declared>,
    /// What the answer to the phase selection selected and declared away.
    answered: Vec<Declared>,
    /// The same before the line that tells of the answer itself: both are logged in one step.
    unanswered: Vec<Declared>,
    checklist: Printed,
    is_started: bool,
}

/// The checklists that count, as the log knows them. What the state says of them, anybody may have written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// By the hash of its token, when each was printed.
    pub tokens: HashMap<String, Moment>,
    /// The comment that carries one of them, once it was seen.
    pub comment: Option<CommentId>,
    /// Whether it could not be told from a copy when it was seen.
    pub is_doubtful: bool,
}

/// A decision as it was logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// As the state should record it.
    pub record: Record,
    /// When its gate was entered.
    pub entered: Moment,
}

/// What an answer to the phase selection can do with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Make an opt-in node run.
    Selected,
    /// Make a default-on node not run.
    DeclaredAway,
}

/// A comment that decided a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Use {
    comment: CommentId,
    node: String,
    entered: Moment,
    /// Its gate was entered anew since, perhaps in the same second.
    is_spent: bool,
}

/// Nodes that were selected or declared away together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Declared {
    event: &'static str,
    by: String,
    via: String,
    at: Moment,
    nodes: Vec<String>,
}

impl History {
    /// Reads the lines of a log that belong to this walk.
    pub fn read(log: &[u8], scope: &Scope, graph: &CompiledGraph) -> Self {
        let mut history = Self::default();
        for line in log.split(|byte| *byte == b'\n') {
            let Ok(event) = serde_json::from_slice::<Value>(line) else { continue };
            if text(&event, "work_item") == Some(&scope.work_item) {
                // A line with less than it should have is not there.
                let _ = history.take(&event, scope, graph);
            }
        }
        history
    }

    /// The loop with which an item was started last in a checkout.
    pub fn loop_of(log: &[u8], root: &str, work_item: &str) -> Option<String> {
        let lines = log.split(|byte| *byte == b'\n').rev();
        let mut events = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let of_item = [("event", STARTED), ("work_item", work_item), ("root", root)];
        let started =
            events.find(|event| of_item.iter().all(|(key, value)| text(event, key) == Some(value)))?;
        text(&started, "loop").map(str::to_owned)
    }

    /// Adds what has just been logged.
    pub fn learn(&mut self, event: &Event, scope: &Scope, graph: &CompiledGraph) {
        let _ = self.take(event.members(), scope, graph);
    }

    fn take(&mut self, event: &Value, scope: &Scope, graph: &CompiledGraph) -> Option<()> {
        let at = moment(event, "ts")?;
        let here = text(event, "root") == Some(&scope.root);
        let of_loop = here && text(event, "loop") == Some(&scope.loop_name);
        let name = text(event, "event")?;
        if let Some(name) = [OPT_INS_SELECTED, SKIPS_DECLARED].into_iter().find(|known| *known == name) {
            // Others need not say in which checkout; that is told by the decision that comes right after.
            let is_told = event.get("root").or_else(|| event.get("loop")).is_some();
            return if of_loop || !is_told { self.declare(name, event, at) } else { None };
        }
        let unanswered = std::mem::take(&mut self.unanswered);
        if !here {
            return None;
        }
        match name {
            STARTED => {
                self.is_started = of_loop;
                self.used.iter_mut().for_each(|used| used.is_spent = true);
                self.decisions.clear();
                self.entered.clear();
                self.skips.clear();
                self.answered.clear();
                self.checklist = Printed::default();
                if of_loop {
                    self.entered.insert(graph.start().id().to_string(), at);
                }
            }
            GATE_ENTERED if of_loop => {
                let node = text(event, "node")?;
                self.entered.insert(node.to_owned(), at);
                for used in self.used.iter_mut().filter(|used| used.node == node) {
                    used.is_spent = true;
                }
            }
            CHECKLIST_PRINTED if of_loop => {
                self.checklist.tokens.insert(text(event, "token")?.to_owned(), at);
            }
            CHECKLIST_SEEN if of_loop => match CommentId::of(event.get("comment")?) {
                Some(comment) => self.checklist.comment = Some(comment),
                // None of several could be told from a copy: only what is printed from now on counts.
                None => {
                    self.checklist = Printed { is_doubtful: true, ..Printed::default() };
                }
            },
            GATE_DECIDED => self.decide(event, at, of_loop.then_some(unanswered), graph)?,
            _ => {}
        }
        Some(())
    }

    fn declare(&mut self, name: &'static str, event: &Value, at: Moment) -> Option<()> {
        let nodes = event.get("nodes")?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned);
        let (by, via) = (text(event, "by")?.to_owned(), text(event, "via")?.to_owned());
        let list = if via == BY_ANSWER { &mut self.unanswered } else { &mut self.skips };
        list.push(Declared { event: name, by, via, at, nodes: nodes.collect() });
        Some(())
    }

    /// Takes a decision. `unanswered` is what was declared with it; `None` when it belongs to the walk by another graph.
    fn decide(
        &mut self,
        event: &Value,
        at: Moment,
        unanswered: Option<Vec<Declared>>,
        graph: &CompiledGraph,
    ) -> Option<()> {
        let comment = CommentId::of(event.get("comment")?)?;
        let node = text(event, "node")?.to_owned();
        let entered = moment(event, "entered")?;
        self.used.push(Use { comment: comment.clone(), node: node.clone(), entered, is_spent: false });
        let Some(mut unanswered) = unanswered else { return Some(()) };
        let selection = graph.phase_selection().map(|node| node.id().as_str());
        let outcome = text(event, "outcome")?.to_owned();
        if outcome == Outcome::ChangesRequested.word() {
            // What comes after the node that is done again has to be decided again.
            let target = graph.next(&node, Outcome::ChangesRequested)?;
            for later in graph.reachable(target) {
                self.decisions.remove(later);
                self.entered.remove(later);
                if selection == Some(later) {
                    self.answered.clear();
                }
            }
            return Some(());
        }
        let (by, via) = (text(event, "by")?.to_owned(), text(event, "via")?.to_owned());
        let record = Record { outcome, by, via, at, comment: Some(comment) };
        if selection == Some(&node) {
            unanswered.retain(|declared| declared.is_by(&record.by, &record.via, record.at));
            self.answered = unanswered;
        }
        self.decisions.insert(node, Decision { record, entered });
        Some(())
    }

    /// The decision at a node that still counts.
    pub fn decision(&self, node: &str) -> Option<&Decision> {
        self.decisions.get(node)
    }

    /// Whether a record is, in every field, what was logged.
    pub fn knows(&self, node: &str, record: &Record) -> bool {
        self.decision(node).is_some_and(|decision| decision.record == *record)
    }

    /// When a gate was entered last.
    pub fn entered(&self, node: &str) -> Option<Moment> {
        self.entered.get(node).copied()
    }

    /// Whether a comment has decided another gate, or this one when it was entered another time.
    pub fn has_used(&self, comment: &CommentId, node: &str, entered: Moment) -> bool {
        let mut uses = self.used.iter().filter(|used| used.comment == *comment);
        uses.any(|used| used.is_spent || used.node != node || used.entered != entered)
    }

    /// Whether a selection of an opt-in node was logged as recorded.
    pub fn knows_selection(&self, node: &str, declaration: &Declaration) -> bool {
        self.knows_declaration(OPT_INS_SELECTED, node, declaration)
    }

    /// Whether a node was declared away as recorded.
    pub fn knows_skip(&self, node: &str, declaration: &Declaration) -> bool {
        self.knows_declaration(SKIPS_DECLARED, node, declaration)
    }

    /// Whether a node was declared away as recorded, and by no answer to the phase selection.
    pub fn knows_early_skip(&self, node: &str, declaration: &Declaration) -> bool {
        declaration.via != BY_ANSWER && self.knows_skip(node, declaration)
    }

    fn knows_declaration(&self, event: &str, node: &str, declaration: &Declaration) -> bool {
        let Declaration { by, via, at, .. } = declaration;
        self.declared(event, node).any(|known| known.is_by(by, via, *at))
    }

    fn declared(&self, event: &str, node: &str) -> impl Iterator<Item = &Declared> {
        let all = self.skips.iter().chain(&self.answered).chain(&self.unanswered);
        all.filter(move |known| known.event == event && known.nodes.iter().any(|name| name == node))
    }

    /// The checklists that were printed and count.
    pub const fn checklist(&self) -> &Printed {
        &self.checklist
    }

    /// Whether the log knows that the item was started with this graph.
    pub const fn is_started(&self) -> bool {
        self.is_started
    }

    /// The opt-in nodes that the answer to the phase selection selected, or the default-on ones that it declared away.
    pub fn answered(&self, event: Answered) -> impl Iterator<Item = &str> {
        let name = match event {
            Answered::Selected => OPT_INS_SELECTED,
            Answered::DeclaredAway => SKIPS_DECLARED,
        };
        let known = self.answered.iter().filter(move |known| known.event == name);
        known.flat_map(|known| &known.nodes).map(String::as_str)
    }

    /// Whether an opt-in node was selected by the answer to the phase selection.
    pub fn has_selected(&self, node: &str) -> bool {
        self.declared(OPT_INS_SELECTED, node).next().is_some()
    }
}

impl Declared {
    fn is_by(&self, by: &str, via: &str, at: Moment) -> bool {
        (self.by.as_str(), self.via.as_str(), self.at) == (by, via, at)
    }
}

fn text<'a>(event: &'a Value, key: &str) -> Option<&'a str> {
    event.get(key)?.as_str()
}

fn moment(event: &Value, key: &str) -> Option<Moment> {
    Moment::parse(text(event, key)?)
}

#[cfg(test)]
mod tests;
