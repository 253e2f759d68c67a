//! The file of `--output-file`: claimed before anything is spawned, replaced in one step after the round.
//!
//! [`OutputFile`] follows symbolic links and creates missing folders. Until it is delivered the old content stays.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use tempfile::NamedTempFile;

use crate::config::visible;
use crate::envelope::Envelope;

/// Longest chain of symbolic links that is followed.
const LONGEST_CHAIN: usize = 40;

/// A claimed place for an envelope.
#[derive(Debug)]
pub struct OutputFile {
    target: PathBuf,
    draft: NamedTempFile,
}

/// Why an envelope could not be written there. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum OutputFileError {
    /// Something else stands there.
    #[error("the output file `{}` is not a regular file; name a file, or a place where none is yet", shown(.0))]
    NotAFile(PathBuf),
    /// The system refuses.
    #[error(
        "the output file `{}` cannot be written: {source}; name a place that can be written",
        shown(path)
    )]
    Unwritable {
        /// As it would be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

impl OutputFile {
    /// Claims `path`, which is absolute.
    ///
    /// # Errors
    /// When something else than a regular file stands there, or it cannot be written.
    pub fn claim(path: &Path) -> Result<Self, OutputFileError> {
        let unwritable = |source| OutputFileError::Unwritable { path: path.to_owned(), source };
        let target = followed(path).map_err(unwritable)?;
        let mode = match fs::metadata(&target) {
            Ok(found) if !found.is_file() => return Err(OutputFileError::NotAFile(path.to_owned())),
            Ok(found) => {
                // Replacing would get round a file that is not ours to write.
                OpenOptions::new().write(true).open(&target).map_err(unwritable)?;
                Some(found.permissions())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(unwritable(error)),
        };
        let (Some(folder), Some(_)) = (target.parent(), target.file_name()) else {
            return Err(OutputFileError::NotAFile(path.to_owned()));
        };
        fs::create_dir_all(folder).map_err(unwritable)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".the-loop-").suffix(".json");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let draft = builder.tempfile_in(folder).map_err(unwritable)?;
        if let Some(mode) = mode {
            draft.as_file().set_permissions(mode).map_err(unwritable)?;
        }
        Ok(Self { target, draft })
    }

    /// Puts the envelope there in one step. If that fails, an older envelope is removed rather than left to be
    /// taken for this round's.
    ///
    /// # Errors
    /// What the system says.
    pub fn deliver(self, envelope: &Envelope) -> io::Result<()> {
        let Self { target, draft } = self;
        let written = envelope.write(draft.as_file());
        let delivered = written.and_then(|()| draft.persist(&target).map(|_| ()).map_err(io::Error::from));
        if delivered.is_err() {
            remove_stale(&target);
        }
        delivered
    }
}

/// Removes an older envelope at `path`, and nothing else: a refused round must not leave it to be taken for its own.
pub fn remove_stale(path: &Path) {
    if let Ok(target) = followed(path)
        && is_envelope(&target)
    {
        // One that cannot be removed cannot have been ours to replace.
        let _ = fs::remove_file(target);
    }
}

/// Where the links lead, whether or not there is something.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LONGEST_CHAIN {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether a regular file holds one JSON object with `critic` and `ok`.
fn is_envelope(path: &Path) -> bool {
    let Ok(true) = fs::metadata(path).map(|found| found.is_file()) else { return false };
    let Ok(file) = File::open(path) else { return false };
    serde_json::from_reader(io::BufReader::new(file)).is_ok_and(|Marks { critic, ok }| critic && ok)
}

/// The members by which an envelope is known.
#[derive(Default)]
struct Marks {
    critic: bool,
    ok: bool,
}

impl<'de> Deserialize<'de> for Marks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Marks;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Marks, A::Error> {
                let mut marks = Marks::default();
                while let Some(key) = map.next_key::<String>()? {
                    marks.critic |= key == "critic";
                    marks.ok |= key == "ok";
                    map.next_value::<IgnoredAny>()?;
                }
                Ok(marks)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn only_an_envelope_is_removed() {
        let place = folder();
        let path = place.path().join("f");
        for kept in [
            "",
            "notes",
            "{}",
            r#"{"critic":"x"}"#,
            r#"[{"critic":"x","ok":true}]"#,
            r#"{"critic":"x","ok":true} x"#,
        ] {
            fs::write(&path, kept).unwrap();
            remove_stale(&path);
            assert_eq!(fs::read_to_string(&path).unwrap(), kept);
        }
        fs::write(&path, r#"{"critic":"x","ok":true,"output":"…"}"#).unwrap();
        remove_stale(&path);
        assert!(!path.exists());
    }

    #[test]
    fn an_envelope_behind_a_link_is_removed_and_the_link_stays() {
        let place = folder();
        let (link, target) = (place.path().join("link"), place.path().join("target"));
        fs::write(&target, r#"{"critic":"x","ok":false}"#).unwrap();
        symlink("target", &link).unwrap();
        remove_stale(&link);
        assert!(!target.exists() && fs::read_link(&link).is_ok());
    }

    #[test]
    fn a_claim_that_is_given_up_leaves_nothing() {
        let place = folder();
        drop(OutputFile::claim(&place.path().join("new")).unwrap());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let place = folder();
        let refused = |path: &Path| matches!(OutputFile::claim(path), Err(OutputFileError::NotAFile(_)));
        assert!(refused(place.path()));
        assert!(refused(Path::new("/dev/null")));
        assert!(refused(Path::new("/")));
        let circle = place.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(matches!(OutputFile::claim(&circle), Err(OutputFileError::Unwritable { .. })));
    }
}
