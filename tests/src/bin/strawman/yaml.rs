//! A YAML document as a tree. Main type: [`Node`].
//!
//! It keeps what a reader of critics needs to know: whether a scalar was quoted (text) or plain (boolean, number),
//! the order of keys and keys that stand twice. It keeps no positions and no source text of numbers.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

/// A value of the document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`, plain.
    Bool(bool),
    /// A plain number without fraction.
    Int(i64),
    /// Any other plain number, also `.nan` and `.inf`.
    Float(f64),
    /// Everything else that is one word or more, and whatever is quoted.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<(Node, Node)>),
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
            strict_booleans: true,
        };
        serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())
    }

    /// The value under a key of a mapping; `None` for a missing key and for everything that is no mapping.
    pub(crate) fn at(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| matches!(name, Self::Text(text) if text == key)).map(|(_, value)| value)
    }

    /// A key that stands twice in this mapping or in one below it.
    pub(crate) fn repeated_key(&self) -> Option<String> {
        match self {
            Self::Map(pairs) => {
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
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{value:?}"),
            Self::List(_) => write!(f, "a list"),
            Self::Map(_) => write!(f, "a mapping"),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Int(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "a count beyond 2^63 is out of every range anyway")]
    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(i64::try_from(value).map_or(Node::Float(value as f64), Node::Int))
    }

    #[expect(clippy::cast_precision_loss, reason = "a count beyond 2^63 is out of every range anyway")]
    fn visit_i128<E>(self, value: i128) -> Result<Node, E> {
        Ok(Node::Float(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "a count beyond 2^63 is out of every range anyway")]
    fn visit_u128<E>(self, value: u128) -> Result<Node, E> {
        Ok(Node::Float(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Node::Map(pairs))
    }
}
