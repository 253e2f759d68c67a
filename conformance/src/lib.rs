//! The conformance kit: judges any implementation of the critic contract.
//!
//! Scenarios are data, a target is any executable, and judging is a pure function from what was recorded to
//! verdicts. The kit shares no code with the runtime it judges.

pub mod baseline;
pub mod campaign;
pub mod cli;
pub mod judge;
pub mod ledger;
pub mod lint;
pub mod matcher;
pub mod observation;
pub mod probe;
pub mod report;
pub mod scenario;
pub mod source;
pub mod suite;
pub mod supervisor;
pub mod target;
pub mod text;
