//! The reviewer's text: all of what was printed, or one string of the JSON in it.
//!
//! [`Text`] owns the printed bytes and decodes a JSON string only while somebody looks at it.

use std::fmt::{self, Write as _};
use std::ops::Range;

use serde::de::{Deserializer as _, Error, Visitor};

use super::strip::is_silent;

/// Bytes that are meant to be read by people, UTF-8 or not.
#[derive(Debug)]
pub struct Text {
    printed: Vec<u8>,
    literal: Option<Range<usize>>,
}

impl Text {
    /// All of it, as it is.
    pub const fn verbatim(printed: Vec<u8>) -> Self {
        Self { printed, literal: None }
    }

    /// The JSON string, quotes included, that stands at `literal`.
    pub(super) const fn literal(printed: Vec<u8>, literal: Range<usize>) -> Self {
        Self { printed, literal: Some(literal) }
    }

    /// Whether nothing of it would be read.
    pub(super) fn is_silent(&self) -> bool {
        match self.string() {
            Some(literal) => with_decoded(literal, is_silent),
            None => is_silent(&self.printed),
        }
    }

    fn string(&self) -> Option<&[u8]> {
        self.literal.clone().and_then(|range| self.printed.get(range))
    }
}

/// The text with replacement characters where it is not UTF-8.
impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.string() {
            Some(literal) => with_decoded(literal, |bytes| write_lossily(formatter, bytes)),
            None => write_lossily(formatter, &self.printed),
        }
    }
}

fn write_lossily(formatter: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    for chunk in bytes.utf8_chunks() {
        formatter.write_str(chunk.valid())?;
        if !chunk.invalid().is_empty() {
            formatter.write_char(char::REPLACEMENT_CHARACTER)?;
        }
    }
    Ok(())
}

/// Shows what a JSON string says. Half a surrogate pair, which JSON allows and UTF-8 does not, arrives as bytes
/// that are not UTF-8.
pub(super) fn with_decoded<R>(literal: &[u8], mut look: impl FnMut(&[u8]) -> R) -> R {
    match serde_json::Deserializer::from_slice(literal).deserialize_bytes(Look(&mut look)) {
        Ok(shown) => shown,
        // No string of a JSON text that was read before: shown as it is rather than lost.
        Err(_) => look(literal),
    }
}

struct Look<'a, F>(&'a mut F);

impl<R, F: FnMut(&[u8]) -> R> Visitor<'_> for Look<'_, F> {
    type Value = R;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<R, E> {
        Ok((self.0)(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_decoded_while_it_is_shown() {
        let printed = br#"{"a":"x\n\u00e9\ud83d\ude00"}"#.to_vec();
        let end = printed.len() - 1;
        assert_eq!(Text::literal(printed, 5..end).to_string(), "x\n\u{e9}\u{1f600}");
    }

    #[test]
    fn what_is_not_utf8_is_replaced() {
        assert_eq!(Text::verbatim(b"a\xff\xc3".to_vec()).to_string(), "a\u{fffd}\u{fffd}");
        let shown = Text::literal(br#""a\ud83dz""#.to_vec(), 0..10).to_string();
        assert!(shown.starts_with("a\u{fffd}") && shown.ends_with('z'), "{shown}");
    }
}
