//! `critic run` from flags to exit code. Main function: [`run`].
//!
//! It is the order of things: everything that can be refused is refused before a process is started; afterwards
//! there is an envelope whatever happens.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::config::Config;
use crate::envelope::Envelope;
use crate::fault::{self, Fault};
use crate::flags::{Place, Wanted};
use crate::interrupt::Interrupts;
use crate::invocation::{Circumstances, Invocation};
use crate::locate::Search;
use crate::outfile::{self, Copy};
use crate::prompt::Prompt;
use crate::refusal::Refusal;
use crate::roster::{Critic, Program, Roster};
use crate::round::{self, End, Ending};
use crate::tree;

/// Runs one round.
pub(crate) fn run(place: &Place, wanted: &Wanted, words: &[OsString]) -> Result<ExitCode, Refusal> {
    let answer = attempt(place, wanted, words);
    if let (Err(_), Some(path)) = (&answer, &wanted.output_file) {
        outfile::forget(path);
    }
    answer
}

fn attempt(place: &Place, wanted: &Wanted, words: &[OsString]) -> Result<ExitCode, Refusal> {
    let config = Config::load(place)?;
    let roster = Roster::read(&config)?;
    if wanted.name == "all" && fault::on(Fault::RunAll) {
        let critics: Vec<&Critic> = roster.rows.iter().filter_map(|row| row.critic.as_ref().ok()).collect();
        let mut code = ExitCode::SUCCESS;
        for critic in critics {
            code = run_critic(critic, wanted, &config, words)?;
        }
        return Ok(code);
    }
    match roster.pick(&wanted.name) {
        Ok(critic) => run_critic(critic, wanted, &config, words),
        Err(_) if fault::on(Fault::DisabledIsSuccess) && is_disabled(&roster, &wanted.name) => {
            Ok(ExitCode::SUCCESS)
        }
        Err(refusal) => Err(refusal),
    }
}

fn is_disabled(roster: &Roster, name: &str) -> bool {
    roster.rows.iter().any(|row| row.name == name && !row.enabled && row.critic.is_ok())
}

fn run_critic(
    critic: &Critic,
    wanted: &Wanted,
    config: &Config,
    words: &[OsString],
) -> Result<ExitCode, Refusal> {
    let mut prompt = Prompt::read(&wanted.prompt)?;
    let circumstances = circumstances(critic, wanted, config)?;
    let program = find(critic, config, &circumstances);
    if program.is_none() && fault::on(Fault::AbsentExitsTwo) {
        return Err(Refusal::new(format!("`{}` is not installed", critic.program.executable())));
    }
    if !tree::below().is_empty() && !fault::on(Fault::BystandersKilled) {
        return apart(words);
    }
    let copy = wanted.output_file.as_deref().map(Copy::open).transpose()?;
    let mut interrupts =
        Interrupts::listen().map_err(|error| Refusal::new(format!("signals cannot be handled: {error}")))?;
    warn_of_secrets(critic);
    side_effects(config);
    let limit = wanted.timeout.unwrap_or(critic.limit);
    let ending = match program {
        _ if !circumstances.cwd.is_dir() => {
            Ending::not_started(format!("`{}` is no directory to run in", circumstances.cwd.display()))
        }
        None => Ending::not_started(format!(
            "`{}` was not found as an executable, PATH included",
            critic.program.executable()
        )),
        Some(program) => {
            log_start(critic, &program, limit, &prompt);
            match Invocation::new(critic, program, &circumstances, &mut prompt) {
                Ok(invocation) => round::run(&invocation, limit, &mut interrupts),
                Err(error) => Ending::not_started(format!("the prompt cannot be handed over: {error}")),
            }
        }
    };
    drop(prompt);
    log_end(critic, &ending);
    let envelope = Envelope::new(critic, &ending);
    after_review(&envelope, wanted, config);
    let delivered = deliver(&envelope, copy);
    Ok(exit_code(&envelope, &ending, delivered))
}

/// Runs the same call in a process that has no children yet, so that whatever is below it then belongs to the
/// round. Only needed where the caller left children to this process, as `job & exec strawman` does.
fn apart(words: &[OsString]) -> Result<ExitCode, Refusal> {
    let refuse = |error: io::Error| Refusal::new(format!("a second process cannot be started: {error}"));
    let mut interrupts = Interrupts::listen().map_err(refuse)?;
    let mut inner = Command::new("/proc/self/exe").arg0("strawman").args(words).spawn().map_err(refuse)?;
    loop {
        if let Some(status) = inner.try_wait().map_err(refuse)? {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(code.map_or(ExitCode::FAILURE, ExitCode::from));
        }
        let pid = i32::try_from(inner.id()).ok().and_then(Pid::from_raw);
        if let (Some(signal), Some(pid)) = (interrupts.next().and_then(Signal::from_named_raw), pid) {
            // It may have ended just now.
            let _ = kill_process(pid, signal);
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn circumstances(critic: &Critic, wanted: &Wanted, config: &Config) -> Result<Circumstances, Refusal> {
    let of_entry =
        critic.cwd.as_ref().filter(|_| !fault::on(Fault::CwdIgnored)).map(|cwd| config.root.join(cwd));
    let by_flag = wanted.cwd.clone().map(|cwd| {
        if fault::on(Fault::CwdFlagBelowRoot) {
            config.root.join(cwd)
        } else {
            std::path::absolute(&cwd).unwrap_or(cwd)
        }
    });
    let both = of_entry.is_some() && by_flag.is_some();
    let chosen =
        if both && fault::on(Fault::CwdEntryWins) { of_entry.or(by_flag) } else { by_flag.or(of_entry) };
    let cwd = match chosen {
        Some(cwd) => cwd,
        None if fault::on(Fault::CwdIsCallers) => env::current_dir().unwrap_or_default(),
        None if fault::on(Fault::CwdIsConfigs) => config.folder.clone(),
        None => config.root.clone(),
    };
    let cwd = match cwd.canonicalize() {
        Ok(resolved) if resolved != cwd && fault::on(Fault::SymlinksResolved) => resolved,
        _ => cwd,
    };
    if !cwd.is_dir() && fault::on(Fault::MissingCwdRefused) {
        return Err(Refusal::new(format!(
            "`{}` is no directory to run critic `{}` in",
            cwd.display(),
            critic.name
        )));
    }
    let item =
        if fault::on(Fault::SpecDirWithoutItem) { Path::new("") } else { Path::new(&wanted.work_item) };
    let itemless = wanted.work_item.is_empty() && fault::on(Fault::SpecDirNeedsItem);
    let typed = wanted.spec_dir.clone().map(|typed| {
        if fault::on(Fault::SpecDirAsTyped) {
            typed
        } else {
            std::path::absolute(&typed).map_or(typed, PathBuf::into_os_string)
        }
    });
    let spec_dir = typed.unwrap_or_else(|| {
        if itemless { OsString::new() } else { spec_folder(config, item).into_os_string() }
    });
    Ok(Circumstances { cwd, root: config.root.clone(), work_item: wanted.work_item.clone(), spec_dir })
}

fn spec_folder(config: &Config, item: &Path) -> PathBuf {
    let root = config.spec_root();
    if item.as_os_str().is_empty() { root } else { root.join(item) }
}

fn find(critic: &Critic, config: &Config, round: &Circumstances) -> Option<PathBuf> {
    let path =
        critic.env.iter().rev().find(|(name, _)| name == "PATH").and_then(|(_, value)| value.as_deref());
    let path = path.filter(|_| !fault::on(Fault::EnvNotOverlaid));
    let search = Search { path, config };
    let command = critic.program.executable();
    let first = command.split_whitespace().next().unwrap_or_default();
    let found = match &critic.program {
        Program::Command(_) if fault::on(Fault::CommandSplit) => search.find(first),
        Program::Command(_) if fault::on(Fault::PathNotSearched) => search.find_beside(command),
        _ => search.find(command),
    };
    found.or_else(|| search.find(&critic.harness).filter(|_| fault::on(Fault::PathFallback))).or_else(|| {
        Some(round.cwd.join(command)).filter(|path| fault::on(Fault::CheckoutFallback) && path.exists())
    })
}

/// What no call should do, and a fault does.
fn side_effects(config: &Config) {
    if fault::on(Fault::RoundsCounted) {
        let count = config.root.join(".the-loop/rounds");
        let held = fs::read(&count).map_or(0, |rounds| rounds.len());
        if held > 1 {
            log("enough rounds were run");
            std::process::exit(2);
        }
        let _ = fs::create_dir_all(config.root.join(".the-loop"));
        let _ = fs::write(&count, "1".repeat(held + 1));
    }
}

/// What no round should do with its review, and a fault does.
fn after_review(envelope: &Envelope, wanted: &Wanted, config: &Config) {
    let posts = !wanted.work_item.is_empty() && env::var_os("GITHUB_TOKEN").is_some();
    if posts && fault::on(Fault::ReviewPosted) {
        let mut gh = Command::new("gh");
        gh.args(["issue", "comment", "--body", envelope.output()]).arg(&wanted.work_item);
        let _ = gh.stdin(std::process::Stdio::null()).output();
    }
    if wanted.output_file.is_none() && fault::on(Fault::OutputFileByDefault) {
        let _ = fs::write(config.root.join("envelope.json"), envelope.render());
    }
}

/// Starts what nobody ends. Started by a shell that goes at once, it is nobody's child.
pub(crate) fn start_service() {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "sleep 20 >/dev/null 2>&1 </dev/null &"]).process_group(0);
    let _ = shell.status();
}

/// A literal in `env` under a name that says what it is.
fn warn_of_secrets(critic: &Critic) {
    let telling = |name: &str| {
        let name = name.to_ascii_uppercase();
        fault::on(Fault::EverythingIsSecret)
            || ["TOKEN", "SECRET", "PASSWORD", "KEY"].iter().any(|word| name.contains(word))
    };
    let literals = critic.env.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    for (name, value) in literals.filter(|(name, _)| telling(name) && !fault::on(Fault::SecretUnwarned)) {
        let shown = if fault::on(Fault::SecretShown) { value.as_str() } else { "a literal" };
        log(&format!("critic `{}`: `env.{name}` is {shown}, keep secrets out of this file", critic.name));
    }
}

fn log(line: &str) {
    if fault::on(Fault::LogMissing) {
        return;
    }
    let extra =
        if fault::on(Fault::HarmlessWordy) { "strawman: going on\n".repeat(20) } else { String::new() };
    let text = format!("{extra}strawman: {line}\n");
    // A log that nobody reads is no reason to fail.
    let _ = io::stderr().write_all(text.as_bytes());
}

fn log_start(critic: &Critic, program: &Path, limit: Duration, prompt: &Prompt) {
    let seconds = limit.as_secs_f64();
    log(&format!("round of critic `{}`: {}, limit {seconds} s", critic.name, program.display()));
    if fault::on(Fault::LogShowsPrompt) {
        log(&String::from_utf8_lossy(&prompt.bytes));
    }
}

fn log_end(critic: &Critic, ending: &Ending) {
    if fault::on(Fault::LogWithoutEnd) {
        return;
    }
    let how = match &ending.end {
        End::Exited(code) => format!("exit status {code}"),
        End::Killed(signal) => format!("killed by signal {signal}"),
        End::TimedOut(_) => "timed out, no exit status".to_owned(),
        End::Interrupted(signal) => format!("interrupted by signal {signal}, no exit status"),
        End::Flooded => "ended for its output, no exit status".to_owned(),
        End::NotStarted(_) => "not started, no exit status".to_owned(),
    };
    let line = format!("critic `{}`: {how}, duration {:.3} s", critic.name, ending.duration.as_secs_f64());
    if !matches!(ending.end, End::Exited(0)) && fault::on(Fault::StdoutDiagnostics) {
        let _ = writeln!(io::stdout(), "strawman: {line}");
    }
    log(&line);
}

/// Hands the envelope to everyone who should have it, the file first; false if someone did not get it.
fn deliver(envelope: &Envelope, copy: Option<Copy>) -> bool {
    let bytes = envelope.render();
    let copied = copy.is_some();
    let skipped = copied
        && (fault::on(Fault::OutputFileMissing) || !envelope.ok && fault::on(Fault::OutputFileOnSuccessOnly));
    let silent =
        copied && fault::on(Fault::OutputFileOnly) || !envelope.ok && fault::on(Fault::NoEnvelopeOnFailure);
    let twice = copied && fault::on(Fault::TwoObjects);
    let write = || match copy.filter(|_| !skipped) {
        None => Ok(()),
        Some(copy) if fault::on(Fault::OutputFileDiffers) => copy.write(envelope.output().as_bytes()),
        Some(copy) => copy.write(&bytes),
    };
    let print = || {
        if !silent {
            print(&bytes)?;
        }
        if twice { print(&bytes) } else { Ok(()) }
    };
    let (written, printed) = if copied && fault::on(Fault::CopyNeedsStdout) {
        let printed = print();
        (if printed.is_ok() { write() } else { Ok(()) }, printed)
    } else {
        match write() {
            Err(error) if fault::on(Fault::CopyLostCostsEnvelope) => (Err(error), Ok(())),
            written => (written, print()),
        }
    };
    if let Err(error) = &written {
        log(&format!("the copy cannot be written: {error}"));
    }
    if let Err(error) = &printed {
        assert!(!fault::on(Fault::StdoutPanics), "failed printing to stdout: {error}");
    }
    (printed.is_ok() || fault::on(Fault::UnwritableStdoutUnnoticed)) && written.is_ok()
}

fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

fn exit_code(envelope: &Envelope, ending: &Ending, delivered: bool) -> ExitCode {
    if matches!(ending.end, End::Interrupted(_)) && fault::on(Fault::SignalExitsZero) {
        return ExitCode::SUCCESS;
    }
    if fault::on(Fault::CriticsCodePassedOn) {
        return ExitCode::from(u8::try_from(envelope.code).unwrap_or(1));
    }
    match envelope.ok && delivered {
        true if envelope.tells_usage() && fault::on(Fault::SuccessExitsOne) => ExitCode::FAILURE,
        true => ExitCode::SUCCESS,
        false if !envelope.ok && fault::on(Fault::WrongExitCodeOnFailure) => ExitCode::SUCCESS,
        false if !envelope.ok && fault::on(Fault::FailureExitsTwo) => ExitCode::from(2),
        false => ExitCode::FAILURE,
    }
}
