//! `critic policy`: the review policy in effect, for people or for a harness.
//!
//! [`run`] gives the text for standard output. It enforces nothing.

use clap::{Args, ValueEnum};
use serde_json::json;
use tracing::warn;

use crate::config::{ConfigError, OperatorConfig};
use crate::policy::ReviewPolicy;

/// The flags of `critic policy`.
#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    /// How to show the policy
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How the policy is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One `key: value` line each
    #[default]
    Text,
    /// One JSON object with exactly the four keys
    Json,
}

/// The text for standard output. Keys that mean nothing go to the log.
///
/// # Errors
/// A `reviews` block with a value of a wrong type or below 0.
pub(super) fn run(arguments: &Arguments, config: &OperatorConfig) -> Result<String, ConfigError> {
    let reading = ReviewPolicy::read(config)?;
    for warning in &reading.warnings {
        warn!("{}", config.located(warning));
    }
    Ok(show(reading.policy, arguments.format))
}

fn show(policy: ReviewPolicy, format: Format) -> String {
    match format {
        Format::Text => policy.to_string(),
        Format::Json => format!("{}\n", json!(policy)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_show_the_four_values() {
        let policy = ReviewPolicy::default();
        insta::assert_snapshot!(show(policy, Format::Text), @"
        selfReviewCount: 3
        criticReviewCount: 3
        stopOnNoNewFindings: true
        escalateOnRepeatFinding: true
        ");
        insta::assert_snapshot!(show(policy, Format::Json), @r#"{"selfReviewCount":3,"criticReviewCount":3,"stopOnNoNewFindings":true,"escalateOnRepeatFinding":true}"#);
    }
}
