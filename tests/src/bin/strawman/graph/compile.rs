//! Whether a graph can be walked. Main function: [`compile`].
//!
//! Every rule is a function that looks at the whole graph and adds what it finds, so that all problems come at once.
//! Rules about ways only speak about graphs whose edges reach nodes. No file is opened here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use crate::fault::graph::{Fault, on};

use super::decode;
use super::definition::{Actor, Graph, Hook, Located, Node, Outcome};
use super::tree::{Problem, Spot};

/// Reads and judges a graph file; the problems stand in the order of the file.
pub(crate) fn compile(text: &str) -> Result<Graph, Vec<Problem>> {
    let (graph, problems) = decode::read(text);
    let mut judge = Judge { graph: &graph, problems };
    if !graph.nodes.is_empty() {
        judge.markers();
        judge.skip_sets();
        judge.gates();
        judge.files();
        judge.edges();
        if judge.ends_meet() {
            judge.reach();
            judge.cycles();
            judge.passed_by();
            judge.selection_first();
        }
    }
    let mut problems = judge.problems;
    problems.sort();
    problems.dedup();
    if on(Fault::FirstProblemOnly) {
        problems.truncate(1);
    }
    if problems.is_empty() { Ok(graph) } else { Err(problems) }
}

struct Judge<'a> {
    graph: &'a Graph,
    problems: Vec<Problem>,
}

impl Judge<'_> {
    fn complain(&mut self, spot: Spot, text: impl Into<String>) {
        self.problems.push(Problem { spot, text: text.into() });
    }

    fn markers(&mut self) {
        for node in &self.graph.nodes {
            let (id, spot) = (&node.id.text, node.id.spot);
            if node.required && node.opt_in && !on(Fault::RequiredOptInAccepted) {
                let named = if on(Fault::RequiredOptInUnnamed) { "a node" } else { &format!("node `{id}`") };
                self.complain(
                    spot,
                    format!("{named} is `required` and `optIn`: nothing is both a must and off; drop one"),
                );
            }
            if node.required && node.skippable && !node.opt_in && !on(Fault::RequiredSkippableAccepted) {
                self.complain(spot, format!("node `{id}` is `required` and `skippable`; drop one"));
            }
            if node.opt_in && !node.skippable && on(Fault::OptInNeedsSkippable) {
                self.complain(spot, format!("node `{id}` is `optIn` but not `skippable`"));
            }
            let marked = node.required || node.skippable || node.opt_in;
            let busy = marked || !node.exit.is_empty() || !node.produces.is_empty();
            if node.terminal && busy && !on(Fault::BusyTerminalAccepted) {
                let text = format!("terminal node `{id}` may have no `exit`, no `produces` and no marker");
                self.complain(spot, text);
            }
        }
    }

    fn skip_sets(&mut self) {
        for (set, ids) in &self.graph.skip_sets {
            for id in ids {
                let (name, node) = (&set.text, self.graph.node(&id.text));
                let text = match node {
                    None => format!("skip set `{name}` names `{}`, which is no node", id.text),
                    Some(node) if node.opt_in && on(Fault::SkipSetOptInAccepted) => continue,
                    Some(node) if node.opt_in && on(Fault::SkipSetOptInUnnamed) => {
                        format!("skip set `{name}` names a phase that is off anyway")
                    }
                    Some(node) if node.opt_in => {
                        format!("skip set `{name}` names `{}`, which is opt-in and off anyway", id.text)
                    }
                    Some(node) if node.skippable => continue,
                    Some(_) => format!("skip set `{name}` names `{}`, which always runs", id.text),
                };
                self.complain(id.spot, text);
            }
        }
    }

    fn gates(&mut self) {
        let selections =
            self.graph.nodes.iter().filter(|node| node.human_gate() == Some(Hook::PhaseSelection));
        if let Some(second) = selections.skip(1).last() {
            self.complain(second.id.spot, format!("`{}` is a second phase selection", second.id.text));
        }
        for node in &self.graph.nodes {
            let (id, spot) = (&node.id.text, node.id.spot);
            let human = node.exit.iter().filter(|gate| gate.hook.is_human()).count();
            if node.actor == Actor::Human && human != 1 && !on(Fault::HumanWithoutGateAccepted) {
                let text = format!("human node `{id}` has {human} classify gates; give it exactly one");
                self.complain(spot, text);
            }
            if node.actor != Actor::Human && human > 0 && !on(Fault::GateWithoutHumanAccepted) {
                self.complain(spot, format!("node `{id}` has a classify gate; set `actor: human`"));
            }
            if node.human_gate() == Some(Hook::PhaseSelection)
                && !node.required
                && !on(Fault::OptionalSelectionAccepted)
            {
                self.complain(spot, format!("phase selection `{id}` must be `required: true`"));
            }
            for gate in node.exit.iter().filter(|gate| !gate.hook.is_human()) {
                let nothing = gate.validates.is_none() && node.produces.is_empty();
                if nothing && !on(Fault::EmptyGateAccepted) {
                    let text = format!("gate `{}` of `{id}` has no file to look at", gate.hook.name());
                    self.complain(gate.spot, format!("{text}; give `validates`, or `produces` to the node"));
                }
            }
        }
    }

    fn files(&mut self) {
        let mut read: BTreeMap<(String, String), &str> = BTreeMap::new();
        for node in &self.graph.nodes {
            let validated = node.exit.iter().filter_map(|gate| gate.validates.as_ref());
            for file in node.produces.iter().chain(validated) {
                if !is_inside(&file.text) && !on(Fault::OutsideFileAccepted) {
                    let text = format!("`{}` is outside the folder of the item", file.text);
                    self.complain(file.spot, format!("{text}; write a relative path without `..`"));
                }
            }
            for (file, section) in node.exit.iter().flat_map(|gate| reads(node, gate)) {
                let key = (normal(&file.text), section.text.trim().to_owned());
                let first = *read.entry(key).or_insert(&node.id.text);
                if first != node.id.text && !on(Fault::SharedSectionAccepted) {
                    let text = format!("`{first}` and `{}` read section `{}`", node.id.text, section.text);
                    self.complain(section.spot, format!("{text} of `{}`; give each its own", file.text));
                }
            }
        }
    }

    fn edges(&mut self) {
        for node in &self.graph.nodes {
            let (id, spot) = (&node.id.text, node.id.spot);
            let leaving: Vec<_> = self.graph.leaving(id).collect();
            if let Some(edge) = leaving.first().filter(|_| node.terminal) {
                self.complain(edge.spot, format!("terminal node `{id}` has an edge; the walk ends there"));
            }
            let mut needed: Vec<Outcome> = node.outcomes().to_vec();
            let excused = node.opt_in && !node.skippable && on(Fault::OptInNeedsNoSkippedEdge);
            if node.can_be_skipped() && !node.terminal && !excused {
                needed.push(Outcome::Skipped);
            }
            for outcome in needed {
                let excused = outcome != Outcome::Skipped && on(Fault::MissingEdgeAccepted);
                if !leaving.iter().any(|edge| edge.on == outcome) && !excused {
                    let edge = format!("{{from: {id}, to: …, on: {}}}", outcome.name());
                    self.complain(spot, format!("node `{id}` has no edge for it; add `{edge}`"));
                }
            }
            for (at, edge) in leaving.iter().enumerate() {
                let twice = leaving.iter().take(at).any(|earlier| earlier.on == edge.on);
                if twice && !on(Fault::SecondEdgeAccepted) {
                    let text = format!("a second edge from `{id}` on `{}`; keep one", edge.on.name());
                    self.complain(edge.spot, text);
                }
            }
        }
    }

    /// Whether start and edges name nodes.
    fn ends_meet(&mut self) -> bool {
        let before = self.problems.len();
        let graph = self.graph;
        let start = Some((&graph.start, "start")).filter(|(start, _)| !start.text.is_empty());
        let ends = graph.edges.iter().flat_map(|edge| [(&edge.from, "from"), (&edge.to, "to")]);
        for (word, key) in start.into_iter().chain(ends) {
            if graph.node(&word.text).is_none() {
                self.complain(word.spot, format!("`{key}` names `{}`, which is no node", word.text));
            }
        }
        self.problems.len() == before && start.is_some()
    }

    /// What can be reached from the start without entering `closed`.
    fn reached(&self, closed: Option<&str>) -> BTreeSet<&str> {
        let start = self.graph.start.text.as_str();
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = Some(start).filter(|start| Some(*start) != closed).into_iter().collect();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                let next = self.graph.leaving(id).map(|edge| edge.to.text.as_str());
                open.extend(next.filter(|id| Some(*id) != closed));
            }
        }
        seen
    }

    fn reach(&mut self) {
        let seen: BTreeSet<String> = self.reached(None).into_iter().map(str::to_owned).collect();
        for node in &self.graph.nodes {
            if !seen.contains(&node.id.text) && !on(Fault::UnreachableAccepted) {
                let text = format!("no walk reaches node `{}`; lead an edge to it", node.id.text);
                self.complain(node.id.spot, text);
            }
        }
    }

    /// Takes away what can be put in order from the start, then from the end; what is left stands on a circle.
    fn cycles(&mut self) {
        let counts = |outcome: Outcome| match outcome {
            Outcome::ChangesRequested => false,
            Outcome::Skipped => !on(Fault::SkippedCycleAccepted),
            _ => !on(Fault::CycleAccepted),
        };
        let forward = self.graph.edges.iter().filter(|edge| counts(edge.on));
        let ways = forward.map(|edge| (edge.from.text.as_str(), edge.to.text.as_str())).collect();
        let back = unordered(ways).into_iter().map(|(from, to)| (to, from)).collect();
        let circle: BTreeSet<&str> = unordered(back).into_iter().map(|(from, _)| from).collect();
        if let Some(first) = self.graph.nodes.iter().find(|node| circle.contains(node.id.text.as_str())) {
            let ids = circle.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
            let text = format!("the walk can go round for ever: {ids}; only changes-requested may lead back");
            self.complain(first.id.spot, text);
        }
    }

    fn passed_by(&mut self) {
        for node in self.graph.opt_ins().filter(|_| !on(Fault::OptInPassedByAccepted)) {
            let around = self.reached(Some(&node.id.text));
            let ends = self.graph.nodes.iter().filter(|node| node.terminal);
            if ends.into_iter().any(|end| around.contains(end.id.text.as_str())) {
                let text =
                    format!("a walk passes the opt-in node `{}` by; every way must lead to it", node.id.text);
                self.complain(node.id.spot, text);
            }
        }
    }

    fn selection_first(&mut self) {
        let Some(selection) = self.graph.selection() else { return };
        let early = self.reached(Some(&selection.id.text));
        let late: Vec<&Node> = self
            .graph
            .nodes
            .iter()
            .filter(|node| node.can_be_skipped() && early.contains(node.id.text.as_str()))
            .collect();
        for node in late.into_iter().filter(|_| !on(Fault::LateSelectionAccepted)) {
            let text = format!("node `{}` can be left out, but a walk meets it before", node.id.text);
            self.complain(node.id.spot, format!("{text} phase selection `{}`", selection.id.text));
        }
    }
}

/// The ways that leave a node which has no place in an order of all nodes.
fn unordered<'a>(ways: Vec<(&'a str, &'a str)>) -> Vec<(&'a str, &'a str)> {
    let mut arriving: BTreeMap<&str, usize> = BTreeMap::new();
    let mut leaving: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in &ways {
        arriving.entry(from).or_default();
        *arriving.entry(to).or_default() += 1;
        leaving.entry(from).or_default().push(to);
    }
    let mut free: Vec<&str> = arriving.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
    while let Some(id) = free.pop() {
        for to in leaving.remove(id).unwrap_or_default() {
            let count = arriving.entry(to).or_default();
            *count -= 1;
            if *count == 0 {
                free.push(to);
            }
        }
    }
    ways.into_iter().filter(|(from, _)| leaving.contains_key(from)).collect()
}

/// Each section of each file that a gate reads.
fn reads<'a>(
    node: &'a Node,
    gate: &'a super::definition::Gate,
) -> impl Iterator<Item = (&'a Located, &'a Located)> {
    let made: &[Located] = if gate.validates.is_none() { &node.produces } else { &[] };
    let files = gate.validates.iter().chain(made);
    files.flat_map(|file| gate.sections.iter().map(move |section| (file, section)))
}

fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some()
        && !path.contains('\0')
        && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn normal(path: &str) -> String {
    let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
