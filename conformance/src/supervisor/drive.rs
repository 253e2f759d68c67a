//! Starts processes: the target, bystanders, and the supervisor itself. The only place of `Command` in the kit.
//! Main type: [`Running`].
//!
//! Starting only; waiting and reading is `watch`.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::call::{Input, Invocation};
use super::sandbox::Sandbox;
use crate::scenario::step::Stdout;
use crate::target::Target;

/// A target that was started.
pub(super) struct Running {
    /// The process; not reaped yet.
    pub(super) process: Child,
    /// Readable once it has ended.
    pub(super) ended: OwnedFd,
    /// Our end of standard output, where it is captured; non-blocking.
    pub(super) stdout: Option<OwnedFd>,
    /// Our end of standard error; non-blocking.
    pub(super) stderr: OwnedFd,
    /// Our end of standard input.
    pub(super) stdin: Feed,
    /// Just before the start.
    pub(super) begin: Instant,
}

/// What goes into a target's standard input.
pub(super) enum Feed {
    /// Nothing more.
    Over,
    /// Nothing, but its end does not come.
    Held(#[expect(dead_code, reason = "held, not used")] OwnedFd),
    /// What is left of these bytes; non-blocking.
    Left(OwnedFd, Vec<u8>),
}

impl Running {
    /// Its process id.
    pub(super) fn pid(&self) -> Option<Pid> {
        i32::try_from(self.process.id()).ok().and_then(Pid::from_raw)
    }
}

/// Starts the target.
///
/// # Errors
/// When it cannot be started.
pub(super) fn start(invocation: &Invocation) -> io::Result<Running> {
    let [program, arguments @ ..] = invocation.words.as_slice() else {
        return Err(io::Error::other("there is no program to start"));
    };
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(&invocation.environment).current_dir(&invocation.directory);
    let (stdin, stdin_of_target) = stdin(&invocation.stdin)?;
    command.stdin(stdin_of_target);
    let (stderr, end) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    unblock(&stderr)?;
    command.stderr(end);
    let stdout = match invocation.stdout {
        Stdout::Captured => {
            let (ours, end) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
            unblock(&ours)?;
            command.stdout(end);
            Some(ours)
        }
        Stdout::Closed => {
            let (ours, end) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
            drop(ours);
            command.stdout(end);
            None
        }
        Stdout::Full => {
            command.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full")?);
            None
        }
    };
    let begin = Instant::now();
    let process = command.spawn()?;
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::other("the system gave no process id"))?;
    Ok(Running { ended: pidfd_open(pid, PidfdFlags::empty())?, process, stdout, stderr, stdin, begin })
}

fn stdin(input: &Input) -> io::Result<(Feed, Stdio)> {
    let pipe = || rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC);
    match input {
        Input::Null => Ok((Feed::Over, Stdio::null())),
        Input::File(path) => Ok((Feed::Over, std::fs::File::open(path)?.into())),
        Input::Held => {
            let (end, ours) = pipe()?;
            Ok((Feed::Held(ours), end.into()))
        }
        Input::Bytes(bytes) => {
            let (end, ours) = pipe()?;
            unblock(&ours)?;
            Ok((Feed::Left(ours, bytes.clone()), end.into()))
        }
    }
}

fn unblock(descriptor: &OwnedFd) -> io::Result<()> {
    Ok(fcntl_setfl(descriptor, fcntl_getfl(descriptor)? | OFlags::NONBLOCK)?)
}

/// Starts a fake that is not the target's, in a process group of its own and with no streams.
///
/// # Errors
/// When it cannot be started.
pub(super) fn start_bystander(sandbox: &Sandbox, name: &str, target: &Target) -> io::Result<Child> {
    let places = sandbox.places();
    let mut command = Command::new(places.bin.join(name));
    command.env_clear().envs(sandbox.environment(target, &places.names(None, 0))).current_dir(&places.root);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.spawn()
}

/// Starts the supervisor, which ends when its standard input does. It makes a session of its own, so it must lead no
/// group yet.
///
/// # Errors
/// When it cannot be started.
pub(super) fn start_supervisor(kit: &Path, argument: &str) -> io::Result<Child> {
    let mut command = Command::new(kit);
    command.arg(argument);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn()
}
