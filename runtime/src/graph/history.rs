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
use super::state::{Checklist, Declaration, Record};
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
    checklist: Checklist,
}

/// A decision as it was logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// As the state should record it.
    pub record: Record,
    /// When its gate was entered.
    pub entered: Moment,
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
            return self.declare(name, event, at);
        }
        // These lines do not say in which checkout; that is told by the decision that comes right after them.
        let unanswered = std::mem::take(&mut self.unanswered);
        match name {
            STARTED if here => {
                self.used.iter_mut().for_each(|used| used.is_spent = true);
                self.decisions.clear();
                self.entered.clear();
                self.skips.clear();
                self.answered.clear();
                self.checklist = Checklist::default();
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
            CHECKLIST_PRINTED if of_loop => self.checklist.tokens.push(text(event, "token")?.to_owned()),
            CHECKLIST_SEEN if of_loop => self.checklist.comment = CommentId::of(event.get("comment")?),
            GATE_DECIDED if here => self.decide(event, at, of_loop.then_some(unanswered), graph)?,
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

    /// The checklists that were printed. What the state says of them, anybody may have written.
    pub const fn checklist(&self) -> &Checklist {
        &self.checklist
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
mod tests {
    use super::*;
    use crate::graph::event::Act;

    const GRAPH: &str = "version: 1
name: g
start: a
nodes:
  - {id: a, actor: human, exit: [classify-feedback]}
  - {id: b, actor: human, exit: [classify-feedback]}
  - {id: c, actor: human, exit: [classify-feedback]}
  - {id: end, terminal: true}
edges:
  - {from: a, to: b, on: approved}
  - {from: a, to: a, on: changes-requested}
  - {from: b, to: c, on: approved}
  - {from: b, to: b, on: changes-requested}
  - {from: c, to: end, on: approved}
  - {from: c, to: b, on: changes-requested}
";

    fn graph() -> CompiledGraph {
        CompiledGraph::compile(GRAPH).unwrap()
    }

    fn scope(root: &str) -> Scope {
        Scope { root: root.to_owned(), work_item: "w".to_owned(), loop_name: "g".to_owned() }
    }

    fn moment() -> Moment {
        Moment::parse("2026-01-01T00:00:00Z").unwrap()
    }

    fn comment(id: u64) -> CommentId {
        CommentId::of(&Value::from(id)).unwrap()
    }

    fn decided(node: &str, outcome: Outcome, id: u64) -> Event {
        let act = Act { by: "ada", via: "comment", at: moment() };
        let graph = graph();
        Event::gate_decided(
            &scope("/r"),
            act,
            graph.node(node).unwrap().id(),
            outcome,
            &comment(id),
            moment(),
        )
    }

    fn read(events: &[Event], scope: &Scope) -> History {
        let log: String = events.iter().map(Event::line).collect();
        History::read(log.as_bytes(), scope, &graph())
    }

    const OFFER: &str = "version: 1
name: g
start: a
nodes:
  - {id: a, actor: human, required: true, exit: [classify-phase-selection]}
  - {id: b, optIn: true}
  - {id: c, actor: human, exit: [classify-feedback]}
  - {id: end, terminal: true}
edges:
  - {from: a, to: b, on: selected}
  - {from: b, to: c, on: pass}
  - {from: b, to: c, on: skipped}
  - {from: c, to: end, on: approved}
  - {from: c, to: a, on: changes-requested}
";

    /// What is logged when `b` is selected in that checkout, or nothing is.
    fn answered(root: &str, selects: &[&str], id: u64) -> Vec<Event> {
        let graph = CompiledGraph::compile(OFFER).unwrap();
        let act = Act { by: "ada", via: "comment", at: moment() };
        let nodes: Vec<_> = selects.iter().map(|id| graph.node(id).unwrap().id().clone()).collect();
        let selected = (!nodes.is_empty()).then(|| Event::opt_ins_selected(&scope(root), act, &nodes));
        let node = graph.start().id();
        let decided = Event::gate_decided(&scope(root), act, node, Outcome::Selected, &comment(id), moment());
        selected.into_iter().chain([decided]).collect()
    }

    /// Whether a state that claims the selection of `b` is believed.
    fn believes(events: &[Event]) -> bool {
        let log: String = events.iter().map(Event::line).collect();
        let graph = CompiledGraph::compile(OFFER).unwrap();
        let declaration =
            Declaration { by: "ada".to_owned(), via: "comment".to_owned(), at: moment(), reason: None };
        History::read(log.as_bytes(), &scope("/r"), &graph).knows_selection("b", &declaration)
    }

    #[test]
    fn a_selection_in_another_checkout_selects_nothing_here() {
        let (here, there) = (answered("/r", &[], 1), answered("/other", &["b"], 2));
        assert!(believes(&answered("/r", &["b"], 1)));
        assert!(!believes(&there));
        assert!(!believes(&[here.clone(), there.clone()].concat()));
        assert!(!believes(&[there, here].concat()));
    }

    #[test]
    fn a_selection_that_is_asked_for_again_takes_the_earlier_one_back() {
        let mut events = answered("/r", &["b"], 1);
        events.push(decided("c", Outcome::ChangesRequested, 2));
        assert!(!believes(&events));
        assert!(!believes(&[&events[..], &answered("/r", &[], 3)].concat()));
        assert!(believes(&[&events[..], &answered("/r", &["b"], 3)].concat()));
    }

    #[test]
    fn a_decision_is_known_in_its_own_walk_only() {
        let events = [decided("a", Outcome::Approved, 1)];
        let record = read(&events, &scope("/r")).decision("a").unwrap().record.clone();
        assert!(read(&events, &scope("/r")).knows("a", &record));
        assert!(!read(&events, &scope("/r")).knows("b", &record));
        assert!(!read(&events, &scope("/other")).knows("a", &record));
        let other = Scope { work_item: "v".to_owned(), ..scope("/r") };
        assert!(!read(&events, &other).knows("a", &record));
        let other = Scope { loop_name: "h".to_owned(), ..scope("/r") };
        assert!(!read(&events, &other).knows("a", &record));
    }

    #[test]
    fn changes_requested_take_back_what_comes_after_and_nothing_before() {
        let mut events = vec![
            decided("a", Outcome::Approved, 1),
            decided("b", Outcome::Approved, 2),
            decided("c", Outcome::ChangesRequested, 3),
        ];
        let history = read(&events, &scope("/r"));
        assert!(history.decision("a").is_some() && history.decision("b").is_none());
        events.push(decided("b", Outcome::Approved, 4));
        assert!(read(&events, &scope("/r")).decision("b").is_some());
    }

    #[test]
    fn a_new_start_takes_everything_back_and_no_comment_counts_twice() {
        let act = Act { by: "me", via: "cli", at: moment() };
        let events = [decided("a", Outcome::Approved, 1), Event::started(&scope("/r"), act)];
        let before = read(&events[..1], &scope("/r"));
        assert!(!before.has_used(&comment(1), "a", moment()), "the same decision may be taken again");
        assert!(before.has_used(&comment(1), "b", moment()));
        let after = read(&events, &scope("/r"));
        assert!(after.decision("a").is_none() && after.has_used(&comment(1), "a", moment()));
        assert_eq!(after.entered("a"), Some(moment()));
    }

    #[test]
    fn a_gate_that_is_entered_anew_in_the_same_second_wants_a_new_answer() {
        let act = Act { by: "me", via: "cli", at: moment() };
        let entered = Event::gate_entered(&scope("/r"), act, graph().start().id());
        let history = read(&[decided("a", Outcome::ChangesRequested, 1), entered], &scope("/r"));
        assert!(history.has_used(&comment(1), "a", moment()));
    }
}
