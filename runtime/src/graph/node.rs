//! A node of a compiled graph: one phase of a work item.
//!
//! [`Node`] holds what the graph file says with every default applied. Its edges belong to the graph.

use std::borrow::Borrow;
use std::fmt;

use serde::Serialize;

use super::{ArtifactPath, Gate, Outcome};

/// The name of a node or a graph: lower-case words joined by `-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct NodeId(String);

impl NodeId {
    /// The id of `text`; `None` when it is written in any other way than `a-z`, `0-9` and single `-` inside.
    pub fn new(text: &str) -> Option<Self> {
        let word = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        text.split('-').all(word).then(|| Self(text.to_owned()))
    }

    /// As written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

// Lets maps that are keyed by ids be asked with any text.
impl Borrow<str> for NodeId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Who works on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Actor {
    /// The agent, by its harness.
    #[default]
    Agent,
    /// A human, whose answer decides.
    Human,
    /// A program.
    Code,
}

impl Actor {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 3] = [Self::Agent, Self::Human, Self::Code];

    /// The word for it in graphs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Human => "human",
            Self::Code => "code",
        }
    }
}

/// Whether a node runs, and who can change that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It always runs, and the graph insists on it.
    Required,
    /// It always runs.
    Fixed,
    /// It runs unless it is declared away: a box that is ticked (OR-1.1).
    DefaultOn,
    /// It runs only if somebody asks for it: a box that is not ticked (OR-1.1).
    OptIn,
    /// The walk ends here.
    Terminal,
}

/// One node of a compiled graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub(super) id: NodeId,
    pub(super) phase: Option<String>,
    pub(super) actor: Actor,
    pub(super) presence: Presence,
    pub(super) description: Option<String>,
    pub(super) stage: Option<String>,
    pub(super) produces: Vec<ArtifactPath>,
    pub(super) entry: Vec<String>,
    pub(super) exit: Vec<Gate>,
}

impl Node {
    /// Its name, unique in the graph.
    pub const fn id(&self) -> &NodeId {
        &self.id
    }

    /// The phase it belongs to; its own id when the graph names none.
    pub fn phase(&self) -> &str {
        self.phase.as_deref().unwrap_or(self.id.as_str())
    }

    /// Who works on it.
    pub const fn actor(&self) -> Actor {
        self.actor
    }

    /// Whether it runs, and who can change that.
    pub const fn presence(&self) -> Presence {
        self.presence
    }

    /// Whether the graph insists that it runs.
    pub fn is_required(&self) -> bool {
        self.presence == Presence::Required
    }

    /// Whether it can be left out at all: declared away, or not asked for. True of opt-in nodes (OR-1.1).
    pub fn is_skippable(&self) -> bool {
        matches!(self.presence, Presence::DefaultOn | Presence::OptIn)
    }

    /// Whether it runs unless it is declared away.
    pub fn is_default_on(&self) -> bool {
        self.presence == Presence::DefaultOn
    }

    /// Whether it runs only if somebody asks for it.
    pub fn is_opt_in(&self) -> bool {
        self.presence == Presence::OptIn
    }

    /// Whether the walk ends here.
    pub fn is_terminal(&self) -> bool {
        self.presence == Presence::Terminal
    }

    /// One line for whoever chooses phases (OR-2.2).
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The stage by which a harness chooses model and effort (OR-N3).
    pub fn stage(&self) -> Option<&str> {
        self.stage.as_deref()
    }

    /// The files it leaves in the item's folder.
    pub fn produces(&self) -> &[ArtifactPath] {
        &self.produces
    }

    /// Names of hooks at its start. They are listed and do nothing here.
    pub fn entry(&self) -> &[String] {
        &self.entry
    }

    /// The gates that have to hold before it is left, in file order.
    pub fn exit(&self) -> &[Gate] {
        &self.exit
    }

    /// The gate that reads a human's answer; there is at most one.
    pub fn classifier(&self) -> Option<&Gate> {
        self.exit.iter().find(|gate| !gate.answers().is_empty())
    }

    /// Whether its answer is the phase selection.
    pub fn is_phase_selection(&self) -> bool {
        self.classifier() == Some(&Gate::ClassifyPhaseSelection)
    }

    /// Every outcome it can have; none when it is terminal.
    pub fn outcomes(&self) -> Vec<Outcome> {
        let answers = self.classifier().map_or(&[Outcome::Pass][..], Gate::answers);
        let skipped = self.is_skippable().then_some(Outcome::Skipped);
        if self.is_terminal() { Vec::new() } else { answers.iter().copied().chain(skipped).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_lower_case_words_joined_by_single_dashes() {
        for good in ["a", "design-critic-review", "n1", "2nd-look", "a-b-c"] {
            assert_eq!(NodeId::new(good).map(|id| id.to_string()).as_deref(), Some(good));
        }
        for bad in ["", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "a.b", "ä", "a\n", "../a"] {
            assert_eq!(NodeId::new(bad), None, "{bad:?}");
        }
    }
}
