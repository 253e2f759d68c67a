//! Children of a fake: the same executable, started again. Main type: [`Role`].
//!
//! A child learns which steps are its own from two arguments that only children get; the target's own arguments are
//! never read for it. Whether a child survives is for the kit to see.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::Place;
use crate::script::{Child, Holding, Membership};

const MARK: &str = "--child-of-a-fake-critic";
const PLAY: &str = "play";
const RELAY: &str = "relay";

/// So long may a child take to run, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_mins(1);

/// What this process is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Started by the target.
    Critic,
    /// Plays the steps of the `child` step at this path, and creates the file once it runs.
    Child(Vec<usize>, PathBuf),
    /// Starts that child and exits at once.
    Relay(Vec<usize>, PathBuf),
}

impl Role {
    /// Reads the role from all arguments, the program's name first.
    pub(crate) fn of(arguments: &[OsString]) -> Self {
        let [_, mark, role, path, ready] = arguments else { return Self::Critic };
        let path: Option<Vec<usize>> =
            path.to_str().and_then(|path| path.split('.').map(|index| index.parse().ok()).collect());
        match (mark.to_str(), role.to_str(), path) {
            (Some(MARK), Some(PLAY), Some(path)) => Self::Child(path, ready.into()),
            (Some(MARK), Some(RELAY), Some(path)) => Self::Relay(path, ready.into()),
            _ => Self::Critic,
        }
    }
}

/// Starts the `child` step at this path and waits until it runs where the step wants it.
///
/// # Errors
/// When it cannot be started, or ended before it ran.
pub(crate) fn start(place: &Place, child: &Child, path: &[usize], mark: &str) -> io::Result<()> {
    let ready = place.ready(mark);
    let mut command =
        if child.twice { call(place, RELAY, path, &ready) } else { prepared(place, child, path, &ready) };
    let mut process = command.spawn()?;
    let mut running = true;
    let begin = Instant::now();
    while !ready.exists() {
        if running && let Some(status) = process.try_wait()? {
            running = false;
            let relayed = child.twice && status.success();
            if !relayed && !ready.exists() {
                return Err(io::Error::other(format!("the child ended before it ran: {status}")));
            }
        }
        if begin.elapsed() > PATIENCE {
            return Err(io::Error::other("the child did not run in time"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    if child.twice && running {
        process.wait()?;
    }
    std::fs::remove_file(ready)
}

/// The intermediate process: starts the child and does not wait for it.
///
/// # Errors
/// When the child cannot be started.
pub(crate) fn relay(place: &Place, child: &Child, path: &[usize], ready: &std::path::Path) -> io::Result<()> {
    prepared(place, child, path, ready).spawn().map(drop)
}

fn prepared(place: &Place, child: &Child, path: &[usize], ready: &std::path::Path) -> Command {
    let mut command = call(place, PLAY, path, ready);
    if child.group == Membership::Own && child.session == Membership::Same {
        command.process_group(0);
    }
    if child.stdout == Holding::Closed {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    command
}

fn call(place: &Place, role: &str, path: &[usize], ready: &std::path::Path) -> Command {
    let path: Vec<String> = path.iter().map(ToString::to_string).collect();
    let mut command = Command::new(place.executable());
    command.args([MARK, role, &path.join(".")]).arg(ready);
    command
}
