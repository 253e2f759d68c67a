//! The loop that attends a running critic: signals, both output pipes, the remaining time.
//!
//! [`attend`] returns when nothing of the critic is left. Until its end is decided the loop waits; then TERM and a
//! grace, unless the critic ended by itself; then KILL until the tree is empty.

use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::WaitIdStatus;

use super::signals::{Signals, Stop};
use super::spawn::Started;
use super::tree::Met;
use super::{Ending, Leftovers, Round, Watch};

/// Between TERM and KILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long KILL is repeated against what does not go away: another user's process, one stuck in the kernel, some
/// that multiply faster than they can be met.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same once somebody asks us to stop, or where nobody can be named: those who were killed have yet to end.
const HURRY: Duration = Duration::from_millis(500);
/// Between two looks at a tree that is ending: not every end in it sends us a signal.
const LOOK: Duration = Duration::from_millis(10);
/// The first pause between two passes of KILL.
const FIRST_PAUSE: Duration = Duration::from_micros(100);

/// What the loop is waiting for.
#[derive(Debug)]
enum Phase {
    /// The critic's own end, or a reason to end it.
    Running,
    /// The end of the whole tree after TERM, for this reason, at most until then.
    Ending(Ending, Instant),
}

/// Attends the critic until it is gone, with all it started.
pub(super) fn attend(
    started: Started,
    limit: Duration,
    signals: &mut Signals,
    watch: &mut dyn Watch,
) -> Round {
    let mut attended =
        Attended { deadline: started.at.checked_add(limit), started, phase: Phase::Running, limit };
    let decided = attended.until_decided(signals, watch);
    attended.close(decided, signals)
}

struct Attended {
    started: Started,
    phase: Phase,
    limit: Duration,
    /// `None` lies beyond what the clock can count.
    deadline: Option<Instant>,
}

impl Attended {
    /// Waits until the critic has ended by itself, or TERM has had its chance. Gives the reason if it is not the
    /// critic's own.
    fn until_decided(&mut self, signals: &mut Signals, watch: &mut dyn Watch) -> Option<Ending> {
        loop {
            if let Err(errno) = self.wait(signals, watch.interval()) {
                return Some(Ending::Lost(errno.into()));
            }
            let heard = signals.heard();
            self.started.stdout.take();
            self.started.stderr.take();
            // What has ended by itself was in time, however late we are told.
            if let Phase::Running = self.phase
                && self.started.tree.status().is_some()
            {
                return None;
            }
            if heard.child {
                self.started.tree.reap();
            }
            if let Some(stop) = heard.stop {
                self.stop(stop);
            }
            self.check_bounds();
            if let Phase::Ending(_, until) = self.phase
                && (Instant::now() >= until || !self.started.tree.is_alive())
            {
                let Phase::Ending(reason, _) = std::mem::replace(&mut self.phase, Phase::Running) else {
                    continue;
                };
                return Some(reason);
            }
            if watch.interval().is_some() {
                watch.look(self.started.stderr.kept());
            }
        }
    }

    fn wait(&self, signals: &Signals, watched: Option<Duration>) -> Result<(), Errno> {
        let now = Instant::now();
        let bound = match &self.phase {
            Phase::Running => self.deadline.map(|deadline| deadline.saturating_duration_since(now)),
            Phase::Ending(_, until) => Some(until.saturating_duration_since(now).min(LOOK)),
        };
        let bound = [bound, watched].into_iter().flatten().min();
        let timeout = bound.and_then(|bound| Timespec::try_from(bound).ok());
        let mut waited = vec![PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN)];
        let pipes = [self.started.stdout.readable(), self.started.stderr.readable()];
        waited.extend(pipes.into_iter().flatten().map(|pipe| PollFd::from_borrowed_fd(pipe, PollFlags::IN)));
        match poll(&mut waited, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// A first request ends the critic; an INT while it is being ended skips the grace.
    fn stop(&mut self, stop: Stop) {
        match &mut self.phase {
            Phase::Running => self.end(Ending::Interrupted(stop)),
            Phase::Ending(_, until) if stop == Stop::Interrupt => *until = Instant::now(),
            Phase::Ending(..) => {}
        }
    }

    fn check_bounds(&mut self) {
        if let Phase::Running = self.phase {
            if let Some(end) = self.started.end_of_keeping() {
                self.end(end);
            } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.end(Ending::TimedOut(self.limit));
            }
        }
    }

    fn end(&mut self, reason: Ending) {
        self.started.tree.terminate();
        self.phase = Phase::Ending(reason, Instant::now() + GRACE);
    }

    /// Ends what is left, then takes what was printed.
    fn close(mut self, decided: Option<Ending>, signals: &mut Signals) -> Round {
        let leftovers = self.sweep(signals);
        self.started.stdout.finish();
        self.started.stderr.finish();
        let own = || {
            self.started.tree.status().map_or_else(
                || Ending::Lost(std::io::Error::other("it has not ended although it was killed")),
                own_ending,
            )
        };
        Round {
            ending: decided.or_else(|| self.started.end_of_keeping()).unwrap_or_else(own),
            duration: self.started.at.elapsed(),
            stdout: self.started.stdout.into_kept(),
            stderr: self.started.stderr.into_kept(),
            leftovers,
        }
    }

    /// Repeats KILL until nobody is left, without a pause while there is somebody new.
    fn sweep(&mut self, signals: &mut Signals) -> Leftovers {
        let began = Instant::now();
        let mut until = began + PATIENCE;
        let mut pause = FIRST_PAUSE;
        loop {
            let met = self.started.tree.kill();
            let now = Instant::now();
            match met {
                Met::Nobody => return Leftovers::None,
                Met::New => pause = FIRST_PAUSE,
                Met::Known => {}
                Met::Unseen => until = until.min(began + HURRY),
            }
            if signals.heard().stop.is_some() {
                until = until.min(now + HURRY);
            }
            if now >= until {
                return self.started.tree.left();
            }
            if met != Met::New {
                nap(signals, pause);
                pause = (pause * 2).min(LOOK);
            }
        }
    }
}

/// Waits this long, or until a signal arrives, such as the one that a child has ended.
fn nap(signals: &Signals, pause: Duration) {
    let timeout = Timespec::try_from(pause).ok();
    // What goes wrong here only makes the next pass come sooner.
    let _ = poll(&mut [PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN)], timeout.as_ref());
}

fn own_ending(status: WaitIdStatus) -> Ending {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, Some(signal)) => Ending::Killed(signal),
        (None, None) => {
            Ending::Lost(std::io::Error::other("the system reported neither exit status nor signal"))
        }
    }
}
