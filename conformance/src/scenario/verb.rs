//! The verbs of a step, as words.
//!
//! [`Verb`] is what a target may claim by `steps`. The arguments are in [`super::step`].

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a step calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// `critic run`.
    Run,
    /// `critic list`.
    List,
    /// `critic policy`.
    Policy,
    /// `graph compile`.
    Compile,
    /// `graph show`.
    Show,
    /// `graph start`.
    Start,
    /// `graph checklist`.
    Checklist,
    /// `graph advance`.
    Advance,
    /// `graph skip`.
    Skip,
    /// `graph template`.
    Template,
    /// `check`.
    Check,
    /// Raw arguments.
    Call,
}

impl Verb {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Run,
        Self::List,
        Self::Policy,
        Self::Compile,
        Self::Show,
        Self::Start,
        Self::Checklist,
        Self::Advance,
        Self::Skip,
        Self::Template,
        Self::Check,
        Self::Call,
    ];

    /// The word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::List => "list",
            Self::Policy => "policy",
            Self::Compile => "compile",
            Self::Show => "show",
            Self::Start => "start",
            Self::Checklist => "checklist",
            Self::Advance => "advance",
            Self::Skip => "skip",
            Self::Template => "template",
            Self::Check => "check",
            Self::Call => "call",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
