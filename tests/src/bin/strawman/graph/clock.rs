//! Points in time as comments, states and events write them. Main type: [`Moment`].
//!
//! They count whole seconds; what is finer is cut off, and what is no RFC 3339 time is no moment.

use std::fmt;

use jiff::Timestamp;

/// A second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(Timestamp);

impl Moment {
    /// This second.
    pub(crate) fn now() -> Self {
        Self::of(Timestamp::now())
    }

    /// The second that a text names.
    pub(crate) fn read(text: &str) -> Option<Self> {
        text.trim().parse().ok().map(Self::of)
    }

    fn of(time: Timestamp) -> Self {
        Self(Timestamp::from_second(time.as_second()).unwrap_or(time))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
