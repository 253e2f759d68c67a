//! The requirement ledger: what the kit asks, one sentence a row.
//!
//! [`Ledger`] is the checked form of `specs/*.yaml`. Which scenarios hold a row is not known here.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::source::Source;
use crate::source::fault::{Fault, nearest};

/// All rows, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    rows: Vec<Requirement>,
    places: BTreeMap<String, (Source, usize)>,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    id: String,
    pattern: Pattern,
    ears: String,
    level: Level,
    source: Vec<String>,
    profile: Profile,
    since: u32,
    excluded: Option<String>,
}

/// The kind of EARS sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// Always.
    Ubiquitous,
    /// WHEN something happens.
    Event,
    /// WHILE something lasts.
    State,
    /// IF something unwanted happens.
    Unwanted,
    /// WHERE something is chosen.
    Optional,
}

/// How much a row binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The source documents pin it.
    Must,
    /// Their stated aim asks for it.
    Should,
    /// A choice; only observed.
    Open,
}

/// A part of the contract that a target claims to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// `critic list` and `critic run`.
    Critic,
    /// `critic policy`.
    Policy,
    /// Opt-in phases of the graph.
    Graph,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Critic, Self::Policy, Self::Graph];

    /// Its name, as in ledger and target file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Critic => "critic",
            Self::Policy => "policy",
            Self::Graph => "graph",
        }
    }
}

impl Level {
    /// Its name, as in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Open => "open",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Pattern {
    /// The word that opens such a sentence.
    pub fn opening(self) -> &'static str {
        match self {
            Self::Ubiquitous => "The",
            Self::Event => "WHEN",
            Self::State => "WHILE",
            Self::Unwanted => "IF",
            Self::Optional => "WHERE",
        }
    }

    /// Whether both a scenario with and one without the trigger are asked for.
    pub fn has_two_sides(self) -> bool {
        matches!(self, Self::Event | Self::State | Self::Unwanted)
    }
}

impl Requirement {
    /// `area.topic.behaviour`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The kind of sentence.
    pub fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// The sentence.
    pub fn ears(&self) -> &str {
        &self.ears
    }

    /// How much it binds.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The tags of the source documents.
    pub fn source(&self) -> &[String] {
        &self.source
    }

    /// The part of the contract.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The suite version that first asks it.
    pub fn since(&self) -> u32 {
        self.since
    }

    /// Why no scenario can decide it, and the test that holds it instead.
    pub fn excluded(&self) -> Option<&str> {
        self.excluded.as_deref()
    }
}

impl Ledger {
    /// Reads all files of the ledger.
    ///
    /// # Errors
    /// Everything that is wrong in them, located.
    pub fn parse(sources: &[Source]) -> Result<Self, Vec<Fault>> {
        let mut ledger = Self::default();
        let mut faults = Vec::new();
        for source in sources {
            match source.read::<Vec<Requirement>>() {
                Err(fault) => faults.push(fault),
                Ok(rows) => {
                    for (number, row) in rows.into_iter().enumerate() {
                        faults.extend(ledger.row_faults(&row, source, number));
                        ledger.places.entry(row.id.clone()).or_insert((source.clone(), number));
                        ledger.rows.push(row);
                    }
                }
            }
        }
        if faults.is_empty() { Ok(ledger) } else { Err(faults) }
    }

    /// All rows.
    pub fn rows(&self) -> &[Requirement] {
        &self.rows
    }

    /// The row of that id.
    pub fn row(&self, id: &str) -> Option<&Requirement> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// The id nearest to one that does not exist.
    pub fn nearest(&self, id: &str) -> Option<&str> {
        nearest(id, self.rows.iter().map(Requirement::id))
    }

    /// A fault at the row of that id.
    pub fn fault(&self, id: &str, message: impl Into<String>) -> Option<Fault> {
        let (source, number) = self.places.get(id)?;
        Some(source.fault(&format!("/{number}/id"), message))
    }

    fn row_faults(&self, row: &Requirement, source: &Source, number: usize) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut fault = |key: &str, message: String, remedy: String| {
            faults.push(source.fault(&format!("/{number}/{key}"), message).remedy(remedy));
        };
        if self.row(&row.id).is_some() {
            fault(
                "id",
                format!("duplicate requirement `{}`", row.id),
                "give one of them another id".to_owned(),
            );
        }
        if !is_dotted(&row.id) {
            let remedy = "write area.topic.behaviour in lower-case words joined by hyphens".to_owned();
            fault("id", format!("`{}` is no requirement id", row.id), remedy);
        }
        if row.ears.split_whitespace().next() != Some(row.pattern.opening()) {
            let opening = row.pattern.opening();
            fault(
                "ears",
                format!("the sentence of `{}` does not open with `{opening}`", row.id),
                format!("open it with `{opening}`, or change the pattern"),
            );
        }
        if row.source.is_empty() {
            let remedy = "cite at least one tag of specs/tags.yaml".to_owned();
            fault("source", format!("requirement `{}` cites no source", row.id), remedy);
        }
        if row.excluded.as_deref().is_some_and(|reason| reason.trim().is_empty()) {
            let remedy = "say why no scenario can decide this and which test holds it".to_owned();
            fault("excluded", format!("requirement `{}` is excluded without a reason", row.id), remedy);
        }
        faults
    }
}

fn is_dotted(id: &str) -> bool {
    id.split('.').count() >= 2
        && id.split('.').all(|part| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        })
}
