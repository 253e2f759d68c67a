//! What a target left behind: journals, files, the temporary directory. Main function: [`leftovers`].
//!
//! Looked at after the last step, when nothing runs any more. It changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use fake_critics::Bytes;
use fake_critics::journal::{self, Entry};

use super::sandbox::Sandbox;
use crate::observation::FileRecord;
use crate::scenario::Scenario;
use crate::scenario::check::Assertion;
use crate::text::Text;

/// What lay in the sandbox after the last step.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    /// See [`Session::journals`](crate::observation::Session::journals).
    pub(super) journals: BTreeMap<String, Vec<Entry>>,
    /// See [`Session::files`](crate::observation::Session::files).
    pub(super) files: BTreeMap<String, FileRecord>,
    /// See [`Session::temporary`](crate::observation::Session::temporary).
    pub(super) temporary: Vec<String>,
}

/// Reads everything that the checks of a scenario can ask for.
///
/// # Errors
/// When a journal or the temporary directory cannot be read.
pub(super) fn leftovers(scenario: &Scenario, sandbox: &Sandbox) -> io::Result<Leftovers> {
    let mut journals = BTreeMap::new();
    for fake in sandbox.fakes() {
        journals.insert(fake.clone(), journal::read(&sandbox.journal(fake))?);
    }
    let mut temporary = Vec::new();
    list(&sandbox.places().tmp, Path::new(""), &mut temporary)?;
    temporary.sort();
    Ok(Leftovers { journals, files: files(scenario, sandbox), temporary })
}

fn files(scenario: &Scenario, sandbox: &Sandbox) -> BTreeMap<String, FileRecord> {
    let mut found = BTreeMap::new();
    for check in scenario.checks() {
        let Some(step) = scenario.setup().steps().get(check.step()) else { continue };
        for path in check.assertions().iter().flat_map(paths) {
            for copy in 0..step.manner().copies as usize {
                let unprompted = sandbox.places().names(None, copy);
                let prompt = step.prompt().map(|prompt| prompt.bytes(&unprompted));
                let path = path.expand(&sandbox.places().names(prompt.as_deref(), copy));
                let record = file(&sandbox.places().root.join(&path));
                found.insert(path, record);
            }
        }
    }
    found
}

fn paths(assertion: &Assertion) -> Vec<&Text> {
    match assertion {
        Assertion::SameEnvelope(path) => vec![path],
        Assertion::Files(files) => files.iter().map(|(path, _)| path).collect(),
        _ => Vec::new(),
    }
}

/// What lies at a path.
pub(super) fn file(path: &Path) -> FileRecord {
    let kind = match fs::metadata(path) {
        Ok(metadata) => metadata.file_type(),
        // A link that leads nowhere is still something.
        Err(_) if path.is_symlink() => {
            return FileRecord::Other("a symbolic link that leads nowhere".to_owned());
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return FileRecord::Absent;
        }
        Err(error) => return FileRecord::Other(error.to_string()),
    };
    if kind.is_dir() {
        FileRecord::Directory
    } else if kind.is_file() {
        fs::read(path)
            .map_or_else(|error| FileRecord::Other(error.to_string()), |bytes| FileRecord::File(Bytes(bytes)))
    } else {
        FileRecord::Other("neither a regular file nor a directory".to_owned())
    }
}

fn list(directory: &Path, relative: &Path, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = relative.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &name, found)?;
        } else {
            found.push(name.to_string_lossy().into_owned());
        }
    }
    Ok(())
}
