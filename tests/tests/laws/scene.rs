//! Scenes: an item that was started, with its evidence and with the answer to its phase selection.
//!
//! [`answered`] sets them up; what then happens is left to the laws.

use std::collections::BTreeSet;

use proptest::prelude::*;
use the_loop::graph::advance::{Step, StepOutcome};

use super::answer::{Answer, Chosen};
use super::forgery::{Other, elsewhere};
use super::item::{Evidence, Item};
use super::phases::Phases;

/// When items are started.
const BEGIN: u32 = 500;

/// What the phases leave behind, in turns: everything, or some of it.
pub(crate) fn evidence() -> impl Strategy<Value = Vec<Evidence>> {
    let one = prop_oneof![
        1 => Just(Evidence::Missing),
        1 => Just(Evidence::Form),
        6 => Just(Evidence::Whole),
        2 => Just(Evidence::Unavailable),
    ];
    prop_oneof![1 => Just(vec![Evidence::Whole]), 2 => prop::collection::vec(one, 1..9)]
}

/// An item that was started and has its answer; the answer has not been read yet.
pub(crate) fn answered(
    phases: &Phases,
    others: &[Other],
    answer: &Answer,
    evidence: &[Evidence],
) -> (Item, Chosen) {
    let graph = phases.graph();
    let log = |early: bool| -> String {
        let others = others.iter().filter(|other| (other.at < BEGIN) == early);
        others.map(|other| elsewhere(&graph, *other)).collect()
    };
    let (before, after) = (log(true), log(false));
    let mut item = Item::start(graph, before, BEGIN);
    item.log += &after;
    item.read_log();
    item.leave(evidence);
    let chosen = answer.give(&mut item);
    (item, chosen)
}

/// A step neither ends an opt-in phase that is not selected, nor leads to one.
pub(crate) fn assert_not_run(
    step: &Step,
    item: &Item,
    selected: &BTreeSet<String>,
) -> Result<(), TestCaseError> {
    let StepOutcome::Left(_) = step.outcome else { return Ok(()) };
    for id in item.opt_ins().iter().filter(|id| !selected.contains(*id)) {
        prop_assert_ne!(step.node.as_str(), id, "it ran");
        prop_assert_ne!(&step.state.current, id, "the walk came to it");
    }
    Ok(())
}
