//! Opt-in phases run if an authorised human ticked them at the phase selection, and for no other reason.
//!
//! Items are walked on the library; comments, states and evidence are what strangers and agents may write.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use the_loop::graph::Node;
use the_loop::graph::advance::{Step, StepOutcome};
use the_loop::graph::check::Status;
use the_loop::graph::state::State;

use super::answer::{Answer, TRICKS, Trick, any_answer};
use super::cases;
use super::forgery::{Forgery, Other, forged, forgeries, other_walks};
use super::item::{Evidence, HUMAN, Item};
use super::phases::{Phases, phases};
use super::scene::{answered, assert_not_run, evidence};

/// What happens between two honest stretches of a walk.
#[derive(Clone, Debug)]
struct Round {
    /// Honest steps before.
    steps: usize,
    forgeries: Vec<Forgery>,
    /// Whether what was forged stays.
    stays: bool,
    /// A comment that comes too late, or the human wants changes.
    trick: Option<Trick>,
    changes: bool,
}

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let trick = prop::option::of(prop::sample::select(&TRICKS[..]));
    let round = (0..5_usize, forgeries(), any::<bool>(), trick, prop::bool::weighted(0.15));
    let round = round.prop_map(|(steps, forgeries, stays, trick, changes)| Round {
        steps,
        forgeries,
        stays,
        trick,
        changes,
    });
    prop::collection::vec(round, 1..4)
}

/// Everything that may happen to one item.
#[derive(Clone, Debug)]
struct Life {
    phases: Phases,
    others: Vec<Other>,
    answer: Answer,
    evidence: Vec<Evidence>,
    /// What is forged before the answer is read.
    early: Vec<Forgery>,
    rounds: Vec<Round>,
}

fn life() -> impl Strategy<Value = Life> {
    let early = prop_oneof![2 => Just(Vec::new()), 3 => forgeries()];
    (phases(), other_walks(), any_answer(), evidence(), early, rounds()).prop_map(
        |(phases, others, answer, evidence, early, rounds)| Life {
            phases,
            others,
            answer,
            evidence,
            early,
            rounds,
        },
    )
}

/// No phase but those selected is walked, and nothing passes that has not shown why.
fn assert_off(item: &Item, selected: &BTreeSet<String>) -> Result<(), TestCaseError> {
    let selection = item.graph.phase_selection().expect("a selection").id().as_str();
    for report in item.reports() {
        for row in &report.nodes {
            let id = row.node.as_str();
            let node = item.graph.node(id).expect("a node");
            let passes = matches!(row.status, Status::Pass | Status::Unavailable);
            if node.is_opt_in() && !selected.contains(id) {
                prop_assert!(!passes, "{} passes\n{}", id, item.state.text());
                // As long as nobody has answered, a state may claim something, and is told to be unverified.
                let is_claimed = item.state.opt_ins.contains_key(id) && !item.is_answered(selection);
                prop_assert!(is_claimed || row.status == Status::NotSelected, "{} is {:?}", id, row.status);
            }
            prop_assert!(!passes || node.is_terminal() || item.has_earned(id), "{} passes for nothing", id);
            prop_assert!(node.is_opt_in() || row.status != Status::NotSelected, "{} is not selected", id);
        }
    }
    Ok(())
}

/// A step whatever the state is. What the step says is held against what was selected.
fn step(item: &mut Item, selected: &BTreeSet<String>) -> Result<Option<Step>, TestCaseError> {
    let taken = item.advance();
    if let Some(step) = &taken {
        assert_not_run(step, item, selected)?;
    }
    assert_off(item, selected)?;
    Ok(taken)
}

/// The state replaced; what it was.
fn replace(item: &mut Item, state: State) -> State {
    std::mem::replace(&mut item.state, state)
}

/// What a life came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// There was a row of an opt-in phase that could be ticked.
    Offered,
    Answered,
    Selected,
    /// A state was forged after the answer.
    Forged,
    Passed,
    Ended,
}

fn live(life: &Life) -> Result<BTreeSet<Event>, TestCaseError> {
    let (mut item, chosen) = answered(&life.phases, &life.others, &life.answer, &life.evidence);
    let selection = item.graph.phase_selection().expect("a selection").id().to_string();
    let mut selected = chosen.opt_ins;
    let honest = item.state.clone();
    item.state = forged(&item, &life.early);
    assert_off(&item, &BTreeSet::new())?;
    let taken = step(&mut item, &selected)?;
    if taken.is_none_or(|step| !matches!(step.outcome, StepOutcome::Left(_))) {
        item.state = honest;
        step(&mut item, &selected)?;
    }
    let mut course = BTreeSet::new();
    if chosen.could_tick {
        course.insert(Event::Offered);
    }
    if item.is_answered(&selection) {
        course.insert(Event::Answered);
    }
    for round in &life.rounds {
        let now = item.now;
        if let Some(trick) = round.trick {
            let text = item.clone().checklist();
            trick.play(&mut item, &text, now, now + 100);
        }
        for _ in 0..round.steps {
            let said = if round.changes { "the-loop request changes" } else { "the-loop approve" };
            item.say(said);
            step(&mut item, &selected)?;
            if item.state.current == selection && course.contains(&Event::Answered) {
                // Asked once more, the human wants nothing besides.
                let rows: String = item.opt_ins().iter().flat_map(|id| ["- [ ] ", id, "\n"]).collect();
                let now = item.now;
                item.comment(HUMAN, &format!("the-loop execute\n\n{rows}"), now + 10, &[]);
                selected.clear();
                step(&mut item, &selected)?;
            }
        }
        let state = forged(&item, &round.forgeries);
        let honest = replace(&mut item, state);
        assert_off(&item, &selected)?;
        if course.contains(&Event::Answered) {
            course.insert(Event::Forged);
        }
        item.say("the-loop approve");
        let log = item.log.clone();
        step(&mut item, &selected)?;
        if !round.stays {
            item.state = honest;
            item.log = log;
            item.read_log();
        }
    }
    let has_ended = item.graph.node(&item.state.current).is_some_and(Node::is_terminal);
    let has_passed = item.passed().iter().any(|id| selected.contains(id));
    let last =
        [(Event::Selected, !selected.is_empty()), (Event::Passed, has_passed), (Event::Ended, has_ended)];
    course.extend(last.into_iter().filter(|(_, holds)| *holds).map(|(event, _)| event));
    Ok(course)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn nothing_makes_an_unselected_phase_run_or_pass(life in life()) {
        live(&life)?;
    }
}

#[test]
fn the_drawn_lives_tick_forge_and_end() {
    const LIVES: usize = 300;
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<Event, usize> = BTreeMap::new();
    for _ in 0..LIVES {
        let life = life().new_tree(&mut runner).expect("a life").current();
        for event in live(&life).expect("a lawful life") {
            *counts.entry(event).or_default() += 1;
        }
    }
    let least = [
        (Event::Offered, LIVES / 3),
        (Event::Answered, LIVES / 2),
        (Event::Selected, LIVES / 5),
        (Event::Forged, LIVES / 3),
        (Event::Passed, LIVES / 20),
        (Event::Ended, LIVES / 10),
    ];
    assert!(
        least.iter().all(|(event, least)| counts.get(event).is_some_and(|count| count > least)),
        "{counts:?}"
    );
}
