//! The tree on Linux: a subreaper and `/proc/<pid>/task/<tid>/children`.
//!
//! [`Tree`] assumes that every child of this process belongs to the round; `alone` sees to that. Each step is one
//! pass, and whoever repeats it decides how long.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::wait::{Id, WaitPidFlag, waitid};
use rustix::process::{
    Pid, Signal, WaitIdStatus, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    wait,
};

use super::{Leftovers, Met, childless, collect, ended};

/// Longest walk below our own children, who may multiply faster than we read.
const WALK: Duration = Duration::from_millis(500);
/// Most orphans that are collected in one turn: there may always be one more.
const TURN: usize = 10_000;

/// The critic and everything below us.
#[derive(Debug)]
pub(in crate::process) struct Tree {
    critic: Critic,
    /// Whom KILL was sent to already.
    killed: HashSet<Pid>,
    visible: bool,
    session: Option<i32>,
}

#[derive(Clone, Copy, Debug)]
enum Critic {
    /// Not collected: its id, and that of its group, are still its own.
    Ours(Pid),
    /// Collected: the id may name somebody else.
    Collected(WaitIdStatus),
}

/// Makes this process the one to which orphans of the round come.
pub(in crate::process) fn prepare() {
    // Refused only by kernels older than 3.4; then the group is what we have.
    let _ = set_child_subreaper(Some(getpid()));
}

impl Tree {
    /// The tree below this process, of which `critic` is the root and the leader of its group.
    pub(in crate::process) fn of(critic: Pid) -> Self {
        let visible = proc_is_ours();
        let session = Stat::of(getpid()).map(|own| own.session);
        Self { critic: Critic::Ours(critic), killed: HashSet::new(), visible, session }
    }

    /// How the critic ended, if it has.
    pub(in crate::process) fn status(&self) -> Option<WaitIdStatus> {
        match self.critic {
            Critic::Ours(critic) => ended(critic),
            Critic::Collected(status) => Some(status),
        }
    }

    /// Collects orphans that have ended, as many as there is time for in one turn; a long round would gather them as
    /// zombies.
    pub(in crate::process) fn reap(&mut self) {
        for _ in 0..TURN {
            let Some(child) = self.next_ended() else { return };
            self.killed.remove(&child);
        }
    }

    /// Whether somebody other than a critic that has ended may be alive. A child that is handed over to us at this
    /// moment may be missed; [`Tree::kill`] knows for sure.
    pub(in crate::process) fn is_alive(&self) -> bool {
        let others = |child: &Pid| !self.is_critic(*child) && !collect(*child);
        self.status().is_none() || self.children().iter().filter(|child| others(child)).count() > 0
    }

    /// Asks everybody to end, once each, and wakes who is stopped, since a stopped process cannot hear it. Bounded
    /// like every walk.
    pub(in crate::process) fn terminate(&mut self) {
        self.reap();
        let until = Instant::now() + WALK;
        for member in self.members(until) {
            let _ = kill_process(member, Signal::TERM);
            if Instant::now() < until && Stat::of(member).is_some_and(Stat::is_stopped) {
                let _ = kill_process(member, Signal::CONT);
            }
        }
    }

    /// One pass of KILL over our own children, whose children are ours by the next pass; over everybody below them
    /// only when there was nobody new, since somebody may withstand. Collects who has ended, the critic too.
    ///
    /// Nobody is met when the kernel knows of no child of ours, which cannot be wrong: an orphan is handed over to
    /// us in the moment in which its parent ends, and its parent is not collected before.
    pub(in crate::process) fn kill(&mut self) -> Met {
        self.kill_critic();
        self.reap();
        let until = Instant::now() + WALK;
        let mut children = self.children();
        children.retain(|child| !self.is_critic(*child));
        // First all of them, so that fewer fork meanwhile; then their groups, which takes longer to find out.
        for child in &children {
            let _ = kill_process(*child, Signal::KILL);
        }
        children.retain(|child| self.killed.insert(*child));
        for child in children.iter().take_while(|_| Instant::now() < until) {
            self.kill_group_of(*child);
        }
        if childless() {
            Met::Nobody
        } else if !self.visible {
            Met::Unseen
        } else if children.is_empty() {
            for member in self.members(until) {
                let _ = kill_process(member, Signal::KILL);
            }
            Met::Known
        } else {
            Met::New
        }
    }

    /// Who is alive now.
    pub(in crate::process) fn left(&mut self) -> Leftovers {
        if !self.visible {
            return Leftovers::Unseen;
        }
        self.reap();
        let until = Instant::now() + WALK;
        let members = self.members(until).into_iter().take_while(|_| Instant::now() < until);
        let alive = members.filter(|member| Stat::of(*member).is_some_and(|stat| !stat.is_dead()));
        Leftovers::Left(alive.map(Pid::as_raw_pid).collect())
    }

    /// Ends the critic's group, which nobody can join or fork in while KILL is sent to it, and collects the critic
    /// once it has ended: only then the kernel tells whether there is anybody else.
    fn kill_critic(&mut self) {
        let Critic::Ours(critic) = self.critic else { return };
        let _ = kill_process_group(critic, Signal::KILL);
        let _ = kill_process(critic, Signal::KILL);
        if let Some(status) = ended(critic) {
            // Whoever was forked before the critic's end is in the group or elsewhere below us.
            let _ = kill_process_group(critic, Signal::KILL);
            collect(critic);
            self.critic = Critic::Collected(status);
        }
    }

    /// Ends everybody in the group of a child, where the group is the round's for sure: in a session that is not
    /// ours. Nobody can fork out of it meanwhile. Until the child is collected, the group is the one it names.
    fn kill_group_of(&self, child: Pid) {
        if let Some(stat) = Stat::of(child)
            && self.session.is_some_and(|own| own != stat.session)
            && let Some(group) = Pid::from_raw(stat.group)
        {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Collects an orphan that has ended, if there is one. While the critic's end is not collected it hides others.
    fn next_ended(&self) -> Option<Pid> {
        let Critic::Ours(critic) = self.critic else {
            return wait(WaitOptions::NOHANG).ok().flatten().map(|(child, _)| child);
        };
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        let child = Pid::from_raw(waitid(Id::All, flags).ok()?.pid()?.as_raw())?;
        (child != critic && collect(child)).then_some(child)
    }

    fn is_critic(&self, process: Pid) -> bool {
        matches!(self.critic, Critic::Ours(critic) if critic == process)
    }

    fn children(&self) -> Vec<Pid> {
        match self.critic {
            _ if self.visible => children_of("self"),
            Critic::Ours(critic) => vec![critic],
            Critic::Collected(_) => Vec::new(),
        }
    }

    /// Everybody below us, parents before children, as far as there is time to walk.
    fn members(&self, until: Instant) -> Vec<Pid> {
        let mut members = self.children();
        let mut known: HashSet<Pid> = members.iter().copied().collect();
        let mut next = 0;
        while self.visible && next < members.len() && Instant::now() < until {
            // Somebody who is handed over to us during the walk may be met twice.
            let below = children_of(&members[next].as_raw_pid().to_string());
            members.extend(below.into_iter().filter(|each| known.insert(*each)));
            next += 1;
        }
        members
    }
}

/// What `/proc/<pid>/stat` says of a process.
#[derive(Clone, Copy, Debug)]
struct Stat {
    state: char,
    group: i32,
    session: i32,
}

impl Stat {
    fn of(process: Pid) -> Option<Self> {
        let text = fs::read(format!("/proc/{}/stat", process.as_raw_pid())).ok()?;
        let text = String::from_utf8_lossy(&text);
        // The name, which may hold anything, ends with the last parenthesis.
        let (_, fields) = text.rsplit_once(") ")?;
        let mut fields = fields.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let mut numbers = fields.skip(1).map_while(|field| field.parse().ok());
        Some(Self { state, group: numbers.next()?, session: numbers.next()? })
    }

    const fn is_stopped(self) -> bool {
        matches!(self.state, 'T' | 't')
    }

    const fn is_dead(self) -> bool {
        matches!(self.state, 'Z' | 'X')
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

/// Whether `/proc` speaks of our process ids. In a process namespace without a `/proc` of its own it names
/// strangers, whom we must not signal.
fn proc_is_ours() -> bool {
    fs::read_link("/proc/self").is_ok_and(|own| own == Path::new(&getpid().as_raw_pid().to_string()))
}
