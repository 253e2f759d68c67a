//! The built kit in a folder of its own, with tiny targets. Main type: [`Kit`].
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "only tests are here")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Runs a round by calling the fake that is named like the critic, and prints a small envelope.
pub(crate) const TINY: &str = r#"#!/bin/sh
case "$1 $2" in
  "--version ") echo "tiny 1.0"; exit ;;
  "critic list") echo "[]"; exit ;;
  "critic policy") echo "$POLICY"; exit ;;
esac
text=$("$3" "$5" </dev/null) || exit 1
printf '{"ok": true, "output": "%s"}\n' "$text"
"#;

/// A scenario that [`TINY`] passes; two checks.
pub(crate) const ROUND: &str = r#"title: A round prints what the critic said
requirement: critic.envelope.single-object
trigger: present
tags: [mine]
critics: |
  - {name: one, command: "%{bin}/one", args: ["{prompt}"]}
fakes: {one: [{print: fine}]}
steps:
  - run: {critic: one, prompt: review}
checks:
  said: {exit: 0, envelope: {/output: fine}}
  started: {received: {one: {args: ["%{prompt}"]}}}
"#;

/// A folder with the kit's surroundings.
pub(crate) struct Kit {
    folder: TempDir,
}

/// How a call of the kit ended.
pub(crate) struct Called {
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Kit {
    pub(crate) fn new() -> Self {
        let kit = Self { folder: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() };
        fs::create_dir(kit.path("tmp")).unwrap();
        kit
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file in the folder; gives its path as text.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// An executable file in the folder; gives its path as text.
    pub(crate) fn program(&self, name: &str, text: &str) -> String {
        let path = self.file(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// The scenario `mine/<slug>` in the folder `scenarios`; gives that folder.
    pub(crate) fn scenario(&self, slug: &str, text: &str) -> String {
        self.file(&format!("scenarios/mine/{slug}.yaml"), text);
        self.path("scenarios").display().to_string()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_the-loop-conformance"));
        command.args(arguments).env("TMPDIR", self.path("tmp")).current_dir(self.folder.path());
        command
    }

    pub(crate) fn call(&self, arguments: &[&str]) -> Called {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Called { exit: status.code(), stdout: text(&stdout), stderr: text(&stderr) }
    }

    /// What is left in the temporary folder.
    pub(crate) fn leftovers(&self) -> usize {
        fs::read_dir(self.path("tmp")).unwrap().count()
    }
}

impl Called {
    /// The lines of a JSON lines report.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Verdict by check id.
    pub(crate) fn verdict(&self, check: &str) -> String {
        let lines = self.lines();
        let line = lines.iter().find(|line| line["check"] == check);
        line.map(|line| line["verdict"].as_str().unwrap().to_owned()).unwrap_or_default()
    }
}

/// Whether something is at this path.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
