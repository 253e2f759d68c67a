//! The files that gates look at. Main function: [`read`].
//!
//! They lie inside the folder of the item and are regular files; nothing on the way to them is a link. What they
//! say is judged elsewhere.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags};

use crate::fault::graph::{Fault, on};

/// The longest file that is read, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;

/// The text of a file, or why there is none.
pub(crate) fn read(folder: &Path, name: &str) -> Result<String, String> {
    let mut path = folder.to_path_buf();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => continue,
            _ if on(Fault::OutsideFileAccepted) => path.push(part),
            _ => return Err(format!("`{name}` is outside the folder of the item")),
        }
        match fs::symlink_metadata(&path) {
            Err(_) => return Err(format!("`{name}` is missing")),
            Ok(found) if found.file_type().is_symlink() && !on(Fault::ArtifactLinkFollowed) => {
                return Err(format!("`{name}` is a link, or lies behind one"));
            }
            Ok(_) => {}
        }
    }
    let follow = if on(Fault::ArtifactLinkFollowed) { OFlags::empty() } else { OFlags::NOFOLLOW };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | follow;
    let opened = rustix::fs::open(&path, flags, Mode::empty()).map(File::from);
    let file = opened.map_err(|error| format!("`{name}`: {error}"))?;
    let metadata = file.metadata().map_err(|error| format!("`{name}`: {error}"))?;
    if !metadata.is_file() {
        return Err(format!("`{name}` is no regular file"));
    }
    if metadata.len() > LONGEST {
        return Err(format!("`{name}` is longer than 8 MiB"));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).map_err(|error| format!("`{name}`: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
