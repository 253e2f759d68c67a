//! The prompt of a round: bytes from the command line or a file, and the file that holds them.
//!
//! [`Prompt`] travels as it is, UTF-8 or not. It is never logged. A temporary file is private and goes away with
//! the value.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::config::visible;

/// Longest prompt, in bytes: a device or a pipe may never end.
const LONGEST: usize = 64 << 20;

/// Where the prompt was said to be: exactly one of the two.
#[derive(Clone, PartialEq, Eq)]
pub enum PromptSource {
    /// `--prompt`.
    Text(OsString),
    /// `--prompt-file`.
    File(PathBuf),
}

/// A prompt that holds something.
pub struct Prompt {
    bytes: Vec<u8>,
    place: Place,
    temporary: PathBuf,
}

enum Place {
    /// Nowhere yet; a temporary file is made when somebody needs one.
    Memory,
    /// The operator's own file, absolute.
    Own(PathBuf),
    /// Ours: 0600, unique, removed when dropped.
    Temporary(NamedTempFile),
}

/// A prompt that cannot be used. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// It would buy a confident review of nothing.
    #[error("the prompt is empty or blank; say what to review with `--prompt TEXT` or `--prompt-file PATH`")]
    Blank,
    /// It does not end where a prompt would.
    #[error("the prompt is longer than {} MiB; name a file that holds only what the critic should read", LONGEST >> 20)]
    TooLong,
    /// The file cannot be read.
    #[error("the prompt file `{}` cannot be read: {source}; name a readable file", visible(&path.to_string_lossy()))]
    Unreadable {
        /// As typed.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Prompt {
    /// Reads the prompt, once. `here` is the process directory; a temporary file will stand in `temporary`.
    ///
    /// # Errors
    /// When there is nothing to read, or nothing in it.
    pub fn read(source: PromptSource, here: &Path, temporary: &Path) -> Result<Self, PromptError> {
        let (bytes, place) = match source {
            PromptSource::Text(text) => (text.into_vec(), Place::Memory),
            PromptSource::File(path) => {
                read_file(&here.join(&path)).map_err(|source| PromptError::Unreadable { path, source })?
            }
        };
        if bytes.len() > LONGEST {
            return Err(PromptError::TooLong);
        }
        if is_blank(&bytes) {
            return Err(PromptError::Blank);
        }
        Ok(Self { bytes, place, temporary: here.join(temporary) })
    }

    /// The prompt itself.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The absolute path of a file that holds it: the operator's own, else a temporary one.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn file(&mut self) -> io::Result<&Path> {
        if let Place::Memory = self.place {
            let mut builder = tempfile::Builder::new();
            let mut file = builder.prefix("the-loop-prompt-").suffix(".md").tempfile_in(&self.temporary)?;
            file.write_all(&self.bytes)?;
            self.place = Place::Temporary(file);
        }
        match &self.place {
            Place::Own(path) => Ok(path),
            Place::Temporary(file) => Ok(file.path()),
            Place::Memory => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Prompt({} bytes)", self.bytes.len())
    }
}

impl fmt::Debug for PromptSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(formatter, "Text({} bytes)", text.len()),
            Self::File(path) => formatter.debug_tuple("File").field(path).finish(),
        }
    }
}

fn read_file(path: &Path) -> io::Result<(Vec<u8>, Place)> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    let regular = file.metadata()?.is_file();
    file.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    let stands_for_itself = regular && !belongs_to_this_process(path);
    Ok((bytes, if stands_for_itself { Place::Own(path.to_owned()) } else { Place::Memory }))
}

/// Whether there is nothing to read: white space, byte order marks, characters without width.
fn is_blank(bytes: &[u8]) -> bool {
    bytes
        .utf8_chunks()
        .all(|chunk| chunk.invalid().is_empty() && chunk.valid().chars().all(is_blank_character))
}

fn is_blank_character(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// Whether the path leads through `/proc`, as `/dev/stdin` and `/dev/fd/3` do: the critic would find another file
/// there than we do.
fn belongs_to_this_process(path: &Path) -> bool {
    let mut path = path.to_owned();
    for _ in 0..40 {
        let parent = path.parent().and_then(|parent| fs::canonicalize(parent).ok()).unwrap_or_default();
        if parent.starts_with("/proc") {
            return true;
        }
        match fs::read_link(&path) {
            Ok(target) => path = parent.join(target),
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn read(source: PromptSource) -> Result<Prompt, PromptError> {
        Prompt::read(source, Path::new("/"), &std::env::temp_dir())
    }

    #[test]
    fn a_prompt_of_nothing_visible_is_blank() {
        for blank in ["", " ", "\n\t\r\n", "\u{feff}", "\u{3000}\u{200b}"] {
            assert!(matches!(read(PromptSource::Text(blank.into())), Err(PromptError::Blank)), "{blank:?}");
        }
        assert!(read(PromptSource::Text(OsString::from_vec(vec![b' ', 0xff]))).is_ok());
    }

    #[test]
    fn a_temporary_file_is_private_and_goes_away() {
        let mut prompt = read(PromptSource::Text("text".into())).unwrap();
        let path = prompt.file().unwrap().to_owned();
        assert_eq!(prompt.file().unwrap(), path);
        assert_eq!(fs::read(&path).unwrap(), b"text");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        drop(prompt);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_stands_for_itself() {
        let mut own = NamedTempFile::new().unwrap();
        own.write_all(b"text").unwrap();
        let mut prompt = read(PromptSource::File(own.path().to_owned())).unwrap();
        assert_eq!(prompt.file().unwrap(), own.path());
    }

    #[test]
    fn what_leads_through_our_own_descriptors_does_not_stand_for_itself() {
        assert!(belongs_to_this_process(Path::new("/dev/fd/0")));
        assert!(belongs_to_this_process(Path::new("/proc/self/fd/0")));
        assert!(!belongs_to_this_process(Path::new("/dev/null")));
    }

    #[test]
    fn the_prompt_is_not_in_what_a_log_would_print() {
        let prompt = read(PromptSource::Text("secret".into())).unwrap();
        assert_eq!(format!("{prompt:?}"), "Prompt(6 bytes)");
    }

    #[test]
    fn sixty_four_mebibytes_are_a_prompt_and_one_byte_more_is_none() {
        let text = |length| PromptSource::Text(OsString::from_vec(vec![b'x'; length]));
        assert!(read(text(64 << 20)).is_ok());
        assert!(matches!(read(text((64 << 20) + 1)), Err(PromptError::TooLong)));
    }

    #[test]
    fn no_log_shows_a_prompt_by_accident() {
        assert_eq!(format!("{:?}", PromptSource::Text("secret".into())), "Text(6 bytes)");
        let prompt = read(PromptSource::Text("secret".into())).unwrap();
        assert_eq!(format!("{prompt:?}"), "Prompt(6 bytes)");
    }
}
