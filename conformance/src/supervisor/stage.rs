//! What is done and looked at around a step of the graph profile. Main type: [`Stage`].
//!
//! Edits of the sandbox and comments before it; state, event log and changed files after it. It judges nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::observe;
use super::sandbox::{Sandbox, SandboxError, discard, write_entry};
use super::thread::{Printed, Ticket};
use crate::observation::{FileRecord, StepRecord, WalkRecord};
use crate::scenario::check::{Assertion, Check, Pointer};
use crate::scenario::edit::{Edits, StateEdit};
use crate::scenario::graph_check::GraphAssertion;
use crate::scenario::graph_step::GraphCall;
use crate::scenario::step::Step;
use crate::scenario::{Scenario, Setup};
use crate::text::{Names, expand_json};

/// The surroundings of the steps of one session.
pub(super) struct Stage<'a> {
    setup: &'a Setup,
    sandbox: &'a Sandbox,
    kit: &'a Path,
    ticket: Ticket,
}

/// What lay at some paths and below them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Look(BTreeMap<String, BTreeMap<PathBuf, FileRecord>>);

impl Look {
    /// The paths at which something else lies in the other.
    pub(super) fn differing(&self, other: &Self) -> Vec<String> {
        self.0
            .iter()
            .filter(|(path, lay)| other.0.get(*path) != Some(lay))
            .map(|(path, _)| path.clone())
            .collect()
    }
}

impl<'a> Stage<'a> {
    /// Before the first step.
    pub(super) fn new(setup: &'a Setup, sandbox: &'a Sandbox, kit: &'a Path) -> Self {
        Self { setup, sandbox, kit, ticket: Ticket::default() }
    }

    /// Does what belongs before a step; gives what it lacks, if it cannot be made from what the target did.
    ///
    /// # Errors
    /// The machine refused something.
    pub(super) fn set(
        &mut self,
        step: &Step,
        records: &[StepRecord],
    ) -> Result<Option<String>, SandboxError> {
        let names = self.names();
        if let Some(lack) = self.edit(step, &names)? {
            return Ok(Some(lack));
        }
        let Some(thread) = step.graph().and_then(GraphCall::thread) else { return Ok(None) };
        let path = self.sandbox.comments(step.id());
        let printed = Printed { steps: self.setup.steps(), records };
        let written = self.ticket.write(thread, &printed, &names, &path);
        written.map_err(|cause| SandboxError::File { path, cause })
    }

    fn names(&self) -> Names {
        self.sandbox.places().names(None, 0)
    }

    fn edit(&self, step: &Step, names: &Names) -> Result<Option<String>, SandboxError> {
        let places = self.sandbox.places();
        let Edits { remove, write, state } = step.before();
        for path in remove {
            clear(&places.root.join(path.expand(names)))?;
        }
        for (path, content) in write {
            let path = places.root.join(path.expand(names));
            clear(&path)?;
            write_entry(&path, content, places, self.kit, names)?;
        }
        let Some(edit) = state else { return Ok(None) };
        let item = edit.item.as_ref().or_else(|| step.graph().and_then(GraphCall::item));
        let path = places.state(&item.map(|item| item.expand(names)).unwrap_or_default());
        let edited = fs::read(&path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).map_err(|error| error.to_string()))
            .and_then(|state| edited(state, edit, names));
        match edited {
            Ok(state) => {
                fs::write(&path, format!("{state:#}\n"))
                    .map_err(|cause| SandboxError::File { path, cause })?;
                Ok(None)
            }
            Err(why) => Ok(Some(format!("the state of the item cannot be edited: {why}"))),
        }
    }

    /// What lies where the checks on the step of this number ask for no change.
    pub(super) fn look(&self, scenario: &Scenario, number: usize) -> Look {
        let mut look = Look::default();
        let checks = scenario.checks().iter().filter(|check| check.step() == number);
        for assertion in checks.flat_map(Check::assertions) {
            let Assertion::Graph(GraphAssertion::Unchanged(paths)) = assertion else { continue };
            for path in paths {
                let shown = path.expand(&self.names());
                let mut found = BTreeMap::new();
                collect(&self.sandbox.places().root.join(&shown), &mut found);
                look.0.insert(shown, found);
            }
        }
        look
    }

    /// State and event log, for a step of the graph profile.
    pub(super) fn walked(&self, step: &Step) -> Option<WalkRecord> {
        let call = step.graph()?;
        let places = self.sandbox.places();
        let state = call
            .item()
            .map_or(FileRecord::Absent, |item| observe::file(&places.state(&item.expand(&self.names()))));
        Some(WalkRecord { state, events: observe::file(&places.root.join(&places.graph.events)) })
    }
}

/// Removes whatever lies at a path.
fn clear(path: &Path) -> Result<(), SandboxError> {
    let gone = match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(())
        }
        Ok(metadata) if metadata.is_dir() => discard(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    gone.map_err(|cause| SandboxError::File { path: path.to_owned(), cause })
}

fn collect(path: &Path, found: &mut BTreeMap<PathBuf, FileRecord>) {
    found.insert(path.to_owned(), observe::file(path));
    if !path.is_symlink()
        && let Ok(entries) = fs::read_dir(path)
    {
        entries.flatten().for_each(|entry| collect(&entry.path(), found));
    }
}

fn edited(mut state: Value, edit: &StateEdit, names: &Names) -> Result<Value, String> {
    for pointer in &edit.remove {
        remove(&mut state, pointer)?;
    }
    for (pointer, value) in &edit.set {
        set(&mut state, pointer, expand_json(value, names))?;
    }
    Ok(state)
}

fn tokens(pointer: &Pointer) -> Vec<String> {
    let words = pointer.as_str().split('/').skip(1);
    words.map(|word| word.replace("~1", "/").replace("~0", "~")).collect()
}

fn remove(state: &mut Value, pointer: &Pointer) -> Result<(), String> {
    let missing = || format!("there is nothing at `{}`", pointer.as_str());
    let (above, last) = pointer.as_str().rsplit_once('/').ok_or_else(missing)?;
    let last = last.replace("~1", "/").replace("~0", "~");
    let removed = match state.pointer_mut(above) {
        Some(Value::Object(map)) => map.shift_remove(&last).is_some(),
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    };
    if removed { Ok(()) } else { Err(missing()) }
}

fn set(state: &mut Value, pointer: &Pointer, value: Value) -> Result<(), String> {
    let mut place = state;
    for token in tokens(pointer) {
        place = match place {
            Value::Array(items) => {
                if token == "-" {
                    items.push(Value::Null);
                }
                let index = if token == "-" { items.len().checked_sub(1) } else { token.parse().ok() };
                let item = index.and_then(|index| items.get_mut(index));
                item.ok_or_else(|| format!("`{}` names no element of the array", pointer.as_str()))?
            }
            other => {
                if !other.is_object() {
                    *other = Value::Object(serde_json::Map::new());
                }
                let map = other.as_object_mut().ok_or("an object that is none")?;
                map.entry(token).or_insert(Value::Null)
            }
        };
    }
    *place = value;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointer(text: &str) -> Pointer {
        Pointer::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_state_is_edited_by_pointers() {
        let edit = StateEdit {
            item: None,
            remove: vec![pointer("/optIns/a"), pointer("/list/0")],
            set: vec![(pointer("/skips/b/by"), json!("%{{x")), (pointer("/list/-"), json!(3))],
        };
        let state = json!({"optIns": {"a": 1, "c": 2}, "skips": null, "list": [1, 2]});
        let edited = edited(state, &edit, &Names::default()).unwrap();
        assert_eq!(edited, json!({"optIns": {"c": 2}, "skips": {"b": {"by": "%{x"}}, "list": [2, 3]}));
    }

    #[test]
    fn what_is_not_there_cannot_be_taken_away() {
        for gone in ["/optIns/a", "/list/7", "/nothing/at/all", ""] {
            let mut state = json!({"optIns": {}, "list": []});
            assert!(remove(&mut state, &pointer(gone)).is_err(), "{gone}");
        }
    }
}
