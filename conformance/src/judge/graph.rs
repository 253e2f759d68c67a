//! The assertions of the graph profile against the record of their step.
//!
//! `Bench::graph` is one match over the closed set. How a checklist is read is `scenario::checklist`'s.

use serde_json::{Map, Value, json};

use super::assertion::{file_seen, finding, no_document, shorten};
use super::trace::trace;
use super::{Bench, Finding};
use crate::matcher::{Matcher, Seen};
use crate::observation::{CopyRecord, FileRecord};
use crate::scenario::checklist::Checklist;
use crate::scenario::graph_check::{EdgeCheck, EventCheck, GraphAssertion, Pointers, RowCheck};
use crate::text::{Names, Text};

impl Bench<'_> {
    /// What does not hold.
    pub(super) fn graph(&self, assertion: &GraphAssertion) -> Vec<Finding> {
        match assertion {
            GraphAssertion::Checklist(rows) => self.each_copy(|copy, names| checklist(rows, copy, names)),
            GraphAssertion::Rows(rows) => self.each_copy(|copy, names| {
                let said = |(node, matcher): &(String, Matcher)| {
                    let seen = Seen::json(said_of(node, &copy.stdout.lossy()).map(Value::from));
                    finding(&format!("rows {node}"), matcher, &seen, names)
                };
                rows.iter().filter_map(said).collect()
            }),
            GraphAssertion::Nodes(nodes) => self.in_document("nodes", |document, names| {
                by_node("nodes", document.get("nodes"), nodes, names)
            }),
            GraphAssertion::Edges(edges) => self.in_document("edges", |document, names| {
                edges.iter().filter_map(|edge| edge_finding(edge, document, true, names)).collect()
            }),
            GraphAssertion::NoEdges(edges) => self.in_document("no-edges", |document, names| {
                edges.iter().filter_map(|edge| edge_finding(edge, document, false, names)).collect()
            }),
            GraphAssertion::Adjacent(nodes) => self.in_document("adjacent", |document, names| {
                adjacent(nodes, document, names).into_iter().collect()
            }),
            GraphAssertion::State(pointers) => self.state(pointers),
            GraphAssertion::Frozen(nodes) => {
                let state = self.state_document();
                let frozen = state.as_ref().and_then(|state| state.pointer("/frozen/nodes"));
                by_node("frozen", frozen, nodes, &self.names(0))
            }
            GraphAssertion::Events(events) => {
                events.iter().filter_map(|(name, check)| self.event(name, check)).collect()
            }
            GraphAssertion::Unchanged(paths) => {
                paths.iter().filter_map(|path| self.unchanged(path)).collect()
            }
        }
    }

    /// What `judge` finds in the JSON on standard output, or that there is none.
    fn in_document(&self, what: &str, judge: impl Fn(&Value, &Names) -> Vec<Finding>) -> Vec<Finding> {
        self.each_copy(|copy, names| match serde_json::from_slice::<Value>(&copy.stdout.0) {
            Ok(document) if document.is_object() => judge(&document, names),
            other => {
                let seen = json!(no_document(other, &copy.stdout.lossy()));
                vec![plain(what, &json!("exactly one JSON object"), &seen, names)]
            }
        })
    }

    fn state_document(&self) -> Option<Value> {
        match self.record.walk.as_ref().map(|walk| &walk.state) {
            Some(FileRecord::File(bytes)) => serde_json::from_slice(&bytes.0).ok(),
            _ => None,
        }
    }

    fn state(&self, pointers: &Pointers) -> Vec<Finding> {
        let names = self.names(0);
        let Some(state) = self.state_document() else {
            let seen = file_seen(self.record.walk.as_ref().map(|walk| &walk.state)).shown();
            return vec![plain("state", &json!("a file that holds JSON"), &seen, &names)];
        };
        let found = |(pointer, matcher): &(crate::scenario::check::Pointer, Matcher)| {
            let seen = Seen::json(state.pointer(pointer.as_str()).cloned());
            finding(format!("state {}", pointer.as_str()).trim_end(), matcher, &seen, &names)
        };
        pointers.iter().filter_map(found).collect()
    }

    fn event(&self, name: &str, check: &EventCheck) -> Option<Finding> {
        let names = self.names(0);
        let log = match self.record.walk.as_ref().map(|walk| &walk.events) {
            Some(FileRecord::File(bytes)) => String::from_utf8_lossy(&bytes.0).into_owned(),
            _ => String::new(),
        };
        let lines: Vec<Value> =
            log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| json!(line))).collect();
        let counts = |line: &Value| {
            line.get("event").and_then(Value::as_str) == Some(name)
                && check.pointers.iter().all(|(pointer, matcher)| {
                    matcher.holds(&Seen::json(line.pointer(pointer.as_str()).cloned()), &names)
                })
        };
        let count = lines.iter().filter(|line| counts(line)).count();
        let what = format!("events {name}");
        let mut found = match &check.count {
            Some(matcher) => finding(&what, matcher, &Seen::json(Some(json!(count))), &names)?,
            None if count > 0 => return None,
            None => plain(&what, &json!("at least one line"), &json!(count), &names),
        };
        if !check.pointers.is_empty() {
            let conditions = check.pointers.iter();
            let conditions: Map<String, Value> = conditions
                .map(|(pointer, matcher)| (pointer.as_str().to_owned(), matcher.shown(&names)))
                .collect();
            found.expected = json!({"count": found.expected, "where": conditions});
        }
        found.seen = shorten(json!({"count": count, "lines": lines}));
        Some(found)
    }

    fn unchanged(&self, path: &Text) -> Option<Finding> {
        let names = self.names(0);
        let shown = path.expand(&names);
        let what = format!("unchanged {}", path.source());
        self.record
            .changed
            .contains(&shown)
            .then(|| plain(&what, &json!("the same as before the step"), &json!("changed"), &names))
    }
}

fn plain(what: &str, expected: &Value, seen: &Value, names: &Names) -> Finding {
    Finding {
        what: what.to_owned(),
        expected: expected.clone(),
        seen: shorten(seen.clone()),
        trace: trace(what, seen, names),
    }
}

fn checklist(rows: &[(String, RowCheck)], copy: &CopyRecord, names: &Names) -> Vec<Finding> {
    let text = copy.stdout.lossy();
    let printed = Checklist::read(&text);
    let mut findings = Vec::new();
    for (id, check) in rows {
        let what = |part: &str| format!("checklist {id} {part}").trim_end().to_owned();
        let Some(row) = printed.row(id) else {
            if check.absent != Some(true) {
                let known: Vec<&str> = printed.rows().iter().map(|row| row.id.as_str()).collect();
                findings.push(plain(&what(""), &json!("a row with a box"), &json!({"rows": known}), names));
            }
            continue;
        };
        if check.absent == Some(true) {
            findings.push(plain(&what(""), &json!("no row"), &json!("a row"), names));
        }
        if check.ticked.is_some_and(|ticked| ticked != row.ticked) {
            findings.push(plain(&what("ticked"), &json!(check.ticked), &json!(row.ticked), names));
        }
        for (part, matcher, text) in
            [("under", &check.under, &row.under), ("description", &check.description, &row.description)]
        {
            let seen = Seen::json(text.clone().map(Value::from));
            findings.extend(matcher.as_ref().and_then(|matcher| finding(&what(part), matcher, &seen, names)));
        }
    }
    findings
}

/// What is said of a node: its object in JSON, else the lines that begin with it, else those that name it.
fn said_of(node: &str, stdout: &str) -> Option<String> {
    if let Ok(document) = serde_json::from_str::<Value>(stdout) {
        return object_of(node, &document).map(ToString::to_string);
    }
    let named: Vec<&str> = stdout.lines().filter(|line| words(line).any(|word| word == node)).collect();
    let begun: Vec<&str> =
        named.iter().copied().filter(|line| words(line).next().is_some_and(|word| word == node)).collect();
    let lines = if begun.is_empty() { named } else { begun };
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).filter(|word| {
        // A list's or table's own dashes are no words.
        word.chars().any(char::is_alphanumeric)
    })
}

fn object_of<'a>(node: &str, value: &'a Value) -> Option<&'a Value> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| object_of(node, item)),
        Value::Object(_) if is_node(node, value) => Some(value),
        Value::Object(map) => map.values().find_map(|item| object_of(node, item)),
        _ => None,
    }
}

fn is_node(node: &str, value: &Value) -> bool {
    ["id", "node"].iter().any(|key| value.get(key).and_then(Value::as_str) == Some(node))
}

fn by_node(what: &str, list: Option<&Value>, nodes: &[(String, Pointers)], names: &Names) -> Vec<Finding> {
    let items = list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut findings = Vec::new();
    for (node, pointers) in nodes {
        let object = items.iter().find(|item| is_node(node, item));
        for (pointer, matcher) in pointers {
            let seen = Seen::json(object.and_then(|object| object.pointer(pointer.as_str())).cloned());
            let what = format!("{what} {node} {}", pointer.as_str());
            findings.extend(finding(what.trim_end(), matcher, &seen, names));
        }
    }
    findings
}

fn edge_finding(edge: &EdgeCheck, document: &Value, wanted: bool, names: &Names) -> Option<Finding> {
    let edges = document.get("edges").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let fits = |seen: &Value| {
        [("from", &edge.from), ("to", &edge.to), ("on", &edge.on)]
            .iter()
            .all(|(key, part)| part.is_none() || seen.get(key).and_then(Value::as_str) == part.as_deref())
    };
    let found = edges.iter().find(|seen| fits(seen));
    let part = |part: &Option<String>| part.clone().unwrap_or_else(|| "*".to_owned());
    let what = format!("edge {} to {} on {}", part(&edge.from), part(&edge.to), part(&edge.on));
    match (found, wanted) {
        (None, true) => Some(plain(&what, &json!("is there"), &json!("is not there"), names)),
        (Some(found), false) => Some(plain(&what, &json!("is not there"), found, names)),
        _ => None,
    }
}

fn adjacent(nodes: &[String], document: &Value, names: &Names) -> Option<Finding> {
    let listed = document.get("nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let id = |node: &Value| node.get("id").and_then(Value::as_str).map(str::to_owned);
    let listed: Vec<String> = listed.iter().filter_map(id).collect();
    let follows = listed.windows(nodes.len().max(1)).any(|window| window == nodes);
    (!follows).then(|| plain("adjacent", &json!(nodes), &json!(listed), names))
}
