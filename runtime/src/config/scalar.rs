//! Scalars: what one YAML value means where text, a boolean or a number is expected.
//!
//! The rules are stricter than YAML's: only the plain words `true` and `false` are booleans, numbers follow JSON's
//! grammar, and text is what was written (`4.10`, `no`). A wrong value is never replaced by a default.

use super::problem::Problem;
use super::yaml::{Content, Node, Notation};

impl Node {
    /// Whether it is plain and empty, `~` or `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.plain(), Some("" | "~" | "null" | "Null" | "NULL"))
    }

    /// Its text in a text place.
    ///
    /// # Errors
    /// When it is null, a boolean, a list, a mapping, tagged or unusable.
    pub fn text(&self) -> Result<&str, Problem> {
        match self.content() {
            _ if self.tag().is_some() => Err(self.wrong("text")),
            Content::Scalar(text, Notation::Quoted) => Ok(text),
            Content::Scalar(..) if self.is_null() => Err(self
                .wrong("text")
                .remedy("quote it (`\"null\"`, `\"\"`) if that text is meant, or remove the key")),
            Content::Scalar(text, Notation::Plain) if matches!(text.as_str(), "true" | "false") => {
                Err(self.wrong("text").remedy(format!("quote it (`\"{text}\"`) if that text is meant")))
            }
            Content::Scalar(text, Notation::Plain) => Ok(text),
            Content::Sequence(_) | Content::Mapping(_) | Content::Unusable(_) => {
                Err(self.wrong("text").remedy("write one value"))
            }
        }
    }

    /// Its value in a boolean's place.
    ///
    /// # Errors
    /// When it is anything but the plain words `true` and `false`.
    pub fn boolean(&self) -> Result<bool, Problem> {
        match self.plain() {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            _ => Err(self.wrong("`true` or `false`").remedy("write the plain word, without quotes")),
        }
    }

    /// Its value in a number's place, following JSON's grammar; `None` when it is no such number.
    pub fn number(&self) -> Option<f64> {
        serde_json::from_str(self.plain()?).ok()
    }

    /// Its value where a count is expected: a JSON integer, not negative; `None` otherwise.
    pub fn count(&self) -> Option<u64> {
        serde_json::from_str(self.plain()?).ok()
    }

    /// The pairs of a mapping.
    ///
    /// # Errors
    /// When it is anything else, or tagged.
    pub fn mapping(&self) -> Result<&[(Self, Self)], Problem> {
        match self.content() {
            Content::Mapping(pairs) if self.tag().is_none() => Ok(pairs),
            _ => Err(self.wrong("a mapping")),
        }
    }

    /// The items of a list.
    ///
    /// # Errors
    /// When it is anything else, or tagged.
    pub fn sequence(&self) -> Result<&[Self], Problem> {
        match self.content() {
            Content::Sequence(items) if self.tag().is_none() => Ok(items),
            _ => Err(self.wrong("a list")),
        }
    }

    /// The problem of this value standing where `expected` should.
    pub fn wrong(&self, expected: &str) -> Problem {
        if let Content::Unusable(reason) = self.content() {
            return Problem::new(self.at(), reason).remedy(format!("write {expected} here"));
        }
        let problem = Problem::new(self.at(), format!("expected {expected}, found {}", self.describe()));
        if self.tag().is_some() { problem.remedy("remove the tag") } else { problem }
    }

    /// What it is, in words; never more than a short scalar is quoted.
    pub fn describe(&self) -> String {
        if let Some(tag) = self.tag() {
            return format!("a value with the tag `{tag}`");
        }
        match self.content() {
            Content::Scalar(..) if self.is_null() => "null".to_owned(),
            Content::Scalar(text, Notation::Plain) => format!("`{}`", shortened(text)),
            Content::Scalar(text, Notation::Quoted) => format!("the text `{}`", shortened(text)),
            Content::Sequence(_) => "a list".to_owned(),
            Content::Mapping(_) => "a mapping".to_owned(),
            Content::Unusable(reason) => reason.clone(),
        }
    }

    fn plain(&self) -> Option<&str> {
        match self.content() {
            Content::Scalar(text, Notation::Plain) => Some(text),
            _ => None,
        }
    }
}

/// A text cut to what a message can carry.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::yaml::parse;
    use super::*;

    fn node(text: &str) -> Node {
        parse(&format!("[{text}]")).unwrap().unwrap().sequence().unwrap()[0].clone()
    }

    #[test]
    fn what_has_a_tag_is_neither_a_mapping_nor_a_list() {
        assert!(node("{a: b}").mapping().is_ok() && node("!x {a: b}").mapping().is_err());
        assert!(node("[a]").sequence().is_ok() && node("!x [a]").sequence().is_err());
    }

    #[test]
    fn text_is_what_was_written() {
        for text in ["4.10", "5.5", "no", "1e3", "0x10", "Yes", "2024-01-01", ".nan", "True", "null-ish"] {
            assert_eq!(node(text).text().unwrap(), text);
        }
        assert_eq!(node("!!str null").text().unwrap(), "null");
        assert_eq!(node("'true'").text().unwrap(), "true");
        assert_eq!(node("''").text().unwrap(), "");
    }

    #[test]
    fn what_is_no_text_is_told_with_its_remedy() {
        let told = ["null", "~", "true", "[]", "{}", "!!int 5", "! x", "!!seq []"]
            .map(|text| node(text).text().unwrap_err().to_string());
        insta::assert_snapshot!(told.join("\n"), @r#"
        line 1, column 2: expected text, found null; quote it (`"null"`, `""`) if that text is meant, or remove the key
        line 1, column 2: expected text, found null; quote it (`"null"`, `""`) if that text is meant, or remove the key
        line 1, column 2: expected text, found `true`; quote it (`"true"`) if that text is meant
        line 1, column 2: expected text, found a list; write one value
        line 1, column 2: expected text, found a mapping; write one value
        line 1, column 8: expected text, found a value with the tag `!!int`; remove the tag
        line 1, column 4: expected text, found a value with the tag `!`; remove the tag
        line 1, column 8: expected text, found a value with the tag `!!seq`; remove the tag
        "#);
        assert!(parse("a:").unwrap().unwrap().mapping().unwrap()[0].1.text().is_err());
    }

    #[test]
    fn only_the_plain_words_are_booleans() {
        assert!(node("true").boolean().unwrap());
        assert!(!node("false").boolean().unwrap());
        for text in [
            "'false'",
            "\"no\"",
            "0",
            "no",
            "1",
            "\"true\"",
            "True",
            "FALSE",
            "null",
            "!!bool true",
            "!!str true",
        ] {
            assert!(node(text).boolean().is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_follow_the_grammar_of_json() {
        assert_eq!(node("1e3").number(), Some(1000.0));
        assert_eq!(node("12.50").number(), Some(12.5));
        for text in [
            "0x10", "1_000", ".5", "+5", "5.", "010", ".nan", ".inf", "1e999", "'5'", "true", "null",
            "!!int 5",
        ] {
            assert_eq!(node(text).number(), None, "{text}");
        }
    }
}
