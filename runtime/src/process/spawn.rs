//! The start of a critic: the one place that creates it, and why it could not be created.
//!
//! [`start`] gives a [`Started`] critic in a group of its own, or a [`StartError`] that tells apart what the system
//! calls by one name. There is no shell anywhere: the path is absolute, and neither `current_dir` nor `pre_exec`
//! is used, because with them the standard library forks and calls `execvp`, which hands a file without a shebang
//! to `/bin/sh` (CR-2.4).

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::io::Errno;
use rustix::process::Pid;

use super::Ending;
use super::capture::{End, KEPT_ERROR, Keep, LONGEST_OUTPUT, Pipe};
use super::tree::{Tree, prepare};
use crate::critic::LONGEST_ARGUMENT;
use crate::executable::NotFound;
use crate::invocation::{Invocation, StandardInput};

/// Why a critic could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No executable (CR-1.2, CR-A3).
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// One argument is longer than the system passes.
    #[error(
        "argument {index} is {size} bytes long, the system passes at most {LONGEST_ARGUMENT} in one argument; \
         let the critic read the prompt from `{{promptFile}}` instead of `{{prompt}}`"
    )]
    ArgumentTooLong {
        /// From 1, as the critic would count.
        index: usize,
        /// In bytes.
        size: usize,
    },
    /// An argument holds a NUL byte.
    #[error(
        "argument {index} has a NUL byte at offset {offset}, which no argument can hold; \
         let the critic read the prompt from `{{promptFile}}` instead of `{{prompt}}`"
    )]
    ArgumentWithNul {
        /// From 1, as the critic would count.
        index: usize,
        /// In bytes from the start of the argument.
        offset: usize,
    },
    /// All arguments and variables together are too long.
    #[error(
        "arguments ({arguments} bytes) and environment are together longer than the system passes; \
         let the critic read the prompt from `{{promptFile}}` instead of `{{prompt}}`"
    )]
    TooMuch {
        /// Of all arguments, in bytes.
        arguments: usize,
    },
    /// A variable that the system cannot pass.
    #[error("environment variable `{name}` cannot be passed: {why}")]
    Variable {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The working directory cannot be entered (CR-2.6).
    #[error("working directory `{}` cannot be entered: {}", path.display(), reason(source))]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The prompt file cannot be opened as standard input.
    #[error("prompt file `{}` cannot be opened: {}", path.display(), reason(source))]
    PromptFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The prompt could not be put into a temporary file.
    #[error("the prompt could not be put into a temporary file: {}; set TMPDIR to a folder with room that can be written", reason(.0))]
    TemporaryPrompt(io::Error),
    /// The script is there, what its first line names is not.
    #[error("`{}` needs the interpreter `{interpreter}`, which cannot be run; install it or correct the first line", path.display())]
    Interpreter {
        /// The script.
        path: PathBuf,
        /// What its first line names.
        interpreter: String,
    },
    /// The kernel does not know the file's format.
    #[error(
        "`{}` is not a program this system can run (exec format error); a script needs a first line \
         such as `#!/bin/sh`, since no shell is started for it",
        path.display()
    )]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// Anything else.
    #[error("`{}` could not be started: {}", path.display(), reason(source))]
    System {
        /// The executable.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A critic that runs.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) tree: Tree,
    pub(super) stdout: Pipe,
    pub(super) stderr: Pipe,
    pub(super) at: Instant,
}

impl Started {
    /// Why the round ends although nobody else ends it: its output is kept no longer.
    pub(super) fn end_of_keeping(&self) -> Option<Ending> {
        match [self.stdout.end(), self.stderr.end()] {
            [Some(End::Full), _] | [_, Some(End::Full)] => Some(Ending::Flooded),
            [Some(End::Starved), _] | [_, Some(End::Starved)] => Some(Ending::Starved),
            [None, None] => None,
        }
    }
}

/// The system's words without the number that `io::Error` adds.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

/// Starts the critic, with standard input and both outputs as the invocation wants them.
pub(super) fn start(invocation: &Invocation) -> Result<Started, StartError> {
    check_arguments(&invocation.arguments)?;
    check_environment(&invocation.environment)?;
    let system = |source| StartError::System { path: invocation.executable.clone(), source };
    let directory = |source| StartError::Directory { path: invocation.directory.clone(), source };
    let (stdout, stdout_writer) = Pipe::new(Keep::Beginning(LONGEST_OUTPUT)).map_err(system)?;
    let (stderr, stderr_writer) = Pipe::new(Keep::End(KEPT_ERROR)).map_err(system)?;
    let stdin = match &invocation.stdin {
        StandardInput::Nothing => Stdio::null(),
        StandardInput::File(path) => {
            File::open(path).map_err(|source| StartError::PromptFile { path: path.clone(), source })?.into()
        }
    };
    std::env::set_current_dir(&invocation.directory).map_err(directory)?;
    prepare();
    let mut command = Command::new(&invocation.executable);
    command.arg0(&invocation.argv0).args(&invocation.arguments).process_group(0);
    command.stdin(stdin).stdout(stdout_writer).stderr(stderr_writer);
    for (name, value) in &invocation.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let at = Instant::now();
    let child = command.spawn().map_err(|source| explain(source, invocation))?;
    // The command still holds the writing ends; the pipes would never end.
    drop(command);
    Ok(Started { tree: Tree::of(Pid::from_child(&child)), stdout, stderr, at })
}

fn check_arguments(arguments: &[OsString]) -> Result<(), StartError> {
    for (index, argument) in (1..).zip(arguments) {
        let bytes = argument.as_bytes();
        if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
            return Err(StartError::ArgumentWithNul { index, offset });
        }
        if cfg!(target_os = "linux") && bytes.len() > LONGEST_ARGUMENT {
            return Err(StartError::ArgumentTooLong { index, size: bytes.len() });
        }
    }
    Ok(())
}

fn check_environment(environment: &[(OsString, Option<OsString>)]) -> Result<(), StartError> {
    for (name, value) in environment {
        let value = value.as_deref().unwrap_or_default();
        let refuse = |why| Err(StartError::Variable { name: name.to_string_lossy().into_owned(), why });
        if name.as_bytes().contains(&0) || value.as_bytes().contains(&0) {
            return refuse("it holds a NUL byte");
        }
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return refuse("its name is empty or holds `=`");
        }
        if cfg!(target_os = "linux") && name.len() + 1 + value.len() > LONGEST_ARGUMENT {
            return refuse("it is too long");
        }
    }
    Ok(())
}

/// Tells apart what the system calls by one name.
fn explain(source: io::Error, invocation: &Invocation) -> StartError {
    let path = invocation.executable.clone();
    match Errno::from_io_error(&source) {
        Some(Errno::NOEXEC) => StartError::Format { path },
        Some(Errno::TOOBIG) => {
            StartError::TooMuch { arguments: invocation.arguments.iter().map(|each| each.len() + 1).sum() }
        }
        Some(Errno::NOENT | Errno::ACCESS | Errno::NOTDIR | Errno::LOOP) => match interpreter(&path) {
            Some(interpreter) => StartError::Interpreter { path, interpreter },
            None => StartError::System { path, source },
        },
        _ => StartError::System { path, source },
    }
}

/// What the first line of a script names.
fn interpreter(script: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(script).ok()?.take(512).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?.trim_ascii_start();
    let named = line.split(|byte| matches!(byte, b' ' | b'\t')).next()?;
    // A carriage return at its end shows: it is the usual reason why one that is installed is not found.
    (!named.is_empty()).then(|| String::from_utf8_lossy(named).escape_debug().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_argument_passes_and_one_byte_more_does_not() {
        assert!(check_arguments(&[OsString::from("x".repeat(LONGEST_ARGUMENT))]).is_ok());
        let refused = check_arguments(&["a".into(), OsString::from("x".repeat(LONGEST_ARGUMENT + 1))]);
        let text = refused.unwrap_err().to_string();
        assert!(text.contains("argument 2 is 131072 bytes") && text.contains("`{promptFile}`"), "{text}");
    }

    #[test]
    fn a_nul_is_located() {
        let text = check_arguments(&["ab\0c".into()]).unwrap_err().to_string();
        assert!(text.contains("NUL byte at offset 2") && text.contains("`{promptFile}`"), "{text}");
    }

    #[test]
    fn the_longest_variable_passes_and_one_byte_more_does_not() {
        let variable = |length| vec![(OsString::from("NAME"), Some(OsString::from("x".repeat(length))))];
        // `NAME`, `=` and the value, as the system counts them.
        assert!(check_environment(&variable(LONGEST_ARGUMENT - 5)).is_ok());
        let text = check_environment(&variable(LONGEST_ARGUMENT - 4)).unwrap_err().to_string();
        assert!(text.contains("`NAME`") && text.contains("it is too long"), "{text}");
    }

    #[test]
    fn what_cannot_name_a_variable_is_refused() {
        let named = |name: &str| check_environment(&[(OsString::from(name), None)]);
        assert!(named("A").is_ok());
        for name in ["", "A=B", "A\0B"] {
            assert!(named(name).is_err(), "{name:?}");
        }
    }
}
