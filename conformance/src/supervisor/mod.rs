//! Runs one scenario against a target and records everything. Main types: [`Job`] and
//! [`Observation`](crate::observation::Observation).
//!
//! A process of its own per scenario: it is the reaper of everything that the target leaves behind, so that every
//! descendant is found again, and scenarios that run side by side are not mixed up. It does not judge.

mod call;
mod descent;
mod dialect;
mod disk;
mod drive;
mod launch;
mod lifeline;
mod observe;
mod photograph;
mod replay;
mod run;
mod sandbox;
mod signalling;
mod stage;
mod thread;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::launch::{LaunchError, launch, prepare, serve_if_asked};
pub use self::lifeline::Lifeline;
pub use self::run::{SupervisorError, run_supervisor};
pub use self::sandbox::discard;
use crate::scenario::Scenario;
use crate::target::Target;

/// What one supervisor is asked to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// What is run.
    pub scenario: Scenario,
    /// Against what.
    pub target: Target,
    /// The target's measured start-up time; comes on top of the steps' limits.
    pub startup: Duration,
    /// Where a step counts as hung, if that is before its own limit.
    pub hang_after: Option<Duration>,
    /// A directory that does not exist yet, for the sandboxes of scenario and control.
    pub sandbox: PathBuf,
    /// The kit's own file, on the same file system as the sandbox; see [`prepare`].
    pub kit: PathBuf,
    /// What becomes of the sandbox.
    pub keep: Keep,
}

/// What becomes of a sandbox when its scenario is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// It is removed.
    #[default]
    Discard,
    /// It stays, with a `replay.sh`; whoever asked removes it with [`discard`]. An interrupted one is removed.
    Keep,
}
