//! Where a fake finds its script and its journal: beside its own file. Main type: [`Place`].
//!
//! Nothing of the arguments or the environment is spent on it, so that a scenario can judge all of both.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::script::Script;

/// The folder beside the fakes that holds scripts and journals.
pub const FOLDER: &str = ".fakes";

/// The files that belong to one fake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    executable: PathBuf,
    name: OsString,
    folder: PathBuf,
}

impl Place {
    /// The place of the fake that is this executable; `None` for a path without a folder or a name.
    pub fn beside(executable: &Path) -> Option<Self> {
        let name = executable.file_name()?.to_owned();
        let folder = executable.parent()?.join(FOLDER);
        Some(Self { executable: executable.to_owned(), name, folder })
    }

    /// The fake's own file.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// The folder of script and journal.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The script, JSON.
    pub fn script(&self) -> PathBuf {
        self.file(".json")
    }

    /// The journal, JSON lines.
    pub fn journal(&self) -> PathBuf {
        self.file(".journal")
    }

    /// A file that the child with this mark creates once it runs.
    pub(crate) fn ready(&self, mark: &str) -> PathBuf {
        self.file(&format!(".ready-{mark}"))
    }

    /// Reads the script; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read or is no script.
    pub(crate) fn read_script(&self) -> io::Result<Option<Script>> {
        match std::fs::read(self.script()) {
            Ok(json) => Ok(Some(serde_json::from_slice(&json)?)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn file(&self, suffix: &str) -> PathBuf {
        let mut name = self.name.clone();
        name.push(suffix);
        self.folder.join(name)
    }
}
