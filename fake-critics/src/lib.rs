//! The fake critic: a program that does what its script says and journals what it saw.
//!
//! The kit's own binary is the fake when it is started under a name that has a script beside it; this library is that
//! entry, and the types that kit and fake share. It judges nothing.

mod bytes;
mod family;
pub mod journal;
pub mod place;
mod play;
pub mod script;
mod signal;
mod streams;

pub use bytes::Bytes;
pub use play::play_if_scripted;
pub use signal::SignalName;
