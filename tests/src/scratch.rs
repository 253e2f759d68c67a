//! Where sandboxes are made: a folder that goes when its owner goes. Main function: [`scratch`].
//!
//! Thousands of small sandboxes cost three times less in memory than on a disk, so memory is taken where it is large enough and
//! programs may run in it. What a sandbox holds is the same in both places.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// Where Linux offers files in memory.
const MEMORY: &str = "/dev/shm";

/// What has to be free there, in bytes: some sandboxes hold a flood.
const ENOUGH: u64 = 2 << 30;

/// A new folder, in memory if that will do, else where temporary files go.
///
/// # Errors
/// Whatever the system says of a folder that cannot be made.
pub fn scratch() -> io::Result<TempDir> {
    in_memory().map_or_else(tempfile::tempdir, Ok)
}

fn in_memory() -> Option<TempDir> {
    let space = rustix::fs::statvfs(MEMORY).ok()?;
    let folder = (space.f_bavail * space.f_frsize >= ENOUGH).then(|| tempfile::tempdir_in(MEMORY).ok())??;
    runs_programs(folder.path()).then_some(folder)
}

/// Containers often mount it without the right to execute.
fn runs_programs(folder: &Path) -> bool {
    let program = folder.join("probe");
    let made = fs::write(&program, "#!/bin/sh\n")
        .and_then(|()| fs::set_permissions(&program, fs::Permissions::from_mode(0o755)));
    let ran = made.is_ok() && Command::new(&program).status().is_ok_and(|status| status.success());
    ran && fs::remove_file(&program).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_run_in_scratch_and_it_is_empty_and_goes() {
        let folder = scratch().expect("a folder");
        let path = folder.path().to_owned();
        assert_eq!(fs::read_dir(&path).expect("a folder").count(), 0);
        assert!(runs_programs(&path));
        drop(folder);
        assert!(!path.exists());
    }
}
