//! The process of one round, before it is started. Main type: [`Invocation`].
//!
//! Critic, flags and prompt become one executable, its arguments, its environment, its directory and its standard
//! input. No step joins arguments or hands them to a shell.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::fault::{self, Fault};
use crate::placeholder::{self, Values};
use crate::prompt::Prompt;
use crate::roster::{Critic, Program};

/// Longest argument that Linux takes, without the NUL at its end.
const LONGEST_ARGUMENT: usize = 131_071;

/// What is known about a round besides the critic.
pub(crate) struct Circumstances {
    /// The working directory, absolute.
    pub(crate) cwd: PathBuf,
    /// The root, absolute.
    pub(crate) root: PathBuf,
    /// The value of `{workItem}`.
    pub(crate) work_item: OsString,
    /// The value of `{specDir}`.
    pub(crate) spec_dir: OsString,
}

/// A process to be.
pub(crate) struct Invocation {
    /// The absolute path of the executable.
    pub(crate) program: PathBuf,
    /// Everything after `argv[0]`.
    pub(crate) args: Vec<OsString>,
    argv_zero: OsString,
    env: Vec<(String, Option<OsString>)>,
    cwd: PathBuf,
    stdin: Option<PathBuf>,
}

impl Invocation {
    /// Puts the round together; it fails only where the prompt's file cannot be written.
    pub(crate) fn new(
        critic: &Critic,
        program: PathBuf,
        round: &Circumstances,
        prompt: &mut Prompt,
    ) -> io::Result<Self> {
        let wants_file = critic.args.iter().any(|arg| placeholder::mentions(arg, "promptFile"));
        let file = if wants_file { prompt.path()?.into_os_string() } else { OsString::new() };
        let values = values(critic, round, prompt, &file);
        let declared = values.fill(&critic.args);
        let (mut args, stdin) = match &critic.program {
            Program::Command(_) => (declared, None),
            adapter => derive(adapter, critic, declared, prompt)?,
        };
        if fault::on(Fault::NulCutsArgument) {
            for arg in &mut args {
                arg.truncate(arg.iter().position(|&byte| byte == 0).unwrap_or(arg.len()));
            }
        }
        let env = critic.env.iter().map(|(name, value)| {
            let filled = |value: &String| {
                if fault::on(Fault::EnvPlaceholders) {
                    OsString::from_vec(values.fill_one(value))
                } else {
                    OsString::from(value)
                }
            };
            (name.clone(), value.as_ref().map(filled))
        });
        Ok(Self {
            argv_zero: if fault::on(Fault::ArgvZeroResolved) {
                program.clone().into_os_string()
            } else if fault::on(Fault::ArgvZeroIsFileName) {
                program.file_name().unwrap_or_default().to_owned()
            } else {
                OsString::from(critic.program.executable())
            },
            program,
            args: args.into_iter().map(OsString::from_vec).collect(),
            env: env.collect(),
            cwd: round.cwd.clone(),
            stdin,
        })
    }

    /// The command, with its standard streams open.
    pub(crate) fn command(&self, stdout: Stdio) -> io::Result<Command> {
        let mut command = Command::new(&self.program);
        command.arg0(&self.argv_zero).args(&self.args);
        if fault::on(Fault::Shell) {
            let words =
                std::iter::once(self.program.as_os_str()).chain(self.args.iter().map(OsString::as_os_str));
            let line: Vec<&[u8]> = words.map(OsStrExt::as_bytes).collect();
            command = Command::new("/bin/sh");
            command.arg("-c").arg(OsString::from_vec(line.join(&b' ')));
        } else if fault::on(Fault::ShellForScripts) && !has_magic(&self.program) {
            command = Command::new("/bin/sh");
            command.arg(&self.program).args(&self.args);
        }
        if fault::on(Fault::EnvCleared) {
            command.env_clear();
        }
        if !fault::on(Fault::PwdStale) {
            command.env("PWD", &self.cwd);
        }
        for (name, value) in &self.env {
            let kept = fault::on(Fault::EnvInheritedWins) && env::var_os(name).is_some();
            match value {
                _ if kept || fault::on(Fault::EnvNotOverlaid) => {}
                Some(value) => drop(command.env(name, value)),
                None => drop(command.env_remove(name)),
            }
        }
        command.current_dir(&self.cwd);
        if !fault::on(Fault::CallersGroup) {
            command.process_group(0);
        }
        command.stdin(match &self.stdin {
            Some(_) if fault::on(Fault::PromptPiped) => Stdio::piped(),
            Some(path) => Stdio::from(File::open(path)?),
            None if fault::on(Fault::StdinInherited) => Stdio::inherit(),
            None if fault::on(Fault::StdinNeverEnds) => Stdio::piped(),
            None => Stdio::null(),
        });
        command.stdout(stdout).stderr(Stdio::piped());
        Ok(command)
    }

    /// What has to be written into the standard input; nothing where that is no pipe.
    pub(crate) fn fed(&self) -> io::Result<Option<Vec<u8>>> {
        self.stdin.as_ref().filter(|_| fault::on(Fault::PromptPiped)).map(std::fs::read).transpose()
    }

    /// Why the system would not take the arguments.
    pub(crate) fn objection(&self) -> Option<String> {
        if fault::on(Fault::ArgumentLimitsUnexplained) {
            return None;
        }
        self.args.iter().find_map(|arg| {
            if let Some(at) = arg.as_bytes().iter().position(|&byte| byte == 0) {
                return Some(format!("an argument has a NUL at byte {at}; use {{promptFile}}"));
            }
            let size = arg.len();
            (size > LONGEST_ARGUMENT).then(|| {
                format!("an argument of {size} bytes is longer than {LONGEST_ARGUMENT}; use {{promptFile}}")
            })
        })
    }
}

fn values(critic: &Critic, round: &Circumstances, prompt: &Prompt, file: &OsString) -> Values {
    let elsewhere = round.cwd != round.root;
    let cwd = if elsewhere && fault::on(Fault::CwdPlaceholderIsRoot) { &round.root } else { &round.cwd };
    let model = if fault::on(Fault::ModelPlaceholderEmpty) { "" } else { &critic.model };
    let item = if fault::on(Fault::WorkItemIgnored) { &[] } else { round.work_item.as_bytes() };
    Values::new([
        prompt.bytes.clone(),
        file.as_bytes().to_vec(),
        model.as_bytes().to_vec(),
        item.to_vec(),
        round.spec_dir.as_bytes().to_vec(),
        cwd.as_os_str().as_bytes().to_vec(),
    ])
}

/// The argv of a built-in, and the file its standard input comes from: claude's prompt is there, cursor's is the last
/// derived argument where it can be one.
fn derive(
    adapter: &Program,
    critic: &Critic,
    declared: Vec<Vec<u8>>,
    prompt: &mut Prompt,
) -> io::Result<(Vec<Vec<u8>>, Option<PathBuf>)> {
    let mut args: Vec<Vec<u8>> = Vec::new();
    let mut push = |words: &[&str]| args.extend(words.iter().map(|word| word.as_bytes().to_vec()));
    if !fault::on(Fault::AdapterInteractive) {
        push(&[if fault::on(Fault::AdapterFlagSpeltOut) { "--print" } else { "-p" }]);
    }
    if !fault::on(Fault::AdapterPlain) {
        push(&["--output-format", "json"]);
    }
    if (!critic.model.is_empty() || fault::on(Fault::AdapterModelAlways))
        && !fault::on(Fault::AdapterModelNever)
    {
        push(&["--model", &critic.model]);
    }
    let own = critic
        .args
        .iter()
        .any(|arg| placeholder::mentions(arg, "prompt") || placeholder::mentions(arg, "promptFile"));
    let bytes = prompt.bytes.clone();
    let by_input = *adapter == Program::Claude && !fault::on(Fault::ClaudePromptAsArgument);
    let fits = !bytes.starts_with(b"-") && !bytes.contains(&0) && bytes.len() <= LONGEST_ARGUMENT;
    let as_argument = !by_input && (fits || fault::on(Fault::AdapterPromptAlwaysArgument));
    let mut stdin = None;
    let delivered = own && !fault::on(Fault::OwnDeliveryDoubled);
    if !delivered && !fault::on(Fault::AdapterPromptMissing) {
        if as_argument {
            args.push(bytes.clone());
        } else {
            stdin = Some(prompt.path()?);
        }
        if fault::on(Fault::AdapterPromptTwice) {
            args.push(bytes);
        }
    }
    if fault::on(Fault::AdapterArgsFirst) {
        args.splice(0..0, declared);
    } else if !fault::on(Fault::AdapterArgsDropped) {
        args.extend(declared);
    }
    Ok((args, stdin))
}

/// Whether the kernel knows how to execute the file.
fn has_magic(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"#!") || bytes.starts_with(b"\x7fELF"))
}
