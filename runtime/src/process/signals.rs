//! Signals to this process, as bytes in a pipe that `poll` can wait for.
//!
//! [`Signals`] listens from its creation on. It decides nothing: what a request to stop means is the round's
//! business.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal as Blockable};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

/// Two INTs closer than this are one request: `timeout -s INT` signals its child, then the whole group.
const ONE_REQUEST: Duration = Duration::from_millis(50);

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
}

/// The listener.
#[derive(Debug)]
pub struct Signals {
    delivery: SignalDelivery<UnixStream, SignalOnly>,
    /// Requests that end the round: all but a HUP that was ignored.
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
    const ALL: [Self; 4] = [Self::Terminate, Self::Interrupt, Self::Quit, Self::Hangup];

    /// The signal's usual name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hangup => "HUP",
            Self::Interrupt => "INT",
            Self::Quit => "QUIT",
            Self::Terminate => "TERM",
        }
    }

    pub(super) const fn number(self) -> i32 {
        match self {
            Self::Hangup => SIGHUP,
            Self::Interrupt => SIGINT,
            Self::Quit => SIGQUIT,
            Self::Terminate => SIGTERM,
        }
    }
}

impl Signals {
    /// Starts to listen, also to signals that were blocked or ignored when this process began: a child that is
    /// never waited for, or a round that cannot be stopped, helps nobody. Only HUP stays ignored where it was,
    /// since that is what `nohup` asks for. XFSZ is heard so that a file size limit becomes a write error.
    ///
    /// # Errors
    /// Whatever the system says to a socket pair or a handler.
    pub fn listen() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        let stops: Vec<Stop> =
            Stop::ALL.into_iter().filter(|stop| *stop != Stop::Hangup || !hangup_is_ignored()).collect();
        let wanted = stops.iter().map(|stop| stop.number()).chain([SIGCHLD, SIGXFSZ]);
        let delivery = SignalDelivery::with_pipe(read, write, SignalOnly, wanted)?;
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
        Ok(Self { delivery, stops, interrupted: None })
    }

    /// Lets a request to stop end this process again: the first one after this call is still swallowed, so that
    /// an envelope on its way out survives it; the second one has its default effect, so that a reader who never
    /// reads cannot keep us for ever.
    ///
    /// # Errors
    /// Whatever the system says to a handler.
    pub fn release(&self) -> io::Result<()> {
        for stop in &self.stops {
            let heard = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register_conditional_default(stop.number(), Arc::clone(&heard))?;
            signal_hook::flag::register(stop.number(), heard)?;
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
            if let Some(stop) = Stop::ALL.into_iter().find(|stop| stop.number() == signal) {
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

/// Whether HUP was ignored when we began. Unknown, on platforms without `/proc`, counts as not ignored.
fn hangup_is_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 << (SIGHUP - 1) != 0)
}
