//! The command line as typed.
//!
//! Main type: [`Arguments`]. What it means is worked out by the commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::campaign::{Gate, Pattern, Shard};
use crate::ledger::{Level, Profile};
use crate::report::Format;

const EXIT_CODES: &str = "\
Exit codes:
  0  the target conforms (gate `must`, or `should` with --gate should)
  1  it does not, or nothing was executed
  2  the kit, the suite or the call is wrong, or the run was interrupted
  3  the target cannot be driven";

/// Judges any implementation of the critic contract, requirement by requirement.
///
/// Suite, ledger and the scripted critic are inside this one file.
#[derive(Debug, Parser)]
#[command(name = "the-loop-conformance", version, after_help = EXIT_CODES, after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  the-loop-conformance run -- ./my-runtime            judge a command
  the-loop-conformance run --target my-runtime.yaml   judge what a target file describes
  the-loop-conformance doctor -- ./my-runtime         can it be driven at all?
  the-loop-conformance explain CR-2.1                 what is asked, and by which scenarios
  the-loop-conformance lint --scenarios my-scenarios  check scenarios of your own

Exit codes:
  0  the target conforms (gate `must`, or `should` with --gate should)
  1  it does not, or nothing was executed
  2  the kit, the suite or the call is wrong, or the run was interrupted
  3  the target cannot be driven";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Runs the suite against a target and says which requirements it keeps.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RunArguments>),
    /// Writes what a target fails today as its baseline.
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// Starts a target, reads its version, measures its start-up, runs one trivial and one refused round.
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(TargetArguments),
    /// Finds what is wrong with ledger, scenarios, targets and baselines.
    #[command(after_help = LINT_EXAMPLES)]
    Lint(LintArguments),
    /// Lists the selected checks.
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArguments),
    /// Explains a requirement, a source tag, a scenario or a check.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArguments),
    /// Prints a completion script for a shell.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

const RUN_EXAMPLES: &str = "\
Examples:
  the-loop-conformance run -- the-loop
  the-loop-conformance run --env DEBUG=1 --profile critic -- python3 -m my_runtime
  the-loop-conformance run --target targets/mine.yaml --baseline mine.baseline.yaml
  the-loop-conformance run --only timeout/ --keep=/tmp/look -- the-loop
  the-loop-conformance run --only critic.argv.single-element -- the-loop
  the-loop-conformance run --format jsonl --output report.jsonl -- the-loop
  the-loop-conformance run --shard 1/4 --repeat 3 -- the-loop
  the-loop-conformance run --scenarios my-scenarios --only mine/ -- the-loop";
const DOCTOR_EXAMPLES: &str = "\
Examples:
  the-loop-conformance doctor -- the-loop
  the-loop-conformance doctor --target targets/mine.yaml";
const LINT_EXAMPLES: &str = "\
Examples:
  the-loop-conformance lint
  the-loop-conformance lint --scenarios my-scenarios
  the-loop-conformance lint --target targets/mine.yaml --baseline mine.baseline.yaml
  the-loop-conformance lint --deep -- the-loop
  the-loop-conformance lint --deep --scenarios my-scenarios --only mine/ --target targets/mine.yaml

Exit codes:
  0  no faults; with --deep, every must-scenario that the target claims changes without its trigger
  1  with --deep, some could not be examined: the target does not pass them to begin with
  2  there are faults, or the call is wrong
  3  with --deep, the target cannot be driven";
const LIST_EXAMPLES: &str = "\
Examples:
  the-loop-conformance list
  the-loop-conformance list --level must --only timeout/";
const EXPLAIN_EXAMPLES: &str = "\
Examples:
  the-loop-conformance explain critic.argv.single-element
  the-loop-conformance explain CR-2.1
  the-loop-conformance explain argv/one-element/args";
const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  the-loop-conformance completions bash > ~/.local/share/bash-completion/completions/the-loop-conformance";
const WRITE_EXAMPLES: &str = "\
Examples:
  the-loop-conformance baseline write --target targets/mine.yaml
  the-loop-conformance baseline write --baseline mine.baseline.yaml -- the-loop";

#[derive(Debug, Subcommand)]
pub(super) enum BaselineCommand {
    /// Runs the whole suite and writes every failure. Reasons are yours to add: `lint` and `run` refuse entries without.
    #[command(after_help = WRITE_EXAMPLES)]
    Write(Box<RunArguments>),
}

/// Who is judged.
#[derive(Debug, Args)]
pub(super) struct TargetArguments {
    /// A target file.
    #[arg(long, value_name = "FILE", conflicts_with = "command", required_unless_present = "command")]
    pub(super) target: Option<PathBuf>,
    /// A variable of every start of the target; may be given again.
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub(super) env: Vec<(String, String)>,
    /// The target's command, taking the canonical command line.
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
}

/// Which checks are asked.
#[derive(Debug, Args)]
pub(super) struct SelectionArguments {
    /// Only ids of scenarios, checks or requirements that start so, or that fit where there is a `*`; may be given again.
    #[arg(long, value_name = "ID", value_parser = pattern)]
    pub(super) only: Vec<Pattern>,
    /// Only requirements of this level; may be given again.
    #[arg(long, value_enum)]
    pub(super) level: Vec<Level>,
    /// Only requirements of this profile; with a command instead of a target file, also what it claims; may be given again.
    #[arg(long, value_enum)]
    pub(super) profile: Vec<Profile>,
    /// Only scenarios with this tag; may be given again.
    #[arg(long, value_name = "WORD")]
    pub(super) tag: Vec<String>,
    /// Scenarios of this folder on top of the suite; the same id replaces.
    #[arg(long, value_name = "DIR")]
    pub(super) scenarios: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    pub(super) target: TargetArguments,
    #[command(flatten)]
    pub(super) selection: SelectionArguments,
    /// Only a part of the scenarios: part I of N.
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,
    /// How many scenarios at once; default: four for each processor, one for serial targets.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,
    /// Runs each scenario so often; verdicts that differ are a failure.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) repeat: u16,
    /// Cuts off each step after so many seconds, where its own limit is not before; for a target that hangs a lot.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) hang_after: Option<Duration>,
    /// Which levels decide.
    #[arg(long, value_enum, default_value_t)]
    pub(super) gate: Gate,
    /// The target's known failures; default: what its target file says.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Keeps the sandboxes of all scenarios, in DIR if given; else only those of failures stay, in a temporary folder.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    #[allow(clippy::option_option)] // absent, without a folder, with one
    pub(super) keep: Option<Option<PathBuf>>,
    /// Does not look at the target first: its version stays unknown, and time bounds do not grow by its start-up.
    #[arg(long)]
    pub(super) no_preflight: bool,
    /// How the report is written.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Where the report is written; default: standard output.
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Shows every check and every requirement, not only what is not kept.
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(super) verbose: bool,
}

#[derive(Debug, Args)]
pub(super) struct LintArguments {
    /// Scenarios of this folder on top of the suite; the same id replaces.
    #[arg(long, value_name = "DIR")]
    pub(super) scenarios: Option<PathBuf>,
    /// A folder with the ledger (`critic.yaml`, `tags.yaml`, …) in place of the embedded one.
    #[arg(long, value_name = "DIR")]
    pub(super) specs: Option<PathBuf>,
    /// A target file to check, with its baseline; may be given again. With --deep, the one that is run.
    #[arg(long, value_name = "FILE")]
    pub(super) target: Vec<PathBuf>,
    /// A baseline to check; may be given again.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Vec<PathBuf>,
    /// Also runs every must-scenario against a target with its trigger taken away, and reports those that do not change.
    #[arg(long, action = ArgAction::SetTrue)]
    pub(super) deep: bool,
    /// With --deep, only ids of scenarios, checks or requirements that start so, or that fit where there is a `*`.
    #[arg(long, value_name = "ID", value_parser = pattern, requires = "deep")]
    pub(super) only: Vec<Pattern>,
    /// With --deep, how many scenarios at once; default: four for each processor, one for serial targets.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), requires = "deep")]
    pub(super) jobs: Option<u16>,
    /// With --deep, a variable of every start of the target; may be given again.
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable, requires = "deep")]
    pub(super) env: Vec<(String, String)>,
    /// With --deep, the command of the target that is run, taking the canonical command line.
    #[arg(last = true, value_name = "COMMAND", requires = "deep")]
    pub(super) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    pub(super) selection: SelectionArguments,
    /// How the list is written.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// Id of a requirement, scenario or check, or a source tag.
    pub(super) id: String,
    /// Scenarios of this folder on top of the suite; the same id replaces.
    #[arg(long, value_name = "DIR")]
    pub(super) scenarios: Option<PathBuf>,
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("`{text}` is no variable, expected NAME=VALUE")),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| format!("`{text}` is no time, expected seconds above 0, for example 2.5"))
}

#[allow(clippy::unnecessary_wraps)] // clap asks for a result
fn pattern(text: &str) -> Result<Pattern, String> {
    Ok(Pattern::from(text))
}
