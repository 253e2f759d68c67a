//! The tree where the platform cannot tell it: the critic's process group, best effort.
//!
//! A descendant that leaves the group is not found. [`Tree`] has the same methods as its Linux counterpart.

use rustix::process::{Pid, Signal, WaitIdStatus, kill_process_group};

use super::{Leftovers, Met, collect, ended};

/// The critic's group.
#[derive(Debug)]
pub(in crate::process) struct Tree {
    critic: Pid,
    /// Once it is collected; then its id may name somebody else.
    status: Option<WaitIdStatus>,
}

/// Nothing to prepare.
pub(in crate::process) const fn prepare() {}

impl Tree {
    /// The group that the critic leads.
    pub(in crate::process) const fn of(critic: Pid) -> Self {
        Self { critic, status: None }
    }

    /// How the critic ended, if it has.
    pub(in crate::process) fn status(&self) -> Option<WaitIdStatus> {
        self.status.or_else(|| ended(self.critic))
    }

    /// Nobody else's children come to us.
    #[expect(
        clippy::unused_self,
        clippy::needless_pass_by_ref_mut,
        reason = "both sides of the seam are called alike"
    )]
    pub(in crate::process) const fn reap(&mut self) {}

    /// Whether the critic is alive; of others nothing is known.
    pub(in crate::process) fn is_alive(&self) -> bool {
        self.status().is_none()
    }

    /// Asks the group to end, and wakes who is stopped.
    pub(in crate::process) fn terminate(&mut self) {
        let _ = kill_process_group(self.critic, Signal::TERM);
        let _ = kill_process_group(self.critic, Signal::CONT);
    }

    /// Ends the group, also when the critic itself has ended, and then collects it. Says whether it had not.
    pub(in crate::process) fn kill(&mut self) -> Met {
        if self.status.is_none() {
            let _ = kill_process_group(self.critic, Signal::KILL);
            self.status = ended(self.critic);
            if self.status.is_none() {
                return Met::Known;
            }
            collect(self.critic);
        }
        Met::Nobody
    }

    /// The critic, if it is alive.
    pub(in crate::process) fn left(&mut self) -> Leftovers {
        Leftovers::Left(vec![self.critic.as_raw_pid()])
    }
}
