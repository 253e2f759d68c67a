//! The log stream: standard error, visible by default, never standard output.
//!
//! The prompt is never logged. A standard error that cannot be written costs the log, not the round.

use std::io;

use tracing::level_filters::LevelFilter;

use super::Global;

/// Starts logging as loudly as the flags say.
pub(super) fn start(global: &Global) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => LevelFilter::WARN,
        (false, 0) => LevelFilter::INFO,
        (false, _) => LevelFilter::DEBUG,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_max_level(level)
        .with_target(false)
        .without_time()
        .log_internal_errors(false)
        .finish();
    // Refused only where somebody logs already, as a test may.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
