//! `cargo conformance`: builds the reference and the kit, then lets the kit judge the reference.
//!
//! Further arguments go to `the-loop-conformance run`, before the target: `cargo conformance --gate should --only timeout`.
//! Judges nothing itself; its exit code is the kit's.

use std::io::Write as _;
use std::process::{Command, ExitCode};
use tests::binaries::{Binary, Profile};

fn main() -> ExitCode {
    match judge_reference() {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "cargo conformance: {error}");
            ExitCode::from(2)
        }
    }
}

fn judge_reference() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let reference = Binary::Reference.build(Profile::Development)?;
    let kit = Binary::Kit.build(Profile::Development)?;
    let status =
        Command::new(&kit).arg("run").args(std::env::args_os().skip(1)).arg("--").arg(&reference).status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2);
    Ok(ExitCode::from(code))
}
