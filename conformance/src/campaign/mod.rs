//! A run of the suite against a target: plan, preflight, the scenarios side by side, the count.
//!
//! Whoever reports learns of it by [`Event`]s only.

mod flaky;
mod naming;
mod order;
mod plan;
mod pool;
mod preflight;
mod selection;
mod tally;

use std::path::PathBuf;
use std::time::Duration;

pub use self::naming::opaque;
pub use self::plan::Plan;
pub use self::pool::{Completion, Pool, Sandboxes};
pub use self::preflight::{Checkup, Findings, PreflightError};
pub use self::selection::{Pattern, Selection, Shard, ShardError};
pub use self::tally::{Conclusion, Gate, Row, Tally};
use crate::judge::Verdict;
use crate::observation::Observation;
use crate::scenario::Scenario;

/// What happens in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// It begins; everything is counted.
    Begun(&'a Header),
    /// A scenario was judged.
    Judged(&'a Outcome<'a>),
    /// It is over.
    Ended(&'a Ending),
}

/// What is known before the first scenario.
#[derive(Clone, Debug)]
pub struct Header {
    /// Version of the kit.
    pub kit: String,
    /// Version of the suite.
    pub suite: u32,
    /// Name of the target.
    pub target: String,
    /// What it says its version is.
    pub target_version: Option<String>,
    /// Its start-up time; none without preflight.
    pub startup: Option<Duration>,
    /// How many verdicts there will be.
    pub expected: usize,
    /// How many scenarios will be run.
    pub scenarios: usize,
}

/// One scenario and its verdicts.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The verdicts of its selected checks.
    pub verdicts: Vec<Verdict>,
    /// What was recorded; of the failing run, where there were several.
    pub observation: Option<Observation>,
    /// The script that repeats it, where its sandbox was kept.
    pub replay: Option<PathBuf>,
}

/// What is known after the last scenario.
#[derive(Clone, Debug)]
pub struct Ending {
    /// How many verdicts were expected.
    pub expected: usize,
    /// The counts.
    pub tally: Tally,
    /// What they come to.
    pub conclusion: Conclusion,
    /// The gate.
    pub gate: Gate,
    /// Wall time.
    pub seconds: Duration,
    /// Where sandboxes were kept, if any was.
    pub results: Option<PathBuf>,
}
