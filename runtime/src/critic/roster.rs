//! The roster: every entry of `critics` in file order, the broken ones with their reason.
//!
//! [`Roster::find`] is the one place that decides which entry a name means. It does not decode entries.

use std::collections::HashMap;

use super::{Critic, entry};
use crate::config::{ConfigError, Node, OperatorConfig, Problem, nearest, shortened};

/// All entries.
#[derive(Debug)]
pub struct Roster {
    entries: Vec<Entry>,
    warnings: Vec<Problem>,
}

/// One entry of the list.
#[derive(Debug)]
pub enum Entry {
    /// May run.
    Valid(Critic),
    /// Well-formed, but `enabled: false` (CR-1.4).
    Disabled(Critic),
    /// Never runs (CR-FC).
    Broken(Broken),
}

/// What can be read of an entry that is not usable, and all that is wrong with it.
#[derive(Debug)]
pub struct Broken {
    pub(super) name: Option<String>,
    pub(super) harness: String,
    pub(super) model: String,
    pub(super) program: Option<String>,
    pub(super) env: Vec<(String, Option<String>)>,
    pub(super) enabled: bool,
    pub(super) problems: Vec<Problem>,
}

/// What a name means.
#[derive(Debug)]
pub enum Lookup<'a> {
    /// The critic to run.
    Valid(&'a Critic),
    /// Switched off by `enabled: false` (CR-1.4).
    Disabled(&'a Critic),
    /// An entry that cannot be used.
    Broken(&'a Broken),
    /// No entry has that name.
    Unknown {
        /// The names there are, in file order.
        known: Vec<&'a str>,
        /// The one most like it.
        nearest: Option<&'a str>,
    },
}

impl Broken {
    /// All that is wrong, in one line.
    pub fn reason(&self) -> String {
        self.problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    /// Each thing that is wrong, at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl Entry {
    /// The name, if it can be read.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => Some(critic.name()),
            Self::Broken(broken) => broken.name.as_deref(),
        }
    }

    /// The harness; empty when there is none or it cannot be read.
    pub fn harness(&self) -> &str {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => critic.harness(),
            Self::Broken(broken) => &broken.harness,
        }
    }

    /// The model; empty when there is none or it cannot be read.
    pub fn model(&self) -> &str {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => critic.model(),
            Self::Broken(broken) => &broken.model,
        }
    }

    /// The executable it names, if that much can be read.
    pub fn program(&self) -> Option<&str> {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => Some(critic.program().name()),
            Self::Broken(broken) => broken.program.as_deref(),
        }
    }

    /// The overlay, as far as it can be read; its PATH is where the executable is looked up.
    pub fn env(&self) -> &[(String, Option<String>)] {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => critic.env(),
            Self::Broken(broken) => &broken.env,
        }
    }

    /// False when it says so, and when what it says is no boolean.
    pub const fn is_enabled(&self) -> bool {
        match self {
            Self::Valid(_) => true,
            Self::Disabled(_) => false,
            Self::Broken(broken) => broken.enabled,
        }
    }

    /// Why it cannot be used.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Valid(_) | Self::Disabled(_) => None,
            Self::Broken(broken) => Some(broken.reason()),
        }
    }
}

impl Roster {
    /// Decodes every entry. One that is wrong is listed with its reason and hides no other (CR-4.3).
    ///
    /// # Errors
    /// Two entries of one name (CR-1.5), with the line of each.
    pub fn read(config: &OperatorConfig) -> Result<Self, ConfigError> {
        let mut warnings = Vec::new();
        let entries: Vec<Entry> = config
            .critics()
            .iter()
            .enumerate()
            .map(|(index, node)| entry::decode(node, index, &mut warnings))
            .collect();
        let problems = shared_names(config.critics(), &entries);
        if problems.is_empty() { Ok(Self { entries, warnings }) } else { Err(config.refuse_all(problems)) }
    }

    /// Every entry in file order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the operator should hear about entries that may run: values in `env` that look like secrets.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// The entry of that name, compared exactly.
    pub fn find(&self, name: &str) -> Lookup<'_> {
        match self.entries.iter().find(|entry| entry.name() == Some(name)) {
            Some(Entry::Valid(critic)) => Lookup::Valid(critic),
            Some(Entry::Disabled(critic)) => Lookup::Disabled(critic),
            Some(Entry::Broken(broken)) => Lookup::Broken(broken),
            None => {
                let known: Vec<&str> = self.entries.iter().filter_map(Entry::name).collect();
                let nearest = nearest(name, known.iter().copied());
                Lookup::Unknown { known, nearest }
            }
        }
    }
}

/// A problem for each entry whose name another one before it has.
fn shared_names(nodes: &[Node], entries: &[Entry]) -> Vec<Problem> {
    let mut first_lines = HashMap::new();
    let mut problems = Vec::new();
    for (node, entry) in nodes.iter().zip(entries) {
        let Some(name) = entry.name() else { continue };
        let line = node.at().line;
        if let Some(first) = first_lines.get(name) {
            let name = shortened(name);
            let what = format!("two critics are named `{name}`, in line {first} and in line {line}");
            problems.push(
                Problem::new(node.at(), what).remedy("give each its own name; nothing runs until then"),
            );
        } else {
            first_lines.insert(name, line);
        }
    }
    problems
}
