//! The tree where the platform cannot tell it: the critic's process group, best effort.
//!
//! A descendant that leaves the group is not found. [`Tree`] has the same methods as its Linux counterpart.

use rustix::process::{Pid, Signal, kill_process_group};

use super::{collect, ended};

/// The critic's group.
#[derive(Debug)]
pub(in crate::process) struct Tree {
    critic: Pid,
    collected: bool,
}

/// Nothing to prepare.
pub(in crate::process) const fn prepare() {}

impl Tree {
    /// The group that the critic leads.
    pub(in crate::process) const fn of(critic: Pid) -> Self {
        Self { critic, collected: false }
    }

    /// Nobody else's children come to us.
    #[expect(clippy::unused_self, reason = "both sides of the seam are called alike")]
    pub(in crate::process) const fn reap(&self) {}

    /// Whether the critic is alive; of others nothing is known.
    pub(in crate::process) fn is_alive(&self) -> bool {
        !self.collected && ended(self.critic).is_none()
    }

    /// Asks the group to end, and wakes who is stopped.
    pub(in crate::process) fn terminate(&self) {
        let _ = kill_process_group(self.critic, Signal::TERM);
        let _ = kill_process_group(self.critic, Signal::CONT);
    }

    /// Ends the group, also when the critic itself has ended. Says whether the critic had not.
    pub(in crate::process) fn kill(&self) -> bool {
        if !self.collected {
            let _ = kill_process_group(self.critic, Signal::KILL);
        }
        self.is_alive()
    }

    /// Collects the critic.
    pub(in crate::process) fn close(&mut self) {
        collect(self.critic);
        self.collected = true;
    }
}
