//! Graphs: the phases of a work item, in which order they are walked, and what has to hold before each is left.
//!
//! A graph file is read as it is written, checked, and compiled; only a [`CompiledGraph`] is ever walked.

mod compile;
mod compiled;
mod definition;
mod exit;
mod loops;
mod node;
mod outcome;

pub use compiled::{CompiledGraph, Edge};
pub use exit::{ArtifactPath, Gate};
pub use loops::{DEFAULT_LOOP, LoopError, Loops, Origin, read_graph};
pub use node::{Actor, Node, NodeId, Presence};
pub use outcome::Outcome;
