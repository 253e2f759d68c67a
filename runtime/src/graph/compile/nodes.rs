//! Each node by itself: markers that exclude each other, the actor and the gates, the ends of a walk.
//!
//! [`compile`] applies the defaults and gives a [`Node`].

use super::index::Named;
use crate::config::{Position, Problem};
use crate::graph::definition::{ExitDefinition, NodeDefinition, ValidateDefinition, Written};
use crate::graph::{Actor, ArtifactPath, Gate, Node, Presence};

/// The node, and everything that is wrong with it alone.
pub(super) fn compile(node: &Named<'_>, problems: &mut Vec<Problem>) -> Node {
    let written = node.written;
    let mut told = Vec::new();
    if is_set(written.terminal.as_ref()) {
        check_terminal(written, &mut told);
    } else {
        check_markers(written, &mut told);
    }
    check_actor(written, &mut told);
    let produces: Vec<ArtifactPath> = written.produces.iter().map(|path| path.value.clone()).collect();
    let exit =
        written.exit.iter().filter_map(|gate| compile_gate(gate, written, &produces, &mut told)).collect();
    problems.extend(told.into_iter().map(|problem| problem.about(node.subject())));
    Node {
        id: node.id.clone(),
        phase: written.phase.clone(),
        actor: written.actor.as_ref().map_or(Actor::default(), |actor| actor.value),
        presence: presence(written),
        description: written.description.clone(),
        stage: written.stage.clone(),
        produces,
        entry: written.entry.clone(),
        exit,
    }
}

fn is_set(marker: Option<&Written<bool>>) -> bool {
    marker.is_some_and(|marker| marker.value)
}

fn presence(written: &NodeDefinition) -> Presence {
    match written {
        _ if is_set(written.terminal.as_ref()) => Presence::Terminal,
        _ if is_set(written.opt_in.as_ref()) => Presence::OptIn,
        _ if is_set(written.skippable.as_ref()) => Presence::DefaultOn,
        _ if is_set(written.required.as_ref()) => Presence::Required,
        _ => Presence::Fixed,
    }
}

fn check_markers(written: &NodeDefinition, told: &mut Vec<Problem>) {
    let set = |marker: &Option<Written<bool>>| {
        marker.as_ref().filter(|marker| marker.value).map(|marker| marker.at)
    };
    let (required, skippable, opt_in) =
        (set(&written.required), set(&written.skippable), set(&written.opt_in));
    if let (Some(required), Some(opt_in)) = (required, opt_in) {
        let what = "`required` and `optIn` exclude each other: what must run cannot be off by default";
        told.push(Problem::new(required.max(opt_in), what).remedy("remove one of them"));
    }
    if let (Some(required), Some(skippable)) = (required, skippable) {
        let what = "`required` and `skippable` exclude each other: what must run cannot be declared away";
        told.push(Problem::new(required.max(skippable), what).remedy("remove one of them"));
    }
    if let (Some(_), Some(Written { value: false, at })) = (opt_in, &written.skippable) {
        let what =
            "`skippable: false` contradicts `optIn: true`, which implies that the node can be left out";
        told.push(Problem::new(*at, what).remedy("remove one of them"));
    }
}

fn check_terminal(written: &NodeDefinition, told: &mut Vec<Problem>) {
    let set = |marker: &Option<Written<bool>>| {
        marker.as_ref().filter(|marker| marker.value).map(|marker| marker.at)
    };
    let superfluous = [
        ("required", set(&written.required)),
        ("skippable", set(&written.skippable)),
        ("optIn", set(&written.opt_in)),
        ("produces", written.produces.first().map(|path| path.at)),
        ("exit", written.exit.first().map(|gate| gate.at)),
    ];
    for (key, at) in superfluous {
        if let Some(at) = at {
            let what = format!("a terminal node has no `{key}`: the walk ends there");
            told.push(Problem::new(at, what).remedy(format!("remove `{key}`, or `terminal`")));
        }
    }
}

fn check_actor(written: &NodeDefinition, told: &mut Vec<Problem>) {
    if written.unclear {
        return;
    }
    let classifiers: Vec<Position> =
        written.exit.iter().filter(|gate| gate.value.is_answer()).map(|gate| gate.at).collect();
    let human = written.actor.as_ref().filter(|actor| actor.value == Actor::Human);
    match (human, classifiers.as_slice()) {
        (_, [_, second, ..]) => {
            let what = "two gates read a human's answer: one answer decides";
            told.push(Problem::new(*second, what).remedy("keep one of them"));
        }
        (Some(human), []) if is_set(written.terminal.as_ref()) => {
            let what = "a terminal node has no `actor: human`: nothing is decided there";
            told.push(Problem::new(human.at, what).remedy("remove `actor`"));
        }
        (Some(human), []) => {
            let what = "`actor: human`, but no gate reads the answer";
            let remedy = "add `exit: [classify-feedback]`, or remove `actor`";
            told.push(Problem::new(human.at, what).remedy(remedy));
        }
        (None, [gate]) => {
            let what = "the gate reads a human's answer, but the actor is no human";
            told.push(Problem::new(*gate, what).remedy("write `actor: human`, or remove the gate"));
        }
        _ => {}
    }
}

/// The gate with its files; `None` when it lacks what it needs.
fn compile_gate(
    gate: &Written<ExitDefinition>,
    written: &NodeDefinition,
    produces: &[ArtifactPath],
    told: &mut Vec<Problem>,
) -> Option<Gate> {
    let files =
        |validate: &ValidateDefinition| validate.validates.clone().unwrap_or_else(|| produces.to_vec());
    let mut lacking = |what: &str, remedy: &str| {
        // What could not be read may be just what is lacking.
        if !written.unclear {
            told.push(Problem::new(gate.at, what).remedy(remedy));
        }
        None
    };
    match &gate.value {
        ExitDefinition::PhaseSelection => Some(Gate::ClassifyPhaseSelection),
        ExitDefinition::Feedback => Some(Gate::ClassifyFeedback),
        ExitDefinition::Artifacts(validate) => {
            let files = files(validate);
            if files.is_empty() {
                return lacking(
                    "`validate-artifacts` has nothing to read: neither `produces` nor `validates` names a file",
                    "add `produces: [FILE]` to the node, or `with: {validates: FILE}` to the gate",
                );
            }
            Some(Gate::ValidateArtifacts { files, sections: validate.sections.clone() })
        }
        ExitDefinition::ReviewRecord(validate) => {
            match (files(validate).as_slice(), validate.sections.as_slice()) {
                ([file], [section]) => {
                    Some(Gate::ValidateReviewRecord { file: file.clone(), section: section.clone() })
                }
                ([], _) => lacking(
                    "`validate-review-record` has nothing to read: neither `produces` nor `validates` names a file",
                    "write `with: {validates: FILE, sections: [HEADING]}`",
                ),
                _ => lacking(
                    "`validate-review-record` reads one section of one file",
                    "write `with: {validates: FILE, sections: [HEADING]}`",
                ),
            }
        }
    }
}
