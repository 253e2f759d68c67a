//! The fake critic as a program of its own, for tests and for trying scripts by hand.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    fake_critics::play_if_scripted().unwrap_or_else(|| {
        let text = "no script: expected `.fakes/<name>.json` beside the program, write one there\n";
        // Nothing is left to be told when standard error is closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
        ExitCode::from(2)
    })
}
