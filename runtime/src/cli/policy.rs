//! `critic policy`: the review policy in effect, for people or for a harness.
//!
//! [`show`] gives the text for standard output. It enforces nothing.

use clap::ValueEnum;

use crate::policy::ReviewPolicy;

/// How the policy is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One `key: value` line each.
    #[default]
    Text,
    /// One JSON object with exactly the four keys.
    Json,
}

/// The text for standard output.
///
/// # Errors
/// Never for a policy; what JSON's writer could report.
pub fn show(policy: ReviewPolicy, format: Format) -> serde_json::Result<String> {
    match format {
        Format::Text => Ok(policy.to_string()),
        Format::Json => serde_json::to_string(&policy).map(|json| json + "\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_show_the_four_values() {
        let policy = ReviewPolicy::default();
        insta::assert_snapshot!(show(policy, Format::Text).unwrap(), @"
        selfReviewCount: 3
        criticReviewCount: 3
        stopOnNoNewFindings: true
        escalateOnRepeatFinding: true
        ");
        insta::assert_snapshot!(show(policy, Format::Json).unwrap(), @r#"{"selfReviewCount":3,"criticReviewCount":3,"stopOnNoNewFindings":true,"escalateOnRepeatFinding":true}"#);
    }
}
