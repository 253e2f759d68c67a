//! `graph`: everything that can be asked of a graph, and done with it.
//!
//! [`run`] hands a typed command to its file and gives the exit code.

mod advance;
mod checklist;
mod compile;
mod item;
mod mermaid;
mod show;
mod skip;
mod start;
mod template;

use std::error::Error;
use std::process::ExitCode;

use clap::Subcommand;

use super::{Global, refuse, report};

pub(super) use item::{Desk, Loaded, Place};

/// What can follow `graph`.
#[derive(Debug, Subcommand)]
pub(super) enum GraphCommand {
    /// Check graph files and say everything that is wrong with them
    #[command(after_help = compile::EXAMPLES)]
    Compile(compile::Arguments),
    /// Show a loop: its phases, their gates and what comes after them
    #[command(after_help = show::EXAMPLES)]
    Show(show::Arguments),
    /// Begin the walk of a work item
    #[command(after_help = start::EXAMPLES)]
    Start(start::Arguments),
    /// Print the comment by which a human chooses the phases
    #[command(after_help = checklist::EXAMPLES)]
    Checklist(checklist::Arguments),
    /// Decide the phase at which a work item stands, and move on
    #[command(after_help = advance::EXAMPLES)]
    Advance(advance::Arguments),
    /// Declare a phase away before the phase selection is answered
    #[command(after_help = skip::EXAMPLES)]
    Skip(skip::Arguments),
    /// Print the form of what a phase has to leave behind
    #[command(after_help = template::EXAMPLES)]
    Template(template::Arguments),
}

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop graph show
  the-loop graph show pdlc-pr-loop --format mermaid
  the-loop graph compile my-loop.yaml
  the-loop graph start issue-7
  the-loop graph checklist issue-7 | gh issue comment 7 --body-file -
  gh api --paginate repos/O/R/issues/7/comments | the-loop graph advance issue-7 --comments -";

/// Does what was typed.
pub(super) fn run(command: &GraphCommand, global: &Global) -> ExitCode {
    match command {
        GraphCommand::Compile(arguments) => compile::run(arguments),
        GraphCommand::Show(arguments) => show::run(arguments, global),
        GraphCommand::Start(arguments) => told(start::run(arguments, global)),
        GraphCommand::Checklist(arguments) => told(checklist::run(arguments, global)),
        GraphCommand::Advance(arguments) => advance::run(arguments, global),
        GraphCommand::Skip(arguments) => told(skip::run(arguments, global)),
        GraphCommand::Template(arguments) => told(template::run(arguments, global)),
    }
}

fn told(done: Result<String, Box<dyn Error>>) -> ExitCode {
    match done {
        Ok(text) => report(&text),
        Err(error) => refuse(error.as_ref()),
    }
}
