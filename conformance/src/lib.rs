//! Under construction.
pub mod observation;
