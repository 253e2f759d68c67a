//! How a supervisor learns that the kit is gone or has been interrupted. Main type: [`Lifeline`].
//!
//! A pipe whose other end the kit holds: when the kit closes it or dies, of whatever, its end is seen. No signal is
//! needed, and none of the kit's can get lost.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::SupervisorError;

/// The pipe, or nothing when nobody can interrupt.
#[derive(Debug, Default)]
pub struct Lifeline(Option<OwnedFd>);

impl Lifeline {
    /// A lifeline that is cut when this descriptor comes to its end.
    pub fn new(descriptor: OwnedFd) -> Self {
        Self(Some(descriptor))
    }

    /// The descriptor to wait for.
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(AsFd::as_fd)
    }

    /// Whether the other end is still held.
    ///
    /// # Errors
    /// [`SupervisorError::Interrupted`] when it is not.
    pub(super) fn check(&self) -> Result<(), SupervisorError> {
        let Some(descriptor) = self.descriptor() else { return Ok(()) };
        let mut descriptors = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        match poll(&mut descriptors, Some(&now)) {
            Ok(ready) if ready > 0 => Err(SupervisorError::Interrupted),
            _ => Ok(()),
        }
    }

    /// Waits until a condition holds; looks every few milliseconds, and gives what it held at the end.
    ///
    /// # Errors
    /// [`SupervisorError::Interrupted`] when the lifeline was cut before.
    pub(super) fn wait_until(
        &self,
        limit: Duration,
        mut holds: impl FnMut() -> bool,
    ) -> Result<bool, SupervisorError> {
        let begin = Instant::now();
        loop {
            if holds() {
                return Ok(true);
            }
            if begin.elapsed() > limit {
                return Ok(false);
            }
            self.check()?;
            std::thread::sleep(Duration::from_millis(3));
        }
    }
}
