//! The kit's binary: three programs in one file.
//!
//! A fake critic where a script lies beside it, a supervisor where the kit started it as one, else the command line.

use std::process::ExitCode;

use the_loop_conformance::{cli, supervisor};

fn main() -> ExitCode {
    fake_critics::play_if_scripted().or_else(supervisor::serve_if_asked).unwrap_or_else(cli::main)
}
