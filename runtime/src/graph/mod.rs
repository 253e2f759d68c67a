//! Graphs: the phases of a work item, in which order they are walked, and what has to hold before each is left.
//!
//! A graph file is read as it is written, checked, and compiled; only a [`CompiledGraph`] is ever walked. A work item's state,
//! its artifacts and its comments are untrusted; they are read through the compiled graph and the event log.

pub mod advance;
pub mod check;
pub mod checklist;
pub mod comment;
mod compile;
mod compiled;
mod definition;
pub mod event;
mod event_log;
mod exit;
mod folder;
pub mod gate;
pub mod history;
mod loops;
pub mod markdown;
mod moment;
mod node;
mod outcome;
pub mod record;
pub mod reply;
pub mod selection;
pub mod skip;
pub mod state;
pub mod template;
pub mod token;
pub mod walk;

pub use compiled::{CompiledGraph, Edge};
pub use event_log::{EventLog, EventLogError};
pub use exit::{ArtifactPath, Gate};
pub use folder::{Draft, FolderError, ItemFolder, Lock};
pub use loops::{DEFAULT_LOOP, LoopError, Loops, Origin, read_graph};
pub use moment::Moment;
pub use node::{Actor, Node, NodeId, Presence};
pub use outcome::Outcome;
