//! The event log: one JSON object a line. Main type: [`Log`].
//!
//! It lies with the operator, out of an agent's reach, so it is what a recorded decision is held against. It is
//! written before a state; where it cannot be written nothing else happens.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::fault::graph::{Fault, on};
use crate::refusal::Refusal;

use super::clock::Moment;
use super::item::Item;
use super::state;

/// The log.
pub(crate) struct Log {
    path: PathBuf,
    root: PathBuf,
}

impl Log {
    /// The log at `path`; `root` is the checkout that its events are about.
    pub(crate) fn new(path: &Path, root: &Path) -> Self {
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        Self { path: path.to_path_buf(), root }
    }

    /// An event about an item, with what only this event has.
    pub(crate) fn event(&self, name: &str, item: &Item, now: Moment, more: Value) -> Value {
        let mut event = json!({
            "event": name,
            "ts": now.to_string(),
            "work_item": item.name,
            "root": self.root.display().to_string(),
        });
        if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
            event.extend(more);
        }
        event
    }

    /// Adds events at the end, all or none.
    pub(crate) fn append(&self, events: &[Value]) -> Result<(), Refusal> {
        if events.is_empty() {
            return Ok(());
        }
        let refuse = |error: std::io::Error| {
            Refusal::new(format!("event log `{}`: {error}; nothing was changed", self.path.display()))
        };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(refuse)?;
        }
        let mut file =
            File::options().read(true).append(true).create(true).open(&self.path).map_err(refuse)?;
        state::wait_for(&file, &self.path.display().to_string())?;
        let lines = events.iter().map(|event| format!("{event}\n"));
        let mut text = lines.collect::<Vec<_>>().concat();
        if !ends_a_line(&mut file).map_err(refuse)? {
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map_err(refuse)
    }

    /// Decisions about an item of this checkout in a loop, in their order; lines that are no events are passed over.
    pub(crate) fn decisions(&self, item: &Item, name: &str) -> Vec<Value> {
        let text = fs::read(&self.path).unwrap_or_default();
        let events = text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
        let root = Value::from(self.root.display().to_string());
        let wanted = [
            ("event", Value::from("graph.gate_decided")),
            ("work_item", Value::from(item.name.as_str())),
            ("loop", Value::from(name)),
        ];
        let about = |event: &Value| {
            wanted.iter().all(|(key, value)| event.get(key) == Some(value))
                && (event.get("root") == Some(&root) || on(Fault::EventOfOtherRootCounts))
        };
        events.filter(about).collect()
    }
}

fn ends_a_line(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == [b'\n'])
}
