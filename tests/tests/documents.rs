//! Every example of README and docs is executed: files are written, commands run, output compared.
//!
//! `console` blocks compare standard output and standard error line by line; `sh` blocks must succeed; blocks with `file=` are written first.
//! Commands that begin with `cargo` build this very workspace; they are run by `.ci/run`, and the test checks that they stand there.

#![cfg(test)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tests::binaries::{Binary, Profile};
use tests::document::{Block, agrees, blocks, commands};
use tests::workspace::root;

/// Where one document's examples run.
struct Sandbox {
    folder: tempfile::TempDir,
    path: String,
}

impl Sandbox {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bin = folder.path().join("bin");
        for inner in ["bin", "home", "project", "tmp"] {
            std::fs::create_dir(folder.path().join(inner)).expect("a fresh folder");
        }
        for binary in [Binary::Reference, Binary::Kit] {
            let built = binary.build(Profile::Development).expect("a binary");
            std::os::unix::fs::symlink(&built, bin.join(binary.names().1)).expect("a link");
        }
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("a PATH"));
        Self { folder, path }
    }

    fn place(&self, file: &str) -> PathBuf {
        match file.strip_prefix("~/") {
            Some(inside) => self.folder.path().join("home").join(inside),
            None => self.folder.path().join("project").join(file),
        }
    }

    fn write(&self, file: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let place = self.place(file);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("folders");
        std::fs::write(&place, text).expect("a written file");
        if text.starts_with("#!") {
            std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755)).expect("run bit");
        }
    }

    fn run(&self, line: &str) -> (String, bool) {
        let output = Command::new("bash")
            .args(["-c", &format!("exec 2>&1\n{line}")])
            .env("HOME", self.folder.path().join("home"))
            .env("PATH", &self.path)
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env_remove("THE_LOOP_CLI_CONFIG")
            .current_dir(self.folder.path().join("project"))
            .stdin(Stdio::null())
            .output()
            .expect("bash runs");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
    }
}

fn run_block(sandbox: &Sandbox, block: &Block, continuous_integration: &str) -> usize {
    if let Some(file) = &block.file {
        sandbox.write(file, &block.text);
        return 1;
    }
    match block.language.as_str() {
        "sh" => {
            for line in block.text.lines().filter(|line| !line.is_empty()) {
                let command = line.split(" #").next().unwrap_or(line).trim();
                if command.starts_with("cargo ") {
                    assert!(
                        continuous_integration.contains(command),
                        "line {}: `{command}` is not in .ci/run",
                        block.line
                    );
                } else {
                    let (printed, good) = sandbox.run(line);
                    assert!(good, "line {}: `{line}` failed:\n{printed}", block.line);
                }
            }
            1
        }
        "console" => {
            for command in commands(block) {
                let (printed, _) = sandbox.run(&command.line);
                let lines: Vec<&str> = printed.lines().collect();
                assert!(
                    agrees(&command.expected, &lines),
                    "line {}: `{}`\nexpected:\n{}\nprinted:\n{printed}",
                    block.line,
                    command.line,
                    command.expected.join("\n"),
                );
            }
            1
        }
        "json" => {
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&block.text);
            assert!(parsed.is_ok(), "line {}: {parsed:?}", block.line);
            1
        }
        _ => 0,
    }
}

fn run_document(document: &Path, at_least: usize) {
    let text = std::fs::read_to_string(root().join(document)).expect("a document");
    let continuous_integration = std::fs::read_to_string(root().join(".ci/run")).expect("a script");
    let sandbox = Sandbox::new();
    let ran: usize =
        blocks(&text).iter().map(|block| run_block(&sandbox, block, &continuous_integration)).sum();
    assert!(ran >= at_least, "only {ran} blocks of {} were executed", document.display());
}

#[test]
fn readme_examples_work() {
    run_document(Path::new("README.md"), 8);
}

#[test]
fn testing_page_examples_work() {
    run_document(Path::new("docs/testing-your-implementation.md"), 20);
}

#[test]
fn scenario_page_examples_work() {
    run_document(Path::new("docs/writing-scenarios.md"), 2);
}

#[test]
fn graph_page_examples_work() {
    run_document(Path::new("docs/graph.md"), 8);
}
