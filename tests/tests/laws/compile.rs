//! A graph compiles exactly if every walk ends, passes every opt-in phase, and asks before anything can be left out.
//!
//! Graphs are drawn as numbers and arrows; what holds for them is found by trying every walk.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use the_loop::graph::{CompiledGraph, Outcome};

use super::cases;

/// What a drawn node is. The first is always the phase selection, the last two always end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Selection,
    Fixed,
    DefaultOn,
    OptIn,
    Human,
    SkippableHuman,
    Terminal,
}

impl Kind {
    fn outcomes(self) -> &'static [Outcome] {
        use Outcome::{Approved, ChangesRequested, Pass, Selected, Skipped};
        match self {
            Self::Selection => &[Selected],
            Self::Fixed => &[Pass],
            Self::DefaultOn | Self::OptIn => &[Pass, Skipped],
            Self::Human => &[Approved, ChangesRequested],
            Self::SkippableHuman => &[Approved, ChangesRequested, Skipped],
            Self::Terminal => &[],
        }
    }

    fn is_skippable(self) -> bool {
        matches!(self, Self::DefaultOn | Self::OptIn | Self::SkippableHuman)
    }

    fn keys(self) -> &'static str {
        match self {
            Self::Selection => "actor: human, required: true, exit: [classify-phase-selection]",
            Self::Fixed => "actor: agent",
            Self::DefaultOn => "skippable: true",
            Self::OptIn => "optIn: true",
            Self::Human => "actor: human, exit: [classify-feedback]",
            Self::SkippableHuman => "actor: human, skippable: true, exit: [classify-feedback]",
            Self::Terminal => "terminal: true",
        }
    }
}

#[derive(Clone, Debug)]
struct Drawn {
    kinds: Vec<Kind>,
    start: usize,
    arrows: BTreeMap<(usize, Outcome), usize>,
}

/// A line of nodes of which up to three arrows are led elsewhere or taken away, and perhaps another start.
fn drawn() -> impl Strategy<Value = Drawn> {
    let inner = prop::sample::select(vec![
        Kind::Fixed,
        Kind::DefaultOn,
        Kind::OptIn,
        Kind::Human,
        Kind::SkippableHuman,
    ]);
    let changes = prop::collection::vec((any::<Index>(), 0..12_usize), 0..4);
    let start = prop_oneof![9 => Just(0_usize), 1 => 0..3_usize];
    (prop::collection::vec(inner, 1..6), changes, start).prop_map(|(inner, changes, start)| {
        let mut kinds = vec![Kind::Selection];
        kinds.extend(inner);
        kinds.extend([Kind::Terminal, Kind::Terminal]);
        let count = kinds.len();
        let mut arrows = BTreeMap::new();
        for (number, kind) in kinds.iter().enumerate() {
            for outcome in kind.outcomes() {
                let to = if *outcome == Outcome::ChangesRequested { number / 2 } else { number + 1 };
                arrows.insert((number, *outcome), to);
            }
        }
        // Both ends can be reached, so that a line without changes is fine.
        kinds[count - 2] = Kind::Fixed;
        arrows.insert((count - 2, Outcome::Pass), count - 1);
        for (which, to) in changes {
            let keys: Vec<(usize, Outcome)> = arrows.keys().copied().collect();
            let Some(key) = keys.get(which.index(keys.len().max(1))) else { continue };
            if to < count {
                arrows.insert(*key, to);
            } else if to == 11 {
                arrows.remove(key);
            }
        }
        Drawn { kinds, start, arrows }
    })
}

impl Drawn {
    fn text(&self) -> String {
        let mut text = format!("version: 1\nname: drawn\nstart: n{}\nnodes:\n", self.start);
        for (number, kind) in self.kinds.iter().enumerate() {
            writeln!(text, "  - {{id: n{number}, {}}}", kind.keys()).expect("a string");
        }
        text += "edges:\n";
        for ((from, on), to) in &self.arrows {
            writeln!(text, "  - {{from: n{from}, to: n{to}, on: {on}}}").expect("a string");
        }
        text
    }

    fn forward(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        let outcomes = self.kinds[from].outcomes().iter().filter(|on| **on != Outcome::ChangesRequested);
        outcomes.filter_map(move |on| self.arrows.get(&(from, *on)).copied())
    }

    /// Whether a walk from here without requests for changes always ends.
    fn ends(&self, from: usize, before: &mut Vec<usize>) -> bool {
        if before.contains(&from) {
            return false;
        }
        before.push(from);
        let next: Vec<usize> = self.forward(from).collect();
        let ends = next.into_iter().all(|next| self.ends(next, before));
        before.pop();
        ends
    }

    /// The longest way by which a walk without requests for changes comes here; there is one only if every walk ends.
    fn rank(&self, at: usize) -> usize {
        let before = (0..self.kinds.len()).filter(|from| self.forward(*from).any(|to| to == at));
        before.map(|from| self.rank(from) + 1).max().unwrap_or(0)
    }

    /// What is wrong with it, by trying every walk.
    fn fault(&self) -> Option<&'static str> {
        let numbers = 0..self.kinds.len();
        let complete = |number: usize| {
            self.kinds[number].outcomes().iter().all(|on| self.arrows.contains_key(&(number, *on)))
        };
        if !numbers.clone().all(complete) {
            return Some("an outcome without an edge");
        }
        if !numbers.clone().all(|number| self.ends(number, &mut Vec::new())) {
            return Some("a walk that never ends");
        }
        let leads_ahead = |((from, on), to): (&(usize, Outcome), &usize)| {
            *on == Outcome::ChangesRequested && self.rank(*to) > self.rank(*from)
        };
        if self.arrows.iter().any(leads_ahead) {
            return Some("a request for changes leads ahead");
        }
        // Every walk, with requests for changes, told apart by what it has come to so far.
        let opt_in: BTreeSet<usize> =
            numbers.clone().filter(|number| self.kinds[*number] == Kind::OptIn).collect();
        let mut seen: BTreeSet<(usize, BTreeSet<usize>)> = BTreeSet::new();
        let mut open = vec![(self.start, BTreeSet::from([self.start]))];
        let mut reached = BTreeSet::new();
        while let Some((number, passed)) = open.pop() {
            if !seen.insert((number, passed.clone())) {
                continue;
            }
            reached.insert(number);
            if self.kinds[number].is_skippable() && !passed.contains(&0) {
                return Some("nobody was asked yet");
            }
            if self.kinds[number] == Kind::Terminal && !opt_in.is_subset(&passed) {
                return Some("an opt-in node passed by");
            }
            for on in self.kinds[number].outcomes() {
                let next = self.arrows[&(number, *on)];
                open.push((next, passed.iter().copied().chain([next]).collect()));
            }
        }
        (reached.len() < self.kinds.len()).then_some("an unreachable node")
    }
}

/// Graphs that people have written.
const WRITTEN: [&str; 3] = [
    include_str!("../../../runtime/loops/pdlc-work-item-loop.yaml"),
    include_str!("../../../runtime/loops/pdlc-pr-loop.yaml"),
    include_str!("../../../runtime/tests/graphs/small.yaml"),
];

/// Words for markers and outcomes.
const WORDS: [&str; 6] = ["skippable", "optIn", "required", "pass", "skipped", "changes-requested"];

/// One change of a written graph: an edge that leads elsewhere, another word for a marker or an outcome, or a line lost, doubled or
/// moved.
#[derive(Clone, Copy, Debug)]
enum Change {
    Led(Index, Index),
    Word(Index, &'static str),
    Lost(Index),
    Doubled(Index),
    Moved(Index, Index),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        6 => (index(), index()).prop_map(|(at, other)| Change::Led(at, other)),
        2 => (index(), prop::sample::select(&WORDS[..])).prop_map(|(at, word)| Change::Word(at, word)),
        1 => index().prop_map(Change::Lost),
        1 => index().prop_map(Change::Doubled),
        2 => (index(), index()).prop_map(|(from, to)| Change::Moved(from, to)),
    ]
}

/// Where what follows these words in a text begins and ends.
fn after(text: &str, words: &[&str]) -> Vec<(usize, usize)> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let begins = words.iter().flat_map(|word| text.match_indices(word).map(|(at, word)| at + word.len()));
    begins
        .map(|at| (at, text[at..].find(|letter: char| !is_word(letter)).map_or(text.len(), |end| at + end)))
        .collect()
}

impl Change {
    fn make(self, text: &str) -> String {
        let mut lines: Vec<&str> = text.lines().collect();
        match self {
            Self::Led(at, other) => {
                let ends = after(text, &["to: "]);
                let ((begin, end), (from, to)) = (*at.get(&ends), *other.get(&ends));
                return [&text[..begin], &text[from..to], &text[end..]].concat();
            }
            Self::Word(at, word) => {
                let places = after(text, &[" on: ", "skippable", "required", "optIn"]);
                let (begin, end) = *at.get(&places);
                // A marker is looked for by its name, and stands before the place.
                let begin = if begin == end {
                    text[..begin].rfind([' ', ',']).map_or(begin, |space| space + 1)
                } else {
                    begin
                };
                return [&text[..begin], word, &text[end..]].concat();
            }
            Self::Lost(at) => drop(lines.remove(at.index(lines.len()))),
            Self::Doubled(at) => {
                let at = at.index(lines.len());
                lines.insert(at, lines[at]);
            }
            Self::Moved(from, to) => {
                let line = lines.remove(from.index(lines.len()));
                lines.insert(to.index(lines.len() + 1), line);
            }
        }
        lines.join("\n")
    }
}

/// Why a compiled graph should not have compiled: a walk through its edges that never ends, gets stuck, or passes an opt-in node by.
fn unsound(graph: &CompiledGraph) -> Option<String> {
    let mut after: BTreeMap<&str, BTreeMap<Outcome, &str>> = BTreeMap::new();
    for edge in graph.edges() {
        let twice = after.entry(edge.from.id().as_str()).or_default().insert(edge.on, edge.to.id().as_str());
        if twice.is_some() {
            return Some(format!("two edges from {} on {}", edge.from.id(), edge.on));
        }
    }
    // Peels off what leads only to what is known to end.
    let mut ends: BTreeSet<&str> = BTreeSet::new();
    let has_ended = |id: &str, ends: &BTreeSet<&str>| {
        let forward = after.get(id).into_iter().flatten().filter(|(on, _)| **on != Outcome::ChangesRequested);
        forward.map(|(_, to)| to).all(|to| ends.contains(to))
    };
    for _ in graph.nodes() {
        let next = graph.nodes().iter().map(|node| node.id().as_str());
        let found: Vec<&str> = next.filter(|id| has_ended(id, &ends)).collect();
        ends.extend(found);
    }
    for node in graph.nodes() {
        let id = node.id().as_str();
        if !ends.contains(id) {
            return Some(format!("a walk from {id} never ends"));
        }
        if node.is_terminal() == after.contains_key(id) {
            return Some(format!("{id} gets stuck, or goes on after the end"));
        }
        let skips = after.get(id).is_some_and(|after| after.contains_key(&Outcome::Skipped));
        if skips != node.is_skippable() {
            return Some(format!("{id} can be skipped without an edge, or has one for nothing"));
        }
        // Can an end be reached round this node?
        let mut reached = BTreeSet::from([graph.start().id().as_str()]);
        let mut open: Vec<&str> = reached.iter().copied().filter(|start| *start != id).collect();
        while let Some(at) = open.pop() {
            for to in after.get(at).into_iter().flatten().map(|(_, to)| *to) {
                if to != id && reached.insert(to) {
                    open.push(to);
                }
            }
        }
        let passes_by =
            graph.nodes().iter().any(|end| end.is_terminal() && reached.contains(end.id().as_str()));
        if node.is_opt_in() && passes_by {
            return Some(format!("a walk passes {id} by"));
        }
    }
    None
}

/// A written graph after some changes, compiled if it still can be.
fn rewritten(which: Index, changes: &[Change]) -> (String, Option<CompiledGraph>) {
    let text = changes
        .iter()
        .fold(WRITTEN[which.index(WRITTEN.len())].to_owned(), |text, change| change.make(&text));
    let graph = CompiledGraph::compile(&text).ok();
    (text, graph)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn whatever_compiles_ends(which: Index, changes in prop::collection::vec(change(), 1..3)) {
        if let (text, Some(graph)) = rewritten(which, &changes) {
            prop_assert_eq!(unsound(&graph), None, "{}", text);
        }
    }

    #[test]
    fn a_graph_compiles_exactly_if_every_walk_is_sound(drawn in drawn()) {
        let told = CompiledGraph::compile(&drawn.text()).err().map(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>());
        prop_assert_eq!(told.is_some(), drawn.fault().is_some(), "{:?}, told {:?}\n{}", drawn.fault(), told, drawn.text());
    }

    #[test]
    fn no_text_breaks_the_compiler(edits in prop::collection::vec((any::<Index>(), 0..40_usize, ".{0,6}"), 0..4), drawn in drawn()) {
        let mut text: Vec<char> = drawn.text().chars().collect();
        for (at, length, new) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, new.chars());
        }
        let text: String = text.into_iter().collect();
        let lines = text.matches(['\n', '\r']).count() + 1;
        for problem in CompiledGraph::compile(&text).err().into_iter().flatten() {
            prop_assert!((1..=lines + 1).contains(&problem.at().line) && problem.at().column > 0, "{}", problem);
            prop_assert!(!problem.advice().is_empty() || problem.what().starts_with("not YAML"), "{}", problem);
        }
    }
}

#[test]
fn the_drawn_graphs_are_good_and_bad_in_every_way() {
    let mut runner = TestRunner::deterministic();
    let mut faults: BTreeMap<Option<&'static str>, usize> = BTreeMap::new();
    for _ in 0..2_000 {
        let drawn = drawn().new_tree(&mut runner).expect("a graph").current();
        *faults.entry(drawn.fault()).or_default() += 1;
    }
    assert_eq!(faults.len(), 7, "{faults:?}");
    assert!(faults.values().all(|count| *count >= 20) && faults[&None] >= 400, "{faults:?}");
}

#[test]
fn rewritten_graphs_often_compile() {
    const GRAPHS: usize = 300;
    let mut runner = TestRunner::deterministic();
    let drawn = (any::<Index>(), prop::collection::vec(change(), 1..3));
    let compiled = (0..GRAPHS).filter(|_| {
        let (which, changes) = drawn.new_tree(&mut runner).expect("changes").current();
        let (text, graph) = rewritten(which, &changes);
        graph.is_some() && !WRITTEN.contains(&text.as_str())
    });
    let compiled = compiled.count();
    assert!(compiled > GRAPHS / 10, "{compiled}");
}
