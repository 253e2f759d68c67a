//! The event log: a file of JSON lines, outside every checkout, that knows what humans decided.
//!
//! [`EventLog`] appends whole lines under a lock and reads them back. What they say is decided in `event` and `history`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::event::Event;
use super::folder::wait_for_lock;
use crate::config::visible;

/// Most links that are followed one after another.
const MOST_LINKS: usize = 40;

/// A log, there or not yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLog {
    path: PathBuf,
}

/// Why the log cannot be used. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum EventLogError {
    /// Nothing says where it is.
    #[error(
        "HOME is not set to an absolute path, so there is no event log; name one as `eventLog: {{path: …}}` in the config"
    )]
    Nowhere,
    /// The system refuses.
    #[error("the event log `{}` cannot be {what}: {source}; nothing was changed, name one that can as `eventLog: {{path: …}}` in the config", visible(&path.to_string_lossy()))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

impl EventLog {
    /// The log at the configured path, else in the home directory.
    ///
    /// # Errors
    /// When there is neither.
    pub fn locate(configured: Option<PathBuf>, home: Option<&Path>) -> Result<Self, EventLogError> {
        let default =
            || home.filter(|home| home.is_absolute()).map(|home| home.join(".the-loop/events.jsonl"));
        configured.or_else(default).map(|path| Self { path }).ok_or(EventLogError::Nowhere)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it really is, or will be: as much of the path as there is, links resolved, also those that lead nowhere yet.
    pub fn place(&self) -> PathBuf {
        let mut path = self.path.clone();
        for _ in 0..MOST_LINKS {
            let Ok(target) = fs::read_link(&path) else { break };
            path = path.parent().unwrap_or(Path::new("/")).join(target);
        }
        path.ancestors().find_map(|path| path.canonicalize().ok()).unwrap_or(path)
    }

    /// Everything in it; nothing when there is no such file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self) -> Result<Vec<u8>, EventLogError> {
        match self.read_file() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read.map_err(self.unusable("read")),
        }
    }

    fn read_file(&self) -> io::Result<Vec<u8>> {
        if fs::metadata(&self.path)?.is_file() { fs::read(&self.path) } else { Err(not_regular()) }
    }

    /// Appends all events in one step. Where somebody was killed while writing, the torn line is ended first.
    ///
    /// # Errors
    /// When it cannot be made, locked or written; then it holds none of them.
    pub fn append(&self, events: &[Event]) -> Result<(), EventLogError> {
        if events.is_empty() {
            return Ok(());
        }
        self.append_lines(&events.iter().map(Event::line).collect::<String>())
            .map_err(self.unusable("written"))
    }

    /// Makes the file if it is not there, and tells whether it can be written.
    ///
    /// # Errors
    /// When it cannot.
    pub fn probe(&self) -> Result<(), EventLogError> {
        self.open().map(|_| ()).map_err(self.unusable("written"))
    }

    fn open(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        if fs::metadata(&self.path).is_ok_and(|found| !found.is_file()) {
            return Err(not_regular());
        }
        OpenOptions::new().read(true).append(true).create(true).open(&self.path)
    }

    fn append_lines(&self, lines: &str) -> io::Result<()> {
        let mut file = self.open()?;
        wait_for_lock(&file)?;
        let end = file.seek(SeekFrom::End(0))?;
        let mut text = lines.to_owned();
        if end > 0 && last_byte(&mut file, end)? != b'\n' {
            text.insert(0, '\n');
        }
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        if written.is_err() {
            // A full disk may have taken a part; whoever reads must not find half of a decision.
            file.set_len(end)?;
        }
        written
    }

    fn unusable(&self, what: &'static str) -> impl Fn(io::Error) -> EventLogError {
        move |source| EventLogError::Unusable { path: self.path.clone(), what, source }
    }
}

fn last_byte(file: &mut File, end: u64) -> io::Result<u8> {
    let mut byte = [0];
    file.seek(SeekFrom::Start(end - 1))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn not_regular() -> io::Error {
    io::Error::other("not a regular file")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Moment;
    use crate::graph::event::{Act, Scope};

    fn event() -> Event {
        let scope = Scope { root: "/r".into(), work_item: "w".into(), loop_name: "l".into() };
        let at = Moment::parse("2026-01-01T00:00:00Z").unwrap();
        Event::started(&scope, Act { by: "me", via: "cli", at })
    }

    #[test]
    fn lines_are_appended_and_a_torn_one_is_ended() {
        let place = tempfile::tempdir().unwrap();
        let log = EventLog { path: place.path().join("new/e.jsonl") };
        assert_eq!(log.read().unwrap(), b"");
        log.append(&[event(), event()]).unwrap();
        fs::write(&log.path, [&log.read().unwrap()[..], b"{\"torn"].concat()).unwrap();
        log.append(&[event()]).unwrap();
        let text = String::from_utf8(log.read().unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let line = event().line();
        assert_eq!(lines, [line.trim_end(), line.trim_end(), "{\"torn", line.trim_end()]);
    }

    #[test]
    fn what_cannot_be_a_log_is_told() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("file"), "").unwrap();
        for path in [place.path().to_owned(), place.path().join("file/e.jsonl"), "/dev/null".into()] {
            let log = EventLog { path };
            assert!(log.append(&[event()]).is_err(), "{log:?}");
        }
        assert!(EventLog::locate(None, Some(Path::new("home"))).is_err());
        assert!(EventLog::locate(None, None).is_err());
    }
}
