//! Which file a command is. Main function: [`Search::find`].
//!
//! The look-up happens once per row or round; whoever shows the result and whoever executes it use the same path.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::config::Config;
use crate::fault::{self, Fault};

/// Where to look.
pub(crate) struct Search<'a> {
    /// The `PATH` of the entry, where it sets one.
    pub(crate) path: Option<&'a str>,
    /// The config, whose folder commands with a slash are relative to.
    pub(crate) config: &'a Config,
}

impl Search<'_> {
    /// The absolute path of the executable, or nothing.
    pub(crate) fn find(&self, command: &str) -> Option<PathBuf> {
        if command.is_empty() {
            return None;
        }
        if command.contains('/') {
            let base =
                if fault::on(Fault::CommandRelativeToRoot) { &self.config.root } else { &self.config.folder };
            return Some(base.join(command)).filter(|path| runnable(path));
        }
        let list = self.list()?;
        let mut folders: Vec<&Path> = list
            .as_bytes()
            .split(|&byte| byte == b':')
            .map(|folder| Path::new(OsStr::from_bytes(folder)))
            .collect();
        if fault::on(Fault::LastHitTaken) {
            folders.reverse();
        }
        let there = |folder: &&Path| folder.is_dir() || !fault::on(Fault::MissingElementEndsSearch);
        folders.into_iter().take_while(there).find_map(|folder| {
            if !folder.is_absolute() && !fault::on(Fault::RelativePathSearched) {
                return None;
            }
            let path = std::path::absolute(self.config.root.join(folder).join(command)).ok()?;
            if fault::on(Fault::FirstHitTaken) && path.exists() {
                return Some(path);
            }
            runnable(&path).then_some(path)
        })
    }

    /// The same as [`Self::find`], but for a plain name never over PATH.
    pub(crate) fn find_beside(&self, command: &str) -> Option<PathBuf> {
        if command.contains('/') { self.find(command) } else { self.find(&format!("./{command}")) }
    }

    fn list(&self) -> Option<OsString> {
        match self.path {
            Some(path) if !fault::on(Fault::PathOfCaller) => Some(OsString::from(path)),
            _ => env::var_os("PATH"),
        }
    }
}

fn runnable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}
