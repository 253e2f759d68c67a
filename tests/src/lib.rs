//! What the end-to-end tests share: where the workspace is and how its finished binaries are found.
//!
//! Holds no assertions and no critic logic; those stand in the test files, each beside the behaviour it proves.

pub mod bench;
pub mod binaries;
pub mod document;
pub mod fault_list;
pub mod kill_matrix;
pub mod proof;
pub mod scratch;
pub mod workspace;
