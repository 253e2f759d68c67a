//! The command line: what can be typed, which command it means, and the exit code.
//!
//! [`main`] is the only way in. Only files of this module read the environment, print and pick exit codes: 0 fine,
//! 1 a failed round or an output that could not be written, 2 misconfigured or wrong usage.

mod check;
mod graph;
mod guide;
pub mod list;
mod log;
mod operator;
pub mod policy;
mod run;
mod spinner;
mod stdout;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::{ArgAction, Args, CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

use operator::Operator;
use stdout::Stdout;

/// The process exit code of a failed round, or of output that could not be written.
const FAILED: u8 = 1;
/// The process exit code of wrong usage or configuration; nothing was started.
const REFUSED: u8 = 2;

/// Runs critic rounds: one entry of your config, one process, one JSON envelope
#[derive(Debug, Parser)]
#[command(name = "the-loop", version, max_term_width = 100, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every command, before or after its name.
#[derive(Debug, Args)]
struct Global {
    // No doc comment: the names would need backticks, which `--help` would print.
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        help = "The config to use instead of $THE_LOOP_CLI_CONFIG or ~/.the-loop/cli-config.yaml; a pipe is read once"
    )]
    config: Option<PathBuf>,
    /// Log only warnings and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Log more; given twice it says no more than once
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Critics: who reviews, and one round of one of them
    #[command(subcommand)]
    Critic(CriticCommand),
    /// Graphs: the phases of a work item, and its walk through them
    #[command(subcommand, after_help = graph::EXAMPLES)]
    Graph(graph::GraphCommand),
    /// Show where work items stand, phase by phase
    #[command(after_help = check::EXAMPLES)]
    Check(check::Arguments),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Subcommand)]
enum CriticCommand {
    /// Show every configured critic and whether it could run here
    List(list::Arguments),
    /// Run one round of one critic and print its envelope
    #[command(after_help = run::EXAMPLES)]
    Run(Box<run::Arguments>),
    /// Show how many rounds are run and when they stop
    Policy(policy::Arguments),
    /// Print the reviewing procedure for the harness that follows it
    Guide,
}

const EXAMPLES: &str = "\
Examples:
  the-loop critic list
  the-loop critic run cursor-gpt --prompt-file review.md --output-file rounds/1.json
  the-loop --config other.yaml critic policy --format json
  the-loop graph start issue-7
  the-loop check issue-7

Exit codes: 0 fine; 1 a round failed, a walk did not move, or a check found something unmet; 2 misconfigured or wrong usage, nothing was started.";

/// Runs the command that `typed` means, the program's name first, and gives the exit code.
pub fn main(typed: Vec<OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(&typed) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            // There is nowhere else to say it.
            let _ = error.print();
            return ExitCode::from(REFUSED);
        }
        Err(help) => return print(&rendered(&help)),
    };
    let global = arguments.global;
    log::start(&global);
    let done = match arguments.command {
        Command::Critic(CriticCommand::Run(arguments)) => return run::run(&arguments, &global, typed),
        Command::Critic(CriticCommand::List(arguments)) => {
            Operator::load(&global, &arguments.root).map(|operator| list::run(&arguments, &operator))
        }
        Command::Critic(CriticCommand::Policy(arguments)) => {
            operator::load(&global).and_then(|config| policy::run(&arguments, &config))
        }
        Command::Critic(CriticCommand::Guide) => Ok(guide::TEXT.to_owned()),
        Command::Graph(command) => return graph::run(&command, &global),
        Command::Check(arguments) => return check::run(&arguments, &global),
        Command::Completions { shell } => Ok(completions(shell)),
    };
    match done {
        Ok(text) => print(&text),
        Err(error) => refuse(&error),
    }
}

fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "the-loop", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Help, or the version, as its reader can show it.
fn rendered(help: &clap::Error) -> String {
    let text = help.render();
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => text.to_string(),
        _ => text.ansi().to_string(),
    }
}

/// Puts the text on standard output.
fn print(text: &str) -> ExitCode {
    match Stdout.write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("standard output cannot be written: {error}"));
            ExitCode::from(FAILED)
        }
    }
}

/// Puts on standard output what was done and is not undone; where that is not possible, it is said beside it.
fn report(text: &str) -> ExitCode {
    match Stdout.write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!(
                "standard output cannot be written: {error}; this was done: {}",
                text.trim_end()
            ));
            ExitCode::from(REFUSED)
        }
    }
}

/// Says why nothing was started.
fn refuse(error: &dyn std::error::Error) -> ExitCode {
    complain(&error.to_string());
    ExitCode::from(REFUSED)
}

/// Says something that `--quiet` does not silence.
fn complain(text: &str) {
    // There is nowhere else to say it.
    let _ = writeln!(io::stderr(), "error: {text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
