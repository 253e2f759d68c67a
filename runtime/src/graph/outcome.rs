//! How a node of a graph ends, and so by which edge a walk goes on.
//!
//! [`Outcome`] is the closed set. Which outcomes a node can have is decided by its gates, not here.

use std::fmt;

/// The end of a node. Each edge stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The phase selection was answered.
    Selected,
    /// Every gate holds, or there is none.
    Pass,
    /// The node was declared away, or nobody asked for it.
    Skipped,
    /// A human approved.
    Approved,
    /// A human wants changes; the only outcome that may lead back.
    ChangesRequested,
}

impl Outcome {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 5] =
        [Self::Selected, Self::Pass, Self::Skipped, Self::Approved, Self::ChangesRequested];

    /// The word for it in graphs, states and answers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Selected => "selected",
            Self::Pass => "pass",
            Self::Skipped => "skipped",
            Self::Approved => "approved",
            Self::ChangesRequested => "changes-requested",
        }
    }

    /// The outcome of a word; `None` when it is the word of none.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_leads_to_its_outcome_and_back() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::of_word(&outcome.to_string()), Some(outcome));
        }
        assert_eq!(Outcome::of_word("Pass"), None);
    }
}
