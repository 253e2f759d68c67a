//! The list of critics. Main types: [`Roster`], [`Row`], [`Critic`].
//!
//! Each entry of the config becomes a row: either a critic that can be started or the reasons why not. Nothing is
//! looked up on disk here and nothing is started.

use std::time::Duration;

use crate::config::Config;
use crate::entry;
use crate::fault::{self, Fault};
use crate::refusal::Refusal;

/// A critic as declared, with everything checked that can be checked without running it.
#[derive(Clone, Debug)]
pub(crate) struct Critic {
    /// Its name, unique.
    pub(crate) name: String,
    /// Its label, maybe empty.
    pub(crate) harness: String,
    /// Its model, maybe empty.
    pub(crate) model: String,
    /// What is started.
    pub(crate) program: Program,
    /// The arguments as declared.
    pub(crate) args: Vec<String>,
    /// Variables laid over the inherited ones.
    /// `None` removes the inherited one.
    pub(crate) env: Vec<(String, Option<String>)>,
    /// Its directory, relative to the root.
    pub(crate) cwd: Option<String>,
    /// How its output is read.
    pub(crate) reading: Reading,
    /// How long a round may last.
    pub(crate) limit: Duration,
}

/// What a critic's process is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// The executable that the entry names.
    Command(String),
    /// `claude`
    Claude,
    /// `cursor-agent`
    Cursor,
}

impl Program {
    /// The built-in adapter of that name.
    pub(crate) fn built_in(harness: &str) -> Option<Self> {
        match harness {
            "claude" | "cursor" if fault::on(Fault::KnownHarnessRefused) => None,
            "claude" => Some(Self::Claude),
            "cursor" => Some(Self::Cursor),
            _ => None,
        }
    }

    /// The executable's name as it would be typed.
    pub(crate) fn executable(&self) -> &str {
        match self {
            Self::Command(command) => command,
            Self::Claude => "claude",
            Self::Cursor => "cursor-agent",
        }
    }
}

/// How standard output becomes the reviewer's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As it is.
    Text,
    /// The text inside a JSON object.
    Json,
    /// What a built-in reports: an object, or the last result of its events.
    Own,
}

/// One entry of the list, readable or not.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The name, empty where it cannot be read.
    pub(crate) name: String,
    /// The harness as far as it can be read.
    pub(crate) harness: String,
    /// The model as far as it can be read.
    pub(crate) model: String,
    /// What would be started, as far as that is known.
    pub(crate) program: Option<Program>,
    /// The `PATH` of the entry's own environment.
    pub(crate) path: Option<String>,
    /// Whether the entry lacks `args`.
    pub(crate) has_no_args: bool,
    /// Whether the entry is switched on.
    pub(crate) enabled: bool,
    /// Where it stands; 0 where that is not known.
    pub(crate) line: u64,
    /// The critic, or what is wrong with it.
    pub(crate) critic: Result<Critic, Vec<String>>,
}

/// All entries, in the order of the file.
pub(crate) struct Roster {
    /// The rows.
    pub(crate) rows: Vec<Row>,
}

impl Roster {
    /// Reads every entry; a bad one becomes a row with its reasons.
    pub(crate) fn read(config: &Config) -> Result<Self, Refusal> {
        let nodes = config.critics()?;
        let mut rows: Vec<Row> = nodes.iter().enumerate().map(|(at, node)| entry::read(at, node)).collect();
        let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
        for row in &mut rows {
            let twins = names.iter().filter(|name| **name == row.name).count();
            if twins > 1 && !row.name.is_empty() && !lists_duplicates_as_valid() {
                let reason =
                    format!("critic `{}`: {twins} entries have this name, rename all but one", row.name);
                match &mut row.critic {
                    Ok(_) => row.critic = Err(vec![reason]),
                    Err(reasons) => reasons.push(reason),
                }
            }
        }
        Ok(Self { rows })
    }

    /// The critic of that name, if it may run.
    pub(crate) fn pick(&self, name: &str) -> Result<&Critic, Refusal> {
        if let Some(name) = self.duplicate()
            && !tolerates_duplicates()
            && !fault::on(Fault::DuplicateSparesOthers)
        {
            return Err(Refusal::new(format!(
                "critic `{name}` is declared twice, so none of the list is run"
            )));
        }
        if let Some(reasons) = self.rows.iter().find_map(|row| row.critic.as_ref().err())
            && fault::on(Fault::BadNeighbourBlocksRun)
        {
            return Err(Refusal::new(reasons.join("; ")));
        }
        let row = self.row(name)?;
        if !row.enabled && row.critic.is_ok() && !fault::on(Fault::RunDisabled) {
            return Err(Refusal::new(format!("critic `{name}` is disabled")));
        }
        match &row.critic {
            Ok(critic) => Ok(critic),
            Err(reasons) if fault::on(Fault::CriticUnnamed) => {
                Err(Refusal::new(reasons.join("; ").replace(&format!("critic `{name}`"), "")))
            }
            Err(reasons) if fault::on(Fault::FirstProblemOnly) => {
                Err(Refusal::new(reasons.first().cloned().unwrap_or_default()))
            }
            Err(reasons) => Err(Refusal::new(reasons.join("; "))),
        }
    }

    fn row(&self, name: &str) -> Result<&Row, Refusal> {
        let same = |row: &&Row| {
            row.name == name || fault::on(Fault::NamesCompareLoosely) && row.name.eq_ignore_ascii_case(name)
        };
        let found = if fault::on(Fault::LastDuplicateWins) {
            self.rows.iter().rev().find(same)
        } else {
            self.rows.iter().find(same)
        };
        let found = found.or_else(|| self.rows.first().filter(|_| fault::on(Fault::UnknownNameRunsFirst)));
        let known: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        found.ok_or_else(|| Refusal::new(format!("no critic `{name}`; configured: {}", known.join(", "))))
    }

    /// Why a name that stands twice makes the whole list worthless, with the line of each.
    pub(crate) fn duplicates(&self) -> Option<String> {
        let name = self.duplicate().filter(|_| !lists_duplicates_as_valid())?;
        let lines: Vec<String> =
            self.rows.iter().filter(|row| row.name == name).map(|row| format!("line {}", row.line)).collect();
        Some(format!("critic `{name}` is declared more than once: {}", lines.join(", ")))
    }

    fn duplicate(&self) -> Option<&str> {
        let mut names: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        names.retain(|name| !name.is_empty());
        names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)).map(|(_, name)| *name)
    }
}

fn tolerates_duplicates() -> bool {
    fault::on(Fault::FirstDuplicateWins) || fault::on(Fault::LastDuplicateWins)
}

fn lists_duplicates_as_valid() -> bool {
    tolerates_duplicates() || fault::on(Fault::DuplicateListedValid)
}
