//! A selection is what the answer says, no more and no less, and each part of it that is lost takes something away.
//!
//! What an answer should choose is known from how it was made.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;
use the_loop::graph::Node;
use the_loop::graph::check::Status;
use the_loop::graph::state::State;

use super::answer::{Answer, Mark, any_answer, untouched_answer};
use super::cases;
use super::forgery::{Forgery, forged, forgeries, other_walks};
use super::item::{Evidence, Item};
use super::phases::phases;
use super::scene::{answered, assert_not_run, evidence};

/// A part of what a selection left behind.
#[derive(Clone, Debug)]
enum Part {
    /// A member of the state, and what in it.
    Stated(&'static str, Index, Option<Index>),
    Whole(&'static str),
    /// A line of the log that tells of it.
    Logged(Index),
}

fn part() -> impl Strategy<Value = Part> {
    let member = || {
        prop::sample::select(vec!["optIns", "optIns", "optIns", "frozen", "nodes", "entered", "checklist"])
    };
    prop_oneof![
        5 => (member(), any::<Index>(), prop::option::of(any::<Index>())).prop_map(|(name, which, field)| Part::Stated(name, which, field)),
        1 => member().prop_map(Part::Whole),
        1 => any::<Index>().prop_map(Part::Logged),
    ]
}

impl Part {
    fn take(&self, item: &mut Item, selection: &str) {
        let mut state: Value = serde_json::from_str(&item.state.text()).expect("JSON");
        match self {
            Self::Stated(name, which, field) => {
                // Of the records only that of the selection is part of it.
                let members = state[*name].as_object_mut().expect("an object");
                let keys: Vec<String> =
                    members.keys().filter(|key| *name != "nodes" || *key == selection).cloned().collect();
                if keys.is_empty() {
                    return;
                }
                let key = which.get(&keys);
                match (field, &mut members[key]) {
                    (Some(field), Value::Object(fields)) if !fields.is_empty() => {
                        let keys: Vec<String> = fields.keys().cloned().collect();
                        fields.remove(field.get(&keys));
                    }
                    (Some(field), Value::Array(rows)) if !rows.is_empty() => {
                        rows.remove(field.index(rows.len()));
                    }
                    _ => drop(members.remove(key)),
                }
            }
            Self::Whole("nodes") => {
                drop(state["nodes"].as_object_mut().expect("an object").remove(selection));
            }
            Self::Whole(name) => drop(state.as_object_mut().expect("an object").remove(*name)),
            Self::Logged(which) => {
                let tells = |line: &&str| {
                    line.contains("graph.opt_ins_selected")
                        || (line.contains("graph.gate_decided")
                            && line.contains(&format!("\"node\":\"{selection}\"")))
                };
                let lines: Vec<&str> = item.log.lines().filter(tells).collect();
                if !lines.is_empty() {
                    let gone = format!("{}\n", which.get(&lines));
                    item.log = item.log.replacen(&gone, "", 1);
                    item.read_log();
                }
                return;
            }
        }
        item.state = State::parse(&state.to_string()).expect("a state");
    }
}

/// The same answer with some of its ticks taken away.
fn without_some_ticks(answer: &Answer, fewer: &[bool]) -> Answer {
    let weaken = |marks: &Vec<Mark>| {
        let weaken =
            |(mark, goes): (&Mark, &bool)| if *mark == Mark::Ticked && *goes { Mark::Left } else { *mark };
        // Long enough that no row meets another mark than before.
        let long = marks.iter().cycle().take(marks.len() * fewer.len());
        long.zip(fewer.iter().cycle()).map(weaken).collect()
    };
    let mut answer = answer.clone();
    answer.ticks = weaken(&answer.ticks);
    answer.copied = answer.copied.as_ref().map(weaken);
    answer
}

/// The opt-in phases among some.
fn opt_ins_of(item: &Item, ids: &BTreeSet<String>) -> BTreeSet<String> {
    item.opt_ins().into_iter().filter(|id| ids.contains(id)).collect()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn an_answer_runs_exactly_what_it_says(
        phases in phases(), others in other_walks(), answer in any_answer().prop_filter("known", Answer::is_exact),
    ) {
        let (mut item, chosen) = answered(&phases, &others, &answer, &[Evidence::Whole]);
        let step = item.advance().expect("a step");
        let stated: BTreeSet<String> = step.state.opt_ins.keys().cloned().collect();
        prop_assert_eq!(&stated, &chosen.opt_ins);
        let runs = |node: &Node| match node.id().as_str() {
            id if node.is_opt_in() => chosen.opt_ins.contains(id),
            id => !node.is_terminal() && !chosen.skips.contains(id),
        };
        let mut ended = vec![step.node.to_string()];
        ended.extend(item.walk());
        prop_assert_eq!(ended, item.names(runs));
        prop_assert_eq!(opt_ins_of(&item, &item.passed()), chosen.opt_ins);
    }

    #[test]
    fn without_a_tick_exactly_the_default_phases_run(
        phases in phases(), others in other_walks(), answer in untouched_answer(), forgeries in forgeries(), is_forged: bool,
    ) {
        let (mut item, _) = answered(&phases, &others, &answer, &[Evidence::Whole]);
        let opt_ins = item.opt_ins();
        if is_forged {
            // Whatever claims a selection before there is one is forgotten.
            let keeps = |forgery: &&Forgery| matches!(forgery, Forgery::OptIn(..) | Forgery::Frozen(..) | Forgery::Token | Forgery::Pin(_));
            let forgeries: Vec<Forgery> = forgeries.iter().filter(keeps).cloned().collect();
            item.state = forged(&item, &forgeries);
        }
        let step = item.advance().expect("a step");
        prop_assert!(step.state.opt_ins.is_empty() && step.state.skips.is_empty(), "{}", step.state.text());
        let confirmation = step.confirmation.expect("a confirmation");
        prop_assert!(opt_ins.iter().all(|id| confirmation.contains(&format!("`{id}`"))), "{}", confirmation);
        prop_assert!(confirmation.contains("not selected"), "{}", confirmation);
        let mut ended = vec![step.node.to_string()];
        ended.extend(item.walk());
        prop_assert_eq!(ended, item.names(|node| !node.is_opt_in() && !node.is_terminal()));
        for report in item.reports() {
            prop_assert!(report.ok, "{:?}", report);
            for row in report.nodes {
                let expected = if opt_ins.contains(&row.node.to_string()) { Status::NotSelected } else { Status::Pass };
                prop_assert_eq!(row.status, expected, "{}", row.node);
            }
        }
    }

    #[test]
    fn taking_a_part_of_a_selection_away_adds_no_pass(
        (phases, others, answer, evidence) in (phases(), other_walks(), any_answer(), evidence()),
        steps in 0..12_usize, parts in prop::collection::vec(part(), 1..4),
    ) {
        let (mut item, chosen) = answered(&phases, &others, &answer, &evidence);
        let selection = item.graph.phase_selection().expect("a selection").id().to_string();
        for _ in 0..steps {
            item.say("the-loop approve");
            item.advance();
        }
        let (before, recorded) = (item.passed(), item.state.opt_ins.clone());
        for part in &parts {
            part.take(&mut item, &selection);
        }
        let after = item.passed();
        // What the walk now comes to sooner passes by what it left behind itself, and only if its own selection is whole.
        let is_own = |id: &String| match item.graph.node(id) {
            Some(node) if node.is_opt_in() => {
                chosen.opt_ins.contains(id) && item.state.opt_ins.get(id) == recorded.get(id) && item.has_earned(id)
            }
            Some(node) => *id != selection && (node.is_terminal() || item.has_earned(id)),
            None => false,
        };
        let added: Vec<&String> = after.difference(&before).filter(|id| !is_own(id)).collect();
        prop_assert!(added.is_empty(), "{:?} pass now\n{}", added, item.state.text());
        for id in recorded.keys().filter(|id| !item.state.opt_ins.contains_key(*id)) {
            for report in item.reports() {
                let row = report.nodes.iter().find(|row| row.node.as_str() == id).expect("a row");
                prop_assert_eq!(row.status, Status::NotSelected, "{}", id);
            }
        }
        for _ in 0..3 {
            if let Some(step) = item.advance() {
                assert_not_run(&step, &item, &chosen.opt_ins)?;
            }
        }
    }

    #[test]
    fn taking_ticks_away_adds_no_pass(
        (phases, others, answer, evidence) in (phases(), other_walks(), any_answer().prop_filter("known", Answer::is_exact), evidence()),
        fewer in prop::collection::vec(any::<bool>(), 1..9),
    ) {
        let passed = |answer: &Answer| {
            let (mut item, _) = answered(&phases, &others, answer, &evidence);
            item.advance();
            let selected: BTreeSet<String> = item.state.opt_ins.keys().cloned().collect();
            item.walk();
            (selected, opt_ins_of(&item, &item.passed()))
        };
        let (selected, passed_before) = passed(&answer);
        let (fewer_selected, passed_after) = passed(&without_some_ticks(&answer, &fewer));
        prop_assert!(fewer_selected.is_subset(&selected), "{:?}, {:?}", fewer_selected, selected);
        // A walk that is stopped sooner by a phase without evidence gets less far with it than without it.
        prop_assert!(passed_after.is_subset(&fewer_selected), "{:?}", passed_after);
        prop_assert!(passed_after.iter().all(|id| selected.contains(id)), "{:?}, {:?}", passed_after, passed_before);
    }
}
