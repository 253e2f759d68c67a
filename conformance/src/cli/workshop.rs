//! The folder of a run, in which sandboxes lie.
//!
//! Main type: [`Workshop`]. What lies in each sandbox is the supervisor's matter.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::CliError;
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
        let mut builder = tempfile::Builder::new();
        let temporary = match wanted {
            Some(folder) => {
                fs::create_dir_all(folder).map_err(failed)?;
                builder.prefix("run-").tempdir_in(folder)
            }
            None => builder.prefix("the-loop-conformance-").tempdir(),
        }
        .map_err(failed)?;
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
