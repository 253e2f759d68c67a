//! What a pipe says, collected by a thread. Main type: [`Capture`].
//!
//! The thread reads until the pipe ends and never stops early, so that no writer is blocked; what is kept is
//! bounded. Bytes are not decoded here.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Which end of a long text is kept.
#[derive(Clone, Copy)]
enum Keep {
    First(usize),
    Last(usize),
}

#[derive(Default)]
struct Kept {
    bytes: VecDeque<u8>,
    overflowed: bool,
}

/// A pipe under collection.
pub(crate) struct Capture {
    kept: Arc<Mutex<Kept>>,
    ended: Receiver<()>,
    /// Where the bytes are instead, and how many there may be.
    file: Option<(File, Keep)>,
}

impl Capture {
    /// Collects the first bytes of a pipe.
    pub(crate) fn first(pipe: Option<impl Read + Send + 'static>, most: usize) -> Self {
        Self::start(pipe, Keep::First(most))
    }

    /// Collects the last bytes of a pipe.
    pub(crate) fn last(pipe: Option<impl Read + Send + 'static>, most: usize) -> Self {
        Self::start(pipe, Keep::Last(most))
    }

    /// The same, in a file without a name.
    pub(crate) fn first_in_file(pipe: Option<impl Read + Send + 'static>, most: usize) -> Self {
        Self::spooled(pipe, Keep::First(most))
    }

    /// The same, in a file without a name, which holds all that came before as well.
    pub(crate) fn last_in_file(pipe: Option<impl Read + Send + 'static>, most: usize) -> Self {
        Self::spooled(pipe, Keep::Last(most))
    }

    fn spooled(pipe: Option<impl Read + Send + 'static>, keep: Keep) -> Self {
        let (Keep::First(most) | Keep::Last(most)) = keep;
        let mut capture = Self::start(None::<File>, Keep::First(0));
        let (end, ended) = channel::<()>();
        let file = tempfile::tempfile().and_then(|file| Ok((file.try_clone()?, file)));
        if let (Ok((mut spool, file)), Some(pipe)) = (file, pipe) {
            thread::spawn(move || {
                let mut pipe = pipe.take(most as u64 + 1);
                let _ = io::copy(&mut pipe, &mut spool);
                // Whoever writes more is not blocked by that.
                let _ = io::copy(&mut pipe.into_inner(), &mut io::sink());
                let _ = end.send(());
            });
            capture.file = Some((file, keep));
        }
        capture.ended = ended;
        capture
    }

    /// A file that the critic writes by itself, and what reads it.
    pub(crate) fn shared_file(most: usize) -> io::Result<Option<(Stdio, Self)>> {
        let file = tempfile::tempfile()?;
        let end = Stdio::from(file.try_clone()?);
        let mut capture = Self::start(None::<File>, Keep::First(0));
        capture.file = Some((file, Keep::First(most)));
        Ok(Some((end, capture)))
    }

    fn start(pipe: Option<impl Read + Send + 'static>, keep: Keep) -> Self {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let (end, ended) = channel::<()>();
        let shared = Arc::clone(&kept);
        if let Some(pipe) = pipe {
            thread::spawn(move || {
                collect(pipe, &shared, keep);
                // Nobody may be waiting any more.
                let _ = end.send(());
            });
        }
        Self { kept, ended, file: None }
    }

    /// Waits for the end of the pipe, but not longer than this.
    pub(crate) fn wait(&self, longest: Duration) {
        // An error means that it ended or that time is up; both are fine.
        let _ = self.ended.recv_timeout(longest);
    }

    /// Whether more came than is kept.
    pub(crate) fn is_full(&self) -> bool {
        if let Some((file, Keep::First(most))) = &self.file {
            return file.metadata().is_ok_and(|metadata| metadata.len() > *most as u64);
        }
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).overflowed
    }

    /// What was kept so far, of a file at most this much.
    pub(crate) fn take(&self, most: usize) -> Vec<u8> {
        if let Some((file, keep)) = &self.file {
            let size = file.metadata().map_or(0, |metadata| metadata.len());
            let offset = match keep {
                Keep::First(_) => 0,
                Keep::Last(_) => size.saturating_sub(most as u64),
            };
            let mut bytes = vec![0; most];
            let count = file.read_at(&mut bytes, offset).unwrap_or(0);
            bytes.truncate(count);
            return bytes;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut kept.bytes).into()
    }
}

fn collect(mut pipe: impl Read, kept: &Mutex<Kept>, keep: Keep) {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let count = match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let fresh = chunk.get(..count).unwrap_or_default();
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        match keep {
            Keep::First(most) => {
                let room = most - kept.bytes.len().min(most);
                kept.bytes.extend(fresh.get(..room).unwrap_or(fresh));
                kept.overflowed |= fresh.len() > room;
            }
            Keep::Last(most) => {
                kept.bytes.extend(fresh);
                let surplus = kept.bytes.len().saturating_sub(most);
                kept.bytes.drain(..surplus);
            }
        }
    }
}
