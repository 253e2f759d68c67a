//! The workspace on disk: its root folder and its tracked source files. Does not run git: a release archive is tested the same way.

use std::path::{Path, PathBuf};

/// The packages of the workspace, by folder.
pub const PACKAGES: [&str; 4] = ["runtime", "conformance", "fake-critics", "tests"];

/// The root folder of the workspace.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// Every file below `folder` whose name ends in `.extension`, sorted, build output left out.
///
/// # Errors
/// Whatever the file system says of a folder that cannot be read.
pub fn files_with_extension(folder: &Path, extension: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    waiting.push(path);
                }
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
