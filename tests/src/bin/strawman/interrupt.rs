//! Signals to the runner. Main type: [`Interrupts`].
//!
//! TERM and INT are always taken; HUP only where it was not ignored when the runner was started. What a signal
//! means is decided by the round.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::fault::{self, Fault};

/// A second signal within this time is the same request on another way: from the terminal and from a parent.
const ECHO: Duration = Duration::from_millis(100);

/// Signals that have arrived and were not asked for yet.
pub(crate) struct Interrupts {
    signals: Option<Signals>,
    last: Option<Instant>,
}

impl Interrupts {
    /// Takes over the signals from now on.
    pub(crate) fn listen() -> io::Result<Self> {
        if fault::on(Fault::SignalsUnhandled) {
            return Ok(Self { signals: None, last: None });
        }
        let mut wanted = vec![SIGTERM, SIGINT];
        if !is_ignored(SIGHUP) || fault::on(Fault::NohupIgnored) {
            wanted.push(SIGHUP);
        }
        Ok(Self { signals: Some(Signals::new(wanted)?), last: None })
    }

    /// The next signal, if one has arrived.
    pub(crate) fn next(&mut self) -> Option<i32> {
        let signal = self.signals.as_mut()?.pending().next()?;
        let echo = self.last.is_some_and(|last| last.elapsed() < ECHO);
        self.last = Some(Instant::now());
        (!echo).then_some(signal)
    }
}

fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}
