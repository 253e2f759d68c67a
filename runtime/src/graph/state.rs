//! The state of a work item: what `graph-state.json` says, without what is malformed in it.
//!
//! [`State`] is what was written by whoever could write to the checkout. It is filtered through the compiled graph wherever it is
//! used, and through the event log where a human decided; here it is only read and written.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Moment;
use super::comment::CommentId;

/// The file's name in the item's folder.
pub const FILE_NAME: &str = "graph-state.json";

/// A state. Keys of maps are ids of nodes, known or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The graph by which the item is walked.
    pub loop_name: String,
    /// Where the walk stands.
    pub current: String,
    /// How nodes ended.
    pub nodes: BTreeMap<String, Record>,
    /// Default-on nodes that were declared away.
    pub skips: BTreeMap<String, Declaration>,
    /// Opt-in nodes that were selected (OR-1.6).
    pub opt_ins: BTreeMap<String, Declaration>,
    /// The nodes as they stood when the selection was answered; a record, never a source (OR-1.8).
    pub frozen: Vec<Frozen>,
    /// When gates that wait for a human were entered.
    pub entered: BTreeMap<String, Moment>,
    /// The checklists that were printed for the item.
    pub checklist: Checklist,
    /// Members that are not ours.
    pub others: Map<String, Value>,
}

/// How a node ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    /// The outcome's word.
    pub outcome: String,
    /// Who decided.
    pub by: String,
    /// By which channel: `comment` or `cli`.
    pub via: String,
    /// When.
    pub at: Moment,
    /// The comment that decided, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<CommentId>,
}

/// Who declared something, how and when (OR-1.6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Declaration {
    /// Who.
    pub by: String,
    /// By which channel: `comment` or `cli`.
    pub via: String,
    /// When.
    pub at: Moment,
    /// Why, where that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One node as it stood when the selection was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Frozen {
    /// Its id.
    pub id: String,
    /// The phase it belongs to.
    pub phase: String,
    /// Whether it could be left out.
    pub selectable: bool,
    /// Whether it was off unless ticked.
    pub opt_in: bool,
    /// Whether it was left out.
    pub skipped: bool,
}

/// What is kept of printed checklists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checklist {
    /// The SHA-256 of each token, in hexadecimal digits.
    pub tokens: Vec<String>,
    /// The comment that carries one of them, once it was seen.
    pub comment: Option<CommentId>,
}

/// A text that is no state. Exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("not JSON: {0}; restore the file, or remove it and run `the-loop graph start`")]
pub struct StateError(#[from] serde_json::Error);

impl State {
    /// Reads a state. Members and entries of any other shape than expected count as not there (OR-FC).
    ///
    /// # Errors
    /// When the text is no JSON.
    pub fn parse(text: &str) -> Result<Self, StateError> {
        let Value::Object(mut members) = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text))?
        else {
            return Ok(Self::default());
        };
        let mut state = Self {
            loop_name: word(members.remove("loop")),
            current: word(members.remove("current")),
            nodes: entries(members.remove("nodes"), record),
            skips: entries(members.remove("skips"), declaration),
            opt_ins: entries(members.remove("optIns"), declaration),
            entered: entries(members.remove("entered"), moment),
            ..Self::default()
        };
        let frozen = members.remove("frozen").and_then(|mut frozen| frozen.get_mut("nodes").map(Value::take));
        if let Some(Value::Array(nodes)) = frozen {
            state.frozen = nodes.iter().filter_map(frozen_node).collect();
        }
        let checklist = members.remove("checklist").unwrap_or_default();
        if let Some(Value::Array(tokens)) = checklist.get("tokens") {
            state.checklist.tokens = tokens.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        }
        state.checklist.comment = checklist.get("comment").and_then(CommentId::of);
        state.others = members;
        Ok(state)
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut members = Map::new();
        members.insert("loop".to_owned(), json!(self.loop_name));
        members.insert("current".to_owned(), json!(self.current));
        members.insert("nodes".to_owned(), json!(self.nodes));
        members.insert("skips".to_owned(), json!(self.skips));
        members.insert("optIns".to_owned(), json!(self.opt_ins));
        members.insert("frozen".to_owned(), json!({ "nodes": self.frozen }));
        members.insert("entered".to_owned(), json!(self.entered));
        members.insert("checklist".to_owned(), json!(self.checklist));
        for (key, value) in &self.others {
            members.entry(key.clone()).or_insert_with(|| value.clone());
        }
        format!("{:#}\n", Value::Object(members))
    }
}

fn word(value: Option<Value>) -> String {
    match value {
        Some(Value::String(word)) => word,
        _ => String::new(),
    }
}

fn entries<T>(value: Option<Value>, read: impl Fn(&Value) -> Option<T>) -> BTreeMap<String, T> {
    let Some(Value::Object(members)) = value else { return BTreeMap::new() };
    members.into_iter().filter_map(|(key, value)| Some((key, read(&value)?))).collect()
}

fn filled(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn moment(value: &Value) -> Option<Moment> {
    Moment::parse(value.as_str()?)
}

fn record(value: &Value) -> Option<Record> {
    Some(Record {
        outcome: filled(value, "outcome")?,
        by: filled(value, "by")?,
        via: filled(value, "via")?,
        at: moment(value.get("at")?)?,
        comment: match value.get("comment") {
            None | Some(Value::Null) => None,
            Some(id) => Some(CommentId::of(id)?),
        },
    })
}

fn declaration(value: &Value) -> Option<Declaration> {
    Some(Declaration {
        by: filled(value, "by")?,
        via: filled(value, "via")?,
        at: moment(value.get("at")?)?,
        reason: match value.get("reason") {
            None | Some(Value::Null) => None,
            Some(reason) => Some(reason.as_str()?.to_owned()),
        },
    })
}

fn frozen_node(value: &Value) -> Option<Frozen> {
    let flag = |key| value.get(key)?.as_bool();
    Some(Frozen {
        id: filled(value, "id")?,
        phase: filled(value, "phase")?,
        selectable: flag("selectable")?,
        opt_in: flag("optIn")?,
        skipped: flag("skipped")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{
  "loop": "small",
  "current": "build",
  "nodes": {
    "select": {
      "outcome": "selected",
      "by": "ada",
      "via": "comment",
      "at": "2026-01-01T00:00:00Z",
      "comment": 7
    }
  },
  "skips": {
    "build": {
      "by": "ada",
      "via": "cli",
      "at": "2026-01-01T00:00:00Z",
      "reason": "none needed"
    }
  },
  "optIns": {
    "deep-review": {
      "by": "ada",
      "via": "comment",
      "at": "2026-01-01T00:00:00Z"
    }
  },
  "frozen": {
    "nodes": [
      {
        "id": "build",
        "phase": "build",
        "selectable": true,
        "optIn": false,
        "skipped": true
      }
    ]
  },
  "entered": {
    "select": "2026-01-01T00:00:00Z"
  },
  "checklist": {
    "tokens": [
      "aa"
    ],
    "comment": "IC_1"
  },
  "note": [
    1
  ]
}
"#;

    #[test]
    fn a_state_is_written_as_it_was_read() {
        let state = State::parse(WHOLE).unwrap();
        assert_eq!(
            (state.nodes.len(), state.skips.len(), state.opt_ins.len(), state.frozen.len()),
            (1, 1, 1, 1)
        );
        assert_eq!(state.text(), WHOLE);
    }

    #[test]
    fn whatever_is_malformed_counts_as_not_there() {
        let empty = State::default();
        for text in [
            "{}",
            "[]",
            "5",
            "null",
            "\"x\"",
            r#"{"loop": 5, "current": [], "nodes": [], "skips": "x", "optIns": null, "frozen": 5, "entered": {"a": 5}, "checklist": []}"#,
        ] {
            assert_eq!(State::parse(text).unwrap(), empty, "{text}");
        }
        let entry = |entry: &str| {
            let text = format!(
                r#"{{"optIns": {{"a": {entry}}}, "skips": {{"a": {entry}}}, "nodes": {{"a": {entry}}}, "frozen": {{"nodes": [{entry}]}}}}"#
            );
            State::parse(&text).unwrap()
        };
        for malformed in [
            "true",
            "null",
            "5",
            "{}",
            "[]",
            "\"ada\"",
            r#"{"by": "a", "via": "comment", "outcome": "pass"}"#,
            r#"{"by": "a", "via": "comment", "outcome": "pass", "at": "then"}"#,
            r#"{"by": " ", "via": "comment", "outcome": "pass", "at": "2026-01-01T00:00:00Z"}"#,
            r#"{"by": "a", "via": 5, "outcome": "pass", "at": "2026-01-01T00:00:00Z"}"#,
            r#"{"by": "a", "via": "x", "outcome": "pass", "at": "2026-01-01T00:00:00Z", "comment": {}, "reason": 5}"#,
        ] {
            assert_eq!(entry(malformed), empty, "{malformed}");
        }
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        for text in ["", "{", "nodes:", "{} {}", &"[".repeat(100_000)] {
            assert!(State::parse(text).is_err(), "{text:.20}");
        }
    }
}
