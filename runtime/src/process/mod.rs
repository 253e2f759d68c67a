//! The process core: one critic, started, watched and ended together with everything it started.
//!
//! [`run`] turns an [`Invocation`] into a [`Round`]; every way a critic can end is one [`Ending`]. Nothing here
//! knows JSON, exit codes of ours or the terminal, and no thread is started: one `poll` waits for signals, both
//! output pipes and the time that remains.

mod alone;
mod capture;
mod poll;
mod signals;
mod spawn;
mod tree;

use std::fmt;
use std::time::Duration;

pub use alone::{HandOverError, hand_over};
pub use capture::{KEPT_ERROR, LONGEST_OUTPUT};
pub use signals::{Signals, Stop};
pub use spawn::StartError;

use crate::invocation::Invocation;

/// How a critic ended.
#[derive(Debug)]
pub enum Ending {
    /// By itself, with this status.
    Exited(i32),
    /// By a signal that was not ours.
    Killed(i32),
    /// At its limit, by us (CR-3.5, CR-A4).
    TimedOut(Duration),
    /// Because we were told to stop.
    Interrupted(Stop),
    /// Because its standard output passed [`LONGEST_OUTPUT`].
    Flooded,
    /// Because the system had no memory for more of its output.
    Starved,
    /// Before it began.
    NotStarted(StartError),
    /// The system refused something the round needs while it ran; the tree was ended.
    Lost(std::io::Error),
}

/// For the log: what happened, without the critic's words.
impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(formatter, "exit status {code}"),
            Self::Killed(signal) => write!(formatter, "ended by signal {signal}"),
            Self::TimedOut(limit) => write!(formatter, "timed out at its limit of {} s", limit.as_secs_f64()),
            Self::Interrupted(stop) => write!(formatter, "interrupted by {stop}"),
            Self::Flooded => write!(formatter, "ended for printing more than {} MiB", LONGEST_OUTPUT >> 20),
            Self::Starved => formatter.write_str("ended for printing more than there is memory for"),
            Self::NotStarted(_) => formatter.write_str("not started"),
            Self::Lost(error) => write!(formatter, "lost: {error}"),
        }
    }
}

/// What is left of a critic once all of it is gone.
#[derive(Debug)]
pub struct Round {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output, at most [`LONGEST_OUTPUT`] bytes from the beginning.
    pub stdout: Vec<u8>,
    /// Its standard error, at most [`KEPT_ERROR`] bytes from the end.
    pub stderr: Vec<u8>,
    /// From just before the start until nothing of it was left.
    pub duration: Duration,
    /// Whether something of it could not be ended: a process of another user, or one stuck in the kernel.
    pub leftovers: Leftovers,
}

/// Whether the whole tree is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftovers {
    /// Everything is gone, as far as the platform lets us see.
    None,
    /// These processes withstood KILL.
    Left(Vec<i32>),
    /// Something is there that cannot be named, since `/proc` is missing.
    Unseen,
}

/// What is left, as the subject of a sentence.
impl fmt::Display for Leftovers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("nothing that it started"),
            Self::Left(ids) if ids.is_empty() => formatter.write_str("processes that it started"),
            Self::Left(ids) => {
                let shown: Vec<String> = ids.iter().take(20).map(ToString::to_string).collect();
                let more = if ids.len() > shown.len() { ", …" } else { "" };
                let noun = if ids.len() == 1 { "process" } else { "processes" };
                write!(formatter, "{} {noun} that it started ({}{more})", ids.len(), shown.join(", "))
            }
            Self::Unseen => {
                formatter.write_str("something that it started and that cannot be seen without /proc")
            }
        }
    }
}

/// Somebody who looks on while a round runs.
pub trait Watch {
    /// How often to look, if at all.
    fn interval(&self) -> Option<Duration>;
    /// Called about that often, with the end of the critic's standard error so far.
    fn look(&mut self, stderr: &[u8]);
}

/// Nobody looks on.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn interval(&self) -> Option<Duration> {
        None
    }

    fn look(&mut self, _stderr: &[u8]) {}
}

impl Round {
    /// A round whose critic never began.
    pub const fn not_started(error: StartError) -> Self {
        Self {
            ending: Ending::NotStarted(error),
            stdout: Vec::new(),
            stderr: Vec::new(),
            duration: Duration::ZERO,
            leftovers: Leftovers::None,
        }
    }
}

/// Runs one critic to its end. Changes the working directory of this process to the critic's.
///
/// When it returns, no process that the critic started is left, whatever session or group it moved to, except as
/// [`Round::leftovers`] says; on platforms without subreapers only the critic's own group is ended.
pub fn run(invocation: &Invocation, signals: &mut Signals, watch: &mut dyn Watch) -> Round {
    match spawn::start(invocation) {
        Ok(started) => poll::attend(started, invocation.limit, signals, watch),
        Err(error) => Round::not_started(error),
    }
}
