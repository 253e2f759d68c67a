//! Scenarios: what the suite asks of a target, as data.
//!
//! [`Scenario`] is the checked form with one constructor, [`Scenario::parse`]; the format is described in
//! `docs/writing-scenarios.md`. It travels to the supervisor as its own text, so that there is one format only.
//! Nothing here runs or judges.

pub mod check;
pub mod checklist;
pub mod configuration;
pub mod content;
pub mod edit;
pub mod entries;
mod file;
pub mod graph_check;
pub mod graph_step;
pub mod step;
pub mod thread;
pub mod verb;
mod walk;
pub use crate::text;

use std::collections::BTreeMap;
use std::fmt;

pub(crate) use self::file::is_slug;
use fake_critics::journal::EventName;
use fake_critics::script::Script;
use serde::{Deserialize, Serialize};

use self::check::Check;
pub use self::configuration::Configuration;
use self::content::FileContent;
use self::step::{Environment, Step};
use crate::source::Source;
use crate::source::fault::Fault;
use crate::text::Text;

/// A checked scenario.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "Parcel", into = "Parcel")]
pub struct Scenario {
    id: String,
    source: Source,
    title: String,
    requirement: String,
    trigger: Trigger,
    tags: Vec<String>,
    dialect: Option<Dialect>,
    setup: Setup,
    control: Option<Setup>,
    evidence: Vec<(String, Vec<EventName>)>,
    checks: Vec<Check>,
}

/// Whether the condition of the requirement's sentence occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// It does.
    Present,
    /// It does not.
    Absent,
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Present => "present",
            Self::Absent => "absent",
        })
    }
}

/// Where a target reads its critics from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// `critics` and `reviews` at the top level of the operator's file.
    #[default]
    Operator,
    /// `reviews.critics` of the checkout's `.the-loop/harness-config.yaml`.
    Repository,
}

/// One sandbox and the steps in it: the scenario itself, or its control.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    configuration: Configuration,
    files: Vec<(Text, FileContent)>,
    env: Environment,
    fakes: BTreeMap<String, Script>,
    bystanders: Vec<String>,
    steps: Vec<Step>,
}

impl Setup {
    /// The configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// What lies in the sandbox before the first step; relative paths lie in `%{root}`.
    pub fn files(&self) -> &[(Text, FileContent)] {
        &self.files
    }

    /// Environment of the target in every step.
    pub fn env(&self) -> &Environment {
        &self.env
    }

    /// Name in `bin/` to script. Names in scripts are not put in yet: see [`text::expand_json`].
    pub fn fakes(&self) -> &BTreeMap<String, Script> {
        &self.fakes
    }

    /// Fakes that are started before the first step and are not the target's.
    pub fn bystanders(&self) -> &[String] {
        &self.bystanders
    }

    /// What is called, at least one step.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

impl Scenario {
    /// Reads the text of a scenario. The id is `<area>/<slug>`.
    ///
    /// # Errors
    /// Everything that is wrong with it, located.
    pub fn parse(id: &str, source: Source) -> Result<Self, Vec<Fault>> {
        file::parse(id, source)
    }

    /// `<area>/<slug>`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its file.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// What is proved, one sentence.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The ledger row it is about.
    pub fn requirement(&self) -> &str {
        &self.requirement
    }

    /// Whether the condition of that row occurs.
    pub fn trigger(&self) -> Trigger {
        self.trigger
    }

    /// Words for `--tag`.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// The only dialect it is for, if any.
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// The sandbox and steps that are judged.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The nearest legal case, complete: what it does not replace is the scenario's.
    pub fn control(&self) -> Option<&Setup> {
        self.control.as_ref()
    }

    /// Fake to the events that must have happened.
    pub fn evidence(&self) -> &[(String, Vec<EventName>)] {
        &self.evidence
    }

    /// The checks, at least one, in the order of the file.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// The id of one of its checks.
    pub fn check_id(&self, check: &Check) -> String {
        format!("{}/{}", self.id, check.name())
    }

    /// The ids of all its checks.
    pub fn check_ids(&self) -> Vec<String> {
        self.checks.iter().map(|check| self.check_id(check)).collect()
    }

    /// Whether the condition of the row that one of its checks is about occurs.
    pub fn trigger_of(&self, check: &Check) -> Trigger {
        check.trigger().unwrap_or(self.trigger)
    }

    /// The ledger row that one of its checks is about.
    pub fn requirement_of<'a>(&'a self, check: &'a Check) -> &'a str {
        check.requirement().unwrap_or(&self.requirement)
    }
}

/// A scenario as it travels.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Parcel {
    id: String,
    path: String,
    text: String,
}

impl From<Scenario> for Parcel {
    fn from(scenario: Scenario) -> Self {
        Self {
            id: scenario.id,
            path: scenario.source.path().to_owned(),
            text: scenario.source.text().to_owned(),
        }
    }
}

impl TryFrom<Parcel> for Scenario {
    type Error = String;

    fn try_from(parcel: Parcel) -> Result<Self, String> {
        Self::parse(&parcel.id, Source::new(parcel.path, parcel.text))
            .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    }
}
