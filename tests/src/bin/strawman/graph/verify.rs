//! Whether a recorded decision was really made. Main type: [`Known`].
//!
//! The state can be forged and the log cannot, so a record counts only if it says what the log says last about its
//! node; a decision that changes were requested after is not the last word.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::fault::graph::{Fault, on};

use super::definition::{Graph, Outcome};
use super::state::{Record, State};

/// What the log says about each node.
pub(crate) struct Known<'a> {
    last: BTreeMap<&'a str, &'a Value>,
}

impl<'a> Known<'a> {
    /// From decisions in their order.
    pub(crate) fn new(graph: &'a Graph, decisions: &'a [Value]) -> Self {
        let mut last = BTreeMap::new();
        for event in decisions {
            let Some(id) = text(event, "node") else { continue };
            if text(event, "outcome") == Some(Outcome::ChangesRequested.name())
                && !on(Fault::WithdrawnApprovalCounts)
                && let Some(target) = graph.next(id, Outcome::ChangesRequested)
            {
                let selection = graph.selection().map(|node| node.id.text.as_str());
                for later in graph.here_and_later(&target.id.text) {
                    if Some(later) != selection {
                        last.remove(later);
                    }
                }
            } else {
                last.insert(id, event);
            }
        }
        Self { last }
    }

    /// The record of a node, if it is true.
    pub(crate) fn confirmed(&self, state: &State, id: &str) -> Option<Record> {
        let record = state.record(id)?;
        if on(Fault::RecordedApprovalCounts) {
            return Some(record);
        }
        let event = self.last.get(id)?;
        let by = record.decided.as_ref()?;
        let same = text(event, "outcome") == Some(record.outcome.name())
            && text(event, "by") == Some(&by.by)
            && (event.get("comment") == Some(&record.comment) || on(Fault::OtherCommentCounts))
            && agrees(event, "entered", record.entered.as_deref())
            && agrees(event, "via", Some(&by.via))
            && agrees(event, "at", Some(&by.at))
            && !(text(event, "at").is_none() && on(Fault::EventWithoutTimeIgnored));
        same.then_some(record)
    }
}

/// Whether event and record name the same, as far as both name something.
fn agrees(event: &Value, key: &str, recorded: Option<&str>) -> bool {
    match (text(event, key), recorded) {
        (Some(event), Some(recorded)) => event == recorded,
        _ => true,
    }
}

fn text<'a>(event: &'a Value, key: &str) -> Option<&'a str> {
    event.get(key).and_then(Value::as_str)
}
