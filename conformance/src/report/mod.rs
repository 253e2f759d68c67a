//! What a run says: as text for people or as JSON lines for programs.
//!
//! Both formats take the same events, [`crate::campaign::Event`]; nothing here judges or counts.

mod jsonl;
mod progress;
mod text;
mod words;

use std::io::{self, Write};

pub use self::jsonl::JsonLines;
pub use self::progress::Progress;
pub use self::text::{Detail, Text};
use crate::campaign::Event;
use crate::ledger::Ledger;

/// The formats of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line: the run, each check, the end.
    Jsonl,
}

/// A report in the making.
pub trait Report {
    /// Writes what an event has to say.
    ///
    /// # Errors
    /// The stream takes no more.
    fn event(&mut self, event: &Event<'_>) -> io::Result<()>;
}

impl Format {
    /// A report of this format to `stream`.
    pub fn report<'a>(
        self,
        stream: impl Write + 'a,
        ledger: &'a Ledger,
        detail: Detail,
    ) -> Box<dyn Report + 'a> {
        match self {
            Self::Text => Box::new(Text::new(stream, ledger, detail)),
            Self::Jsonl => Box::new(JsonLines::new(stream)),
        }
    }
}

#[cfg(test)]
mod tests;
