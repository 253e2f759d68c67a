//! The sandbox as it was before a step, for scenarios in which each step builds on what the target wrote before.
//!
//! [`take`] copies checkout and home beside them; `replay.sh` puts them back. Only for sandboxes that may be kept.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::sandbox::{Sandbox, SandboxError};
use crate::scenario::Setup;
use crate::scenario::step::Step;

/// Whether the steps of this setup build on each other.
pub(super) fn is_wanted(setup: &Setup) -> bool {
    setup.steps().iter().any(|step| step.graph().is_some())
}

/// Where checkout and home of that moment lie.
pub(super) fn folders(step: &Step, sandbox: &Sandbox) -> [PathBuf; 2] {
    let folder = sandbox.places().bin.with_file_name("before").join(step.id().replace('/', "_"));
    ["checkout", "home"].map(|name| folder.join(name))
}

/// Copies checkout and home.
///
/// # Errors
/// Something cannot be copied.
pub(super) fn take(step: &Step, sandbox: &Sandbox) -> Result<(), SandboxError> {
    let places = sandbox.places();
    for (from, to) in [&places.root, &places.home].into_iter().zip(folders(step, sandbox)) {
        copy(from, &to).map_err(|cause| SandboxError::File { path: to, cause })?;
    }
    Ok(())
}

/// What its owner may not read is left out: it is there for its permissions.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let entries = match fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&from, &to)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else if kind.is_file() {
            copy_file(&from, &to)?;
        }
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    match fs::copy(from, to) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other.map(drop),
    }
}
