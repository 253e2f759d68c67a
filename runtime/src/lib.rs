//! The reference runtime of the-loop: critic rounds, from the operator's config to one JSON envelope.
//!
//! The library is what the binary and its tests share. It is no interface for other programs; those run the binary.

pub mod cli;
pub mod config;
pub mod critic;
pub mod envelope;
pub mod executable;
pub mod graph;
pub mod invocation;
pub mod output_file;
pub mod policy;
pub mod process;
pub mod reading;
