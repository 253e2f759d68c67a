//! Where measuring takes place: a home with a config, an empty checkout, a folder for temporary files.
//!
//! [`Place`] makes commands that start there. Everything goes away with it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The folders of one run.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> io::Result<Self> {
        let folder = TempDir::new()?;
        for name in ["home/.the-loop", "checkout", "tmp"] {
            fs::create_dir_all(folder.path().join(name))?;
        }
        Ok(Self { folder })
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Declares the critic as `text`, with its answer read as text, as `json`, and as `file`, which is given a
    /// temporary file.
    pub(crate) fn configure(&self, critic: &Path) -> io::Result<()> {
        let entry = |name: &str, argument: &str, format: &str| {
            let command = critic.display();
            format!(
                "- {{name: {name}, command: '{command}', args: ['{{{argument}}}'], outputFormat: {format}}}\n"
            )
        };
        let entries = [
            entry("text", "prompt", "text"),
            entry("json", "prompt", "json"),
            entry("file", "promptFile", "text"),
        ];
        fs::write(self.folder("home/.the-loop/cli-config.yaml"), format!("critics:\n{}", entries.concat()))
    }

    /// A command that starts in the checkout, with this home, and neither input nor output.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("HOME", self.folder("home")).env("TMPDIR", self.folder("tmp"));
        command.env_remove("THE_LOOP_CLI_CONFIG").current_dir(self.folder("checkout"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// A round of this critic with this prompt.
    pub(crate) fn round(&self, implementation: &Path, critic: &str, prompt: &str) -> Command {
        let mut command = self.command(implementation);
        command.args(["critic", "run", critic, "--prompt", prompt]);
        command
    }

    /// How many files and folders there are where a round could leave some.
    pub(crate) fn files(&self) -> io::Result<usize> {
        ["home", "home/.the-loop", "checkout", "tmp"]
            .into_iter()
            .try_fold(0, |sum, name| Ok(sum + fs::read_dir(self.folder(name))?.count()))
    }
}
