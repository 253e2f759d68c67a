//! The folder of a run, in which sandboxes lie.
//!
//! Main type: [`Workshop`]. What lies in each sandbox is the supervisor's matter.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use super::CliError;
use crate::campaign::opaque;
use crate::supervisor::prepare;

/// The folder of a run, with a copy of the kit's own file in it. Removed at the end unless something in it is kept.
#[derive(Debug)]
pub(super) struct Workshop {
    temporary: TempDir,
    folder: PathBuf,
    kit: PathBuf,
}

impl Workshop {
    /// A new folder, in `wanted` or a temporary one.
    pub(super) fn open(wanted: Option<&Path>) -> Result<Self, CliError> {
        let failed = |error| CliError::System("make a folder for the sandboxes", error);
        let (parent, prefix) = match wanted {
            Some(folder) => {
                fs::create_dir_all(folder).map_err(failed)?;
                (folder.to_owned(), "run-")
            }
            None => (std::env::temp_dir(), "the-loop-conformance-"),
        };
        let temporary = new_folder(&parent, prefix).map_err(failed)?;
        let folder = fs::canonicalize(temporary.path()).map_err(failed)?;
        let own =
            std::env::current_exe().map_err(|error| CliError::System("find the kit's own file", error))?;
        let kit =
            prepare(&own, &folder).map_err(|error| CliError::System("copy the kit's own file", error))?;
        Ok(Self { temporary, folder, kit })
    }

    /// Where the sandboxes lie.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The copy of the kit's own file.
    pub(super) fn kit(&self) -> &Path {
        &self.kit
    }

    /// Lets it stay, and says where it is.
    pub(super) fn keep(&mut self) -> PathBuf {
        self.temporary.disable_cleanup(true);
        self.folder.clone()
    }
}

/// A folder that did not exist, under a name without words or digits of its own: see [`opaque`].
fn new_folder(parent: &Path, prefix: &str) -> io::Result<TempDir> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.subsec_nanos());
    let first = u64::from(std::process::id()) << 32 | u64::from(now);
    let make = |number: u64| {
        let name = format!("{prefix}{}", opaque(number));
        tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir_in(parent)
    };
    (1..1000).fold(make(first), |made, turn| match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => make(first.wrapping_add(turn)),
        done => done,
    })
}
