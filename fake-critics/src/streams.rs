//! The fake's three streams: unbuffered writes, reads with a limit, and what is done to the streams themselves.
//!
//! Separate from the steps, because the standard library's buffering and its silence about closed descriptors would
//! change what a target sees. It journals nothing.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat, major, minor};
use rustix::io::Errno;
use rustix::stdio;

use crate::journal::StdinKind;
use crate::script::Stream;

const CHUNK: usize = 64 * 1024;

fn descriptor(stream: Stream) -> BorrowedFd<'static> {
    match stream {
        Stream::Stdout => stdio::stdout(),
        Stream::Stderr => stdio::stderr(),
    }
}

/// Writes all of it, waiting for the reader where the pipe is full.
///
/// # Errors
/// What the system says, a missing reader included.
pub(crate) fn write(stream: Stream, mut bytes: &[u8]) -> io::Result<()> {
    let descriptor = descriptor(stream);
    while !bytes.is_empty() {
        match rustix::io::write(descriptor, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(descriptor, PollFlags::OUT, None)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Writes a text over and over, so many bytes or for ever; gives the number of bytes.
///
/// # Errors
/// As [`write`]; also when the text is empty, since it would never come to an end.
pub(crate) fn flood(stream: Stream, content: &[u8], limit: Option<u64>) -> io::Result<u64> {
    if content.is_empty() {
        return Err(io::Error::other("`flood` needs a text that is not empty"));
    }
    let chunk = content.repeat(CHUNK.div_ceil(content.len()));
    let mut left = limit.unwrap_or(u64::MAX);
    while left > 0 {
        let size = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
        write(stream, &chunk[..size])?;
        left -= size as u64;
    }
    Ok(limit.unwrap_or(u64::MAX))
}

/// Whether the end of standard input was seen, and what came before.
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ended: bool,
}

/// Reads standard input to its end, or until the time is over.
///
/// # Errors
/// When reading fails for another reason than that nothing is there yet.
pub(crate) fn read_input(limit: Duration) -> io::Result<Input> {
    let begin = Instant::now();
    let mut input = Input { bytes: Vec::new(), ended: false };
    let mut buffer = vec![0; CHUNK];
    loop {
        let left = limit.saturating_sub(begin.elapsed());
        wait(stdio::stdin(), PollFlags::IN, Some(left))?;
        if readable()? {
            match rustix::io::read(stdio::stdin(), &mut buffer) {
                Ok(0) => {
                    input.ended = true;
                    return Ok(input);
                }
                Ok(size) => input.bytes.extend_from_slice(&buffer[..size]),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        } else if left.is_zero() {
            return Ok(input);
        }
    }
}

/// Opens `/dev/stdout` anew, as a shell's `>` does, and writes there.
///
/// # Errors
/// When it cannot be opened or written.
pub(crate) fn reopen_stdout(text: &str) -> io::Result<()> {
    use std::io::Write as _;
    File::create("/dev/stdout")?.write_all(text.as_bytes())
}

/// Puts the null device in the place of standard output, so that its reader sees the end.
///
/// # Errors
/// When the null device cannot be opened.
pub(crate) fn close_stdout() -> io::Result<()> {
    let null = File::options().write(true).open("/dev/null")?;
    Ok(stdio::dup2_stdout(&null)?)
}

/// The content of a file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read_file(path: &std::ffi::OsStr) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What standard input is.
pub(crate) fn stdin_kind() -> StdinKind {
    let Ok(status) = fstat(stdio::stdin()) else { return StdinKind::Other };
    match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => StdinKind::File,
        FileType::Fifo => StdinKind::Pipe,
        FileType::CharacterDevice if (major(status.st_rdev), minor(status.st_rdev)) == (1, 3) => {
            StdinKind::Null
        }
        _ => StdinKind::Other,
    }
}

fn readable() -> io::Result<bool> {
    let mut descriptors = [PollFd::from_borrowed_fd(stdio::stdin(), PollFlags::IN)];
    match poll(&mut descriptors, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn wait(descriptor: BorrowedFd<'_>, events: PollFlags, limit: Option<Duration>) -> io::Result<()> {
    let limit = limit.map(Timespec::try_from).transpose().map_err(io::Error::other)?;
    match poll(&mut [PollFd::from_borrowed_fd(descriptor, events)], limit.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
