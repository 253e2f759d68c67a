//! The processes below this one, however they got there. Main functions: [`survivors`] and [`end`].
//!
//! The supervisor is a child subreaper: who loses its parent becomes its child, in whatever session or group. A process
//! that is already on its way out is no survivor. Nothing here looks at processes that are not descendants.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::SupervisorError;
use super::lifeline::Lifeline;
use crate::observation::Survivor;

/// So long may a process that ends by itself take after its target.
const GRACE: Duration = Duration::from_millis(200);

/// So long may the kernel take to end a process that was killed.
const PATIENCE: Duration = Duration::from_secs(20);

/// `PF_EXITING` in the flags of `/proc/PID/stat`.
const EXITING: u64 = 0x4;

/// Makes this process the parent of every descendant that loses its own.
///
/// # Errors
/// When the platform has no subreaper.
pub(super) fn become_reaper() -> std::io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Who still lives below this process, except for the spared ones and everything below them.
///
/// # Errors
/// When the lifeline was cut meanwhile.
pub(super) fn survivors(spared: &[i32], lifeline: &Lifeline) -> Result<Vec<Survivor>, SupervisorError> {
    let mut alive = living(spared);
    lifeline.wait_until(GRACE, || {
        if !alive.is_empty() {
            alive = living(spared);
        }
        alive.is_empty()
    })?;
    Ok(alive.into_iter().map(|pid| Survivor { pid, command: command(pid) }).collect())
}

/// Kills everything below this process, except for the spared ones and everything below them, and reaps it.
/// Gives those that could not be ended.
pub(super) fn end(spared: &[i32]) -> Vec<i32> {
    let begin = Instant::now();
    loop {
        let left = below_us(spared);
        if left.is_empty() || begin.elapsed() > PATIENCE {
            return left;
        }
        for pid in left.iter().copied().filter_map(Pid::from_raw) {
            // One that is gone already, or is not our own child, is what we want.
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Everything below a process, its own id left out.
pub(super) fn below(pid: &str, spared: &[i32]) -> Vec<i32> {
    let mut found = Vec::new();
    let mut seen: HashSet<i32> = spared.iter().copied().collect();
    let mut open = children(pid);
    while let Some(pid) = open.pop() {
        if seen.insert(pid) {
            found.push(pid);
            open.extend(children(&pid.to_string()));
        }
    }
    found
}

/// The list of children is not read in one piece, so that an empty one is only believed the second time.
fn below_us(spared: &[i32]) -> Vec<i32> {
    let found = below("self", spared);
    if found.is_empty() { below("self", spared) } else { found }
}

fn living(spared: &[i32]) -> Vec<i32> {
    below_us(spared).into_iter().filter(|pid| !is_leaving(*pid)).collect()
}

fn children(pid: &str) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_ascii_whitespace().flat_map(str::parse).collect::<Vec<i32>>()).collect()
}

/// Gone, dead but not reaped, exiting, or killed and not yet scheduled.
pub(super) fn is_leaving(pid: i32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    let mut fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split_ascii_whitespace();
    let state = fields.next().unwrap_or("X");
    let flags: u64 = fields.nth(5).and_then(|flags| flags.parse().ok()).unwrap_or(0);
    matches!(state, "Z" | "X") || flags & EXITING != 0 || is_pending(pid, Signal::KILL.as_raw())
}

/// Whether a signal was sent to a process that has not taken it yet.
pub(super) fn is_pending(pid: i32, signal: i32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return false };
    ["SigPnd:", "ShdPnd:"].iter().any(|field| {
        let mask = status.lines().find_map(|line| line.strip_prefix(field));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    })
}

/// Peak resident memory in KiB; `None` for a process that has none any more.
pub(super) fn peak_memory(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

fn command(pid: i32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}

/// Kills every process whose program, HOME or working directory lies below a directory. For what a supervisor leaves
/// that was killed itself: such a process may be starting others just now, so that only two empty looks are believed.
pub(super) fn end_below_directory(directory: &Path) {
    let begin = Instant::now();
    let mut empty_looks = 0;
    while empty_looks < 2 && begin.elapsed() < PATIENCE {
        let found = belonging_below(directory);
        empty_looks = if found.is_empty() { empty_looks + 1 } else { 0 };
        for pid in found {
            // One that has ended meanwhile is what we want.
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn belonging_below(directory: &Path) -> Vec<Pid> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| belongs_below(*pid, directory)).filter_map(Pid::from_raw).collect()
}

fn belongs_below(pid: i32, directory: &Path) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let home = environment.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(b"HOME="));
    let home = home.map(|home| PathBuf::from(OsStr::from_bytes(home)));
    let links = ["exe", "cwd"].into_iter().map(|link| fs::read_link(format!("/proc/{pid}/{link}")).ok());
    links.chain([home]).flatten().any(|path| path.starts_with(directory))
}
