//! The kit's side of a supervisor process, and that process's way in. Main functions: [`launch`], [`serve_if_asked`].
//!
//! The job goes in as one JSON line, the observation comes out as JSON; the input then stays open as the lifeline. A
//! supervisor that dies is an error of the kit, never a verdict.

use std::ffi::OsString;
use std::io::{self, BufRead as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use thiserror::Error;

use super::drive::start_supervisor;
use super::lifeline::Lifeline;
use super::run::run_supervisor;
use super::sandbox::discard;
use super::{Job, SupervisorError, descent};
use crate::observation::Observation;
use crate::scenario::Setup;

/// The hidden subcommand.
const ARGUMENT: &str = "supervise";

/// Exit codes of the supervisor process, which only this file reads.
const INTERRUPTED: u8 = 130;
const FAULTY: u8 = 2;

/// What a supervisor may take beyond the limits of its steps, for a machine that is very busy.
const PATIENCE: Duration = Duration::from_mins(2);

/// How long a supervisor may take to clean up when the run is interrupted.
const FAREWELL: Duration = Duration::from_secs(10);

/// Why there is no observation.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The run was interrupted; the supervisor has cleaned up.
    #[error("the run was interrupted")]
    Interrupted,
    /// The supervisor process could not be started or talked to.
    #[error("cannot drive the supervisor process: {0}")]
    System(#[from] io::Error),
    /// The supervisor process died, or printed no observation.
    #[error("the supervisor process gave no observation ({status}): {text}")]
    Died {
        /// How it ended.
        status: String,
        /// The end of what it printed on standard error, or what is wrong with its output.
        text: String,
    },
}

/// Copies the kit's own file into the directory of a run, once, so that fakes can be hard-linked from there.
///
/// # Errors
/// When the file cannot be copied.
pub fn prepare(kit: &Path, directory: &Path) -> io::Result<PathBuf> {
    let copy = directory.join("the-loop-conformance");
    std::fs::copy(kit, &copy)?;
    Ok(copy)
}

/// Runs a job in a supervisor process of its own and waits for it. Setting `stop` interrupts it; so does the death of
/// this process. After an interruption nothing is left alive, and no sandbox.
///
/// # Errors
/// When there is no observation; see [`LaunchError`].
pub fn launch(job: &Job, stop: &AtomicBool) -> Result<Observation, LaunchError> {
    let mut process = start_supervisor(&job.kit, ARGUMENT)?;
    let answer = converse(&mut process, job, stop);
    // Closes the lifeline, where it is still open.
    drop(process.stdin.take());
    let status = process.wait()?;
    let (observation, complaint) = answer?;
    if status.success()
        && let Ok(observation) = serde_json::from_slice(&observation)
    {
        return Ok(observation);
    }
    let stopped = stop.load(Ordering::Relaxed);
    if stopped && status.code() == Some(INTERRUPTED.into()) {
        return Err(LaunchError::Interrupted);
    }
    descent::end_below_directory(&job.sandbox);
    // The run's own directory is removed at its end, and this with it.
    let _ = discard(&job.sandbox);
    if stopped {
        return Err(LaunchError::Interrupted);
    }
    let text = String::from_utf8_lossy(&complaint);
    let text = text.trim();
    Err(LaunchError::Died {
        status: status.to_string(),
        text: if text.is_empty() { "it said nothing".into() } else { text.into() },
    })
}

/// When a supervisor is given up: a target may have stopped it.
fn latest_end(job: &Job) -> Instant {
    let setups = [Some(job.scenario.setup()), job.scenario.control()];
    let steps = setups.into_iter().flatten().flat_map(Setup::steps);
    let limits =
        steps.map(|step| job.hang_after.map_or(step.within(), |most| most.min(step.within())) + job.startup);
    Instant::now() + limits.sum::<Duration>() + PATIENCE
}

/// Hands the job over and reads both outputs to their ends. A supervisor that does not come to one is killed.
fn converse(process: &mut Child, job: &Job, stop: &AtomicBool) -> Result<(Vec<u8>, Vec<u8>), LaunchError> {
    let (Some(stdin), Some(mut stdout), Some(mut stderr)) =
        (process.stdin.as_mut(), process.stdout.take(), process.stderr.take())
    else {
        return Err(io::Error::other("its streams are missing").into());
    };
    let mut line = serde_json::to_vec(job).map_err(io::Error::from)?;
    line.push(b'\n');
    // One that dies before it has read everything says why on standard error.
    let _ = stdin.write_all(&line);
    let (mut observation, mut complaint) = (Vec::new(), Vec::new());
    let mut buffer = vec![0; 256 * 1024];
    let (mut out_open, mut error_open) = (true, true);
    let mut latest = latest_end(job);
    while out_open || error_open {
        if stop.load(Ordering::Relaxed) && process.stdin.take().is_some() {
            latest = latest.min(Instant::now() + FAREWELL);
        }
        if Instant::now() > latest {
            process.kill()?;
            complaint.extend_from_slice(b"it did not end in time and was killed");
            break;
        }
        let mut descriptors = Vec::new();
        if out_open {
            descriptors.push(PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::IN));
        }
        if error_open {
            descriptors.push(PollFd::from_borrowed_fd(stderr.as_fd(), PollFlags::IN));
        }
        match poll(&mut descriptors, Some(&Timespec { tv_sec: 0, tv_nsec: 50_000_000 })) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let mut ready = descriptors.iter().map(|descriptor| !descriptor.revents().is_empty());
        let out_ready = out_open && ready.next().unwrap_or(false);
        let error_ready = error_open && ready.next().unwrap_or(false);
        drop(ready);
        drop(descriptors);
        if out_ready {
            out_open = take(&mut stdout, &mut buffer, &mut observation)?;
        }
        if error_ready {
            error_open = take(&mut stderr, &mut buffer, &mut complaint)?;
        }
    }
    Ok((observation, complaint))
}

fn take(stream: &mut impl io::Read, buffer: &mut [u8], into: &mut Vec<u8>) -> io::Result<bool> {
    let size = stream.read(buffer)?;
    into.extend_from_slice(&buffer[..size]);
    Ok(size > 0)
}

/// Is the supervisor when this process was started as one; `None` otherwise. To be called before the command line is
/// read.
pub fn serve_if_asked() -> Option<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    (arguments == [ARGUMENT]).then(|| {
        serve().unwrap_or_else(|error| {
            // Nobody is left to be told when this cannot be written.
            let _ = writeln!(io::stderr(), "{error}");
            match error {
                SupervisorError::Interrupted => ExitCode::from(INTERRUPTED),
                _ => ExitCode::from(FAULTY),
            }
        })
    })
}

fn serve() -> Result<ExitCode, SupervisorError> {
    // Without a terminal, no target can change one, be stopped for it, or reach the person at it.
    rustix::process::setsid().map_err(io::Error::from)?;
    // What is handled here is as usual in a target, also where the kit was started by `nohup` and would hand on that it is
    // ignored.
    for signal in [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT, signal_hook::consts::SIGQUIT] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let input = rustix::io::dup(rustix::stdio::stdin()).map_err(io::Error::from)?;
    let job = read_job(&input)?;
    let observation = run_supervisor(&job, &Lifeline::new(input))?;
    let mut output = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer(&mut output, &observation).map_err(io::Error::from)?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Nothing follows the line, so that reading ahead loses nothing.
fn read_job(input: &OwnedFd) -> io::Result<Job> {
    let mut line = Vec::new();
    io::BufReader::new(std::fs::File::from(input.try_clone()?)).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice(&line)?)
}
