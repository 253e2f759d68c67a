//! The signal that a step sends to its target once a fake has journaled an event. Main type: [`Signalling`].
//!
//! It waits for the event in the journal, not for a time. With copies, every copy's fake must have journaled it.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fake_critics::journal;
use rustix::process::{Pid, pidfd_send_signal};

use super::descent;
use crate::scenario::step::SignalPlan;

/// Between two signals, so that a target can tell them apart.
const SPACING: Duration = Duration::from_millis(100);

/// A signal that is still to be sent, or was.
pub(super) struct Signalling {
    plan: SignalPlan,
    journal: PathBuf,
    before: usize,
    wanted: usize,
    sent: u32,
    last: Option<Instant>,
}

impl Signalling {
    /// A signal of this plan; what the journal holds now does not count.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(super) fn new(plan: &SignalPlan, journal: PathBuf, copies: usize) -> io::Result<Self> {
        let before = journal::read(&journal)?.len();
        Ok(Self { plan: plan.clone(), journal, before, wanted: copies, sent: 0, last: None })
    }

    /// Whether the event never came.
    pub(super) fn is_unsent(&self) -> bool {
        self.sent == 0
    }

    /// Sends what is due to these processes.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(super) fn turn<'a>(&mut self, targets: impl Iterator<Item = (Pid, &'a OwnedFd)>) -> io::Result<()> {
        if self.sent >= self.plan.times || !self.is_due()? {
            return Ok(());
        }
        let signal = self.plan.send.signal();
        let targets: Vec<_> = targets.collect();
        let taken = |(pid, _): &(Pid, _)| !descent::is_pending(pid.as_raw_nonzero().get(), signal.as_raw());
        if !targets.iter().all(taken) {
            return Ok(());
        }
        for (_, process) in targets {
            // One that has ended meanwhile is past being signalled.
            let _ = pidfd_send_signal(process, signal);
        }
        self.sent += 1;
        self.last = Some(Instant::now());
        Ok(())
    }

    fn is_due(&self) -> io::Result<bool> {
        if let Some(last) = self.last {
            return Ok(last.elapsed() >= SPACING);
        }
        let entries = journal::read(&self.journal)?;
        let new = entries.iter().skip(self.before);
        let seen: BTreeSet<i32> =
            new.filter(|entry| entry.event.name() == self.plan.after).map(|entry| entry.pid).collect();
        Ok(seen.len() >= self.wanted)
    }
}
