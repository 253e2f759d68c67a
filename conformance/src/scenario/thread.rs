//! The comments of a ticket that `advance` is given.
//!
//! [`Thread`] is what a scenario says of them; the JSON is written by the supervisor, for a body may need what the
//! target printed before.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::checklist::{Change, Form, Rows};
use crate::text::Text;

/// Comments that are new with this step, and how all are handed over.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// The new ones.
    pub comments: Vec<Comment>,
    /// Those of earlier steps.
    pub earlier: Earlier,
    /// Their form as JSON.
    pub layout: Layout,
    /// Their way.
    pub through: Through,
}

/// What becomes of the comments of earlier steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Earlier {
    /// They stand before the new ones.
    #[default]
    Kept,
    /// They were deleted.
    Dropped,
}

/// How the comments stand in the JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// One array.
    #[default]
    Array,
    /// An array of arrays, one a page.
    Nested,
    /// Arrays one after the other, one a page.
    Concatenated,
}

/// How the comments reach the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Through {
    /// `--comments FILE`.
    #[default]
    File,
    /// `--comments -`.
    Stdin,
}

/// One comment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// The author's login.
    pub by: Text,
    /// The body, or what stands before the checklist in it.
    pub body: Option<Text>,
    /// The checklist that the target printed, in the body.
    pub checklist: Option<Quoted>,
    /// When it was written, in seconds after the step's begin; default its number in the list, from 1.
    pub created: Option<i64>,
    /// When it was last changed; default when it was written.
    pub updated: Option<i64>,
}

/// A printed checklist as it stands in a comment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quoted {
    /// The step that printed it; the last `checklist` before by default.
    pub of: Option<String>,
    /// What was changed in it.
    pub change: Change,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuotedFile {
    of: Option<String>,
    #[serde(default, rename = "as")]
    form: Form,
    #[serde(default)]
    tick: Rows,
    #[serde(default)]
    untick: Rows,
    #[serde(default)]
    omit: Rows,
}

impl<'de> Deserialize<'de> for Quoted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrMapping;
        impl<'de> Visitor<'de> for WordOrMapping {
            type Value = Quoted;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`posted`, `copied`, or a mapping of as, of, tick, untick, omit")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Quoted, E> {
                let form = Deserialize::deserialize(serde::de::value::StrDeserializer::<E>::new(word))?;
                Ok(Quoted { of: None, change: Change { form, ..Change::default() } })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Quoted, A::Error> {
                let file = QuotedFile::deserialize(MapAccessDeserializer::new(map))?;
                let QuotedFile { of, form, tick, untick, omit } = file;
                Ok(Quoted { of, change: Change { form, tick, untick, omit } })
            }
        }
        deserializer.deserialize_any(WordOrMapping)
    }
}
