//! The strawman: a plain second implementation of the contract, sections 1 to 6 and 8. Main function: [`main`].
//!
//! It exists to judge the judge. It keeps every statement that the seeds pin and every one that they aim at, and
//! differs from the reference wherever the contract leaves the choice open, so that a kit that fails it asks too
//! much. With `STRAWMAN_FAULT` it breaks single statements on purpose, so that a kit that passes it then asks too
//! little (see `fault`). It prints no guide.
//!
//! Where it differs, by paragraph of the contract:
//!
//! * 1.3 nothing is said about a config or a roster inside the checkout, nor about a named config in there
//! * 1.6 `3.0` is no count; `null` under any key of an entry but in `env` is a wrong type; merge keys are expanded; aliases
//!   may stand for 100,000 values; explicit tags are the parser's business
//! * 1.7 top-level `env` is ignored
//! * 2.5 messages name the place of the entry, not that of the key; a policy stops at its first problem
//! * 3.1 no flag may stand twice; a non-regular prompt file is copied
//! * 3.3 the temporary file is made when asked for
//! * 4.2 the round moves to a second process only where the runner was given children before it began
//! * 4.7 the bounds are 32 MiB and 16 KiB
//! * 4.8 the log is plain lines without times or levels
//! * 5 the envelope is indented, its keys stand in another order, and there are two more; a success has an `error` of `""`
//! * 6.1 `binary` is the resolved path where there is one, there is no `path` but a `valid`, `error` is `""`
//! * 6.2 policy keys stand in another order; unknown keys under `reviews` are skipped
//! * 8 a graph file needs no `version`, it may have one phase selection only, a skip set names default-on nodes only;
//!   `graph compile` says nothing of good files as long as one is bad
//! * 8.2 a graph without a phase selection compiles, and an edge for an outcome that its node never has does too
//! * 8.3 a section counts only with what stands outside code fences, also inside it
//! * 8.4 a loop of the operator's wins over a shipped one of its name
//! * 8.6 the state is indented, has keys of its own and tells in `entered` when nodes were entered
//! * 8.7 an answered selection that is met again passes without a comment
//! * 8.8 `advance` also prints `messages`; who opted in is `by` as the login is written
//! * 8.9 a node that was declared away before the checklist has no box in it
//! * 8.10 a keyword may follow white space; when a gate was entered is also bounded by what else is recorded
//! * 8.11 a checklist that was changed after the reply counts as none
//! * 8.13 `at` is when a reply was read; events have more keys; `eventLog.path` is relative to the config
//! * 8.14 declaring away what is away already changes nothing and is no error; `by` is the caller's login name
//! * 8.15 `check` exits 1 on `block` and `wait` only; the table writes `not selected`; `--all` stops at an item whose
//!   state cannot be read
//! * 8.16 the link of a round is not looked at
//! * 8.17 `graph template` looks for the node in all loops, the default first
//!
//! Many of the faults are choices that the contract leaves open (level `open`); with all of those switched on at once it
//! has to conform all the same.

mod capture;
mod config;
mod entry;
mod envelope;
mod fault;
mod flags;
mod graph;
mod interrupt;
mod invocation;
mod listing;
mod locate;
mod outfile;
mod placeholder;
mod prompt;
mod refusal;
mod reply;
mod roster;
mod round;
mod session;
mod tree;
mod yaml;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use fault::Fault;
use flags::Call;
use listing::Listing;
use refusal::Refusal;

fn main() -> ExitCode {
    if let Some(word) = fault::misspelt() {
        say(&format!("no fault `{word}` in {}, see `strawman faults`", fault::VARIABLE));
        return ExitCode::from(3);
    }
    if fault::on(Fault::Crash) {
        std::process::abort();
    }
    if fault::on(Fault::HarmlessSlow) {
        thread::sleep(Duration::from_millis(1500));
    }
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    match flags::read(&words).and_then(|call| answer(&call, &words)) {
        Ok(code) => code,
        Err(refusal) => refuse(&refusal, &words),
    }
}

fn answer(call: &Call, words: &[OsString]) -> Result<ExitCode, Refusal> {
    if matches!(call, Call::List(..) | Call::Policy(..) | Call::Run(..))
        && fault::on(Fault::BackgroundService)
    {
        session::start_service();
    }
    match call {
        Call::List(place, shape) => listing::list(place, *shape).map(|listing| print(&listing)),
        Call::Policy(place, shape) => listing::policy(place, *shape).map(|listing| print(&listing)),
        Call::Run(place, wanted) => session::run(place, wanted, words),
        Call::Graph(place, spec_dir, command) => {
            graph::answer(place, spec_dir.as_ref(), command).map(|listing| print(&listing))
        }
        Call::Faults => Ok(print(&Listing { text: fault::table(), ok: true })),
        Call::Help => Ok(print(&Listing { text: flags::HELP.to_owned(), ok: true })),
        Call::Version => {
            Ok(print(&Listing { text: format!("strawman {}\n", env!("CARGO_PKG_VERSION")), ok: true }))
        }
    }
}

fn print(listing: &Listing) -> ExitCode {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(listing.text.as_bytes()).and_then(|()| stdout.flush());
    if printed.is_ok() && listing.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn refuse(refusal: &Refusal, words: &[OsString]) -> ExitCode {
    say(&refusal.to_string());
    if fault::on(Fault::RefusalPrints) {
        let text =
            format!("{{\"ok\": false, \"error\": {}}}\n", serde_json::Value::from(refusal.to_string()));
        print(&Listing { text, ok: false });
    }
    let of_critics = words.iter().any(|word| word == "critic");
    match () {
        () if of_critics && fault::on(Fault::RefusalExitsOne) => ExitCode::FAILURE,
        () if of_critics && fault::on(Fault::RefusalExitsZero) => ExitCode::SUCCESS,
        () => ExitCode::from(2),
    }
}

fn say(sentence: &str) {
    // Where standard error is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "strawman: {sentence}");
}
