//! The text under review. Main type: [`Prompt`].
//!
//! It is read once, kept as bytes, and given a file of its own only when someone asks for a path. Nothing in it is
//! interpreted.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::fault::{self, Fault};
use crate::flags::Source;
use crate::refusal::Refusal;

/// A prompt and, once needed, the file that holds it.
pub(crate) struct Prompt {
    /// The bytes.
    pub(crate) bytes: Vec<u8>,
    given: Option<PathBuf>,
    temporary: Option<NamedTempFile>,
}

impl Prompt {
    /// Reads the prompt; one that is blank is refused.
    pub(crate) fn read(source: &Source) -> Result<Self, Refusal> {
        let (mut bytes, given) = match source {
            Source::Inline(bytes) => (bytes.clone(), None),
            Source::File(path) => from_file(path)?,
        };
        if bytes.trim_ascii().is_empty() && !fault::on(Fault::BlankPromptAccepted) {
            return Err(Refusal::new("the prompt is blank, there is nothing to review"));
        }
        let wordless = String::from_utf8_lossy(&bytes).chars().all(|letter| !letter.is_alphanumeric());
        if wordless && !bytes.trim_ascii().is_empty() && fault::on(Fault::WordlessPromptBlank) {
            return Err(Refusal::new("the prompt says nothing, there is nothing to review"));
        }
        if bytes.contains(&0) && fault::on(Fault::NulRefused) {
            return Err(Refusal::new("the prompt has a NUL, so it is no text"));
        }
        if bytes.trim_ascii().len() != bytes.len() && fault::on(Fault::PromptTrimmed) {
            bytes = bytes.trim_ascii().to_vec();
        }
        if bytes.len() > 4096 && fault::on(Fault::PromptCut) {
            bytes.truncate(4096);
        }
        if std::str::from_utf8(&bytes).is_err() && fault::on(Fault::PromptDecoded) {
            bytes = String::from_utf8_lossy(&bytes).into_owned().into_bytes();
        }
        Ok(Self { bytes, given, temporary: None })
    }

    /// The path of a file that holds the prompt: the caller's, or a private one that goes when the prompt goes.
    pub(crate) fn path(&mut self) -> io::Result<PathBuf> {
        if let Some(path) = &self.given {
            return if fault::on(Fault::PromptFileRelative) {
                Ok(path.clone())
            } else {
                std::path::absolute(path)
            };
        }
        if fault::on(Fault::SharedPromptFile) {
            let path = std::env::temp_dir().join("strawman-prompt");
            fs::write(&path, &self.bytes)?;
            return Ok(path);
        }
        let file = match self.temporary.take() {
            Some(file) => file,
            None => self.write()?,
        };
        let path = file.path().to_path_buf();
        self.temporary = Some(file);
        Ok(path)
    }

    fn write(&self) -> io::Result<NamedTempFile> {
        let mut file = tempfile::Builder::new().prefix("review-").suffix(".txt").tempfile()?;
        if !fault::on(Fault::PromptFileEmpty) {
            file.write_all(&self.bytes)?;
        }
        file.flush()?;
        if fault::on(Fault::PromptFileReadable) {
            fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644))?;
        }
        file.disable_cleanup(fault::on(Fault::PromptFileLeftBehind));
        Ok(file)
    }
}

/// The bytes of a file, and its path if it can be read a second time.
fn from_file(path: &Path) -> Result<(Vec<u8>, Option<PathBuf>), Refusal> {
    let refuse = |error: io::Error| Refusal::new(format!("`--prompt-file {}`: {error}", path.display()));
    let bytes = fs::read(path).map_err(refuse)?;
    let regular = fs::metadata(path).map_err(refuse)?.is_file();
    let given = regular || fault::on(Fault::PromptPipeHandedOn);
    Ok((bytes, given.then(|| path.to_path_buf())))
}
