//! An invocation: everything the process core needs to start one critic for one round, and nothing it has to decide.
//!
//! [`Flags::resolve`] joins an entry with the flags of one call into an [`Invocation`]. It reads no environment and
//! starts nothing; the prompt comes in as a [`Prompt`].

mod prompt;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

pub use prompt::{Prompt, PromptError, PromptSource};

use crate::critic::{Critic, Placeholder, Program, PromptRoute, Values};

/// One critic, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// Absolute.
    pub executable: PathBuf,
    /// `command` as written.
    pub argv0: OsString,
    /// After argv\[0\].
    pub arguments: Vec<OsString>,
    /// Laid over the inherited environment in this order; `None` removes.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// Absolute.
    pub directory: PathBuf,
    /// What the critic reads.
    pub stdin: StandardInput,
    /// From the start to TERM.
    pub limit: Duration,
}

/// What stands on the critic's standard input. Never the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StandardInput {
    /// `/dev/null`.
    Nothing,
    /// This file, opened: no writer, no broken pipe, no deadlock.
    File(PathBuf),
}

/// The flags of one call, as typed. Paths are relative to `here`, the process directory.
#[derive(Clone, Debug)]
pub struct Flags {
    /// The process directory, absolute.
    pub here: PathBuf,
    /// `--root`.
    pub root: PathBuf,
    /// `--cwd`.
    pub cwd: Option<PathBuf>,
    /// `--work-item`.
    pub work_item: WorkItem,
    /// `--spec-dir`.
    pub spec_dir: Option<PathBuf>,
    /// `--timeout`.
    pub timeout: Option<Duration>,
}

/// The name of a work item: empty, or one component of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkItem(OsString);

/// A work item that would lead out of the spec root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work item `{}` is not one path component; give a plain name such as `add-login`", .0.to_string_lossy().escape_debug())]
pub struct WorkItemError(OsString);

impl WorkItem {
    /// Reads a name.
    ///
    /// # Errors
    /// When it is more than one component, or none.
    pub fn parse(text: OsString) -> Result<Self, WorkItemError> {
        let mut components = Path::new(&text).components();
        let plain = match (components.next(), components.next()) {
            (None, _) => true,
            (Some(Component::Normal(only)), None) => only == text,
            _ => false,
        };
        if plain && !text.as_bytes().contains(&0) { Ok(Self(text)) } else { Err(WorkItemError(text)) }
    }

    /// As given.
    pub fn name(&self) -> &OsStr {
        &self.0
    }
}

impl Flags {
    /// Where the critic works: `--cwd`, else the entry's `cwd` below the root, else the root (CR-2.6). Symbolic
    /// links are kept.
    pub fn directory(&self, critic: &Critic) -> PathBuf {
        match (&self.cwd, critic.cwd()) {
            (Some(flag), _) => absolute(&self.here, flag),
            (None, Some(own)) => absolute(&self.root(), own),
            (None, None) => self.root(),
        }
    }

    /// The limit of the round: `--timeout`, else the entry's.
    pub fn limit(&self, critic: &Critic) -> Duration {
        self.timeout.unwrap_or_else(|| critic.timeout())
    }

    /// Joins the entry with this call. `spec_root` is the config's, relative to the root.
    ///
    /// # Errors
    /// When a temporary prompt file is needed and cannot be written.
    pub fn resolve(
        &self,
        critic: &Critic,
        executable: PathBuf,
        spec_root: &Path,
        prompt: &mut Prompt,
    ) -> io::Result<Invocation> {
        let route = critic.prompt_route(prompt.bytes());
        let by_file = critic.holds(Placeholder::PromptFile);
        let prompt_file = if by_file || route == PromptRoute::StandardInput {
            prompt.file()?.to_owned()
        } else {
            PathBuf::new()
        };
        let directory = self.directory(critic);
        let spec_dir = self.spec_dir(spec_root);
        let values = Values {
            prompt: OsStr::from_bytes(prompt.bytes()),
            prompt_file: prompt_file.as_os_str(),
            model: OsStr::new(critic.model()),
            work_item: &self.work_item.0,
            spec_dir: spec_dir.as_os_str(),
            cwd: directory.as_os_str(),
        };
        let mut arguments = match critic.program() {
            Program::Command(_) => Vec::new(),
            Program::BuiltIn(adapter) => adapter.arguments(critic.model()),
        };
        if route == PromptRoute::LastArgument {
            arguments.push(values.prompt.to_owned());
        }
        arguments.extend(critic.args().iter().map(|template| template.render(&values)));
        Ok(Invocation {
            executable,
            argv0: critic.program().name().into(),
            arguments,
            environment: overlay(critic, &directory),
            stdin: match route {
                PromptRoute::StandardInput => StandardInput::File(prompt_file),
                PromptRoute::OwnArguments | PromptRoute::LastArgument => StandardInput::Nothing,
            },
            limit: self.limit(critic),
            directory,
        })
    }

    fn root(&self) -> PathBuf {
        absolute(&self.here, &self.root)
    }

    fn spec_dir(&self, spec_root: &Path) -> PathBuf {
        match &self.spec_dir {
            Some(flag) => absolute(&self.here, flag),
            None if self.work_item.0.is_empty() => absolute(&self.root(), spec_root),
            None => absolute(&self.root(), spec_root).join(&self.work_item.0),
        }
    }
}

/// PWD follows the working directory, which the system does not see to; the entry's own wins.
fn overlay(critic: &Critic, directory: &Path) -> Vec<(OsString, Option<OsString>)> {
    let pwd = ("PWD".into(), Some(directory.as_os_str().to_owned()));
    let own = critic.env().iter().map(|(name, value)| (name.into(), value.as_ref().map(OsString::from)));
    std::iter::once(pwd).chain(own).collect()
}

/// `path` below `base`, an absolute path, without `.` and doubled slashes; `..` and links stay, since taking them
/// away could lead elsewhere.
pub fn absolute(base: &Path, path: &Path) -> PathBuf {
    base.join(path).components().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_item_is_one_component() {
        for fine in ["", "add-login", "..x", "a b", "-x", "ü"] {
            assert!(WorkItem::parse(fine.into()).is_ok(), "{fine}");
        }
        for wrong in [".", "..", "a/b", "/a", "a/", "../x", "./a", "a\0"] {
            assert!(WorkItem::parse(wrong.into()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn paths_become_absolute_and_keep_their_links() {
        assert_eq!(absolute(Path::new("/here"), Path::new(".")), Path::new("/here"));
        assert_eq!(absolute(Path::new("/here"), Path::new("./a//b/../c")), Path::new("/here/a/b/../c"));
        assert_eq!(absolute(Path::new("/here"), Path::new("/there")), Path::new("/there"));
    }
}
