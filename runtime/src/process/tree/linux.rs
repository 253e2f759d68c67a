//! The tree on Linux: a subreaper and `/proc/<pid>/task/<tid>/children`.
//!
//! [`Tree`] assumes that every child of this process belongs to the round; `alone` sees to that. Each step is one
//! pass, and whoever repeats it decides how long.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group, set_child_subreaper};

use super::{childless, collect, ended};

/// The critic and everything below us.
#[derive(Debug)]
pub(in crate::process) struct Tree {
    /// Until it is collected: then its id, and that of its group, may name somebody else.
    critic: Option<Pid>,
    visible: bool,
}

/// Makes this process the one to which orphans of the round come.
pub(in crate::process) fn prepare() {
    // Refused only by kernels older than 3.4; then the group is what we have.
    let _ = set_child_subreaper(Some(getpid()));
}

impl Tree {
    /// The tree below this process, of which `critic` is the root and the leader of its group.
    pub(in crate::process) fn of(critic: Pid) -> Self {
        Self { critic: Some(critic), visible: proc_is_ours() }
    }

    /// Collects orphans that have ended; a long round would gather them as zombies.
    pub(in crate::process) fn reap(&self) {
        for child in self.children().into_iter().filter(|child| Some(*child) != self.critic) {
            collect(child);
        }
    }

    /// Whether somebody other than a critic that has ended may be alive. Once the critic is collected the kernel
    /// answers for sure; before, a child that is handed over to us at this moment may be missed.
    pub(in crate::process) fn is_alive(&self) -> bool {
        let Some(critic) = self.critic else {
            return !childless() && {
                self.reap();
                !childless()
            };
        };
        if ended(critic).is_none() {
            return true;
        }
        let children = self.children();
        let others = children.iter().filter(|child| **child != critic);
        others.filter(|child| !collect(**child)).count() > 0
    }

    /// Asks everybody to end, once each, and wakes who is stopped, since a stopped process cannot hear it.
    pub(in crate::process) fn terminate(&self) {
        for member in self.members() {
            let _ = kill_process(member, Signal::TERM);
            if is_stopped(member) {
                let _ = kill_process(member, Signal::CONT);
            }
        }
    }

    /// Ends everybody who can be seen now, and collects who has ended. One pass: what forks meanwhile is below
    /// us too and met by the next. Says whether there was anybody.
    pub(in crate::process) fn kill(&self) -> bool {
        if !self.is_alive() {
            return false;
        }
        if let Some(critic) = self.critic {
            let _ = kill_process_group(critic, Signal::KILL);
        }
        for member in self.members() {
            if Some(member) != self.critic || ended(member).is_none() {
                let _ = kill_process(member, Signal::KILL);
            }
        }
        true
    }

    /// Collects the critic, the last of all.
    pub(in crate::process) fn close(&mut self) {
        if let Some(critic) = self.critic.take() {
            collect(critic);
        }
    }

    fn children(&self) -> Vec<Pid> {
        if self.visible { children_of("self") } else { self.critic.into_iter().collect() }
    }

    /// Everybody below us, parents before children.
    fn members(&self) -> Vec<Pid> {
        let mut members = self.children();
        let mut known: HashSet<Pid> = members.iter().copied().collect();
        let mut next = 0;
        while self.visible && next < members.len() {
            // Somebody who is handed over to us during the walk may be met twice.
            let below = children_of(&members[next].as_raw_pid().to_string());
            members.extend(below.into_iter().filter(|each| known.insert(*each)));
            next += 1;
        }
        members
    }
}

/// The children of all threads of a process.
fn children_of(process: &str) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(Path::new("/proc").join(process).join("task")) else { return Vec::new() };
    let mut children = Vec::new();
    for thread in threads.flatten() {
        let listed = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.extend(listed.split_ascii_whitespace().filter_map(|each| Pid::from_raw(each.parse().ok()?)));
    }
    children
}

/// Whether a process is stopped; the state follows the name, which ends with the last parenthesis.
fn is_stopped(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_pid())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['T', 't']))
}

/// Whether `/proc` speaks of our process ids. In a process namespace without a `/proc` of its own it names
/// strangers, whom we must not signal.
fn proc_is_ours() -> bool {
    fs::read_link("/proc/self").is_ok_and(|own| own == Path::new(&getpid().as_raw_pid().to_string()))
}
