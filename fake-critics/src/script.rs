//! What a fake critic does: a list of one-key steps. Main types: [`Script`] and [`Step`].
//!
//! The kit's scenarios deserialise their `fakes` straight into these types, and the kit writes them as JSON beside the
//! fake. Nothing here acts; [`crate::play`] does.

use std::fmt;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::bytes::Bytes;
use crate::signal::SignalName;

/// What one fake does, in order; at the end it exits 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Script(pub Vec<Step>);

impl Script {
    /// The `child` step at a path: each number is an index into a list of steps, that of the script first.
    pub fn child_at(&self, path: &[usize]) -> Option<&Child> {
        let mut steps = &self.0;
        for (depth, index) in path.iter().enumerate() {
            match steps.get(*index)? {
                Step::Child(child) if depth + 1 == path.len() => return Some(child),
                Step::Child(child) => steps = &child.steps,
                Step::OnSignal(handler) => steps = &handler.steps,
                _ => return None,
            }
        }
        None
    }
}

/// One step: a mapping with one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Writes to standard output.
    Print(String),
    /// Writes bytes to standard output.
    PrintBytes(Bytes),
    /// Writes to standard error.
    PrintError(String),
    /// Prints the arguments without the program's name, one JSON array on a line.
    PrintArgv(Nothing),
    /// Prints the content of the file that this argument names, counted from 0 without the program's name.
    PrintFile(usize),
    /// Reads standard input and writes it out.
    PrintStdin(ReadStdin),
    /// Writes the same text over and over.
    Flood(Flood),
    /// Reads standard input and journals it.
    ReadStdin(ReadStdin),
    /// Does nothing for so many seconds.
    Sleep(Seconds),
    /// Ends with this code.
    Exit(u8),
    /// Ends itself by this signal.
    DieBy(SignalName),
    /// From now on this signal has no effect; that it came is journaled.
    Ignore(SignalName),
    /// From now on this signal starts these steps.
    OnSignal(OnSignal),
    /// Stops itself.
    Stop(Nothing),
    /// Starts a child.
    Child(Child),
    /// Writes a file.
    WriteFile(WriteFile),
    /// Opens `/dev/stdout` anew for writing, as a shell's `>` does, and writes there.
    ReopenStdout(String),
    /// Gives up standard output, so that its reader sees the end.
    CloseStdout(Nothing),
}

/// The empty mapping of a step that has no parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Parameters of `flood`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Flood {
    /// Where to.
    #[serde(default)]
    pub stream: Stream,
    /// How many bytes; absent: for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// What is repeated.
    #[serde(default = "Flood::default_text")]
    pub text: String,
    /// Bytes that are repeated in place of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<Bytes>,
}

impl Flood {
    fn default_text() -> String {
        "a line of many\n".to_owned()
    }

    /// What is repeated.
    pub fn content(&self) -> &[u8] {
        self.base64.as_ref().map_or(self.text.as_bytes(), |bytes| &bytes.0)
    }
}

/// One of the two output streams.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    #[default]
    Stdout,
    /// Standard error.
    Stderr,
}

/// Parameters of `read-stdin` and `print-stdin`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadStdin {
    /// At most so long.
    #[serde(default = "ReadStdin::default_seconds")]
    pub seconds: Seconds,
}

impl ReadStdin {
    fn default_seconds() -> Seconds {
        Seconds(Duration::from_secs(5))
    }
}

/// Parameters of `on-signal`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnSignal {
    /// Which signal.
    pub signal: SignalName,
    /// What is done then.
    #[serde(default)]
    pub steps: Vec<Step>,
}

/// Parameters of `child`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Child {
    /// The session it runs in.
    #[serde(default)]
    pub session: Membership,
    /// The process group it runs in; a session of its own brings a group of its own.
    #[serde(default)]
    pub group: Membership,
    /// Whether it keeps the fake's streams open.
    #[serde(default)]
    pub stdout: Holding,
    /// Whether an intermediate process starts it and exits at once.
    #[serde(default)]
    pub twice: bool,
    /// What the child does.
    pub steps: Vec<Step>,
}

/// Whether a child stays in its parent's session or group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Membership {
    /// The parent's.
    #[default]
    Same,
    /// One of its own.
    Own,
}

/// What becomes of the three standard streams in a child.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holding {
    /// All three are inherited.
    #[default]
    Held,
    /// All three are the null device.
    Closed,
}

/// Parameters of `write-file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteFile {
    /// Relative to the working directory.
    pub path: String,
    /// The whole content.
    pub text: String,
}

/// A time in seconds, not negative, finite and at most a year; written as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(pub Duration);

impl Seconds {
    const LONGEST: Duration = Duration::from_hours(366 * 24);
}

impl fmt::Debug for Seconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.as_secs_f64())
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(number)
            .ok()
            .filter(|duration| *duration <= Self::LONGEST)
            .map(Self)
            .ok_or_else(|| {
                D::Error::custom(format!("`{number}` is no time: expected seconds from 0 to a year"))
            })
    }
}
