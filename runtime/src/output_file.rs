//! The file of `--output-file`: claimed before anything is spawned, replaced in one step after the round.
//!
//! [`OutputFile`] follows symbolic links and creates missing folders. Until it is delivered the old content stays.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
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
    mode: Option<Permissions>,
}

/// Why an envelope could not be written there. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum OutputFileError {
    /// Something else stands there, or what is named can only be a folder.
    #[error("the output file `{}` is not a regular file; name a file, or a place where none is yet", shown(.0))]
    NotAFile(PathBuf),
    /// The round reads that very file.
    #[error(
        "the output file `{}` is {what} of this round, and would be replaced; name another place",
        shown(path)
    )]
    IsRead {
        /// As it would be written.
        path: PathBuf,
        /// What it is to the round.
        what: &'static str,
    },
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

/// A file that the round reads, and what it is to it, such as `the prompt file`.
pub type Read<'a> = (&'static str, &'a Path);

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

impl OutputFile {
    /// Claims `path`, which is absolute, unless it is one of the files that are `read`. Nothing of ours stays there
    /// until the envelope is delivered.
    ///
    /// # Errors
    /// When something else than a regular file stands there, it is read, or it cannot be written.
    pub fn claim(path: &Path, read: &[Read]) -> Result<Self, OutputFileError> {
        let unwritable = |source| OutputFileError::Unwritable { path: path.to_owned(), source };
        // Before links are followed by name: what a descriptor leads to may have none.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(OutputFileError::NotAFile(path.to_owned()));
        }
        if let Some((what, _)) = read.iter().find(|(_, file)| is_same_file(path, file)) {
            return Err(OutputFileError::IsRead { path: path.to_owned(), what });
        }
        let target = followed(path).map_err(unwritable)?;
        let mode = match fs::metadata(&target) {
            Ok(found) => {
                // Replacing would get round a file that is not ours to write.
                OpenOptions::new().write(true).open(&target).map_err(unwritable)?;
                Some(found.permissions())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(unwritable(error)),
        };
        if names_a_folder(path) || names_a_folder(&target) {
            return Err(OutputFileError::NotAFile(path.to_owned()));
        }
        let claimed = Self { target, mode };
        // A probe: it is removed at once, so that nothing is left behind should we be killed during the round.
        claimed.draft().map_err(unwritable)?;
        Ok(claimed)
    }

    /// Puts the envelope there in one step. If that fails, an older envelope is removed rather than left to be
    /// taken for this round's.
    ///
    /// # Errors
    /// What the system says.
    pub fn deliver(self, envelope: &Envelope) -> io::Result<()> {
        let delivered = self.draft().and_then(|draft| {
            envelope.write(draft.as_file())?;
            draft.persist(&self.target).map(|_| ()).map_err(io::Error::from)
        });
        if delivered.is_err() {
            remove_stale(&self.target);
        }
        delivered
    }

    /// An empty file beside the target, as the target shall be; its folders are made.
    fn draft(&self) -> io::Result<NamedTempFile> {
        let folder = self.target.parent().ok_or(io::ErrorKind::IsADirectory)?;
        fs::create_dir_all(folder)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".the-loop-").suffix(".json");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let draft = builder.tempfile_in(folder)?;
        if let Some(mode) = &self.mode {
            draft.as_file().set_permissions(mode.clone())?;
        }
        Ok(draft)
    }
}

/// Whether both paths lead to one file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

/// Whether the path ends as only that of a folder can, whatever stands there.
fn names_a_folder(path: &Path) -> bool {
    let last = path.as_os_str().as_bytes().rsplit(|byte| *byte == b'/').next();
    matches!(last, None | Some(b"" | b"." | b".."))
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
            r#"{"ok":true}"#,
            r#"{"name":"x","fine":true}"#,
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
    fn a_claim_leaves_nothing_but_its_folder() {
        let place = folder();
        let _claimed = OutputFile::claim(&place.path().join("new"), &[]).unwrap();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let place = folder();
        let refused = |path: &Path| matches!(OutputFile::claim(path, &[]), Err(OutputFileError::NotAFile(_)));
        assert!(refused(place.path()));
        assert!(refused(Path::new("/dev/null")));
        assert!(refused(Path::new("/")));
        for folder in ["new/", "new//", "new/.", "..", "."] {
            // Joining would keep these endings, but `components` would not.
            assert!(refused(&PathBuf::from(format!("{}/{folder}", place.path().display()))), "{folder}");
        }
        symlink("gone/", place.path().join("link")).unwrap();
        assert!(refused(&place.path().join("link")));
        let circle = place.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(matches!(OutputFile::claim(&circle, &[]), Err(OutputFileError::Unwritable { .. })));
    }

    #[test]
    fn what_is_refused_is_named() {
        let place = folder();
        let path = place.path().join("below\u{1b}/a-file/file");
        fs::create_dir(place.path().join("below\u{1b}")).unwrap();
        fs::write(path.parent().unwrap(), "").unwrap();
        let told = OutputFile::claim(&path, &[]).unwrap_err().to_string();
        assert!(told.contains("a-file/file` cannot be written") && !told.contains('\u{1b}'), "{told}");
    }
}
