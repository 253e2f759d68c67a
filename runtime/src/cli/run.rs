//! `critic run`: one round, from the typed flags to the envelope on standard output.
//!
//! What is refused before the round exits with 2 and leaves standard output empty; from then on there is an envelope
//! whatever happens.

use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::operator::Operator;
use super::spinner::Spinner;
use super::stdout::Stdout;
use super::{FAILED, Global, complain, refuse};
use crate::config::{told, visible};
use crate::critic::{Critic, Lookup};
use crate::envelope::Envelope;
use crate::executable::Search;
use crate::invocation::{Flags, Invocation, Prompt, PromptSource, WorkItem};
use crate::output_file::{OutputFile, OutputFileError, is_same_file, remove_stale};
use crate::process::{self, Round, Signals, StartError, Unwatched, Watch};

/// The longest limit.
const YEAR: Duration = Duration::from_hours(365 * 24);

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop critic run cursor-gpt --prompt 'Review the diff of HEAD for correctness'
  the-loop critic run claude-opus --prompt-file review.md --work-item add-login
  git diff | the-loop critic run local-lint --prompt-file /dev/stdin --timeout 60

Standard output is one JSON object; `ok`, `output` and `error` say how the round went.
Exit codes: 0 ok; 1 failed round, envelope printed; 2 misconfigured or wrong usage, nothing was started.";

/// What can be typed after `critic run`. Values that have a meaning of their own are parsed after this, so that a
/// round which is refused for them can still see to `--output-file`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The critic, by its `name`
    name: String,
    /// What to review; exactly one of --prompt and --prompt-file
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<OsString>,
    /// A file that holds it; a pipe is read once
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    prompt_file: Option<PathBuf>,
    /// The checkout under review
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Where the critic works, instead of the entry's `cwd` or the root
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The work item, for {workItem} and {specDir}
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    work_item: OsString,
    /// The item's specification, for {specDir}
    #[arg(long, value_name = "DIR")]
    spec_dir: Option<PathBuf>,
    /// The limit of this round, instead of the entry's
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    timeout: Option<String>,
    /// Where to keep a copy of the envelope
    #[arg(long, value_name = "PATH")]
    output_file: Option<PathBuf>,
}

/// Runs the round.
pub(super) fn run(arguments: &Arguments, global: &Global, typed: Vec<OsString>) -> ExitCode {
    match process::hand_over(typed) {
        Ok(None) => {}
        Ok(Some(code)) => return ExitCode::from(code),
        Err(error) => return refuse(&error),
    }
    match attempt(arguments, global) {
        Ok(code) => code,
        Err(error) => {
            let output_file =
                arguments.output_file.as_deref().and_then(|path| std::path::absolute(path).ok());
            if let Some(path) = output_file
                && !arguments.prompt_file.as_deref().is_some_and(|prompt| is_same_file(prompt, &path))
            {
                remove_stale(&path);
            }
            refuse(error.as_ref())
        }
    }
}

/// What refuses a round that the flags or the config make impossible.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("give exactly one of `--prompt TEXT` and `--prompt-file PATH`")]
    PromptChoice,
    #[error("`--timeout {}` is not a number of seconds above 0; give one such as `90` or `2.5`", visible(.0))]
    Timeout(String),
    #[error("the critic `{}` is disabled; set `enabled: true` in its entry to run it", visible(.0))]
    Disabled(String),
    #[error("the critic `{}` cannot be run:\n  {}", visible(.0), .1)]
    Broken(String, String),
    #[error("no critic is named `{}`{}", visible(.0), .1)]
    Unknown(String, String),
    #[error("the working directory of this process cannot be told: {0}; change to one that exists")]
    Nowhere(#[from] io::Error),
}

fn attempt(arguments: &Arguments, global: &Global) -> Result<ExitCode, Box<dyn Error>> {
    let here = std::env::current_dir().map_err(Refusal::Nowhere)?;
    let flags = Flags {
        root: arguments.root.clone(),
        cwd: arguments.cwd.clone(),
        work_item: WorkItem::parse(arguments.work_item.clone())?,
        spec_dir: arguments.spec_dir.clone(),
        timeout: arguments.timeout.as_deref().map(limit).transpose()?,
        here: here.clone(),
    };
    let source = prompt_source(arguments)?;
    let operator = Operator::load(global, &arguments.root)?;
    let critic = choose(&operator, &arguments.name)?;
    let spec_root = operator.config.spec_root()?;
    let mut prompt = Prompt::read(source, &here, &std::env::temp_dir())?;
    // From here on a signal ends the round, not the process: there are files to remove.
    let mut signals = Signals::listen()?;
    let output_file = arguments
        .output_file
        .as_deref()
        .map(|path| claim(&here.join(path), arguments, &operator))
        .transpose()?;

    let round = match prepare(&operator, &flags, critic, &spec_root, &mut prompt) {
        Ok(invocation) => attend(critic, &invocation, &mut signals, global),
        Err(error) => Round::not_started(error),
    };
    drop(prompt);
    let envelope = Envelope::of(critic, round);
    if let Some(summary) = envelope.summary() {
        tracing::error!("{}", visible(summary));
    }
    Ok(deliver(&envelope, output_file, &signals))
}

/// Claims the output file, which must not be one that the round reads.
fn claim(path: &Path, arguments: &Arguments, operator: &Operator) -> Result<OutputFile, OutputFileError> {
    let read = [
        ("the prompt file", arguments.prompt_file.as_deref()),
        ("the config", operator.config.path()),
        ("the env file", operator.env_file()),
    ];
    let read: Vec<_> = read.into_iter().filter_map(|(what, path)| Some((what, path?))).collect();
    OutputFile::claim(path, &read)
}

fn prompt_source(arguments: &Arguments) -> Result<PromptSource, Refusal> {
    match (&arguments.prompt, &arguments.prompt_file) {
        (Some(text), None) => Ok(PromptSource::Text(text.clone())),
        (None, Some(path)) => Ok(PromptSource::File(path.clone())),
        (None, None) | (Some(_), Some(_)) => Err(Refusal::PromptChoice),
    }
}

/// Reads `--timeout`. Above a year counts as a year.
fn limit(text: &str) -> Result<Duration, Refusal> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    let seconds = seconds.ok_or_else(|| Refusal::Timeout(text.to_owned()))?;
    Ok(Duration::try_from_secs_f64(seconds).map_or(YEAR, |limit| limit.min(YEAR)))
}

fn choose<'a>(operator: &'a Operator, name: &str) -> Result<&'a Critic, Refusal> {
    match operator.roster.find(name) {
        Lookup::Valid(critic) => Ok(critic),
        Lookup::Disabled(critic) => Err(Refusal::Disabled(critic.name().to_owned())),
        Lookup::Broken(broken) => {
            let lines = told(broken.problems(), "\n  ", |problem| operator.config.located(problem));
            Err(Refusal::Broken(name.to_owned(), lines))
        }
        Lookup::Unknown { known, nearest } => {
            let hint = match (nearest, known.as_slice()) {
                (Some(nearest), _) => format!("; did you mean `{}`?", visible(nearest)),
                (None, []) => format!("; {}", nobody(operator)),
                (None, known) => format!("; there are: {}", visible(&known.join(", "))),
            };
            Err(Refusal::Unknown(name.to_owned(), hint))
        }
    }
}

/// Why there is no name to choose from.
fn nobody(operator: &Operator) -> String {
    match operator.roster.entries().len() {
        0 => operator.config.nothing().to_owned(),
        1 => {
            "the one entry that is configured has no name that can be read; `critic list` says why".to_owned()
        }
        all => format!("none of the {all} entries has a name that can be read; `critic list` says why"),
    }
}

fn prepare(
    operator: &Operator,
    flags: &Flags,
    critic: &Critic,
    spec_root: &Path,
    prompt: &mut Prompt,
) -> Result<Invocation, StartError> {
    let search = Search::new(operator.path().as_deref(), critic.env(), operator.config.directory());
    let executable = search.find(critic.program().name())?;
    let mut invocation =
        flags.resolve(critic, executable, spec_root, prompt).map_err(StartError::TemporaryPrompt)?;
    invocation.environment.splice(0..0, operator.added_variables());
    Ok(invocation)
}

fn attend(critic: &Critic, invocation: &Invocation, signals: &mut Signals, global: &Global) -> Round {
    tracing::info!(
        "critic `{}`: running `{}`, limit {} s",
        visible(critic.name()),
        visible(&invocation.executable.to_string_lossy()),
        invocation.limit.as_secs_f64()
    );
    let mut watch: Box<dyn Watch> = if !global.quiet && Spinner::suits() {
        Box::new(Spinner::start(critic.name()))
    } else {
        Box::new(Unwatched)
    };
    let round = process::run(invocation, signals, watch.as_mut());
    drop(watch);
    tracing::info!(
        "critic `{}`: {} after {:.3} s",
        visible(critic.name()),
        round.ending,
        round.duration.as_secs_f64()
    );
    tracing::debug!(
        "{} bytes on standard output, the last {} of standard error kept",
        round.stdout.len(),
        round.stderr.len()
    );
    round
}

/// Puts the envelope into its file, then on standard output.
fn deliver(envelope: &Envelope, output_file: Option<OutputFile>, signals: &Signals) -> ExitCode {
    let mut delivered = true;
    if let Some(Err(error)) = output_file.map(|file| file.deliver(envelope)) {
        complain(&format!("the output file could not be written: {error}"));
        delivered = false;
    }
    // Only now: a file in the making is not left behind, but a reader who never reads may be.
    if let Err(error) = signals.release() {
        tracing::warn!("signals stay deaf until the envelope is written: {error}");
    }
    if let Err(error) = envelope.write(Stdout) {
        complain(&format!("standard output cannot be written: {error}"));
        delivered = false;
    }
    if envelope.is_ok() && delivered { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_numbers_above_zero_are_limits() {
        for wrong in ["0", "-1", "nan", "inf", "-inf", "", "x", "1s", "0.0", "-0"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
        assert_eq!(limit("2.5").unwrap(), Duration::from_millis(2500));
        assert_eq!(limit("1e300").unwrap(), Duration::from_hours(365 * 24));
        assert_eq!(limit("1e-300").unwrap(), Duration::ZERO);
    }
}
