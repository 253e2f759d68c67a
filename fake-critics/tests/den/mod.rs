//! A folder with one fake in it. Main type: [`Den`].
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use fake_critics::journal::{self, Entry, EventName};
use fake_critics::place::Place;
use tempfile::TempDir;

pub(crate) struct Den {
    pub(crate) folder: TempDir,
    pub(crate) place: Place,
}

impl Den {
    /// A fake named `critic` with this script, as JSON.
    pub(crate) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let program = folder.path().join("critic");
        // Not a copy: a copy that is still open in another test's child would be a busy text.
        std::fs::hard_link(env!("CARGO_BIN_EXE_fake-critic"), &program).unwrap();
        let place = Place::beside(&program).unwrap();
        std::fs::create_dir(place.folder()).unwrap();
        std::fs::write(place.script(), script).unwrap();
        Self { folder, place }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.place.executable());
        command.current_dir(self.folder.path()).stdin(std::process::Stdio::null());
        command
    }

    pub(crate) fn play(&self) -> Output {
        self.command().output().unwrap()
    }

    pub(crate) fn journal(&self) -> Vec<Entry> {
        journal::read(&self.place.journal()).unwrap()
    }

    pub(crate) fn events(&self) -> Vec<EventName> {
        self.journal().iter().map(|entry| entry.event.name()).collect()
    }

    /// Waits until an event was journaled.
    pub(crate) fn wait_for(&self, event: EventName) {
        wait_until(|| self.events().contains(&event), &format!("{event:?}"));
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Waits for a condition; one that never comes true fails the test.
pub(crate) fn wait_until(condition: impl Fn() -> bool, what: &str) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_mins(1), "waited in vain for {what}");
        std::thread::yield_now();
    }
}
