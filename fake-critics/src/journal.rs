//! What a fake critic saw and did: JSON lines, one entry each. Main types: [`Entry`] and [`Event`].
//!
//! Many processes append to one journal at once, so each entry is one write to a file opened for appending. The journal
//! does not judge anything.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::bytes::Bytes;
use crate::script::{Seconds, Stream};
use crate::signal::SignalName;

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Who wrote it; tells starts and children apart.
    pub pid: i32,
    /// Nanoseconds of the monotonic clock, comparable over all processes of one machine.
    pub monotonic: u64,
    /// Nanoseconds since 1970.
    pub wall: u64,
    /// What happened.
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// The target started the fake. Written before anything else is done.
    Started(Box<Started>),
    /// A print or a flood is through.
    Printed {
        /// Where to.
        stream: Stream,
        /// How many bytes.
        bytes: u64,
    },
    /// Standard input was read.
    ReadStdin {
        /// What it held.
        bytes: Bytes,
        /// Whether its end was seen.
        ended: bool,
    },
    /// A child of the fake runs; written by the child, in the session and group that its step asks for.
    ChildStarted(ChildStarted),
    /// A handled or ignored signal arrived.
    Signal {
        /// Which.
        name: SignalName,
    },
    /// A sleep begins.
    Sleeping {
        /// For how long.
        seconds: Seconds,
    },
    /// The process ends by itself.
    Exiting(Ending),
    /// A step could not be done; the fake then exits with 70.
    Failed {
        /// Which step and why.
        error: String,
    },
}

/// What a fake found when it was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Started {
    /// The parent's process id.
    pub parent: i32,
    /// The process group.
    pub group: i32,
    /// The session.
    pub session: i32,
    /// All arguments, the program's name first.
    pub argv: Vec<Bytes>,
    /// The environment as given: one `NAME=VALUE` each, also where it has no `=`.
    pub environment: Vec<Bytes>,
    /// The working directory, without symbolic links; empty when it is gone.
    pub cwd: Bytes,
    /// What standard input is.
    pub stdin: StdinKind,
}

impl Started {
    /// The value of a variable; the first one when it is there twice.
    pub fn variable(&self, name: &str) -> Option<Bytes> {
        self.environment.iter().find_map(|entry| {
            let value = entry.0.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
            Some(Bytes(value.to_vec()))
        })
    }
}

/// Where a child of a fake runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChildStarted {
    /// The parent's process id at that time.
    pub parent: i32,
    /// The process group.
    pub group: i32,
    /// The session.
    pub session: i32,
}

/// What standard input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StdinKind {
    /// The null device; one that was closed looks the same.
    Null,
    /// A regular file.
    File,
    /// A pipe.
    Pipe,
    /// A terminal, a socket, anything else.
    Other,
}

/// How a fake ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// With a code.
    Code(u8),
    /// By a signal.
    Signal(SignalName),
}

/// The name of an event, as `evidence` and `signal.after` write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventName {
    /// [`Event::Started`].
    Started,
    /// [`Event::Printed`].
    Printed,
    /// [`Event::ReadStdin`].
    ReadStdin,
    /// [`Event::ChildStarted`].
    ChildStarted,
    /// [`Event::Signal`].
    Signal,
    /// [`Event::Sleeping`].
    Sleeping,
    /// [`Event::Exiting`].
    Exiting,
    /// [`Event::Failed`].
    Failed,
}

impl Event {
    /// The event's name.
    pub fn name(&self) -> EventName {
        match self {
            Self::Started(_) => EventName::Started,
            Self::Printed { .. } => EventName::Printed,
            Self::ReadStdin { .. } => EventName::ReadStdin,
            Self::ChildStarted(_) => EventName::ChildStarted,
            Self::Signal { .. } => EventName::Signal,
            Self::Sleeping { .. } => EventName::Sleeping,
            Self::Exiting(_) => EventName::Exiting,
            Self::Failed { .. } => EventName::Failed,
        }
    }
}

/// A journal that is open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
}

impl Journal {
    /// Opens or creates the journal.
    ///
    /// # Errors
    /// When the file cannot be opened for appending.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: OpenOptions::new().append(true).create(true).open(path)? })
    }

    /// Appends one entry with the present time, in one write.
    ///
    /// # Errors
    /// When the file takes no more.
    pub(crate) fn record(&self, event: Event) -> io::Result<()> {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let entry = Entry {
            pid,
            monotonic: nanoseconds(ClockId::Monotonic),
            wall: nanoseconds(ClockId::Realtime),
            event,
        };
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        (&self.file).write_all(&line)
    }
}

/// Reads a whole journal; one that does not exist is empty. A last line that is still being written is left out.
///
/// # Errors
/// When the file cannot be read, or holds a line that is no entry.
pub fn read(path: &Path) -> io::Result<Vec<Entry>> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    bytes[..complete]
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).map_err(io::Error::from))
        .collect()
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let rest = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds * 1_000_000_000 + rest
}
