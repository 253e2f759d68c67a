//! Waits for the started copies of one step: reads, feeds, signals, cuts off. Main type: [`Watch`].
//!
//! One poll over everything, so that copies that run at once are timed alike. A target's exit ends its copy: what it
//! left holding its output is not waited for. It starts nothing and does not look for survivors.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use fake_critics::Bytes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, pidfd_send_signal};

use super::SupervisorError;
use super::call::Invocation;
use super::descent;
use super::disk::Disk;
use super::drive::{Feed, Running};
use super::lifeline::Lifeline;
use super::signalling::Signalling;
use crate::observation::{CopyRecord, Ending};

/// How much of one stream is kept.
const CAP: usize = 256 * 1024 * 1024;

/// How much is read from one stream before the others have their turn.
const TURN: usize = 4 * 1024 * 1024;

/// How often memory or a journal is looked at while something runs.
const TICK: Duration = Duration::from_millis(10);

/// How often the limit is looked at, when nothing else is.
const SLOW_TICK: Duration = Duration::from_millis(100);

/// Everything that the copies of one step have in common.
pub(super) struct Watch<'a> {
    /// Ends the waiting.
    pub(super) lifeline: &'a Lifeline,
    /// Where a copy counts as hung.
    pub(super) limit: Duration,
    /// Where memory is asked for: the folder of the fakes, which are no part of the target.
    pub(super) memory_outside: Option<&'a Path>,
    /// Where disk is asked for: what the folders held before.
    pub(super) disk: Option<Disk>,
    /// The signal that the step asks for.
    pub(super) signalling: Option<Signalling>,
}

/// One copy that runs or has run.
pub(super) struct Watched {
    running: Running,
    stdout: Stream,
    stderr: Stream,
    peak_memory: u64,
    peak_disk: u64,
    hung: Hung,
    end: Option<(Ending, Duration)>,
}

/// Whether the kit had to cut a copy off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hung {
    No,
    CutOff,
}

/// What was read from one stream.
struct Stream {
    end: Option<OwnedFd>,
    bytes: Vec<u8>,
    cut: bool,
}

impl Watched {
    /// A copy that has just been started.
    pub(super) fn new(mut running: Running) -> io::Result<Self> {
        let stdout = Stream { end: running.stdout.take(), bytes: Vec::new(), cut: false };
        let stderr = Stream { end: Some(running.stderr.try_clone()?), bytes: Vec::new(), cut: false };
        Ok(Self { running, stdout, stderr, peak_memory: 0, peak_disk: 0, hung: Hung::No, end: None })
    }

    /// The record of a copy that is over.
    pub(super) fn record(self, invocation: &Invocation, signal_unsent: bool) -> CopyRecord {
        let (ending, wall) = self.end.unwrap_or((Ending::Hung, self.running.begin.elapsed()));
        CopyRecord {
            number: invocation.number,
            prompt: invocation.prompt.clone().map(Bytes),
            command: invocation.command(),
            ending,
            cut: self.stdout.cut || self.stderr.cut,
            stdout: Bytes(self.stdout.bytes),
            stderr: Bytes(self.stderr.bytes),
            wall,
            peak_memory: self.peak_memory,
            peak_disk: self.peak_disk,
            signal_unsent,
        }
    }

    fn is_running(&self) -> bool {
        self.end.is_none()
    }

    /// Reads and writes what can be, and notices the end.
    fn attend(&mut self) -> io::Result<()> {
        self.feed();
        // The exit is looked at first: what was written before it is then there to be read.
        let status = self.running.process.try_wait()?;
        let wall = self.running.begin.elapsed();
        self.stdout.read(TURN);
        self.stderr.read(TURN);
        if let Some(status) = status {
            self.end = Some((self.ending(status), wall));
            self.stdout.drain();
            self.stderr.drain();
            self.running.stdin = Feed::Over;
        }
        Ok(())
    }

    fn ending(&self, status: ExitStatus) -> Ending {
        use std::os::unix::process::ExitStatusExt as _;
        match (self.hung, status.code(), status.signal()) {
            (Hung::CutOff, ..) => Ending::Hung,
            (Hung::No, Some(code), _) => Ending::Exit(code),
            (Hung::No, None, signal) => Ending::Signal(signal.unwrap_or(0)),
        }
    }

    fn feed(&mut self) {
        let Feed::Left(end, bytes) = &mut self.running.stdin else { return };
        while !bytes.is_empty() {
            match rustix::io::write(&*end, bytes) {
                Ok(written) => drop(bytes.drain(..written)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // Nobody reads any more.
                Err(_) => break,
            }
        }
        self.running.stdin = Feed::Over;
    }

    fn cut_off(&mut self) {
        self.hung = Hung::CutOff;
        // One that has ended meanwhile needs no signal.
        let _ = pidfd_send_signal(&self.running.ended, Signal::KILL);
    }

    /// The peak of the target's own process and of everything below it that is no fake, each by itself.
    fn look_at_memory(&mut self, bin: &Path) {
        let Some(pid) = self.running.pid().map(|pid| pid.as_raw_nonzero().get()) else { return };
        let below = descent::below(&pid.to_string(), &[]);
        let own = below.into_iter().filter(|pid| {
            std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| !program.starts_with(bin))
        });
        for pid in std::iter::once(pid).chain(own) {
            self.peak_memory = self.peak_memory.max(descent::peak_memory(pid).unwrap_or(0));
        }
    }

    /// A critic may hold what the target wrote for it, so that everything below the target counts as a holder.
    fn look_at_disk(&mut self, disk: &Disk) {
        let pid = self.running.pid().map(|pid| pid.as_raw_nonzero().get());
        let below = pid.map(|pid| descent::below(&pid.to_string(), &[])).unwrap_or_default();
        self.peak_disk = self.peak_disk.max(disk.held(pid.into_iter().chain(below)));
    }

    fn descriptors(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let feed = match &self.running.stdin {
            Feed::Left(end, _) => Some((end.as_fd(), PollFlags::OUT)),
            Feed::Over | Feed::Held(_) => None,
        };
        [self.stdout.end.as_ref(), self.stderr.end.as_ref(), Some(&self.running.ended)]
            .into_iter()
            .flatten()
            .map(|descriptor| (descriptor.as_fd(), PollFlags::IN))
            .chain(feed)
    }
}

impl Stream {
    fn read(&mut self, most: usize) {
        let mut buffer = [0; 16 * 1024];
        let mut left = most;
        while left > 0
            && let Some(end) = &self.end
        {
            let size = left.min(buffer.len());
            match rustix::io::read(end, &mut buffer[..size]) {
                Ok(0) => self.end = None,
                Ok(size) => {
                    left -= size;
                    self.keep(&buffer[..size]);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.end = None,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = CAP.saturating_sub(self.bytes.len());
        self.cut |= bytes.len() > room;
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Reads what is there now, and not what a leftover adds for ever, then gives the pipe up.
    fn drain(&mut self) {
        let there = self.end.as_ref().and_then(|end| rustix::io::ioctl_fionread(end).ok()).unwrap_or(0);
        self.read(usize::try_from(there).unwrap_or(usize::MAX));
        self.end = None;
    }
}

impl Watch<'_> {
    /// Waits until every copy is over, cutting off those that hang.
    ///
    /// # Errors
    /// When the lifeline is cut, or the system refuses to tell about a process.
    pub(super) fn until_over(&mut self, copies: &mut [Watched]) -> Result<(), SupervisorError> {
        let is_looked_at = self.memory_outside.is_some() || self.disk.is_some() || self.signalling.is_some();
        let tick = if is_looked_at { TICK } else { SLOW_TICK };
        let mut looked: Option<Instant> = None;
        while copies.iter().any(Watched::is_running) {
            self.lifeline.check()?;
            if looked.is_none_or(|looked| looked.elapsed() >= tick) {
                looked = Some(Instant::now());
                self.look(copies)?;
            }
            self.wait(copies, tick)?;
            for copy in copies.iter_mut().filter(|copy| copy.is_running()) {
                copy.attend()?;
                // What it leaves in its sandbox is there after its end as well.
                if let (false, Some(disk)) = (copy.is_running(), &self.disk) {
                    copy.look_at_disk(disk);
                }
            }
        }
        Ok(())
    }

    fn look(&mut self, copies: &mut [Watched]) -> Result<(), SupervisorError> {
        for copy in copies.iter_mut().filter(|copy| copy.is_running()) {
            if let Some(bin) = self.memory_outside {
                copy.look_at_memory(bin);
            }
            if let Some(disk) = &self.disk {
                copy.look_at_disk(disk);
            }
            if copy.hung == Hung::No && copy.running.begin.elapsed() > self.limit {
                copy.cut_off();
            }
        }
        if let Some(signalling) = &mut self.signalling {
            let running: Vec<_> = copies.iter().filter(|copy| copy.is_running()).collect();
            signalling
                .turn(running.iter().filter_map(|copy| Some((copy.running.pid()?, &copy.running.ended))))?;
        }
        Ok(())
    }

    fn wait(&self, copies: &[Watched], tick: Duration) -> io::Result<()> {
        let lifeline = self.lifeline.descriptor().map(|descriptor| (descriptor, PollFlags::IN));
        let running = copies.iter().filter(|copy| copy.is_running());
        let mut descriptors: Vec<_> = running
            .flat_map(Watched::descriptors)
            .chain(lifeline)
            .map(|(descriptor, events)| PollFd::from_borrowed_fd(descriptor, events))
            .collect();
        let tick = Timespec::try_from(tick).map_err(io::Error::other)?;
        match poll(&mut descriptors, Some(&tick)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
