//! A moment: a point in time to the second, in UTC.
//!
//! [`Moment`] is what comments, states and events say of when something happened. Only the command line asks the clock.

use std::fmt;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// A point in time. Written as RFC 3339 in UTC, such as `2026-11-30T12:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Timestamp);

impl Moment {
    /// The current second.
    pub fn now() -> Self {
        Self::from(Timestamp::now())
    }

    /// Reads RFC 3339 with any offset; parts of a second are cut off. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<Timestamp>().ok().map(Self::from)
    }
}

impl From<Timestamp> for Moment {
    fn from(timestamp: Timestamp) -> Self {
        Self(Timestamp::from_second(timestamp.as_second()).unwrap_or(timestamp))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_in_utc_to_the_second() {
        for text in ["2026-11-30T12:00:00Z", "2026-11-30T12:00:00.999Z", "2026-11-30T14:00:00+02:00"] {
            assert_eq!(Moment::parse(text).unwrap().to_string(), "2026-11-30T12:00:00Z");
        }
    }

    #[test]
    fn what_names_no_moment_is_none() {
        for text in
            ["", "yesterday", "2026-11-30", "2026-11-30T12:00:00", "2026-13-30T12:00:00Z", "1764504000"]
        {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
