//! What somebody does to the sandbox between two steps: files written and removed, the state of an item edited.
//!
//! [`Edits`] is the checked form. Doing it is the supervisor's work.

use serde::Deserialize;
use serde_json::Value;

use super::check::Pointer;
use super::content::FileContent;
use super::entries::Entries;
use crate::text::{self, Text};

/// Done before a step, in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edits {
    /// Paths that are removed, whatever lies there.
    pub remove: Vec<Text>,
    /// Paths and what lies there from now on.
    pub write: Vec<(Text, FileContent)>,
    /// The state of an item.
    pub state: Option<StateEdit>,
}

/// An edit of the state of one item, which must be there and be JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct StateEdit {
    /// The item; that of the step where it is left out.
    pub item: Option<Text>,
    /// Pointers to what is taken away; it must be there.
    pub remove: Vec<Pointer>,
    /// Pointers to what is put there; objects on the way are made.
    pub set: Vec<(Pointer, Value)>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EditsFile {
    #[serde(default)]
    remove: Vec<Text>,
    #[serde(default)]
    write: Entries<FileContent>,
    state: Option<StateFile>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateFile {
    item: Option<Text>,
    #[serde(default)]
    remove: Vec<Pointer>,
    #[serde(default)]
    set: Entries<Value>,
}

impl EditsFile {
    /// The checked edits of a step whose call is about an item or not.
    pub(super) fn check(self, item: Option<&Text>) -> Result<Edits, String> {
        let write = self.write.into_inner().into_iter();
        let write = write.map(|(path, content)| Text::new(path).map(|path| (path, content)));
        let write = write.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let state = self.state.map(|state| state.check(item)).transpose()?;
        if self.remove.is_empty() && write.is_empty() && state.is_none() {
            return Err("`before` does nothing, expected remove, write or state".to_owned());
        }
        Ok(Edits { remove: self.remove, write, state })
    }
}

impl StateFile {
    fn check(self, item: Option<&Text>) -> Result<StateEdit, String> {
        if self.item.is_none() && item.is_none() {
            return Err("`state` of no item: the step names none, add `item`".to_owned());
        }
        let set = self.set.into_inner().into_iter().map(|(pointer, value)| {
            check_names(&value)?;
            Ok((Pointer::try_from(pointer)?, value))
        });
        let set = set.collect::<Result<Vec<_>, String>>()?;
        if set.is_empty() && self.remove.is_empty() {
            return Err("`state` edits nothing, expected set or remove".to_owned());
        }
        Ok(StateEdit { item: self.item, remove: self.remove, set })
    }
}

fn check_names(value: &Value) -> Result<(), String> {
    match value {
        Value::String(text) => text::check(text).map_err(|error| error.to_string()),
        Value::Array(items) => items.iter().try_for_each(check_names),
        Value::Object(map) => map.values().try_for_each(check_names),
        _ => Ok(()),
    }
}
