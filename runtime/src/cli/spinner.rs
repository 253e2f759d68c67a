//! The spinner: that a round is running, for how long, and the critic's last line on standard error.
//!
//! [`Spinner`] draws only where [`Spinner::suits`] says that somebody watches a terminal, and only when the round's
//! loop asks it to: it has no thread.

use std::env;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::config::visible;
use crate::process::Watch;

/// Between two drawings.
const INTERVAL: Duration = Duration::from_millis(125);

/// A line on a terminal that goes away with the value: the bar clears it when it is dropped.
#[derive(Debug)]
pub(super) struct Spinner {
    bar: ProgressBar,
}

impl Spinner {
    /// Whether standard error is a terminal that can redraw a line and whose owner did not ask for plain output.
    pub(super) fn suits() -> bool {
        let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        io::stderr().is_terminal()
            && !set("NO_COLOR")
            && env::var_os("TERM").is_some_and(|term| term != "dumb")
    }

    /// Starts to draw.
    pub(super) fn start(critic: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(visible(critic).into_owned());
        Self { bar }
    }
}

impl Watch for Spinner {
    fn interval(&self) -> Option<Duration> {
        Some(INTERVAL)
    }

    fn look(&mut self, stderr: &[u8]) {
        let end = &stderr[stderr.len().saturating_sub(1024)..];
        let end = String::from_utf8_lossy(end);
        let line = end.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        self.bar.set_message(visible(line).into_owned());
        self.bar.tick();
    }
}
