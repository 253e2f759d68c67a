//! A YAML document as a tree. Main type: [`Node`].
//!
//! It keeps what a reader of critics needs to know: whether a scalar was quoted (text) or plain (boolean, number) and
//! how a plain one was written, the order of keys and keys that stand twice, and the
//! places of mappings only.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

use crate::fault::{self, Fault};

/// As much as all aliases of a document may stand for, counted in what a parser meets.
const MOST_REPLAYED: usize = 100_000;

/// A value of the document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`, plain.
    Bool(bool, Written),
    /// A plain number without fraction.
    Int(i64, Written),
    /// Any other plain number, also `.nan` and `.inf`.
    Float(f64, Written),
    /// Everything else that is one word or more, and whatever is quoted.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the file, and where it stands.
    Map(Vec<(Node, Node)>, Place),
}

/// Where something stands, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The line.
    pub(crate) line: u64,
    /// The column.
    pub(crate) column: u64,
}

/// A plain scalar as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written(String);

/// A value as it is parsed, with its place.
enum Parsed {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Spanned<Parsed>>),
    Map(Vec<(Spanned<Parsed>, Spanned<Parsed>)>),
}

impl Node {
    /// Reads one document; the error is a sentence with the place in it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::Null);
        }
        let options = serde_saphyr::options! {
            duplicate_keys: DuplicateKeyPolicy::PassThrough,
            non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
            alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MOST_REPLAYED },
            strict_booleans: !fault::on(Fault::PlainScalarsNormalised),
        };
        let text = match text.split_once("\n---\n") {
            Some((first, _)) if fault::on(Fault::SecondDocumentIgnored) => first,
            _ => text,
        };
        let parsed: Spanned<Parsed> =
            serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())?;
        Ok(Self::new(parsed, text))
    }

    fn new(parsed: Spanned<Parsed>, text: &str) -> Self {
        let span = parsed.defined.span();
        let written = || {
            let characters = text.chars().skip(usize::try_from(span.offset()).unwrap_or(usize::MAX));
            let word = characters.take(usize::try_from(span.len()).unwrap_or(0)).collect::<String>();
            Written(word.trim().to_owned())
        };
        match parsed.value {
            Parsed::Null => Self::Null,
            Parsed::Bool(value) => Self::Bool(value, written()),
            Parsed::Int(value) => Self::Int(value, written()),
            Parsed::Float(value) => Self::Float(value, written()),
            Parsed::Text(value) => Self::Text(value),
            Parsed::List(items) => Self::List(items.into_iter().map(|item| Self::new(item, text)).collect()),
            Parsed::Map(pairs) => Self::Map(
                pairs
                    .into_iter()
                    .map(|(key, value)| (Self::new(key, text), Self::new(value, text)))
                    .collect(),
                Place { line: parsed.referenced.line(), column: parsed.referenced.column() },
            ),
        }
    }

    /// The text of a scalar: of a plain one what was written.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Bool(..) | Self::Int(..) | Self::Float(..) if fault::on(Fault::PlainScalarsRefused) => None,
            Self::Bool(..) | Self::Int(..) | Self::Float(..) if fault::on(Fault::PlainScalarsNormalised) => {
                Some(self.to_string())
            }
            Self::Bool(_, Written(word)) | Self::Int(_, Written(word)) | Self::Float(_, Written(word)) => {
                Some(word.clone())
            }
            Self::Null | Self::List(_) | Self::Map(..) => None,
        }
    }

    /// The value under a key of a mapping; `None` for a missing key and for everything that is no mapping.
    pub(crate) fn at(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs, _) = self else { return None };
        pairs.iter().find(|(name, _)| matches!(name, Self::Text(text) if text == key)).map(|(_, value)| value)
    }

    /// A key of this mapping that no part of the strawman reads.
    pub(crate) fn foreign_key(&self) -> Option<String> {
        const OWN: [&str; 6] = ["critics", "reviews", "routing", "graphs", "eventLog", "env"];
        let Self::Map(pairs, _) = self else { return None };
        let known = |key: &Self| matches!(key, Self::Text(text) if OWN.contains(&text.as_str()));
        pairs.iter().find(|(key, _)| !known(key)).map(|(key, _)| key.to_string())
    }

    /// A key that stands twice in this mapping or in one below it.
    pub(crate) fn repeated_key(&self) -> Option<String> {
        if fault::on(Fault::RepeatedKeyAccepted) {
            return None;
        }
        match self {
            Self::Map(pairs, _) => {
                let twice = pairs
                    .iter()
                    .enumerate()
                    .find(|(index, (name, _))| pairs.iter().take(*index).any(|(earlier, _)| earlier == name));
                twice
                    .map(|(_, (name, _))| name.to_string())
                    .or_else(|| pairs.iter().find_map(|(_, value)| value.repeated_key()))
            }
            Self::List(items) => items.iter().find_map(Self::repeated_key),
            _ => None,
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => write!(f, "null"),
            Self::Bool(value, _) => write!(f, "{value}"),
            Self::Int(value, _) => write!(f, "{value}"),
            Self::Float(value, _) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{value:?}"),
            Self::List(_) => write!(f, "a list"),
            Self::Map(..) => write!(f, "a mapping"),
        }
    }
}

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Parsed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Parsed, E> {
        Ok(Parsed::Null)
    }

    fn visit_none<E>(self) -> Result<Parsed, E> {
        Ok(Parsed::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Parsed, D::Error> {
        Parsed::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Parsed, E> {
        Ok(Parsed::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Parsed, E> {
        Ok(Parsed::Int(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "a count beyond 2^63 is out of every range anyway")]
    fn visit_u64<E>(self, value: u64) -> Result<Parsed, E> {
        Ok(i64::try_from(value).map_or(Parsed::Float(value as f64), Parsed::Int))
    }

    #[expect(clippy::cast_precision_loss, reason = "a count beyond 2^63 is out of every range anyway")]
    fn visit_i128<E>(self, value: i128) -> Result<Parsed, E> {
        Ok(Parsed::Float(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "a count beyond 2^63 is out of every range anyway")]
    fn visit_u128<E>(self, value: u128) -> Result<Parsed, E> {
        Ok(Parsed::Float(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Parsed, E> {
        Ok(Parsed::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Parsed, E> {
        Ok(Parsed::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Parsed, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Parsed::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parsed, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Parsed::Map(pairs))
    }
}
