//! What a graph file says. Main types: [`Graph`], [`Node`], [`Edge`], [`Gate`].
//!
//! These are the words of the file in types, in the order of the file; `decode` makes them and `compile` judges
//! them. A graph is only handed on once `compile` had nothing to say.

use std::collections::BTreeMap;

use super::tree::Spot;

/// A graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// Its name.
    pub(crate) name: String,
    /// The id of its first node.
    pub(crate) start: Located,
    /// Nodes that can be declared away together.
    pub(crate) skip_sets: Vec<(Located, Vec<Located>)>,
    /// Its nodes.
    pub(crate) nodes: Vec<Node>,
    /// Its edges.
    pub(crate) edges: Vec<Edge>,
    /// Where in `nodes` an id is, and where in `edges` its edges are.
    pub(crate) index: BTreeMap<String, Place>,
}

/// Where something about a node is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// The place in `Graph::nodes`.
    pub(crate) node: usize,
    /// The places in `Graph::edges` of the edges that leave it.
    pub(crate) edges: Vec<usize>,
}

/// A word and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    /// The word.
    pub(crate) text: String,
    /// Its place.
    pub(crate) spot: Spot,
}

impl Default for Located {
    fn default() -> Self {
        Self { text: String::new(), spot: Spot::TOP }
    }
}

/// Who acts at a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Actor {
    /// A harness.
    #[default]
    Agent,
    /// A person, by a comment.
    Human,
    /// A program.
    Code,
}

/// A phase.
#[expect(clippy::struct_excessive_bools, reason = "a file can write any mixture of the markers")]
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its name.
    pub(crate) id: Located,
    /// The phase it belongs to, else its id.
    pub(crate) phase: String,
    /// Who acts.
    pub(crate) actor: Actor,
    /// Whether nobody may leave it out.
    pub(crate) required: bool,
    /// Whether the file says that it can be declared away.
    pub(crate) skippable: bool,
    /// Whether it only runs when somebody asks for it.
    pub(crate) opt_in: bool,
    /// One line about it, else empty.
    pub(crate) description: String,
    /// The stage that picks its model, else empty.
    pub(crate) stage: String,
    /// The files it makes.
    pub(crate) produces: Vec<Located>,
    /// Hooks at its beginning; listed only.
    pub(crate) entry: Vec<String>,
    /// What holds at its end.
    pub(crate) exit: Vec<Gate>,
    /// Whether the walk ends here.
    pub(crate) terminal: bool,
}

/// What has to hold before a node is left.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    /// Which kind.
    pub(crate) hook: Hook,
    /// The file to look at instead of what the node produces.
    pub(crate) validates: Option<Located>,
    /// The sections to look at.
    pub(crate) sections: Vec<Located>,
    /// Where it stands.
    pub(crate) spot: Spot,
}

/// The kinds of gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hook {
    /// A person says which phases run.
    PhaseSelection,
    /// A person approves or asks for changes.
    Feedback,
    /// Files hold what they should.
    Artifacts,
    /// A file holds the record of a review.
    ReviewRecord,
}

impl Hook {
    /// Every kind and its name in a file.
    pub(crate) const NAMES: [(&'static str, Self); 4] = [
        ("classify-phase-selection", Self::PhaseSelection),
        ("classify-feedback", Self::Feedback),
        ("validate-artifacts", Self::Artifacts),
        ("validate-review-record", Self::ReviewRecord),
    ];

    /// Its name in a file.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, hook)| *hook == self).map_or("", |(name, _)| name)
    }

    /// Whether a person decides at it.
    pub(crate) fn is_human(self) -> bool {
        matches!(self, Self::PhaseSelection | Self::Feedback)
    }
}

/// How a node ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// The phases were selected.
    Selected,
    /// Its gates held.
    Pass,
    /// It did not run.
    Skipped,
    /// A person approved.
    Approved,
    /// A person asked for changes.
    ChangesRequested,
}

impl Outcome {
    /// Every outcome and its word.
    pub(crate) const NAMES: [(&'static str, Self); 5] = [
        ("selected", Self::Selected),
        ("pass", Self::Pass),
        ("skipped", Self::Skipped),
        ("approved", Self::Approved),
        ("changes-requested", Self::ChangesRequested),
    ];

    /// Its word.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, outcome)| *outcome == self).map_or("", |(name, _)| name)
    }

    /// The outcome of that word.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(name, _)| *name == word).map(|(_, outcome)| *outcome)
    }
}

/// Where a node leads to.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// The node it leaves.
    pub(crate) from: Located,
    /// The node it reaches.
    pub(crate) to: Located,
    /// After which outcome.
    pub(crate) on: Outcome,
    /// Where it stands.
    pub(crate) spot: Spot,
}

impl Node {
    /// Whether it can be left out, by whichever marker.
    pub(crate) fn can_be_skipped(&self) -> bool {
        self.skippable || self.opt_in
    }

    /// The gate at which a person decides.
    pub(crate) fn human_gate(&self) -> Option<Hook> {
        self.exit.iter().map(|gate| gate.hook).find(|hook| hook.is_human())
    }

    /// What its gates can end with, the way forward first; without `skipped`.
    pub(crate) fn outcomes(&self) -> &'static [Outcome] {
        match self.human_gate() {
            _ if self.terminal => &[],
            Some(Hook::PhaseSelection) => &[Outcome::Selected],
            Some(_) => &[Outcome::Approved, Outcome::ChangesRequested],
            None => &[Outcome::Pass],
        }
    }
}

impl Graph {
    /// The node of that id.
    pub(crate) fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.get(self.index.get(id)?.node)
    }

    /// The edges that leave a node.
    pub(crate) fn leaving(&self, id: &str) -> impl Iterator<Item = &Edge> {
        let places = self.index.get(id).map_or(&[] as &[usize], |place| place.edges.as_slice());
        places.iter().filter_map(|&at| self.edges.get(at))
    }

    /// Where a node leads to after an outcome.
    pub(crate) fn next(&self, id: &str, outcome: Outcome) -> Option<&Node> {
        let edge = self.leaving(id).find(|edge| edge.on == outcome)?;
        self.node(&edge.to.text)
    }

    /// The node at which a person selects the phases, if there is one.
    pub(crate) fn selection(&self) -> Option<&Node> {
        self.nodes.iter().find(|node| node.human_gate() == Some(Hook::PhaseSelection))
    }

    /// Every opt-in node.
    pub(crate) fn opt_ins(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.opt_in)
    }

    /// This node and all that can come after it without changes being requested.
    pub(crate) fn here_and_later(&self, id: &str) -> Vec<&str> {
        let mut found: Vec<&str> = self.node(id).map(|node| node.id.text.as_str()).into_iter().collect();
        let mut seen: std::collections::BTreeSet<&str> = found.iter().copied().collect();
        let mut at = 0;
        while let Some(&id) = found.get(at) {
            for edge in self.leaving(id).filter(|edge| edge.on != Outcome::ChangesRequested) {
                if seen.insert(&edge.to.text) {
                    found.push(&edge.to.text);
                }
            }
            at += 1;
        }
        found
    }
}
