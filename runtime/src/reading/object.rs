//! One JSON object, and the members of it that mean something here.
//!
//! [`Object`] keeps members as the text they were. Others are skipped; of one that comes twice the last counts.
//! Depth and numbers keep within what common JSON readers accept, so that nobody downstream reads less than we do.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::strip::{is_silent, strip};
use super::text::with_decoded;
use super::{Fault, Found, Usage};

/// Deepest nesting that is read.
const DEEPEST: usize = 128;
/// Longest report of a failure that is looked at, in bytes.
const LONGEST_REPORT: usize = 64 << 10;

/// Members that are kept. Those before `usage` may hold the reviewer's text; the first that does wins.
const MEMBERS: [&str; 14] = [
    "result",
    "response",
    "text",
    "output",
    "content",
    "message",
    "usage",
    "total_cost_usd",
    "cost_usd",
    "is_error",
    "error",
    "errors",
    "type",
    "subtype",
];
/// How many of them may hold the text.
const TEXTS: usize = 6;

/// An object of some JSON text, as the text of its members.
#[derive(Debug, Default)]
pub(super) struct Object<'a> {
    members: [Option<&'a str>; MEMBERS.len()],
}

impl<'a> Object<'a> {
    /// The object if there is nothing else in the text but what nobody reads.
    pub(super) fn alone(text: &'a str) -> Option<Self> {
        let text = strip(text);
        if !text.starts_with('{') {
            return None;
        }
        let raw = first_value(text)?;
        if strip(&text[raw.len()..]).is_empty() { Self::parse(raw) } else { None }
    }

    /// Reads the text of one JSON object.
    pub(super) fn parse(raw: &'a str) -> Option<Self> {
        if is_within_limits(raw) { serde_json::from_str(raw).ok() } else { None }
    }

    /// Whether a member is this very word.
    pub(super) fn is(&self, key: &str, word: &str) -> bool {
        self.word(key).as_deref() == Some(word)
    }

    /// What a reader makes of it; `printed` is the text that the object is part of.
    pub(super) fn found(&self, printed: &str) -> Found {
        let said = self.text();
        Found {
            literal: said.map(|literal| range_in(printed, literal)),
            usage: Usage::reported(
                self.member("usage"),
                ["total_cost_usd", "cost_usd"].into_iter().filter_map(|key| self.member(key)),
            ),
            fault: self.fault(said),
        }
    }

    fn member(&self, key: &str) -> Option<&'a str> {
        MEMBERS.iter().position(|known| *known == key).and_then(|at| self.members[at])
    }

    /// The first string among the text members that says something.
    fn text(&self) -> Option<&'a str> {
        let strings = self.members[..TEXTS].iter().flatten().filter(|raw| raw.starts_with('"'));
        strings.copied().find(|literal| !with_decoded(literal.as_bytes(), is_silent))
    }

    /// Whether a text member is there and holds nothing: an empty string or null.
    fn has_empty_text(&self) -> bool {
        self.members[..TEXTS].iter().flatten().any(|raw| raw.starts_with('"') || *raw == "null")
    }

    fn fault(&self, said: Option<&str>) -> Option<Fault> {
        let is_result = self.is("type", "result");
        let subtype = self.word("subtype").filter(|subtype| is_result && subtype.starts_with("error"));
        let error = ["error", "errors"].into_iter().filter_map(|key| self.member(key)).find_map(report);
        if self.member("is_error") == Some("true") || subtype.is_some() || (said.is_none() && error.is_some())
        {
            let words = said.filter(|literal| literal.len() <= LONGEST_REPORT).and_then(report);
            let words = error.or(words).or(subtype);
            return Some(Fault::Reported(words.unwrap_or_else(|| "without a reason".to_owned())));
        }
        // A text member of another type is ignored, so that everything that was printed is the text.
        let texts = self.members[..TEXTS].iter().flatten().count();
        let silent = said.is_none() && (self.has_empty_text() || (is_result && texts == 0));
        silent.then_some(Fault::Silence)
    }

    fn word(&self, key: &str) -> Option<String> {
        let literal = self.member(key).filter(|raw| raw.starts_with('"') && raw.len() < 256)?;
        Some(with_decoded(literal.as_bytes(), |bytes| String::from_utf8_lossy(bytes).into_owned()))
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Object<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut object = Object::default();
        while let Some(Key(known)) = map.next_key()? {
            match known {
                Some(at) => object.members[at] = Some(map.next_value::<&RawValue>()?.get()),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(object)
    }
}

/// A member's name, as its place in [`MEMBERS`]. Read as bytes: half a surrogate pair in a name is no reason to
/// lose the review.
struct Key(Option<usize>);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Key;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }

            fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<Key, E> {
                Ok(Key(MEMBERS.iter().position(|known| known.as_bytes() == name)))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
                self.visit_bytes(name.as_bytes())
            }
        }
        deserializer.deserialize_bytes(Name)
    }
}

/// The JSON value at the beginning of a text that starts with one.
pub(super) fn first_value(text: &str) -> Option<&str> {
    let mut reader = serde_json::Deserializer::from_str(text);
    <&RawValue>::deserialize(&mut reader).ok().map(RawValue::get)
}

/// Where `part` stands in `whole`, of which it is a slice.
fn range_in(whole: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - whole.as_ptr() as usize;
    start..start + part.len()
}

/// The words of an `error` or `errors` member; `None` when it says that there is none.
fn report(raw: &str) -> Option<String> {
    if raw.len() > LONGEST_REPORT {
        return Some("at length".to_owned());
    }
    let words = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => {
            let data = fields.get("data").unwrap_or(&Value::Null);
            fields.get("message").or_else(|| data.get("message")).and_then(Value::as_str).map(str::to_owned)
        }
        _ => None,
    };
    match serde_json::from_str(raw).unwrap_or_else(|_| Value::String(raw.to_owned())) {
        Value::Null | Value::Bool(false) => None,
        Value::Number(number) if number.as_f64() == Some(0.0) => None,
        Value::String(text) => Some(text).filter(|text| !text.trim().is_empty()),
        Value::Array(items) => Some(
            items
                .iter()
                .map(|item| words(item).unwrap_or_else(|| item.to_string()))
                .collect::<Vec<_>>()
                .join("; "),
        )
        .filter(|text| !text.is_empty()),
        Value::Object(fields) if fields.is_empty() => None,
        other => Some(words(&other).unwrap_or_else(|| other.to_string())),
    }
}

/// Whether JSON nests no deeper and counts no higher than common readers bear. The text has been read as JSON, so
/// that only strings need care.
fn is_within_limits(json: &str) -> bool {
    let bytes = json.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at + 1),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'-' | b'0'..=b'9' => {
                let digits = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let end = bytes[at..].iter().position(digits).map_or(bytes.len(), |length| at + length);
                if !json[at..end].parse::<f64>().is_ok_and(f64::is_finite) {
                    return false;
                }
                at = end - 1;
            }
            _ => {}
        }
        if depth > DEEPEST {
            return false;
        }
        at += 1;
    }
    true
}

/// Where the closing quote stands.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}
