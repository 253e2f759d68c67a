//! The state of a work item, `graph-state.json`. Main types: [`State`], [`Lock`].
//!
//! An agent can write this file, so nothing in it is taken for true here: an entry in a wrong shape counts as not
//! there, and what an entry is worth is decided by `choices` and `check`, which know the graph. Keys that are not
//! ours are kept.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Map, Value, json};

use crate::fault::graph::{Fault, on};
use crate::refusal::Refusal;

use super::clock::Moment;
use super::definition::Outcome;
use super::item::Item;

/// The name of the file.
pub(crate) const FILE: &str = "graph-state.json";

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who did something, by which channel, when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Provenance {
    /// Who.
    pub(crate) by: String,
    /// By which channel.
    pub(crate) via: String,
    /// When.
    pub(crate) at: String,
    /// Why, where a reason was given.
    pub(crate) reason: Option<String>,
}

impl Provenance {
    /// As it stands in a state.
    pub(crate) fn to_value(&self) -> Value {
        let mut value = json!({ "at": self.at, "via": self.via, "by": self.by });
        if *self == Self::unknown() {
            value = json!({});
        }
        if let (Some(reason), Some(object)) = (&self.reason, value.as_object_mut()) {
            object.insert("reason".to_owned(), json!(reason));
        }
        value
    }

    /// Nothing is known about it.
    pub(crate) fn unknown() -> Self {
        Self { by: String::new(), via: String::new(), at: String::new(), reason: None }
    }

    fn read(value: &Value) -> Option<Self> {
        if on(Fault::MalformedEntriesCount) && value.get("by").is_none()
            || on(Fault::SelectionWithoutProvenance) && *value == anonymous()
        {
            return Some(Self::unknown());
        }
        let lacking = |key| key == "via" && on(Fault::SelectionWithoutChannel);
        let text = |key| text_at(value, key).or_else(|| lacking(key).then(String::new));
        Some(Self { by: text("by")?, via: text("via")?, at: text("at")?, reason: text("reason") })
    }
}

/// What is recorded about a node that was left.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// Who decided, by which channel, when; not for nodes that nobody decides.
    pub(crate) decided: Option<Provenance>,
    /// The id of the comment that decided.
    pub(crate) comment: Value,
    /// When the node was entered.
    pub(crate) entered: Option<String>,
}

/// The state.
#[derive(Clone, Debug)]
pub(crate) struct State {
    fields: Map<String, Value>,
}

impl State {
    /// The state of an item that starts now.
    pub(crate) fn fresh(name: &str, start: &str, now: Moment) -> Self {
        let fields = json!({
            "format": 1,
            "loop": name,
            "current": start,
            "nodes": {},
            "optIns": {},
            "skips": {},
            "frozen": { "nodes": [] },
            "entered": { start: now.to_string() },
            "checklists": [],
            "answeredBy": [],
        });
        let mut fields = fields.as_object().cloned().unwrap_or_default();
        if on(Fault::FrozenOnceAnswered) {
            fields.shift_remove("frozen");
        }
        Self { fields }
    }

    /// The state of an item, which must have one.
    pub(crate) fn load(item: &Item) -> Result<Self, Refusal> {
        let path = item.folder.join(FILE);
        let refuse = |reason: &str| Refusal::new(format!("`{}`: {reason}", path.display()));
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(refuse("it is no regular file")),
            Err(_) => {
                if on(Fault::FolderWithoutStart) {
                    let _ = fs::create_dir_all(&item.folder);
                }
                let start = format!("item `{0}` has no state; `graph start {0}` makes one", item.name);
                return Err(Refusal::new(start));
            }
        }
        let bytes = fs::read(&path).map_err(|error| refuse(&error.to_string()))?;
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(fields)) => {
                let objects = ["nodes", "skips", "optIns", "frozen"];
                let odd = objects.iter().any(|key| fields.get(*key).is_some_and(|value| !value.is_object()));
                if odd && on(Fault::MalformedStateCrashes) {
                    std::process::abort();
                }
                Ok(Self { fields })
            }
            _ if on(Fault::BrokenStateIsEmpty) => Ok(Self { fields: Map::new() }),
            Ok(_) => Err(refuse("it is JSON but no object")),
            Err(error) => Err(refuse(&format!("it is no JSON: {error}"))),
        }
    }

    /// Replaces the file.
    pub(crate) fn save(&self, item: &Item, _held: &Lock) -> Result<(), Refusal> {
        let path = item.folder.join(FILE);
        let object = Value::Object(self.fields.clone());
        if on(Fault::StateNotLocked) {
            // Long enough that whoever came at the same time has read the state by now.
            thread::sleep(Duration::from_millis(200));
        }
        let text = if on(Fault::HarmlessCompactState) { object.to_string() } else { format!("{object:#}\n") };
        let written = if on(Fault::StateWrittenInPlace) {
            fs::write(&path, text)
        } else {
            tempfile::NamedTempFile::new_in(&item.folder).and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.as_file().sync_all()?;
                let everyone = std::os::unix::fs::PermissionsExt::from_mode(0o644);
                file.as_file().set_permissions(everyone)?;
                file.persist(&path).map(drop).map_err(|error| error.error)
            })
        };
        written.map_err(|error| Refusal::new(format!("`{}`: {error}", path.display())))
    }

    /// A text under a key.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str)
    }

    /// The value of a key.
    pub(crate) fn member(&self, key: &str) -> Option<&Value> {
        self.fields.get(key)
    }

    /// Sets the value of a key.
    pub(crate) fn set(&mut self, key: &str, value: Value) {
        self.fields.insert(key.to_owned(), value);
    }

    /// The members of an object under a key; none if it is something else.
    pub(crate) fn members(&self, key: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.fields.get(key).and_then(Value::as_object).into_iter().flatten()
    }

    /// The items of a list under a key; none if it is something else.
    pub(crate) fn items(&self, key: &str) -> &[Value] {
        self.fields.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Sets one member of an object under a key, and makes the object if need be.
    pub(crate) fn insert(&mut self, key: &str, member: &str, value: Value) {
        let object = self.fields.entry(key).or_insert_with(|| json!({}));
        if !object.is_object() {
            *object = json!({});
        }
        if let Some(object) = object.as_object_mut() {
            object.insert(member.to_owned(), value);
        }
    }

    /// Takes members away from an object under a key.
    pub(crate) fn remove(&mut self, key: &str, members: &[&str]) {
        if let Some(object) = self.fields.get_mut(key).and_then(Value::as_object_mut) {
            object.retain(|member, _| !members.contains(&member.as_str()));
        }
    }

    /// Adds an item to a list under a key, and makes the list if need be.
    pub(crate) fn push(&mut self, key: &str, value: Value) {
        let list = self.fields.entry(key).or_insert_with(|| json!([]));
        if !list.is_array() {
            *list = json!([]);
        }
        if let Some(list) = list.as_array_mut() {
            list.push(value);
        }
    }

    /// Entries under `skips` or `optIns` that have a shape.
    pub(crate) fn provenances(&self, key: &str) -> BTreeMap<String, Provenance> {
        let read = |(id, value): (&String, &Value)| Some((id.clone(), Provenance::read(value)?));
        self.members(key).filter_map(read).collect()
    }

    /// What is recorded about a node.
    pub(crate) fn record(&self, id: &str) -> Option<Record> {
        let value = self.fields.get("nodes")?.get(id)?;
        Some(Record {
            outcome: Outcome::of(value.get("outcome")?.as_str()?)?,
            decided: Provenance::read(value),
            comment: value.get("comment").cloned().unwrap_or_default(),
            entered: text_at(value, "entered"),
        })
    }
}

/// A selection as a fault records it: an object like any other, but without who, how and when.
pub(crate) fn anonymous() -> Value {
    json!({ "selected": true })
}

fn text_at(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// Held by whoever writes the state of an item; ends with the value.
pub(crate) struct Lock {
    _folder: Option<File>,
}

impl Lock {
    /// Waits until nobody else writes.
    pub(crate) fn take(item: &Item) -> Result<Self, Refusal> {
        if on(Fault::StateNotLocked) {
            return Ok(Self { _folder: None });
        }
        let path = PathBuf::from(&item.folder);
        let folder =
            File::open(&path).map_err(|error| Refusal::new(format!("`{}`: {error}", path.display())))?;
        wait_for(&folder, &item.name)?;
        Ok(Self { _folder: Some(folder) })
    }
}

/// Locks an open file; `what` names it in the refusal.
pub(crate) fn wait_for(file: &File, what: &str) -> Result<(), Refusal> {
    let begin = Instant::now();
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::WOULDBLOCK) if begin.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(15));
            }
            Err(_) => {
                let seconds = PATIENCE.as_secs();
                return Err(Refusal::new(format!("`{what}` has been held by another call for {seconds} s")));
            }
        }
    }
}
