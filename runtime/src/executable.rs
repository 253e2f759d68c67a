//! The look-up of an executable: over the PATH the critic will have, once per round, by us.
//!
//! [`Search`] gives an absolute path or says what was passed over (CR-1.2, CR-A3). `list` shows and `run` executes
//! what it gives. It never falls back to another name, and never looks below the working directory.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::config::visible;

/// Where executables are looked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    path: Option<OsString>,
    directory: PathBuf,
}

/// Why there is no executable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// A command with a slash names no program.
    #[error("the executable `{}` {why}; correct `command`, or install it there", shown(path))]
    File {
        /// Absolute.
        path: PathBuf,
        /// What is wrong with it.
        why: Unfit,
    },
    /// No directory of PATH has one.
    #[error(
        "the executable `{}` was not found on PATH{}; install it, or name it by its absolute path in `command`",
        visible(name),
        listed(passed_over)
    )]
    Path {
        /// What was looked for.
        name: String,
        /// Files of that name that cannot be run.
        passed_over: Vec<(PathBuf, Unfit)>,
    },
    /// The critic will have no PATH.
    #[error(
        "the executable `{}` cannot be looked up, since PATH is not set; set it, or name it by its absolute path in `command`",
        visible(name)
    )]
    NoPath {
        /// What was looked for.
        name: String,
    },
}

/// Why a file cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Nothing is there, or a link to nothing.
    #[error("does not exist")]
    Missing,
    /// A directory, a device, a socket.
    #[error("is not a regular file")]
    NotAFile,
    /// The run bit is missing for us.
    #[error("is not executable")]
    NotExecutable,
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

fn listed(passed_over: &[(PathBuf, Unfit)]) -> String {
    passed_over.iter().fold(String::new(), |text, (path, why)| text + &format!(", `{}` {why}", shown(path)))
}

impl Search {
    /// The search of a critic: `inherited` is our own PATH, `overlay` the entry's `env`, which may set or remove
    /// it, `directory` the config's, absolute, for commands with a slash.
    pub fn new(inherited: Option<&OsStr>, overlay: &[(String, Option<String>)], directory: &Path) -> Self {
        let own = overlay.iter().rev().find(|(name, _)| name == "PATH");
        let path = match own {
            Some((_, value)) => value.as_ref().map(OsString::from),
            None => inherited.map(OsStr::to_owned),
        };
        Self { path, directory: directory.to_owned() }
    }

    /// The absolute path of `command`: as it stands or relative to the config when it has a slash, else the first
    /// that can be run on PATH. Empty and relative elements of PATH are skipped: they mean the code under review.
    ///
    /// # Errors
    /// When there is none that can be run.
    pub fn find(&self, command: &str) -> Result<PathBuf, NotFound> {
        if command.contains('/') {
            let path = self.directory.join(command);
            return match unfit(&path) {
                None => Ok(path),
                Some(why) => Err(NotFound::File { path, why }),
            };
        }
        let Some(path) = self.path.as_deref().filter(|path| !path.is_empty()) else {
            return Err(NotFound::NoPath { name: command.to_owned() });
        };
        let mut passed_over = Vec::new();
        for directory in
            path.as_bytes().split(|byte| *byte == b':').map(|each| Path::new(OsStr::from_bytes(each)))
        {
            if !directory.is_absolute() || command.is_empty() {
                continue;
            }
            let candidate = directory.join(command);
            match unfit(&candidate) {
                None => return Ok(candidate),
                Some(Unfit::Missing) if candidate.symlink_metadata().is_err() => {}
                Some(why) => passed_over.push((candidate, why)),
            }
        }
        Err(NotFound::Path { name: command.to_owned(), passed_over })
    }
}

fn unfit(path: &Path) -> Option<Unfit> {
    match fs::metadata(path) {
        Err(_) => Some(Unfit::Missing),
        Ok(found) if !found.is_file() => Some(Unfit::NotAFile),
        Ok(_) if access(path, Access::EXEC_OK).is_err() => Some(Unfit::NotExecutable),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn file(path: &Path, mode: u32) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().set_permissions(Permissions::from_mode(mode)).unwrap();
    }

    fn search(path: &str) -> Search {
        Search::new(Some(OsStr::new(path)), &[], Path::new("/nowhere"))
    }

    #[test]
    fn what_cannot_be_run_is_passed_over() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("a/tool")).unwrap();
        file(&at("b/tool"), 0o644);
        fs::create_dir_all(at("c")).unwrap();
        symlink("gone", at("c/tool")).unwrap();
        file(&at("d/tool"), 0o755);
        let path = ["a", "b", "c", "missing", "d"].map(|each| at(each).display().to_string()).join(":");
        assert_eq!(search(&path).find("tool").unwrap(), at("d/tool"));

        let refused = search(path.rsplit_once(':').unwrap().0).find("tool").unwrap_err().to_string();
        for part in ["a/tool` is not a regular file", "b/tool` is not executable", "c/tool` does not exist"] {
            assert!(refused.contains(part), "{refused}");
        }
    }

    #[test]
    fn empty_and_relative_elements_are_skipped() {
        for path in ["", ":", ".", "bin::./", ":/nowhere"] {
            assert!(search(path).find("Cargo.toml").is_err());
            assert!(search(path).find("sh").is_err(), "{path}");
        }
        assert!(search(":/bin").find("sh").is_ok());
    }

    #[test]
    fn where_there_is_nothing_nothing_is_passed_over() {
        let place = tempfile::tempdir().unwrap();
        let path = format!("{}:/nowhere", place.path().display());
        let Err(NotFound::Path { passed_over, .. }) = search(&path).find("tool") else { panic!() };
        assert!(passed_over.is_empty());
    }

    #[test]
    fn the_overlay_decides_where_to_look() {
        let inherited = Some(OsStr::new("/bin"));
        let with = |value: Option<&str>| {
            Search::new(inherited, &[("PATH".into(), value.map(Into::into))], Path::new("/"))
        };
        assert!(with(Some("/bin")).find("sh").is_ok());
        assert!(matches!(with(Some("/nowhere")).find("sh"), Err(NotFound::Path { .. })));
        assert!(matches!(with(None).find("sh"), Err(NotFound::NoPath { .. })));
    }

    #[test]
    fn a_command_with_a_slash_is_relative_to_the_config() {
        let place = tempfile::tempdir().unwrap();
        file(&place.path().join("bin/tool"), 0o755);
        let search = Search::new(None, &[], place.path());
        assert_eq!(search.find("bin/tool").unwrap(), place.path().join("bin/tool"));
        assert_eq!(search.find("/bin/sh").unwrap(), Path::new("/bin/sh"));
        assert!(matches!(search.find("./tool"), Err(NotFound::File { why: Unfit::Missing, .. })));
    }
}
