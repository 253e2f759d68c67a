//! What a target holds on disk while it runs. Main type: [`Disk`].
//!
//! Looked at, not traced: what comes and goes between two looks is missed, and so is what is written outside the sandbox
//! and has a name there. It changes nothing.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::observation::Places;

/// The unit of `st_blocks`.
const BLOCK: u64 = 512;

/// A file by device and number, so that further links and descriptors of one file count once.
type File = (u64, u64);

/// The folders that a target writes into, and what lay in them before.
#[derive(Debug)]
pub(super) struct Disk {
    folders: Vec<PathBuf>,
    before: BTreeMap<File, u64>,
}

impl Disk {
    /// Home, checkout and temporary directory as they are now.
    pub(super) fn new(places: &Places) -> Self {
        let folders = vec![places.home.clone(), places.root.clone(), places.tmp.clone()];
        let mut before = BTreeMap::new();
        for folder in &folders {
            add_below(folder, &mut before);
        }
        Self { folders, before }
    }

    /// Bytes that were added since: by files in the folders, and by files without a name that one of `holders` has open.
    pub(super) fn held(&self, holders: impl Iterator<Item = i32>) -> u64 {
        let mut now = BTreeMap::new();
        for folder in &self.folders {
            add_below(folder, &mut now);
        }
        holders.for_each(|holder| add_nameless(holder, &mut now));
        let before = |file: &File| self.before.get(file).copied().unwrap_or(0);
        now.iter().map(|(file, bytes)| bytes.saturating_sub(before(file))).sum()
    }
}

fn add(metadata: &Metadata, found: &mut BTreeMap<File, u64>) {
    found.insert((metadata.dev(), metadata.ino()), metadata.blocks() * BLOCK);
}

/// What cannot be looked at has gone meanwhile, or is closed to us and counts as nothing.
fn add_below(folder: &Path, found: &mut BTreeMap<File, u64>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => add_below(&entry.path(), found),
            Ok(metadata) if metadata.is_file() => add(&metadata, found),
            _ => {}
        }
    }
}

/// Files that were deleted, or never had a name, and that live as long as someone has them open.
fn add_nameless(holder: i32, found: &mut BTreeMap<File, u64>) {
    for descriptor in fs::read_dir(format!("/proc/{holder}/fd")).into_iter().flatten().flatten() {
        // Behind the link is the open file itself, whatever its name says.
        if let Ok(metadata) = fs::metadata(descriptor.path())
            && metadata.is_file()
            && metadata.nlink() == 0
        {
            add(&metadata, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::text::GraphPlaces;

    fn places() -> (tempfile::TempDir, Places) {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::below(folder.path(), &GraphPlaces::default());
        for place in [&places.home, &places.root, &places.tmp] {
            fs::create_dir_all(place).unwrap();
        }
        (folder, places)
    }

    fn nobody() -> impl Iterator<Item = i32> {
        std::iter::empty()
    }

    #[test]
    fn what_is_added_counts_and_what_was_there_does_not() {
        let (_folder, places) = places();
        fs::write(places.home.join("old"), vec![1; 1 << 20]).unwrap();
        let disk = Disk::new(&places);
        assert_eq!(disk.held(nobody()), 0);
        fs::create_dir(places.tmp.join("deep")).unwrap();
        fs::write(places.tmp.join("deep/new"), vec![1; 1 << 20]).unwrap();
        fs::hard_link(places.tmp.join("deep/new"), places.root.join("again")).unwrap();
        let held = disk.held(nobody());
        assert!((1 << 20..3 << 19).contains(&held), "{held}");
        fs::remove_file(places.home.join("old")).unwrap();
        assert_eq!(disk.held(nobody()), held, "what is removed makes no room");
    }

    #[test]
    fn a_deleted_file_counts_as_long_as_someone_has_it_open() {
        let (_folder, places) = places();
        let disk = Disk::new(&places);
        let path = places.tmp.join("spool");
        let mut spool = fs::File::create(&path).unwrap();
        spool.write_all(&vec![1; 1 << 20]).unwrap();
        fs::remove_file(&path).unwrap();
        let ourselves = || std::iter::once(i32::try_from(std::process::id()).unwrap());
        assert_eq!(disk.held(nobody()), 0);
        assert!(disk.held(ourselves()) >= 1 << 20);
        drop(spool);
        assert!(disk.held(ourselves()) < 1 << 20);
    }
}
