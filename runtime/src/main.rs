//! The `the-loop` command. Everything it does is in the library; only the exit happens here.

use std::process::ExitCode;

fn main() -> ExitCode {
    the_loop::cli::main(std::env::args_os().collect())
}
