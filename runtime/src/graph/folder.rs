//! The folder of a work item: its state, its artifacts, and the lock that keeps writers apart.
//!
//! [`ItemFolder`] reads what anybody may have put there: no link is followed, nothing but regular files is opened, and nothing
//! larger than 8 MiB is read.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};
use rustix::io::Errno;
use tempfile::NamedTempFile;

use super::ArtifactPath;
use super::gate::Artifacts;
use super::markdown::Document;
use super::state::{FILE_NAME, State, StateError};
use crate::config::visible;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 8 * 1024 * 1024;
/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it waits between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// How drafts of states are called, around random letters.
const DRAFT_PREFIX: &str = ".graph-state-";
const DRAFT_SUFFIX: &str = ".json";
const DRAFT_LETTERS: usize = 6;

/// A judged artifact, or why there is none.
type Judged = Result<Rc<Document>, String>;

/// The folder of one work item.
#[derive(Debug)]
pub struct ItemFolder {
    path: PathBuf,
    item: String,
    read: RefCell<HashMap<ArtifactPath, Judged>>,
}

/// Held while a state is read, changed and written.
#[derive(Debug)]
pub struct Lock {
    _folder: File,
}

/// A state that is written and does not count yet. Dropped, it is removed.
#[derive(Debug)]
pub struct Draft {
    file: NamedTempFile,
    path: PathBuf,
}

impl Draft {
    /// Replaces the state in one step.
    ///
    /// # Errors
    /// When that is not possible; then the old one stays.
    pub fn commit(self) -> Result<(), FolderError> {
        let Self { file, path } = self;
        file.persist(&path).map(|_| ()).map_err(|error| unusable("write", &path, error.error))
    }
}

/// Why a folder cannot be used. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// No state is there.
    #[error("`{}` has no graph state; run `the-loop graph start {}` first", shown(path), visible(item))]
    NotStarted {
        /// The folder.
        path: PathBuf,
        /// The item.
        item: String,
    },
    /// A state is there already.
    #[error("`{}` is there already; go on with `the-loop graph advance`, or remove it to start anew", shown(.0))]
    Started(PathBuf),
    /// The folder is a link, or lies outside of where it should.
    #[error("the item's folder `{}` is a link, or leads out of the checkout by a link; expected a folder of its own", shown(.0))]
    Elsewhere(PathBuf),
    /// The state is no state.
    #[error("the state `{}` is {source}", shown(path))]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: StateError,
    },
    /// Another process holds the lock.
    #[error("another process has been writing to `{}` for 10 s; try again, or end it", shown(.0))]
    Locked(PathBuf),
    /// The system refuses.
    #[error("cannot {what} `{}`: {source}; make it usable", shown(path))]
    Unusable {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

impl ItemFolder {
    /// The folder at a path that the operator has given, for the item of that name.
    pub fn given(path: PathBuf, item: &str) -> Self {
        Self { path, item: item.to_owned(), read: RefCell::default() }
    }

    /// The item's folder below the spec root, inside the checkout at `root`; all absolute.
    ///
    /// # Errors
    /// When a link leads out of the checkout, although the configured path does not.
    pub fn below(root: &Path, spec_root: &Path, item: &str) -> Result<Self, FolderError> {
        let path = spec_root.join(item);
        let elsewhere = || FolderError::Elsewhere(path.clone());
        if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            return Err(elsewhere());
        }
        let inside = spec_root.strip_prefix(root).ok();
        let is_plain = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
        if inside.is_some_and(|inside| inside.components().all(is_plain)) {
            let there = path.ancestors().find_map(|path| path.canonicalize().ok());
            let root = root.canonicalize().ok();
            if let (Some(there), Some(root)) = (there, root)
                && !there.starts_with(&root)
                && !root.starts_with(&there)
            {
                return Err(elsewhere());
            }
        }
        Ok(Self::given(path, item))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder.
    ///
    /// # Errors
    /// When that is not possible.
    pub fn create(&self) -> Result<(), FolderError> {
        fs::create_dir_all(&self.path).map_err(|source| unusable("create", &self.path, source))
    }

    /// Waits for other writers, at most 10 s.
    ///
    /// # Errors
    /// When there is no folder, or another writer does not end.
    pub fn lock(&self) -> Result<Lock, FolderError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = match openat(CWD, &self.path, flags, Mode::empty()) {
            Ok(folder) => File::from(folder),
            Err(Errno::NOENT) => return Err(self.not_started()),
            Err(errno) => return Err(unusable("open", &self.path, errno.into())),
        };
        match wait_for_lock(&folder) {
            Ok(()) => Ok(Lock { _folder: folder }),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                Err(FolderError::Locked(self.path.clone()))
            }
            Err(error) => Err(unusable("lock", &self.path, error)),
        }
    }

    /// Whether a state is there, of whatever kind.
    pub fn has_state(&self) -> bool {
        self.state_path().symlink_metadata().is_ok()
    }

    /// Reads the state.
    ///
    /// # Errors
    /// When there is none, or it is no regular file, too large, or no JSON.
    pub fn load(&self) -> Result<State, FolderError> {
        let path = self.state_path();
        let text = match self.open(Path::new(FILE_NAME)).and_then(read_text) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(self.not_started()),
            Err(error) => return Err(unusable("read", &path, error)),
        };
        State::parse(&text).map_err(|source| FolderError::Broken { path, source })
    }

    /// Writes a new state beside the old one, and removes what killed writers left there. Needs the lock.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn draft(&self, _lock: &Lock, state: &State) -> Result<Draft, FolderError> {
        let path = self.state_path();
        self.sweep();
        let mode =
            path.symlink_metadata().ok().filter(fs::Metadata::is_file).map(|found| found.permissions());
        let saved = || {
            let mut builder = tempfile::Builder::new();
            builder
                .prefix(DRAFT_PREFIX)
                .suffix(DRAFT_SUFFIX)
                .rand_bytes(DRAFT_LETTERS)
                .permissions(Permissions::from_mode(0o666));
            let mut draft = builder.tempfile_in(&self.path)?;
            if let Some(mode) = mode {
                draft.as_file().set_permissions(mode)?;
            }
            draft.write_all(state.text().as_bytes())?;
            draft.as_file().sync_data()?;
            Ok(draft)
        };
        match saved() {
            Ok(file) => Ok(Draft { file, path }),
            Err(source) => Err(unusable("write", &path, source)),
        }
    }

    /// Nobody else writes while the lock is held.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name();
            let is_draft = name.to_str().is_some_and(|name| {
                let random = name.strip_prefix(DRAFT_PREFIX).and_then(|name| name.strip_suffix(DRAFT_SUFFIX));
                random.is_some_and(|random| random.len() == DRAFT_LETTERS)
            });
            if is_draft && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                // One that stays costs nothing but its room.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The file of the state.
    pub fn state_path(&self) -> PathBuf {
        self.path.join(FILE_NAME)
    }

    fn not_started(&self) -> FolderError {
        FolderError::NotStarted { path: self.path.clone(), item: self.item.clone() }
    }

    /// Opens a regular file inside, following no link on the way.
    fn open(&self, inside: &Path) -> io::Result<File> {
        let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut at = openat(CWD, &self.path, folder, Mode::empty())?;
        let names: Vec<Component> = inside.components().collect();
        let Some((last, folders)) = names.split_last() else { return Err(io::ErrorKind::NotFound.into()) };
        for name in folders {
            at = step(&at, name, folder | OFlags::NOFOLLOW)?;
        }
        // Not blocking: it may be a pipe.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(step(&at, last, flags)?);
        let found = file.metadata()?;
        if found.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
    }
}

fn unusable(what: &'static str, path: &Path, source: io::Error) -> FolderError {
    FolderError::Unusable { what, path: path.to_owned(), source }
}

impl Artifacts for ItemFolder {
    fn document(&self, path: &ArtifactPath) -> Judged {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let text = self.open(path.as_path()).and_then(read_text);
        let judged = match text {
            Ok(text) => Ok(Rc::new(Document::read(text))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err("is not there".to_owned()),
            Err(error) => Err(format!("does not count: {error}")),
        };
        self.read.borrow_mut().insert(path.clone(), judged.clone());
        judged
    }
}

fn step(at: &OwnedFd, name: &Component, flags: OFlags) -> io::Result<OwnedFd> {
    openat(at, name.as_os_str(), flags, Mode::empty()).map_err(|errno| match errno {
        Errno::LOOP | Errno::MLINK => io::Error::other("a symbolic link is in the way"),
        Errno::NOTDIR => io::Error::other("a link or a file stands where a folder should"),
        errno => errno.into(),
    })
}

fn read_text(file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other("larger than 8 MiB"));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Takes the lock on an open file or folder, waiting up to 10 s for others; `TimedOut` then.
pub(super) fn wait_for_lock(file: &File) -> io::Result<()> {
    let began = Instant::now();
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(Errno::WOULDBLOCK) if began.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            Err(Errno::WOULDBLOCK) => {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "another process has been writing for 10 s",
                ));
            }
            Err(errno) => return Err(errno.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_mebibytes_are_read_and_one_byte_more_is_not() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let largest = 8_usize << 20;
        file.write_all(&vec![b'x'; largest]).unwrap();
        assert_eq!(read_text(file.reopen().unwrap()).unwrap().len(), largest);
        file.write_all(b"x").unwrap();
        assert_eq!(read_text(file.reopen().unwrap()).unwrap_err().to_string(), "larger than 8 MiB");
    }
}
