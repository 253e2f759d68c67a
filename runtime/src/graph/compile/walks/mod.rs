//! Walks: where the edges lead as a whole, from the start to an end.
//!
//! [`check`] tells what no walk reaches, what a walk never leaves, and what a walk could pass by. The questions
//! about numbers and arrows alone are answered by [`Paths`].

mod paths;

use super::edges::Edges;
use super::index::Index;
use crate::config::Problem;
use crate::graph::definition::Definition;
use crate::graph::{Node, Outcome};
use paths::Paths;

/// Most names that one message lists.
const MOST_NAMED: usize = 8;
/// Most messages that show a walk of their own, since each is searched for.
const MOST_SHOWN: usize = 20;

/// Tells what is wrong with the graph as a whole.
pub(super) fn check(
    definition: &Definition,
    index: &Index<'_>,
    nodes: &[Node],
    edges: &Edges,
    start: Option<usize>,
    problems: &mut Vec<Problem>,
) {
    let checked = Checked { index, nodes, edges };
    checked.tell_cycles(problems);
    checked.tell_selections(problems);
    checked.tell_ahead(problems);
    let Some(start) = start else { return };
    let all = Paths::new(nodes.len(), edges.links.iter().map(|link| (link.from, link.to)));
    let reached = all.reached(&[start], |_| false);
    if edges.whole && index.is_whole(definition) {
        checked.tell_unreached(&all, &reached, problems);
    }
    checked.tell_too_early(definition, &all, start, problems);
    checked.tell_passed_by(&all, &reached, start, problems);
}

struct Checked<'a> {
    index: &'a Index<'a>,
    nodes: &'a [Node],
    edges: &'a Edges,
}

impl Checked<'_> {
    fn tell(&self, number: usize, what: &str, remedy: &str, problems: &mut Vec<Problem>) {
        let named = &self.index.nodes[number];
        let problem = Problem::new(named.written.at, what);
        problems.push(problem.about(named.subject()).remedy(remedy));
    }

    fn tell_cycles(&self, problems: &mut Vec<Problem>) {
        let links = self.edges.links.iter().filter(|link| link.on != Outcome::ChangesRequested);
        let forward = Paths::new(self.nodes.len(), links.map(|link| (link.from, link.to)));
        let cycles = forward.cycles();
        if cycles.is_empty() {
            return;
        }
        for cycle in cycles {
            let (Some(first), Some(last)) = (cycle.first(), cycle.last()) else { continue };
            let closing = self.edges.links.iter().position(|link| {
                (link.from, link.to) == (*last, *first) && link.on != Outcome::ChangesRequested
            });
            let at = closing.map_or(self.index.nodes[*first].written.at, |at| self.edges.places[at]);
            let what = format!(
                "a walk could go round for ever: {}",
                self.route(&[cycle.as_slice(), &[*first]].concat())
            );
            let remedy = "remove or redirect one of these edges; only `changes-requested` may lead back";
            problems.push(Problem::new(at, what).about("edges").remedy(remedy));
        }
    }

    /// Requests for changes that send a walk on instead of back: what is passed over would never be decided.
    fn tell_ahead(&self, problems: &mut Vec<Problem>) {
        let ranks = self.ranks();
        for (link, at) in self.edges.links.iter().zip(&self.edges.places) {
            if link.on == Outcome::ChangesRequested && ranks[link.to] > ranks[link.from] {
                let what = format!("a request for changes leads ahead, to `{}`", self.nodes[link.to].id);
                let subject = format!("edge from `{}`", self.nodes[link.from].id);
                let remedy = "let it lead to a node that comes before, or to the node itself";
                problems.push(Problem::new(*at, what).about(subject).remedy(remedy));
            }
        }
    }

    /// For each node the most edges by which a walk comes to it, going forward: what comes before another has a smaller one. Zero
    /// for what lies in or behind a circle.
    fn ranks(&self) -> Vec<usize> {
        let forward = || self.edges.links.iter().filter(|link| link.on != Outcome::ChangesRequested);
        let mut after = vec![Vec::new(); self.nodes.len()];
        let mut open = vec![0_usize; self.nodes.len()];
        for link in forward() {
            after[link.from].push(link.to);
            open[link.to] += 1;
        }
        let mut ranks = vec![0; self.nodes.len()];
        let mut ready: Vec<usize> = (0..open.len()).filter(|number| open[*number] == 0).collect();
        while let Some(number) = ready.pop() {
            for next in &after[number] {
                ranks[*next] = ranks[*next].max(ranks[number] + 1);
                open[*next] -= 1;
                if open[*next] == 0 {
                    ready.push(*next);
                }
            }
        }
        ranks.iter().zip(&open).map(|(rank, open)| if *open == 0 { *rank } else { 0 }).collect()
    }

    fn tell_selections(&self, problems: &mut Vec<Problem>) {
        let mut first = None;
        for (number, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.is_phase_selection()) {
            if !node.is_required() && !node.is_terminal() {
                let what = "a phase selection has to be required: nobody may do without it";
                self.tell(number, what, "mark it `required: true`", problems);
            }
            match first {
                None => first = Some(number),
                Some(first) => {
                    let what = format!(
                        "`{}` is a phase selection as well: phases are chosen once",
                        self.nodes[first].id
                    );
                    self.tell(number, &what, "keep one of them", problems);
                }
            }
        }
    }

    fn tell_unreached(&self, all: &Paths, reached: &[bool], problems: &mut Vec<Problem>) {
        for island in all.islands(reached) {
            let Some((first, others)) = island.split_first() else { continue };
            let what = match others {
                [] => "no walk reaches it".to_owned(),
                others => format!("no walk reaches it, nor {} behind it", self.names(others)),
            };
            self.tell(*first, &what, "add an edge that leads to it, or remove it", problems);
        }
    }

    /// Nodes that could be left out, but come before anybody was asked.
    fn tell_too_early(
        &self,
        definition: &Definition,
        all: &Paths,
        start: usize,
        problems: &mut Vec<Problem>,
    ) {
        let selection = self.nodes.iter().find(|node| node.is_phase_selection());
        let is_unclear = definition.nodes.iter().any(|node| node.unclear || node.id.is_none());
        if selection.is_none() && is_unclear {
            return;
        }
        let early = all.reached(&[start], |number| self.nodes[number].is_phase_selection());
        let early: Vec<usize> = (0..self.nodes.len())
            .filter(|number| early[*number] && self.nodes[*number].is_skippable())
            .filter(|number| !self.nodes[*number].is_phase_selection())
            .collect();
        let Some(first) = early.first() else { return };
        let Some(selection) = selection else {
            let what =
                format!("there is no phase selection, so that nobody is asked about {}", self.names(&early));
            let remedy = "start with a node of `actor: human, required: true, exit: [classify-phase-selection]`, or \
                          remove the markers";
            return self.tell(*first, &what, remedy, problems);
        };
        for number in early {
            let what = format!("a walk comes here before the phase selection `{}`", selection.id);
            let remedy = "let every walk to it lead through the phase selection, or remove the marker";
            self.tell(number, &what, remedy, problems);
        }
    }

    /// Opt-in nodes that some walk does not come to at all.
    fn tell_passed_by(&self, all: &Paths, reached: &[bool], start: usize, problems: &mut Vec<Problem>) {
        let ends: Vec<usize> = (0..self.nodes.len())
            .filter(|number| reached[*number] && self.nodes[*number].is_terminal())
            .collect();
        let Some(always) = all.always_passed(start, &ends) else { return };
        let passed_by = (0..self.nodes.len())
            .filter(|number| reached[*number] && self.nodes[*number].is_opt_in() && !always[*number]);
        for (count, number) in passed_by.enumerate() {
            let shown =
                if count < MOST_SHOWN { all.route(start, &ends, |other| other == number) } else { None };
            let shown = shown.map(|route| format!(": {}", self.route(&route))).unwrap_or_default();
            let what = format!("a walk could pass this opt-in node by{shown}");
            let remedy = "let every walk lead to it; its own `skipped` edge is the way round";
            self.tell(number, &what, remedy, problems);
        }
    }

    fn names(&self, numbers: &[usize]) -> String {
        let mut names: Vec<String> =
            numbers.iter().take(MOST_NAMED).map(|number| format!("`{}`", self.nodes[*number].id)).collect();
        if let Some(more @ 1..) = numbers.len().checked_sub(MOST_NAMED) {
            names.push(format!("{more} more"));
        }
        names.join(", ")
    }

    /// A way through the graph in words; a long one without its middle.
    fn route(&self, numbers: &[usize]) -> String {
        let name = |number: &usize| format!("`{}`", self.nodes[*number].id);
        let names: Vec<String> = if numbers.len() > MOST_NAMED {
            let (head, tail) = numbers.split_at(MOST_NAMED / 2);
            let tail = &tail[tail.len() - MOST_NAMED / 2..];
            head.iter().map(name).chain(["…".to_owned()]).chain(tail.iter().map(name)).collect()
        } else {
            numbers.iter().map(name).collect()
        };
        names.join(" -> ")
    }
}
