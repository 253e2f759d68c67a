//! The copy of the envelope in a file. Main type: [`Copy`].
//!
//! The place is tried before the round and the file is replaced as a whole after it, so that no reader sees half of one.
//! What goes into it is not its business.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::NamedTempFile;

use crate::fault::{self, Fault};
use crate::refusal::Refusal;

/// A file that will hold the envelope.
pub(crate) struct Copy {
    path: PathBuf,
}

impl Copy {
    /// Makes sure that it can be written; folders are made.
    pub(crate) fn open(path: &Path) -> Result<Self, Refusal> {
        let refuse = |error: io::Error| Refusal::new(format!("`--output-file {}`: {error}", path.display()));
        let copy = Self { path: followed(path) };
        if !fault::on(Fault::OutputFileParentsMissing) {
            let made = fs::create_dir_all(copy.folder());
            made.or_else(|error| if fault::on(Fault::OutputFileOpenedLast) { Ok(()) } else { Err(error) })
                .map_err(refuse)?;
        }
        if !fault::on(Fault::OutputFileOpenedLast) && copy.path.exists() {
            let emptied = fault::on(Fault::OutputFileEmptiedFirst);
            OpenOptions::new().write(true).truncate(emptied).open(&copy.path).map_err(refuse)?;
        }
        if !fault::on(Fault::OutputFileOpenedLast) {
            NamedTempFile::new_in(copy.folder()).map_err(refuse)?;
        }
        Ok(copy)
    }

    /// Replaces the file.
    pub(crate) fn write(self, bytes: &[u8]) -> io::Result<()> {
        if fault::on(Fault::OutputFileNotCutShort) {
            return OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&self.path)?
                .write_all(bytes);
        }
        let mut file = NamedTempFile::new_in(self.folder())?;
        file.write_all(bytes)?;
        file.persist(&self.path).map_err(io::Error::from).map(drop)
    }

    fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}

/// Where a link leads; the path itself where it is none.
fn followed(path: &Path) -> PathBuf {
    if fault::on(Fault::OutputFileReplacesLink) {
        return path.to_path_buf();
    }
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Removes an envelope of an earlier round, so that nobody takes it for this one's.
pub(crate) fn forget(path: &Path) {
    if fault::on(Fault::StaleOutputKept) {
        return;
    }
    let old = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let is_envelope = old.is_some_and(|old| old.get("critic").is_some() && old.get("ok").is_some());
    if is_envelope || fault::on(Fault::ForeignOutputRemoved) {
        // Where it cannot be removed, the exit code still says that there was no round.
        let _ = fs::remove_file(path);
    }
}
