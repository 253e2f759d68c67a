//! Typed matchers: what a check expects of one value.
//!
//! [`Matcher`] is parsed once (patterns are compiled on trial, so a bad one is found by `lint`) and is then a
//! pure question to [`Seen`]. It knows no pointers and no steps: that is the judge's work.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::text::{self, GraphPlaces, Names};

/// What a value has to be. All conditions must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Matcher {
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    Equals(Value),
    Type(JsonType),
    Matches(String),
    Contains(Vec<Value>),
    Line(Matcher),
    Falsy,
    OneOf(Vec<Matcher>),
    Not(Matcher),
    Min(f64),
    Max(f64),
    Size(Matcher),
    Bytes(Vec<u8>),
    Absent(bool),
}

/// The types of JSON, with integers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum JsonType {
    String,
    Number,
    Integer,
    Boolean,
    Null,
    Object,
    Array,
}

/// The keys of a matcher that is no plain value.
pub const KEYS: [&str; 13] = [
    "equals", "type", "matches", "contains", "line", "falsy", "one_of", "not", "min", "max", "size",
    "base64", "absent",
];

/// A value as observed: nothing, JSON, or bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    value: Option<Value>,
    bytes: Option<Vec<u8>>,
}

impl Seen {
    /// There is no such value.
    pub fn absent() -> Self {
        Self::default()
    }

    /// A JSON value, or none.
    pub fn json(value: Option<Value>) -> Self {
        Self { value, bytes: None }
    }

    /// A text as bytes; bad UTF-8 counts as replacement characters, except for `base64`.
    pub fn bytes(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Self { value: Some(Value::String(text)), bytes: Some(bytes.to_vec()) }
    }

    /// For reports: the value, `null` where there is none.
    pub fn shown(&self) -> Value {
        self.value.clone().unwrap_or(Value::Null)
    }

    /// Whether there is a value at all.
    pub fn is_present(&self) -> bool {
        self.value.is_some()
    }

    fn text(&self) -> Option<&str> {
        self.value.as_ref().and_then(Value::as_str)
    }

    fn raw(&self) -> Option<&[u8]> {
        self.bytes.as_deref().or_else(|| self.text().map(str::as_bytes))
    }
}

impl Matcher {
    /// Equality with `value`.
    pub fn equals(value: Value) -> Self {
        Self { conditions: vec![Condition::Equals(value)] }
    }

    /// Whether every condition holds of `seen`, with `names` put into the expected texts.
    pub fn holds(&self, seen: &Seen, names: &Names) -> bool {
        self.conditions.iter().all(|condition| condition.holds(seen, names))
    }

    /// The matcher as it would be written, with `names` put in.
    pub fn shown(&self, names: &Names) -> Value {
        if let [Condition::Equals(value)] = self.conditions.as_slice() {
            return text::expand_json(value, names);
        }
        self.conditions
            .iter()
            .map(|condition| condition.shown(names))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    /// Whether an empty text satisfies it.
    pub fn holds_of_silence(&self) -> bool {
        self.holds(&Seen::bytes(b""), &Names::default())
    }

    /// Whether a count of 0 satisfies it.
    pub fn holds_of_zero(&self) -> bool {
        self.holds_of_count(0)
    }

    /// Whether this count satisfies it.
    pub fn holds_of_count(&self, count: u64) -> bool {
        self.holds(&Seen::json(Some(json!(count))), &Names::default())
    }

    /// Whether it is satisfied where there is nothing.
    pub fn holds_of_absence(&self) -> bool {
        self.holds(&Seen::absent(), &Names::default())
    }

    /// Texts that hold names.
    pub fn texts(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect_texts(&self.shown(&Names::default()), &mut found);
        found
    }
}

/// A bound as it is written: whole where it is whole.
fn number(bound: f64) -> Value {
    let text = bound.to_string();
    serde_json::from_str(&text).unwrap_or_else(|_| json!(bound))
}

fn collect_texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, found)),
        Value::Object(map) => map.values().for_each(|item| collect_texts(item, found)),
        _ => {}
    }
}

impl Condition {
    fn holds(&self, seen: &Seen, names: &Names) -> bool {
        let value = seen.value.as_ref();
        match self {
            Self::Equals(expected) => {
                value.is_some_and(|value| same(value, &text::expand_json(expected, names)))
            }
            Self::Type(expected) => value.is_some_and(|value| expected.holds(value)),
            Self::Matches(source) => seen
                .text()
                .is_some_and(|text| compile(source, names).is_ok_and(|pattern| pattern.is_match(text))),
            Self::Contains(parts) => {
                parts.iter().all(|part| contains(value, &text::expand_json(part, names)))
            }
            Self::Line(matcher) => seen.text().is_some_and(|text| {
                text.lines().any(|line| matcher.holds(&Seen::bytes(line.as_bytes()), names))
            }),
            Self::Falsy => {
                matches!(value, None | Some(Value::Null | Value::Bool(false)))
                    || seen.text().is_some_and(str::is_empty)
            }
            Self::OneOf(matchers) => matchers.iter().any(|matcher| matcher.holds(seen, names)),
            Self::Not(matcher) => !matcher.holds(seen, names),
            Self::Min(least) => value.and_then(Value::as_f64).is_some_and(|number| number >= *least),
            Self::Max(most) => value.and_then(Value::as_f64).is_some_and(|number| number <= *most),
            Self::Size(matcher) => {
                size(seen).is_some_and(|size| matcher.holds(&Seen::json(Some(json!(size))), names))
            }
            Self::Bytes(expected) => seen.raw() == Some(expected),
            Self::Absent(absent) => seen.is_present() != *absent,
        }
    }

    fn shown(&self, names: &Names) -> (String, Value) {
        let (key, value) = match self {
            Self::Equals(value) => ("equals", text::expand_json(value, names)),
            Self::Type(expected) => ("type", json!(expected.name())),
            Self::Matches(source) => ("matches", json!(source)),
            Self::Contains(parts) => {
                let parts: Vec<Value> = parts.iter().map(|part| text::expand_json(part, names)).collect();
                ("contains", if let [part] = parts.as_slice() { part.clone() } else { parts.into() })
            }
            Self::Line(matcher) => ("line", matcher.shown(names)),
            Self::Falsy => ("falsy", json!(true)),
            Self::OneOf(matchers) => {
                ("one_of", matchers.iter().map(|matcher| matcher.shown(names)).collect())
            }
            Self::Not(matcher) => ("not", matcher.shown(names)),
            Self::Min(least) => ("min", number(*least)),
            Self::Max(most) => ("max", number(*most)),
            Self::Size(matcher) => ("size", matcher.shown(names)),
            Self::Bytes(bytes) => ("base64", json!(STANDARD.encode(bytes))),
            Self::Absent(absent) => ("absent", json!(absent)),
        };
        (key.to_owned(), value)
    }
}

impl JsonType {
    fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Null => "null",
            Self::Object => "object",
            Self::Array => "array",
        }
    }

    fn holds(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::Boolean => value.is_boolean(),
            Self::Null => value.is_null(),
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
        }
    }
}

/// Equality of JSON where numbers compare by value, so that `1` is `1.0`.
pub fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

fn contains(value: Option<&Value>, part: &Value) -> bool {
    match (value, part) {
        (Some(Value::String(text)), Value::String(part)) => text.contains(part.as_str()),
        (Some(Value::Array(items)), part) => items.iter().any(|item| same(item, part)),
        (Some(Value::Object(map)), Value::String(key)) => map.contains_key(key),
        _ => false,
    }
}

fn size(seen: &Seen) -> Option<usize> {
    match seen.value.as_ref()? {
        Value::Array(items) => Some(items.len()),
        Value::Object(map) => Some(map.len()),
        Value::String(_) => seen.raw().map(<[u8]>::len),
        _ => None,
    }
}

/// The pattern with the names put in literally.
fn compile(source: &str, names: &Names) -> Result<Regex, regex::Error> {
    let escaped = Names {
        bin: regex::escape(&names.bin),
        root: regex::escape(&names.root),
        home: regex::escape(&names.home),
        tmp: regex::escape(&names.tmp),
        canary: regex::escape(&names.canary),
        prompt: regex::escape(&names.prompt),
        copy: names.copy,
        graph: GraphPlaces {
            specs: regex::escape(&names.graph.specs),
            state: regex::escape(&names.graph.state),
            record: regex::escape(&names.graph.record),
            section: regex::escape(&names.graph.section),
            events: regex::escape(&names.graph.events),
        },
    };
    Regex::new(&text::expand(source, &escaped))
}

/// A matcher in its mapping form, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MatcherFile {
    #[serde(default, deserialize_with = "given")]
    equals: Option<Value>,
    r#type: Option<JsonType>,
    matches: Option<String>,
    #[serde(default, deserialize_with = "given")]
    contains: Option<Value>,
    line: Option<Matcher>,
    falsy: Option<bool>,
    one_of: Option<Vec<Matcher>>,
    #[serde(default, deserialize_with = "given")]
    not: Option<Matcher>,
    min: Option<f64>,
    max: Option<f64>,
    size: Option<Matcher>,
    base64: Option<String>,
    absent: Option<bool>,
}

/// Keeps an explicit `null` apart from an absent key.
pub(crate) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl TryFrom<MatcherFile> for Matcher {
    type Error = String;

    fn try_from(file: MatcherFile) -> Result<Self, String> {
        let mut conditions = Vec::new();
        conditions.extend(file.equals.map(Condition::Equals));
        conditions.extend(file.r#type.map(Condition::Type));
        if let Some(source) = file.matches {
            compile(&source, &Names::default()).map_err(|error| {
                format!("`{source}` is no pattern: {error}; see the syntax of the regex crate")
            })?;
            conditions.push(Condition::Matches(source));
        }
        conditions.extend(file.contains.map(|parts| {
            Condition::Contains(match parts {
                Value::Array(parts) => parts,
                part => vec![part],
            })
        }));
        conditions.extend(file.line.map(Condition::Line));
        match file.falsy {
            Some(true) => conditions.push(Condition::Falsy),
            Some(false) => {
                return Err("`falsy: false` is not a matcher, write `not: {falsy: true}`".to_owned());
            }
            None => {}
        }
        match file.one_of {
            Some(matchers) if matchers.is_empty() => {
                return Err("`one_of: []` can never hold, list at least one matcher".to_owned());
            }
            Some(matchers) => conditions.push(Condition::OneOf(matchers)),
            None => {}
        }
        conditions.extend(file.not.map(Condition::Not));
        conditions.extend(file.min.map(Condition::Min));
        conditions.extend(file.max.map(Condition::Max));
        conditions.extend(file.size.map(Condition::Size));
        if let Some(base64) = file.base64 {
            let bytes = STANDARD
                .decode(&base64)
                .map_err(|error| format!("`{base64}` is no base64 ({error}), encode the bytes anew"))?;
            conditions.push(Condition::Bytes(bytes));
        }
        conditions.extend(file.absent.map(Condition::Absent));
        if conditions.is_empty() {
            return Err("an empty matcher holds of anything, say what is expected".to_owned());
        }
        for text in (Self { conditions: conditions.clone() }).texts() {
            text::check(&text).map_err(|error| error.to_string())?;
        }
        Ok(Self { conditions })
    }
}

impl<'de> Deserialize<'de> for Matcher {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarOrMapping)
    }
}

struct ScalarOrMapping;

impl<'de> Visitor<'de> for ScalarOrMapping {
    type Value = Matcher;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scalar or list to equal, or a mapping of matchers")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Matcher, E> {
        Ok(Matcher::equals(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Matcher, E> {
        Ok(Matcher::equals(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Matcher, E> {
        Ok(Matcher::equals(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Matcher, E> {
        Ok(Matcher::equals(value.into()))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Matcher, E> {
        text::check(value).map_err(E::custom)?;
        Ok(Matcher::equals(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Matcher, E> {
        Ok(Matcher::equals(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Matcher, E> {
        Ok(Matcher::equals(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Matcher, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element::<Value>()? {
            values.push(value);
        }
        Ok(Matcher::equals(values.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Matcher, A::Error> {
        let file = MatcherFile::deserialize(MapAccessDeserializer::new(map))?;
        Matcher::try_from(file).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests;
