//! Capture: what comes out of the critic's two output pipes, within bounds.
//!
//! [`Pipe`] keeps the beginning of standard output or the end of standard error. It reads bytes and never
//! decodes them.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::buffer::spare_capacity;
use rustix::io::Errno;

/// Most bytes of standard output that a round keeps; more than this ends it.
pub const LONGEST_OUTPUT: usize = 64 << 20;
/// Bytes of the end of standard error that a round keeps.
pub const KEPT_ERROR: usize = 64 << 10;

/// Room that a program which exits right after a large write still gets its output into: Node drops what does
/// not fit.
#[cfg(target_os = "linux")]
const PIPE_ROOM: usize = 1 << 20;
/// Most bytes taken in one turn, so that a flood starves neither signals nor the deadline.
const TURN: usize = 4 << 20;
/// Least room made for one read.
const READ: usize = 64 << 10;
/// Memory that has to be left over when output is kept: the envelope is still to be written.
const SPARE: usize = 2 << 20;

/// Which part of a stream is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// This many bytes from the beginning.
    Beginning(usize),
    /// This many bytes from the end.
    End(usize),
}

/// Our end of one output pipe, and what came out of it.
#[derive(Debug)]
pub(super) struct Pipe {
    reader: Option<PipeReader>,
    keep: Keep,
    kept: Vec<u8>,
    end: Option<End>,
}

/// Why no more is kept of a stream that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// More came than is kept of the beginning.
    Full,
    /// The system has no memory for more.
    Starved,
}

impl Pipe {
    /// A pipe, and the end that the critic gets. Ours does not block.
    ///
    /// # Errors
    /// Whatever the system says to a pipe.
    pub(super) fn new(keep: Keep) -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        // A refusal (too many pipes of this user) costs room, not the round.
        #[cfg(target_os = "linux")]
        if matches!(keep, Keep::Beginning(_)) {
            let _ = rustix::pipe::fcntl_setpipe_size(&reader, PIPE_ROOM);
        }
        Ok((Self { reader: Some(reader), keep, kept: Vec::new(), end: None }, writer))
    }

    /// What to wait for, until the pipe has ended.
    pub(super) fn readable(&self) -> Option<BorrowedFd<'_>> {
        self.reader.as_ref().map(AsFd::as_fd)
    }

    /// Takes what is there, up to one turn.
    pub(super) fn take(&mut self) {
        self.take_up_to(TURN);
    }

    /// Takes what is there now, and closes. The amount is asked for once: somebody who still holds the other
    /// end could refill the pipe for ever.
    pub(super) fn finish(&mut self) {
        if let Some(reader) = &self.reader {
            let waiting = rustix::io::ioctl_fionread(reader).unwrap_or(0);
            self.take_up_to(usize::try_from(waiting).unwrap_or(TURN));
            self.reader = None;
        }
    }

    /// Why it is kept no longer, if it is not.
    pub(super) const fn end(&self) -> Option<End> {
        self.end
    }

    /// What is kept so far; for the end of a stream up to twice the bound.
    pub(super) fn kept(&self) -> &[u8] {
        &self.kept
    }

    /// What is kept, within the bound.
    pub(super) fn into_kept(mut self) -> Vec<u8> {
        if let Keep::End(bound) = self.keep {
            self.forget_before(bound);
        }
        self.kept
    }

    fn take_up_to(&mut self, most: usize) {
        let mut left = most;
        while left > 0 {
            if self.end.is_none() && !self.make_room() {
                self.end = Some(End::Starved);
            }
            let Some(reader) = &self.reader else { return };
            let read = match self.end {
                None => rustix::io::read(reader, spare_capacity(&mut self.kept)),
                // Taken all the same, so that the writer can still be ended politely.
                Some(_) => rustix::io::read(reader, &mut [0; 4 << 10][..]),
            };
            match read {
                Ok(taken) if taken > 0 => {
                    left = left.saturating_sub(taken);
                    self.stay_within_bound();
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Ok(_) | Err(_) => self.reader = None,
            }
        }
    }

    /// Room for the next read: twice what there was, less where memory is short, and never more than the bound
    /// and the one byte that shows that it was passed. Says whether there is any.
    fn make_room(&mut self) -> bool {
        let (length, room) = (self.kept.len(), self.kept.capacity());
        let most = match self.keep {
            Keep::Beginning(bound) => bound + 1,
            Keep::End(bound) => 2 * bound + READ,
        };
        if length < room || length >= most {
            return true;
        }
        let mut more = length.max(READ).min(most - length);
        while self.kept.try_reserve_exact(more).is_err() || !has_spare_memory() {
            self.kept.shrink_to(length);
            if more <= READ {
                return false;
            }
            more /= 2;
        }
        true
    }

    fn stay_within_bound(&mut self) {
        match self.keep {
            Keep::Beginning(bound) if self.kept.len() > bound => {
                self.kept.truncate(bound);
                self.end = Some(End::Full);
            }
            Keep::End(bound) if self.kept.len() > 2 * bound => self.forget_before(bound),
            Keep::Beginning(_) | Keep::End(_) => {}
        }
    }

    fn forget_before(&mut self, bound: usize) {
        let surplus = self.kept.len().saturating_sub(bound);
        self.kept.drain(..surplus);
    }
}

fn has_spare_memory() -> bool {
    let mut probe: Vec<u8> = Vec::new();
    std::hint::black_box(&mut probe).try_reserve_exact(SPARE).is_ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn captured(keep: Keep, written: &[u8]) -> (Vec<u8>, bool) {
        let (mut pipe, mut writer) = Pipe::new(keep).unwrap();
        for chunk in written.chunks(1000) {
            writer.write_all(chunk).unwrap();
            pipe.take();
        }
        pipe.finish();
        let overflowed = pipe.end() == Some(End::Full);
        (pipe.into_kept(), overflowed)
    }

    #[test]
    fn the_beginning_is_kept_up_to_the_bound_exactly() {
        assert_eq!(captured(Keep::Beginning(3), b"abc"), (b"abc".to_vec(), false));
        assert_eq!(captured(Keep::Beginning(3), b"abcd"), (b"abc".to_vec(), true));
        assert_eq!(captured(Keep::Beginning(3), b""), (Vec::new(), false));
    }

    #[test]
    fn the_end_is_kept_down_to_the_bound_exactly() {
        let long: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        assert_eq!(captured(Keep::End(300), &long), (long[9_700..].to_vec(), false));
        assert_eq!(captured(Keep::End(300), b"ab"), (b"ab".to_vec(), false));
    }

    #[test]
    fn finishing_does_not_wait_for_a_writer_that_stays() {
        let (mut pipe, mut writer) = Pipe::new(Keep::Beginning(100)).unwrap();
        writer.write_all(b"last words").unwrap();
        pipe.finish();
        assert_eq!(pipe.into_kept(), b"last words");
        assert!(writer.write_all(b"more").is_err());
    }

    #[test]
    fn a_turn_takes_no_more_than_it_may_beyond_one_read() {
        let (mut pipe, mut writer) = Pipe::new(Keep::Beginning(640 << 10)).unwrap();
        let written = vec![b'x'; 256 << 10];
        writer.write_all(&written).unwrap();
        pipe.take_up_to(1);
        assert_eq!(pipe.kept().len(), 64 << 10);
        pipe.take_up_to(64 << 10);
        assert_eq!(pipe.kept().len(), 128 << 10);
        pipe.finish();
        assert_eq!(pipe.into_kept(), written);
    }

    #[test]
    fn the_end_is_moved_only_when_twice_as_much_is_kept() {
        let (mut pipe, mut writer) = Pipe::new(Keep::End(1000)).unwrap();
        for (chunk, kept) in [(1500, 1500), (500, 2000), (1, 1000), (900, 1900)] {
            writer.write_all(&vec![b'x'; chunk]).unwrap();
            pipe.take();
            assert_eq!(pipe.kept().len(), kept);
        }
    }
}
