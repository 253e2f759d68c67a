//! The review policy: how many rounds run and when they stop, as the operator's `reviews` block says.
//!
//! [`ReviewPolicy`] is told, not enforced: the harness that runs the rounds follows it.

use std::fmt;

use serde::Serialize;

use crate::config::{ConfigError, Content, Node, OperatorConfig, Problem, nearest, shortened};

/// The effective values. Serialised, its keys are exactly these, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewPolicy {
    /// Most rounds in which a harness reviews its own work.
    pub self_review_count: u64,
    /// Most rounds of critics.
    pub critic_review_count: u64,
    /// Whether a round without new findings ends the reviews.
    pub stop_on_no_new_findings: bool,
    /// Whether a finding that two rounds in a row bring goes to a human.
    pub escalate_on_repeat_finding: bool,
}

const KEYS: [&str; 4] =
    ["selfReviewCount", "criticReviewCount", "stopOnNoNewFindings", "escalateOnRepeatFinding"];

impl Default for ReviewPolicy {
    fn default() -> Self {
        Self {
            self_review_count: 3,
            critic_review_count: 3,
            stop_on_no_new_findings: true,
            escalate_on_repeat_finding: true,
        }
    }
}

/// A policy, and what the operator should hear about the block it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The effective values.
    pub policy: ReviewPolicy,
    /// Keys that mean nothing.
    pub warnings: Vec<Problem>,
}

impl ReviewPolicy {
    /// Reads the `reviews` block; what it does not say is the default.
    ///
    /// # Errors
    /// Every value of a wrong type or below 0.
    pub fn read(config: &OperatorConfig) -> Result<Reading, ConfigError> {
        let mut reading = Reading::default();
        let Some(reviews) = config.reviews() else { return Ok(reading) };
        let pairs = reviews.mapping().map_err(|wrong| {
            config.refuse(
                wrong.about("`reviews`").remedy("write `selfReviewCount: 3` and its other keys below it"),
            )
        })?;
        let mut problems = Vec::new();
        for (key, value) in pairs {
            let word = KEYS.into_iter().find(|word| key.is_key(word));
            let taken = match word {
                Some("selfReviewCount") => count(value).map(|count| reading.policy.self_review_count = count),
                Some("criticReviewCount") => {
                    count(value).map(|count| reading.policy.critic_review_count = count)
                }
                Some("stopOnNoNewFindings") => {
                    value.boolean().map(|stop| reading.policy.stop_on_no_new_findings = stop)
                }
                Some("escalateOnRepeatFinding") => {
                    value.boolean().map(|escalate| reading.policy.escalate_on_repeat_finding = escalate)
                }
                _ => unknown_key(key).map(|warning| reading.warnings.push(warning)),
            };
            if let Err(problem) = taken {
                let about = word.map_or_else(|| "`reviews`".to_owned(), |word| format!("`reviews.{word}`"));
                problems.push(problem.about(about));
            }
        }
        if problems.is_empty() { Ok(reading) } else { Err(config.refuse_all(problems)) }
    }
}

impl fmt::Display for ReviewPolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "selfReviewCount: {}", self.self_review_count)?;
        writeln!(formatter, "criticReviewCount: {}", self.critic_review_count)?;
        writeln!(formatter, "stopOnNoNewFindings: {}", self.stop_on_no_new_findings)?;
        writeln!(formatter, "escalateOnRepeatFinding: {}", self.escalate_on_repeat_finding)
    }
}

fn count(value: &Node) -> Result<u64, Problem> {
    value.count().ok_or_else(|| {
        value.wrong("a whole number of rounds, 0 or more").remedy("write it in digits, without quotes")
    })
}

/// A warning for a key that means nothing, an error for one that would bring values from elsewhere.
fn unknown_key(key: &Node) -> Result<Problem, Problem> {
    let about = "`reviews`";
    match key.content() {
        Content::Scalar(word, _) if word == "<<" => {
            Err(Problem::new(key.at(), "merge keys (`<<`) are not allowed here").remedy("write the keys out"))
        }
        Content::Scalar(word, _) if word == "critics" => {
            let warning = Problem::new(key.at(), "`critics` below `reviews` is not read").about(about);
            Ok(warning.remedy("move it to the top level"))
        }
        Content::Scalar(word, _) => {
            let hint =
                nearest(word, KEYS).map(|near| format!(", the nearest is `{near}`")).unwrap_or_default();
            let what = format!("unknown key `{}` is ignored{hint}", shortened(word));
            Ok(Problem::new(key.at(), what).about(about).remedy("correct or remove it"))
        }
        _ => Err(key.wrong("a key")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read(text: &str) -> Result<Reading, String> {
        let config = OperatorConfig::parse(Path::new("/c.yaml"), text).map_err(|error| error.to_string())?;
        ReviewPolicy::read(&config).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_hold_without_a_block() {
        for text in ["", "reviews:", "reviews: ~", "critics: []", "reviews: {}"] {
            assert_eq!(read(text), Ok(Reading::default()));
        }
        let json = serde_json::to_string(&ReviewPolicy::default()).unwrap();
        insta::assert_snapshot!(json, @r#"{"selfReviewCount":3,"criticReviewCount":3,"stopOnNoNewFindings":true,"escalateOnRepeatFinding":true}"#);
    }

    #[test]
    fn each_wrong_value_is_told_at_once() {
        let text = "reviews:\n  selfReviewCount: -1\n  criticReviewCount: '3'\n  stopOnNoNewFindings: no\n";
        insta::assert_snapshot!(read(text).unwrap_err(), @"
        /c.yaml: line 2, column 20: `reviews.selfReviewCount`: expected a whole number of rounds, 0 or more, found `-1`; write it in digits, without quotes
        /c.yaml: line 3, column 22: `reviews.criticReviewCount`: expected a whole number of rounds, 0 or more, found the text `3`; write it in digits, without quotes
        /c.yaml: line 4, column 24: `reviews.stopOnNoNewFindings`: expected `true` or `false`, found `no`; write the plain word, without quotes
        ");
        for value in ["3.0", "1e0", "0x3", "+3", "null", "[]", "true", "!!int 3", "99999999999999999999"] {
            assert!(read(&format!("reviews: {{selfReviewCount: {value}}}")).is_err(), "{value}");
        }
        assert!(read("reviews: []").is_err());
        assert!(read("reviews: {<<: {selfReviewCount: 1}}").is_err());
    }

    #[test]
    fn an_unknown_key_is_a_warning() {
        let reading = read("reviews: {selfReviews: 1, critics: [], criticReviewCount: 0}").unwrap();
        assert_eq!(reading.policy.critic_review_count, 0);
        let told: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(told.join("\n"), @"
        line 1, column 11: `reviews`: unknown key `selfReviews` is ignored, the nearest is `selfReviewCount`; correct or remove it
        line 1, column 27: `reviews`: `critics` below `reviews` is not read; move it to the top level
        ");
    }
}
