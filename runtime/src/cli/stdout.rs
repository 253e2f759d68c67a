//! Standard output, whatever kind of descriptor it was given as.
//!
//! [`Stdout`] waits where a pipe or a terminal that was set not to block has no room: an envelope that is cut short
//! is none. It has no buffer. [`columns`] is how wide a table there may be.

use std::io::{self, Write};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::tcgetwinsize;

/// Standard output, not buffered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stdout;

/// How many columns the terminal has that standard output goes to, if it goes to one that knows.
pub(super) fn columns() -> Option<u16> {
    let size = tcgetwinsize(rustix::stdio::stdout()).ok()?;
    Some(size.ws_col).filter(|columns| *columns > 0)
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let stdout = rustix::stdio::stdout();
        loop {
            match rustix::io::write(stdout, bytes) {
                Ok(written) => return Ok(written),
                Err(Errno::AGAIN) => match poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(errno) => return Err(errno.into()),
                },
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
