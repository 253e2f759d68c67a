//! What a round cost, as its JSON reports it.
//!
//! [`Usage`] takes numbers from 0 on and nothing else: no text that looks like one, nothing from prose.

use serde_json::{Map, Number, Value};

const INPUT: &[&str] = &["input_tokens", "inputTokens", "prompt_tokens"];
const OUTPUT: &[&str] = &["output_tokens", "outputTokens", "completion_tokens"];
const CACHE_READ: &[&str] = &["cache_read_input_tokens", "cached_input_tokens", "cacheReadTokens"];
const CACHE_WRITE: &[&str] = &["cache_creation_input_tokens", "cacheWriteTokens"];

/// Longest `usage` block that is looked at, in bytes.
const LONGEST: usize = 64 << 10;

/// What was reported; a number that was not is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens read, without what came from a cache.
    pub input_tokens: Option<Number>,
    /// Tokens written.
    pub output_tokens: Option<Number>,
    /// Tokens that a cache gave.
    pub cache_read_tokens: Option<Number>,
    /// Tokens that went into a cache.
    pub cache_write_tokens: Option<Number>,
    /// In US dollars.
    pub cost_usd: Option<Number>,
}

impl Usage {
    /// Reads the text of a `usage` member and those of the members that may hold the cost, the first usable one
    /// wins.
    pub(super) fn reported<'a>(usage: Option<&str>, costs: impl IntoIterator<Item = &'a str>) -> Self {
        let block = usage.filter(|text| text.len() <= LONGEST);
        let block: Map<String, Value> =
            block.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let counted = |keys: &[&str]| keys.iter().find_map(|key| block.get(*key).and_then(countable));
        Self {
            input_tokens: counted(INPUT),
            output_tokens: counted(OUTPUT),
            cache_read_tokens: counted(CACHE_READ),
            cache_write_tokens: counted(CACHE_WRITE),
            cost_usd: costs.into_iter().find_map(|text| countable(&serde_json::from_str(text).ok()?)),
        }
    }

    /// Whether anything was reported (CR-3.4). A reported zero is something.
    pub const fn is_present(&self) -> bool {
        self.input_tokens.is_some()
            || self.output_tokens.is_some()
            || self.cache_read_tokens.is_some()
            || self.cache_write_tokens.is_some()
            || self.cost_usd.is_some()
    }
}

/// JSON numbers are finite already.
fn countable(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) if number.as_f64().is_some_and(|number| number >= 0.0) => Some(number.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_from_zero_on_count() {
        let usage = r#"{"input_tokens":"12","inputTokens":0,"output_tokens":-1,"completion_tokens":7,"cacheReadTokens":true}"#;
        let read = Usage::reported(Some(usage), ["\"1\"", "0.25"]);
        assert_eq!(read.input_tokens, Some(0.into()));
        assert_eq!(read.output_tokens, Some(7.into()));
        assert_eq!(read.cache_read_tokens, None);
        assert_eq!(read.cost_usd, Number::from_f64(0.25));
    }

    #[test]
    fn nothing_reported_is_not_present_and_a_zero_is() {
        for nothing in [None, Some("null"), Some("5"), Some("{}"), Some("[1]"), Some(r#"{"total":3}"#)] {
            assert!(!Usage::reported(nothing, []).is_present(), "{nothing:?}");
        }
        assert!(Usage::reported(None, ["0"]).is_present());
    }

    #[test]
    fn any_of_the_numbers_is_enough() {
        for key in ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
        {
            assert!(Usage::reported(Some(&format!("{{\"{key}\":1}}")), []).is_present(), "{key}");
        }
    }
}
