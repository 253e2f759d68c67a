//! Why nothing was started. Main type: [`Refusal`].
//!
//! It is one sentence for standard error; the exit code is `main`'s business.

use std::fmt;

/// A call that cannot be carried out as it stands.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Refusal {
    /// A refusal for this reason.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
