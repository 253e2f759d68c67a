//! The process tree: everything the critic started, wherever it went. The one seam between platforms.
//!
//! Both sides offer the same [`Tree`]. On Linux this process becomes a subreaper, so that whoever loses its parent
//! turns up among our own children; elsewhere only the critic's group is known, and ending the rest is best
//! effort. When to end what is decided by the round.

#[cfg(not(target_os = "linux"))]
mod group;
#[cfg(target_os = "linux")]
mod linux;

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, WaitOptions, waitid, waitpid};

#[cfg(not(target_os = "linux"))]
pub(super) use group::{Tree, prepare};
#[cfg(target_os = "linux")]
pub(super) use linux::{Tree, prepare};

use super::Leftovers;

/// Whom one pass of KILL met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "there only the critic itself is ever met"))]
pub(super) enum Met {
    /// Nobody is left.
    Nobody,
    /// Somebody who had not been sent KILL before: the next pass should follow at once.
    New,
    /// Only who was sent KILL before and has not ended yet.
    Known,
    /// Somebody who cannot be named, let alone ended.
    Unseen,
}

/// How the critic ended, without collecting it: as long as it is not collected, its group id stays ours.
pub(super) fn ended(critic: Pid) -> Option<WaitIdStatus> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(critic), options).ok().flatten()
}

/// Collects a child if it has ended, never one that was not asked for. Says whether it is gone.
pub(super) fn collect(child: Pid) -> bool {
    !matches!(waitpid(Some(child), WaitOptions::NOHANG), Ok(None))
}

/// Whether this process has no child at all, dead or alive.
pub(super) fn childless() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::All, options), Err(rustix::io::Errno::CHILD))
}
