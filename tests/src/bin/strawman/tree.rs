//! The processes below this one. Main functions: [`below`] and [`sweep`].
//!
//! `/proc` is read afresh each time. The caller is a subreaper with no other children, so everything below it
//! belongs to the round, whatever session or group it moved to.

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use crate::fault::{self, Fault};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// A process as `/proc` shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relative {
    /// Its id.
    pub(crate) pid: Pid,
    /// The id of its parent.
    parent: i32,
    /// Its group.
    pub(crate) group: i32,
    /// The letter of its state.
    state: u8,
}

impl Relative {
    /// Whether it is only waiting to be reaped.
    fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }
}

/// Every process below this one, parents first, dead ones included.
pub(crate) fn below() -> Vec<Relative> {
    let mut children: HashMap<i32, Vec<Relative>> = HashMap::new();
    for relative in all() {
        children.entry(relative.parent).or_default().push(relative);
    }
    let mut found: Vec<Relative> = Vec::new();
    let mut waiting = vec![i32::try_from(process::id()).unwrap_or(0)];
    while let Some(parent) = waiting.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            waiting.push(child.pid.as_raw_nonzero().get());
            found.push(child);
        }
    }
    found
}

/// All processes there are.
pub(crate) fn everyone() -> Vec<Relative> {
    all()
}

/// Kills everyone in `before` whose environment has these variables as they are here, apart from other runners and their
/// critics. Those are not the round's: it is a mistake to do this.
pub(crate) fn kill_by_environment(variables: &[&str], before: &[Relative]) {
    let value = |name: &&str| std::env::var_os(name).unwrap_or_default();
    let cookies: Vec<Vec<u8>> =
        variables.iter().map(|name| [name.as_bytes(), b"=", value(name).as_bytes()].concat()).collect();
    let program = |pid: i32| fs::read_link(format!("/proc/{pid}/exe")).ok();
    let own = i32::try_from(process::id()).ok().and_then(program);
    for one in before {
        let pid = one.pid.as_raw_nonzero().get();
        if [pid, one.parent].into_iter().any(|pid| program(pid) == own) {
            continue;
        }
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if cookies.iter().all(|cookie| environment.split(|byte| *byte == 0).any(|entry| entry == cookie)) {
            let _ = kill_process(one.pid, Signal::KILL);
        }
    }
}

fn all() -> Vec<Relative> {
    let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
    let names = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    names.filter_map(look_at).collect()
}

/// Reads `stat`. The name in it may hold anything, so fields are counted from its last closing parenthesis.
fn look_at(pid: i32) -> Option<Relative> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some(Relative { pid: Pid::from_raw(pid)?, parent, group, state })
}

/// Sends a signal to every living process below this one that the test picks.
pub(crate) fn signal(signal: Signal, picked: impl Fn(&Relative) -> bool) {
    for relative in below().iter().filter(|relative| !relative.is_dead() && picked(relative)) {
        // One that is gone already is what is wanted.
        let _ = kill_process(relative.pid, signal);
        if signal != Signal::KILL && relative.state == b'T' && !fault::on(Fault::StoppedLeftStopped) {
            let _ = kill_process(relative.pid, Signal::CONT);
        }
    }
}

/// Kills and reaps until nothing that the test picks is left, or the patience is at its end. Processes forked
/// while the list was read show in the next pass.
pub(crate) fn sweep(picked: impl Fn(&Relative) -> bool, patience: Duration) {
    let begin = Instant::now();
    loop {
        let found: Vec<Relative> = below().into_iter().filter(&picked).collect();
        if found.is_empty() || begin.elapsed() > patience {
            return;
        }
        for relative in &found {
            if relative.is_dead() {
                let _ = waitpid(Some(relative.pid), WaitOptions::NOHANG);
            } else {
                let _ = kill_process(relative.pid, Signal::KILL);
            }
        }
        thread::sleep(Duration::from_millis(1));
    }
}
