//! A bar on standard error while a run goes on, on terminals only.
//!
//! Main type: [`Progress`]. Where there is no terminal it says nothing at all.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::campaign::Event;

/// The bar.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar that is drawn to standard error if that is a terminal.
    pub fn new() -> Self {
        Self { bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()) }
    }

    /// Takes note of an event.
    pub fn event(&self, event: &Event<'_>) {
        match event {
            Event::Begun(header) => {
                self.bar.set_length(header.expected as u64);
                if let Ok(style) =
                    ProgressStyle::with_template("{pos} of {len} checks {bar:30} {elapsed} {msg}")
                {
                    self.bar.set_style(style);
                }
                self.bar.enable_steady_tick(Duration::from_millis(200));
            }
            Event::Judged(outcome) => {
                self.bar.inc(outcome.verdicts.len() as u64);
                self.bar.set_message(outcome.scenario.id().to_owned());
            }
            Event::Ended(_) => self.bar.finish_and_clear(),
        }
    }

    /// Writes to another stream without the bar in between.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}
