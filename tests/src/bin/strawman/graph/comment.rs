//! Comments as GitHub's REST interface gives them. Main type: [`Comment`].
//!
//! Strangers write them, so one that lacks something is passed over; input that is no list of comments at all is
//! refused. Whom a comment is from and what it says is judged elsewhere.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use serde_json::{Deserializer, Value};

use crate::fault::graph::{Fault, on};
use crate::refusal::Refusal;

use super::clock::Moment;
use super::item::Item;

/// Every comment that this program writes carries it.
pub(crate) const OWN_MARKER: &str = "<!-- the-loop:agent-comment -->";

/// A comment.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    /// Its id: a number, or a text.
    pub(crate) id: Value,
    /// Who wrote it.
    pub(crate) login: String,
    /// What it says.
    pub(crate) body: String,
    /// When it was written.
    pub(crate) created: Moment,
    /// When it was last changed; nothing if that cannot be read.
    pub(crate) updated: Option<Moment>,
}

impl Comment {
    /// Reads a file, or standard input for `-`.
    pub(crate) fn read_all(path: &Path) -> Result<Vec<Self>, Refusal> {
        let refuse = |error: &dyn std::fmt::Display| {
            Refusal::new(format!("comments from `{}`: {error}", path.display()))
        };
        let mut text = Vec::new();
        let read = if path == Path::new("-") {
            io::stdin().lock().read_to_end(&mut text).map(drop)
        } else {
            fs::read(path).map(|bytes| text = bytes)
        };
        read.map_err(|error| refuse(&error))?;
        let mut comments = Vec::new();
        for value in Deserializer::from_slice(&text).into_iter::<Value>() {
            let value = value.map_err(|error| refuse(&error))?;
            if !value.is_array() {
                return Err(refuse(&"it is no array of comments"));
            }
            if on(Fault::NestedPagesIgnored) {
                comments.extend(value.as_array().into_iter().flatten().filter_map(Self::of));
            } else {
                collect(&value, &mut comments);
            }
            if on(Fault::FirstPageOnly) {
                break;
            }
        }
        Ok(comments)
    }

    /// The same for an item; where the comments cannot be read, a fault leaves the item locked.
    pub(crate) fn read_for(item: &Item, path: &Path) -> Result<Vec<Self>, Refusal> {
        let lock = item.folder.join("graph.lock");
        if lock.exists() && on(Fault::LockedByRefusal) {
            return Err(Refusal::new(format!("item `{}` is locked", item.name)));
        }
        Self::read_all(path).inspect_err(|_| {
            if on(Fault::LockedByRefusal) {
                let _ = fs::write(lock, "");
            }
        })
    }

    /// Whether it was changed after it was written.
    pub(crate) fn is_edited(&self) -> bool {
        self.updated != Some(self.created)
    }

    /// Whether this program wrote it.
    pub(crate) fn is_own(&self) -> bool {
        self.body.contains(OWN_MARKER)
    }

    fn of(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let guess = on(Fault::UndatedReplyCounts).then(Moment::now);
        let created = text("created_at").and_then(Moment::read).or(guess)?;
        let updated = match value.get("updated_at") {
            None | Some(Value::Null) => Some(created),
            Some(time) => time.as_str().and_then(Moment::read),
        };
        let id = value.get("id").filter(|id| id.is_number() || id.is_string())?;
        let login = value.get("user")?.get("login")?.as_str()?;
        Some(Self {
            id: id.clone(),
            login: login.to_owned(),
            body: text("body")?.to_owned(),
            created,
            updated,
        })
    }
}

fn collect(value: &Value, comments: &mut Vec<Comment>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, comments)),
        other => comments.extend(Comment::of(other)),
    }
}
