//! Signals to this process, as bytes in a pipe that `poll` can wait for.
//!
//! [`Signals`] listens from its creation on. It decides nothing: what a request to stop means is the round's
//! business.

use std::fmt;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal as Blockable};
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    SIGXFSZ,
};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

/// Two INTs closer than this are one request: `timeout -s INT` signals its child, then the whole group.
const ONE_REQUEST: Duration = Duration::from_millis(50);

/// Signals that would end this process and leave the critic behind, other than those that say that it is broken.
const OTHERS: [i32; 6] = [SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU];

/// The same where the platform has more of them; the C library keeps the first real-time signals for itself.
#[cfg(target_os = "linux")]
fn more_of_them() -> impl Iterator<Item = i32> {
    use rustix::process::Signal;
    [SIGIO, Signal::STKFLT.as_raw(), Signal::POWER.as_raw()].into_iter().chain(34..=64)
}

#[cfg(not(target_os = "linux"))]
fn more_of_them() -> impl Iterator<Item = i32> {
    std::iter::empty()
}

/// A request to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The terminal went away.
    Hangup,
    /// Control-C.
    Interrupt,
    /// Control-\\.
    Quit,
    /// A polite request.
    Terminate,
    /// Another signal whose default is to end a process, by its number.
    Other(i32),
}

/// The listener.
#[derive(Debug)]
pub struct Signals {
    delivery: SignalDelivery<UnixStream, SignalOnly>,
    /// Requests that end the round.
    stops: Vec<Stop>,
    interrupted: Option<Instant>,
}

/// What arrived since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// A child may have ended.
    pub(super) child: bool,
    /// Somebody wants the round to end.
    pub(super) stop: Option<Stop>,
}

impl Stop {
    const fn of(number: i32) -> Self {
        match number {
            SIGHUP => Self::Hangup,
            SIGINT => Self::Interrupt,
            SIGQUIT => Self::Quit,
            SIGTERM => Self::Terminate,
            other => Self::Other(other),
        }
    }

    pub(super) const fn number(self) -> i32 {
        match self {
            Self::Hangup => SIGHUP,
            Self::Interrupt => SIGINT,
            Self::Quit => SIGQUIT,
            Self::Terminate => SIGTERM,
            Self::Other(number) => number,
        }
    }
}

/// The signal's usual name without `SIG`, or its number.
impl fmt::Display for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match signal_hook::low_level::signal_name(self.number()) {
            Some(name) => formatter.write_str(name.trim_start_matches("SIG")),
            None => write!(formatter, "{}", self.number()),
        }
    }
}

impl Signals {
    /// Starts to listen, also to signals that were blocked or ignored when this process began: a child that is
    /// never waited for, or a round that cannot be stopped, helps nobody. HUP stays ignored where it was, since
    /// that is what `nohup` asks for. The rest that were ignored are caught and count for nothing, so that the
    /// critic has them as usual. XFSZ is caught so that a file size limit becomes a write error.
    ///
    /// # Errors
    /// Whatever the system says to a socket pair or a handler.
    pub fn listen() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        let ignored = ignored();
        let is_ignored = |number: &i32| ignored & 1 << (number - 1) != 0;
        let mut stops = vec![SIGTERM, SIGINT, SIGQUIT];
        stops.extend(Some(SIGHUP).filter(|hangup| !is_ignored(hangup)));
        let wanted: Vec<i32> = stops.iter().copied().chain([SIGCHLD, SIGXFSZ]).collect();
        let delivery = SignalDelivery::with_pipe(read, write, SignalOnly, wanted)?;
        let handle = delivery.handle();
        for other in OTHERS.into_iter().chain(more_of_them()) {
            // One that this platform does not have cannot end us either.
            if handle.add_signal(other).is_ok() && !is_ignored(&other) {
                stops.push(other);
            }
        }
        let mut blockable = SigSet::empty();
        for signal in [
            Blockable::SIGCHLD,
            Blockable::SIGXFSZ,
            Blockable::SIGINT,
            Blockable::SIGQUIT,
            Blockable::SIGTERM,
            Blockable::SIGHUP,
        ] {
            blockable.add(signal);
        }
        blockable.thread_unblock()?;
        Ok(Self { delivery, stops: stops.into_iter().map(Stop::of).collect(), interrupted: None })
    }

    /// Lets the usual requests to stop end this process again: the first one after this call is still swallowed, so
    /// that an envelope on its way out survives it; the second one has its default effect, so that a reader who
    /// never reads cannot keep us for ever. The others stay without effect: each registration copies all before it,
    /// and there are many.
    ///
    /// # Errors
    /// Whatever the system says to a handler.
    pub fn release(&self) -> io::Result<()> {
        for stop in self.stops.iter().filter(|stop| !matches!(stop, Stop::Other(_))) {
            let (number, heard) = (stop.number(), Arc::new(AtomicBool::new(false)));
            signal_hook::flag::register_conditional_default(number, Arc::clone(&heard))?;
            signal_hook::flag::register(number, heard)?;
        }
        Ok(())
    }

    /// What arrived. A second INT shortly after the first is the same request.
    pub(super) fn heard(&mut self) -> Heard {
        let mut heard = Heard::default();
        for signal in self.delivery.pending() {
            if signal == SIGCHLD {
                heard.child = true;
            }
            if let Some(stop) = self.stops.iter().copied().find(|stop| stop.number() == signal) {
                let now = Instant::now();
                let echo = stop == Stop::Interrupt
                    && self.interrupted.replace(now).is_some_and(|before| now - before < ONE_REQUEST);
                if !echo {
                    heard.stop = Some(stop);
                }
            }
        }
        heard
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.delivery.get_read().as_fd()
    }
}

/// The signals that were ignored when we began, bit 0 the first. Unknown, on platforms without `/proc`, counts as
/// none.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
