//! `graph`: everything that can be asked of a graph, and done with it.
//!
//! [`run`] hands a typed command to its file and gives the exit code.

mod compile;
mod mermaid;
mod show;

use std::process::ExitCode;

use clap::Subcommand;

use super::Global;

/// What can follow `graph`.
#[derive(Debug, Subcommand)]
pub(super) enum GraphCommand {
    /// Check graph files and say everything that is wrong with them
    #[command(after_help = compile::EXAMPLES)]
    Compile(compile::Arguments),
    /// Show a loop: its phases, their gates and what comes after them
    #[command(after_help = show::EXAMPLES)]
    Show(show::Arguments),
}

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop graph show
  the-loop graph show pdlc-pr-loop --format mermaid
  the-loop graph compile my-loop.yaml";

/// Does what was typed.
pub(super) fn run(command: &GraphCommand, global: &Global) -> ExitCode {
    match command {
        GraphCommand::Compile(arguments) => compile::run(arguments),
        GraphCommand::Show(arguments) => show::run(arguments, global),
    }
}
