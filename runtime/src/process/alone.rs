//! A process of its own for the round, when this one was handed children by whoever became it.
//!
//! A shell that did `job & exec the-loop` leaves its jobs to us as children. Nobody could tell their descendants
//! from a critic's once they lose their parent, so [`hand_over`] starts this program again as a child that has
//! none, and only passes signals on. The usual process, without children, is not affected.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use std::os::fd::AsFd as _;

use super::signals::Signals;
use super::tree;

/// Why no process of its own could be had.
#[derive(Debug, thiserror::Error)]
#[error(
    "this process has children that are not the critic's, and cannot start itself again apart from them: {0}"
)]
pub struct HandOverError(#[from] io::Error);

/// Runs this program again with `arguments` (the first is its name) if this process has children, and gives its
/// exit code; `None` if there are none, and the round can take place here.
///
/// # Errors
/// When there are children and the program cannot be started again.
pub fn hand_over(arguments: Vec<OsString>) -> Result<Option<u8>, HandOverError> {
    if tree::childless() {
        return Ok(None);
    }
    let mut signals = Signals::listen()?;
    let mut arguments = arguments.into_iter();
    let mut command = Command::new(std::env::current_exe()?);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // In our group, so that it may read the terminal. The terminal's INT then comes twice within a moment, which
    // `Signals` takes for one.
    let child = command.args(arguments).spawn()?;
    let pid = Pid::from_child(&child);
    loop {
        if let Some(status) = tree::ended(pid) {
            tree::collect(pid);
            let code = status.exit_status().and_then(|code| u8::try_from(code).ok());
            return Ok(Some(code.unwrap_or(1)));
        }
        match poll(&mut [PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN)], None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(io::Error::from(errno).into()),
        }
        if let Some(stop) = signals.heard().stop {
            // What has no name here means no more to the round than TERM.
            let _ = kill_process(pid, Signal::from_named_raw(stop.number()).unwrap_or(Signal::TERM));
        }
    }
}
