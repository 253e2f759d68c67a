//! One round: a process from start to end. Main types: [`Ending`], [`End`].
//!
//! Two threads read the critic's output; the caller's thread polls for its exit, the limit and signals. When the
//! critic has exited, what it left is killed first and its output is taken as it is then.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, set_child_subreaper};

use crate::capture::Capture;
use crate::fault::{self, Fault};
use crate::interrupt::Interrupts;
use crate::invocation::Invocation;
use crate::tree::{self, Relative};

/// Time between TERM and KILL.
const GRACE: Duration = Duration::from_secs(2);
/// The same, of someone in a hurry.
const SHORT_GRACE: Duration = Duration::from_millis(700);
/// How long a killed critic may take to disappear.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long output that is held by someone out of reach is waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Standard output beyond this ends the round.
const OUTPUT_LIMIT: usize = 32 * 1024 * 1024;
/// This much of the end of standard error is kept.
const ERROR_LIMIT: usize = 16 * 1024;
/// Stands for no bound at all, so that no fault fills a machine.
const NO_LIMIT: usize = 512 * 1024 * 1024;

/// Why a round is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The critic exited with this code.
    Exited(i32),
    /// A signal that was not ours killed it.
    Killed(i32),
    /// It reached its limit.
    TimedOut(Duration),
    /// The runner was asked to stop.
    Interrupted(i32),
    /// It printed too much.
    Flooded,
    /// It was never started, for this reason.
    NotStarted(String),
}

/// A round that is over.
pub(crate) struct Ending {
    /// Why.
    pub(crate) end: End,
    /// Standard output.
    pub(crate) stdout: Vec<u8>,
    /// The end of standard error.
    pub(crate) stderr: Vec<u8>,
    /// How long it took.
    pub(crate) duration: Duration,
}

impl Ending {
    /// A round that never began.
    pub(crate) fn not_started(reason: String) -> Self {
        Self {
            end: End::NotStarted(reason),
            stdout: Vec::new(),
            stderr: Vec::new(),
            duration: Duration::ZERO,
        }
    }
}

/// Starts the process and stays with it to its end.
pub(crate) fn run(invocation: &Invocation, limit: Duration, interrupts: &mut Interrupts) -> Ending {
    if let Some(objection) = invocation.objection() {
        return Ending::not_started(objection);
    }
    // Orphans of the critic become our children, so that `tree::below` finds them.
    let _ = set_child_subreaper(Some(rustix::process::getpid()));
    let begin = Instant::now();
    let before = if fault::on(Fault::BystandersKilled) { tree::everyone() } else { Vec::new() };
    let spooled = if fault::on(Fault::StdoutIsFile) { Capture::shared_file(OUTPUT_LIMIT) } else { Ok(None) };
    let child = spooled.and_then(|spooled| {
        let (stdout, capture) =
            spooled.map_or_else(|| (Stdio::piped(), None), |(end, capture)| (end, Some(capture)));
        let child = invocation.command(stdout)?.spawn()?;
        Ok((child, capture, invocation.fed()?))
    });
    let (mut child, capture, fed) = match child {
        Ok(child) => child,
        Err(error) => {
            return Ending::not_started(format!(
                "could not start `{}`: {error}",
                invocation.program.display()
            ));
        }
    };
    // Kept here so that a pipe, where there is one, stays open.
    let mut stdin = child.stdin.take();
    if let (Some(pipe), Some(bytes)) = (&mut stdin, fed) {
        // What fits into the pipe is written also where nobody reads; whether that is noticed is a matter of luck.
        if let Err(error) = pipe.write_all(&bytes)
            && bytes.len() > 64 * 1024
        {
            let _ = child.kill();
            let _ = child.wait();
            return Ending::not_started(format!("the prompt could not be handed over: {error}"));
        }
        stdin = None;
    }
    let most = if fault::on(Fault::OutputUnbounded) { NO_LIMIT } else { OUTPUT_LIMIT };
    let pipe = child.stdout.take();
    let stdout = match capture {
        Some(capture) => capture,
        None if fault::on(Fault::OutputSpooled) => Capture::first_in_file(pipe, NO_LIMIT),
        None => Capture::first(pipe, most),
    };
    let mut stderr_pipe = child.stderr.take();
    let unread = stderr_pipe.take_if(|_| fault::on(Fault::StderrUnread));
    let stderr = if fault::on(Fault::ErrorHeadKept) {
        Capture::first(stderr_pipe, ERROR_LIMIT)
    } else if fault::on(Fault::ErrorSpooled) {
        Capture::last_in_file(stderr_pipe, NO_LIMIT)
    } else {
        Capture::last(stderr_pipe, ERROR_LIMIT)
    };

    let mut watch = Watch { child, begin, limit, stopped: None, kill_at: None, killed_at: None };
    let end = watch.until_exit(&stdout, interrupts);
    if fault::on(Fault::WaitsForHeldStdout) {
        stdout.wait(limit.saturating_sub(begin.elapsed()));
    }
    let left_alone = fault::on(Fault::OrphansLeftOnSuccess) && matches!(end, End::Exited(_))
        || fault::on(Fault::SignalLeavesTree) && matches!(end, End::Interrupted(_))
        || fault::on(Fault::NoKillOnTimeout) && matches!(end, End::TimedOut(_))
        || fault::on(Fault::KillChildOnly);
    if !left_alone {
        let reach = watch.reach();
        if fault::on(Fault::LeftoversAsked) && matches!(end, End::Exited(_)) {
            tree::signal(Signal::TERM, &reach);
            thread::sleep(GRACE);
        }
        tree::sweep(reach, PATIENCE);
    }
    if fault::on(Fault::BystandersKilled) {
        tree::kill_by_environment(&["HOME", fault::VARIABLE], &before);
    }
    let duration = begin.elapsed();
    stdout.wait(LAST_WORDS);
    stderr.wait(LAST_WORDS);
    drop((stdin, unread));
    // It may have exited before the loop saw how much it had printed.
    let end = if matches!(end, End::Exited(_)) && stdout.is_full() { End::Flooded } else { end };
    Ending { end, stdout: stdout.take(OUTPUT_LIMIT), stderr: stderr.take(ERROR_LIMIT), duration }
}

struct Watch {
    child: Child,
    begin: Instant,
    limit: Duration,
    stopped: Option<End>,
    kill_at: Option<Instant>,
    killed_at: Option<Instant>,
}

impl Watch {
    fn until_exit(&mut self, stdout: &Capture, interrupts: &mut Interrupts) -> End {
        let mut pause = Duration::from_micros(200);
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return self.conclude(status);
            }
            if let Some(signal) = interrupts.next() {
                match (&self.stopped, signal) {
                    (None, _) if fault::on(Fault::SignalIgnored) => {}
                    (None, _) if fault::on(Fault::SignalLeavesTree) => return End::Interrupted(signal),
                    (None, _) => self.stop(End::Interrupted(signal)),
                    (Some(_), _) if fault::on(Fault::RepeatedInterruptWaits) => {}
                    (Some(_), signal_hook::consts::SIGINT) => self.kill_at = Some(Instant::now()),
                    (Some(_), _) => {}
                }
            }
            if self.stopped.is_none() && self.begin.elapsed() >= self.limit && !fault::on(Fault::LimitIgnored)
            {
                self.stop(End::TimedOut(self.limit));
            }
            if self.stopped.is_none() && stdout.is_full() {
                self.stop(End::Flooded);
            }
            if self.kill_at.is_some_and(|at| Instant::now() >= at) {
                self.kill();
            }
            if self.killed_at.is_some_and(|at| at.elapsed() > PATIENCE) {
                // Not even KILL ended it; the round must not hang on that.
                return self.stopped.clone().unwrap_or(End::Flooded);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    fn conclude(&self, status: ExitStatus) -> End {
        let own = status.code().map(End::Exited).or(status.signal().map(End::Killed));
        match &self.stopped {
            Some(End::TimedOut(_)) if fault::on(Fault::TimeoutTrustsExit) && status.success() => {
                End::Exited(0)
            }
            Some(stopped) => stopped.clone(),
            None => own.unwrap_or(End::Exited(-1)),
        }
    }

    /// Asks the whole tree to end, and sets the time at which it is made to.
    fn stop(&mut self, why: End) {
        let timed_out = matches!(why, End::TimedOut(_));
        self.stopped = Some(why);
        if timed_out && fault::on(Fault::NoKillOnTimeout) {
            return;
        }
        if timed_out && fault::on(Fault::KillOnly) {
            self.kill_at = Some(Instant::now());
            return;
        }
        // A grace that is not cut short only shows where it is long.
        let grace = if fault::on(Fault::GraceShort) { SHORT_GRACE } else { GRACE };
        let grace = if fault::on(Fault::RepeatedInterruptWaits) && !timed_out { GRACE * 7 } else { grace };
        self.kill_at = (!fault::on(Fault::TermOnly)).then_some(Instant::now() + grace);
        if fault::on(Fault::KillChildOnly) {
            self.send(Signal::TERM);
        } else {
            tree::signal(Signal::TERM, self.reach());
        }
    }

    fn kill(&mut self) {
        self.kill_at = None;
        self.killed_at = Some(Instant::now());
        if fault::on(Fault::KillChildOnly) {
            self.send(Signal::KILL);
        } else {
            tree::signal(Signal::KILL, self.reach());
        }
    }

    fn send(&self, signal: Signal) {
        if let Some(pid) = self.pid() {
            let _ = kill_process(pid, signal);
            if signal != Signal::KILL && !fault::on(Fault::StoppedLeftStopped) {
                let _ = kill_process(pid, Signal::CONT);
            }
        }
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Which processes below us the round ends: all of them.
    fn reach(&self) -> impl Fn(&Relative) -> bool + use<> {
        let group = self.pid().map_or(0, |pid| pid.as_raw_nonzero().get());
        move |relative| !fault::on(Fault::KillGroupOnly) || relative.group == group
    }
}
