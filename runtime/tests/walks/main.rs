//! Walks of work items through the real binary, one behaviour a test.
//!
//! A [`desk::Desk`] is a home, a checkout and a ticket with comments. Comments are written at the time of the test, so that nothing
//! waits.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod check;
mod comments;
mod desk;
mod forged;
mod log;
mod races;
mod selection;
mod skip;
mod states;
mod whole;
