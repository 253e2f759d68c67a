//! Rounds through the real binary, one behaviour a test.
//!
//! Critics are small shell scripts on a [`bench::Bench`]. Nothing waits for a fixed time: tests wait for conditions.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod adapters;
mod bench;
mod command_line;
mod endings;
mod leftovers;
mod output;
mod output_file;
mod placeholders;
mod prompts;
mod refusals;
mod signals;
mod starts;
