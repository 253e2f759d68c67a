//! The command line of the kit: reads the environment, prints, picks exit codes.
//!
//! [`main`] is the only way in. What is found out is found out elsewhere.

mod arguments;
mod deep;
mod doctor;
mod explain;
mod lint;
mod list;
mod program;
mod run;
mod workshop;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use thiserror::Error;

use self::arguments::{Arguments, BaselineCommand, Command};
use crate::baseline::BaselineError;
use crate::campaign::PreflightError;
use crate::source::fault::Fault;
use crate::suite::{Draft, FolderError, Suite};
use crate::target::TargetError;

/// Why a command came to nothing.
#[derive(Debug, Error)]
enum CliError {
    #[error("{}", shown(.0))]
    Faults(Vec<Fault>),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error(transparent)]
    Preflight(#[from] PreflightError),
    #[error("{0}")]
    Call(String),
    #[error("cannot {0}: {1}")]
    System(&'static str, io::Error),
}

impl CliError {
    fn exit(&self) -> u8 {
        match self {
            Self::Preflight(PreflightError::NotStarted(_) | PreflightError::Unusable(_)) => 3,
            _ => 2,
        }
    }
}

fn shown(faults: &[Fault]) -> String {
    let mut lines: Vec<String> = faults.iter().map(|fault| format!("{fault}\n")).collect();
    lines.push(match faults.len() {
        1 => "1 fault".to_owned(),
        count => format!("{count} faults"),
    });
    lines.join("\n")
}

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Where help cannot be printed nobody reads it.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let result = match arguments.command {
        Command::Run(arguments) => run::run(*arguments),
        Command::Baseline(BaselineCommand::Write(arguments)) => run::write_baseline(*arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::Lint(arguments) => lint::lint(&arguments),
        Command::List(arguments) => list::list(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Completions { shell } => {
            let mut command = Arguments::command();
            clap_complete::generate(shell, &mut command, "the-loop-conformance", &mut io::stdout());
            Ok(0)
        }
    };
    ExitCode::from(result.unwrap_or_else(|error| {
        let text = match &error {
            CliError::Faults(_) => error.to_string(),
            CliError::Target(TargetError::Faulty(_)) | CliError::Baseline(BaselineError::Faulty(_)) => {
                error.to_string()
            }
            other => format!("error: {other}"),
        };
        // Nobody is left to be told when standard error is closed.
        let _ = writeln!(anstream::stderr(), "{text}");
        error.exit()
    }))
}

/// A suite to work with; a faulty one is refused with its faults.
fn suite(scenarios: Option<&std::path::Path>) -> Result<Suite, CliError> {
    let draft = Draft::load(scenarios, None)?;
    let faults = crate::lint::lint_files(&draft);
    if !faults.is_empty() {
        return Err(CliError::Faults(faults));
    }
    Suite::new(draft).map_err(CliError::Faults)
}

/// Writes lines to standard output.
fn print(text: &str) -> Result<(), CliError> {
    anstream::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| CliError::System("write to standard output", error))
}
