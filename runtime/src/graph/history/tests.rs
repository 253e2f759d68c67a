//! What a log makes believe, and what not.

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
    Event::gate_decided(&scope("/r"), act, graph.node(node).unwrap().id(), outcome, &comment(id), moment())
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

#[test]
fn what_another_loop_did_is_not_of_this_walk() {
    let other = Scope { loop_name: "other".to_owned(), ..scope("/r") };
    let act = || Act { by: "ada", via: "cli", at: moment() };
    let graph = graph();
    let id = graph.node("a").unwrap().id();
    let of = |scope: &Scope| {
        let events = [
            Event::gate_entered(scope, act(), id),
            Event::checklist_printed(scope, act(), "hash"),
            Event::checklist_seen(scope, act(), Some(&comment(1))),
        ];
        let history = read(&events, &self::scope("/r"));
        let known = history.checklist();
        (history.entered("a").is_some(), known.tokens.len(), known.comment.is_some())
    };
    assert_eq!(of(&scope("/r")), (true, 1, true));
    assert_eq!(of(&other), (false, 0, false));
    assert_eq!(of(&scope("/elsewhere")), (false, 0, false));
}
