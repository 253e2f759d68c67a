//! Each assertion of a check against the record of its step.
//!
//! `Bench::judge` is one match over the closed set of assertions. What a fake received is judged in `received`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::evidence::starts;
use super::trace::trace;
use super::{Bench, Finding};
use crate::matcher::{Matcher, Seen, same};
use crate::observation::{CopyRecord, Ending, FileRecord, Liveness};
use crate::scenario::check::{Assertion, Bounds, Check, Pointer};
use crate::text::{Names, Text};

const SHOWN: usize = 4000;

impl Bench<'_> {
    /// What does not hold.
    pub(super) fn judge(&self, assertion: &Assertion) -> Vec<Finding> {
        match assertion {
            Assertion::Exit(matcher) => self.each_copy(|copy, names| exit(matcher, copy, names)),
            Assertion::Stdout(matcher) => self.each_copy(|copy, names| {
                finding("stdout", matcher, &Seen::bytes(&copy.stdout.0), names).into_iter().collect()
            }),
            Assertion::Stderr(matcher) => self.each_copy(|copy, names| {
                finding("stderr", matcher, &Seen::bytes(&copy.stderr.0), names).into_iter().collect()
            }),
            Assertion::Envelope(pointers) => {
                self.each_copy(|copy, names| document("envelope", Shape::Object, pointers, copy, names))
            }
            Assertion::Json(pointers) => {
                self.each_copy(|copy, names| document("json", Shape::Any, pointers, copy, names))
            }
            Assertion::SameEnvelope(path) => {
                self.each_copy(|copy, names| self.same_envelope(path, copy, names))
            }
            Assertion::Files(files) => self.each_copy(|_, names| {
                files.iter().filter_map(|(path, matcher)| self.file(path, matcher, names)).collect()
            }),
            Assertion::Seconds(bounds) => self.each_copy(|copy, _| seconds(*bounds, copy, self.startup)),
            Assertion::Started(started) => {
                started.iter().filter_map(|(fake, matcher)| self.started(fake, matcher)).collect()
            }
            Assertion::Received(received) => {
                received.iter().flat_map(|(fake, received)| self.received(fake, received)).collect()
            }
            Assertion::Survivors(matcher) => self.survivors(matcher).into_iter().collect(),
            Assertion::Alive(bystanders) => bystanders.iter().filter_map(|name| self.alive(name)).collect(),
            Assertion::Memory(most) => self.each_copy(|copy, _| amount("memory", *most, memory(copy))),
            Assertion::Disk(most) => self.each_copy(|copy, _| amount("disk", *most, copy.peak_disk)),
            Assertion::Temporary(matcher) => self.temporary(matcher).into_iter().collect(),
            Assertion::Graph(assertion) => self.graph(assertion),
        }
    }

    /// The peaks that a check asks about.
    pub(super) fn peaks(&self, check: &Check) -> BTreeMap<&'static str, u64> {
        let highest = |peak: fn(&CopyRecord) -> u64| self.record.copies.iter().map(peak).max().unwrap_or(0);
        let peak = |assertion: &Assertion| match assertion {
            Assertion::Memory(_) => Some(("memory", highest(memory))),
            Assertion::Disk(_) => Some(("disk", highest(|copy| copy.peak_disk))),
            _ => None,
        };
        check.assertions().iter().filter_map(peak).collect()
    }

    /// The findings of the first copy that has any.
    pub(super) fn each_copy(&self, judge: impl Fn(&CopyRecord, &Names) -> Vec<Finding>) -> Vec<Finding> {
        let several = self.record.copies.len() > 1;
        for copy in &self.record.copies {
            let mut findings = judge(copy, &self.names(copy.number));
            if findings.is_empty() {
                continue;
            }
            if several {
                for finding in &mut findings {
                    finding.what = format!("{} (copy {})", finding.what, copy.number);
                }
            }
            return findings;
        }
        Vec::new()
    }

    fn same_envelope(&self, path: &Text, copy: &CopyRecord, names: &Names) -> Vec<Finding> {
        let record = self.session.files.get(&path.expand(names));
        let written = match record {
            Some(FileRecord::File(bytes)) => serde_json::from_slice::<Value>(&bytes.0).ok(),
            _ => None,
        };
        let printed = serde_json::from_slice::<Value>(&copy.stdout.0).ok();
        if let (Some(written), Some(printed)) = (&written, &printed)
            && same(written, printed)
        {
            return Vec::new();
        }
        let what = format!("same-envelope {}", path.source());
        let seen = written.unwrap_or_else(|| file_seen(record).shown());
        let expected = printed.unwrap_or_else(|| json!("JSON on standard output"));
        let trace = trace(&what, &seen, names);
        vec![Finding { what, expected, seen: shorten(seen), trace }]
    }

    fn file(&self, path: &Text, matcher: &Matcher, names: &Names) -> Option<Finding> {
        let seen = file_seen(self.session.files.get(&path.expand(names)));
        finding(&format!("files {}", path.source()), matcher, &seen, names)
    }

    fn started(&self, fake: &str, matcher: &Matcher) -> Option<Finding> {
        let count = self.session.journals.get(fake).map_or(0, |journal| starts(journal));
        finding(&format!("started {fake}"), matcher, &Seen::json(Some(json!(count))), &self.names(0))
    }

    fn survivors(&self, matcher: &Matcher) -> Option<Finding> {
        let survivors = &self.record.survivors;
        let names = self.names(0);
        let mut finding = finding("survivors", matcher, &Seen::json(Some(json!(survivors.len()))), &names)?;
        finding.trace = format!("survivors: {}", if survivors.is_empty() { "none" } else { "some" });
        if !survivors.is_empty() {
            let commands: Vec<&str> = survivors.iter().map(|survivor| survivor.command.as_str()).collect();
            finding.seen = json!({"count": survivors.len(), "commands": commands});
        }
        Some(finding)
    }

    fn alive(&self, name: &str) -> Option<Finding> {
        let alive = self.session.bystanders.get(name) == Some(&Liveness::Alive);
        let what = format!("alive {name}");
        let trace = format!("{what}: gone");
        (!alive).then(|| Finding { what, expected: json!("alive"), seen: json!("gone"), trace })
    }

    fn temporary(&self, matcher: &Matcher) -> Option<Finding> {
        let left = &self.session.temporary;
        let mut finding =
            finding("temporary", matcher, &Seen::json(Some(json!(left.len()))), &self.names(0))?;
        finding.trace = format!("temporary: {}", if left.is_empty() { "none" } else { "some" });
        if !left.is_empty() {
            finding.seen = json!({"count": left.len(), "files": left});
        }
        Some(finding)
    }
}

#[derive(Clone, Copy)]
enum Shape {
    Object,
    Any,
}

fn exit(matcher: &Matcher, copy: &CopyRecord, names: &Names) -> Vec<Finding> {
    let shown = match copy.ending {
        Ending::Exit(code) => {
            return finding("exit", matcher, &Seen::json(Some(json!(code))), names).into_iter().collect();
        }
        Ending::Signal(number) => {
            let name = fake_critics::SignalName::from_number(number)
                .and_then(|name| serde_json::to_value(name).ok())
                .and_then(|name| name.as_str().map(str::to_owned));
            format!("ended by signal {}", name.unwrap_or_else(|| number.to_string()))
        }
        Ending::Hung => "hung, and was cut off".to_owned(),
        Ending::NotStarted => "could not be started".to_owned(),
    };
    vec![Finding {
        what: "exit".to_owned(),
        expected: matcher.shown(names),
        trace: format!("exit: {shown}"),
        seen: json!(shown),
    }]
}

fn document(
    what: &str,
    shape: Shape,
    pointers: &[(Pointer, Matcher)],
    copy: &CopyRecord,
    names: &Names,
) -> Vec<Finding> {
    let (expected, fits): (&str, fn(&Value) -> bool) = match shape {
        Shape::Object => ("exactly one JSON object", Value::is_object),
        Shape::Any => ("exactly one JSON value", |_| true),
    };
    let document = match serde_json::from_slice::<Value>(&copy.stdout.0) {
        Ok(document) if fits(&document) => document,
        other => {
            let seen = no_document(other, &copy.stdout.lossy());
            let trace = trace(what, &json!(seen), names);
            return vec![Finding {
                what: what.to_owned(),
                expected: json!(expected),
                seen: shorten(json!(seen)),
                trace,
            }];
        }
    };
    pointers
        .iter()
        .filter_map(|(pointer, matcher)| {
            let seen = Seen::json(document.pointer(pointer.as_str()).cloned());
            finding(format!("{what} {}", pointer.as_str()).trim_end(), matcher, &seen, names)
        })
        .collect()
}

/// What was printed in place of the document that was asked for: where it stops to be JSON, and that line.
pub(super) fn no_document(read: Result<Value, serde_json::Error>, stdout: &str) -> String {
    let line = |number: usize| stdout.lines().nth(number.saturating_sub(1)).unwrap_or_default().trim();
    match read {
        _ if stdout.trim().is_empty() => "nothing".to_owned(),
        Ok(_) => format!("another JSON value: {}", stdout.trim()),
        Err(error) => format!("no JSON ({error}): {}", line(error.line())),
    }
}

fn seconds(bounds: Bounds, copy: &CopyRecord, startup: Duration) -> Vec<Finding> {
    let late = bounds.max.is_some_and(|max| copy.wall > max + startup);
    let early = bounds.min.is_some_and(|min| copy.wall < min);
    if !late && !early {
        return Vec::new();
    }
    let mut expected = serde_json::Map::new();
    if let Some(min) = bounds.min {
        expected.insert("min".to_owned(), json!(min.as_secs_f64()));
    }
    if let Some(max) = bounds.max {
        expected.insert("max".to_owned(), json!(max.as_secs_f64()));
        if !startup.is_zero() {
            expected.insert("plus start-up".to_owned(), json!(millis(startup)));
        }
    }
    vec![Finding {
        what: "seconds".to_owned(),
        expected: expected.into(),
        seen: json!(millis(copy.wall)),
        trace: format!("seconds: {}", if late { "above max" } else { "below min" }),
    }]
}

/// Whole MiB.
fn memory(copy: &CopyRecord) -> u64 {
    copy.peak_memory.div_ceil(1024)
}

fn amount(what: &str, most: u64, seen: u64) -> Vec<Finding> {
    if seen <= most {
        return Vec::new();
    }
    vec![Finding {
        what: what.to_owned(),
        expected: json!({"max": most}),
        seen: json!(seen),
        trace: format!("{what}: above max"),
    }]
}

pub(super) fn file_seen(record: Option<&FileRecord>) -> Seen {
    match record {
        // A file that nobody looked at must not count as one that is not there.
        None => Seen::json(Some(json!({"unobserved": true}))),
        Some(FileRecord::Absent) => Seen::absent(),
        Some(FileRecord::File(bytes)) => Seen::bytes(&bytes.0),
        Some(FileRecord::Directory) => Seen::json(Some(json!({"directory": true}))),
        Some(FileRecord::Other(why)) => Seen::json(Some(json!({"unreadable": why}))),
    }
}

pub(super) fn finding(what: &str, matcher: &Matcher, seen: &Seen, names: &Names) -> Option<Finding> {
    if matcher.holds(seen, names) {
        return None;
    }
    let shown = seen.shown();
    let trace = trace(what, &shown, names);
    Some(Finding {
        what: what.to_owned(),
        expected: shorten(matcher.shown(names)),
        seen: shorten(shown),
        trace,
    })
}

/// Long texts are cut for reports: a flood is not worth a gigabyte of them.
pub(super) fn shorten(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > SHOWN => {
            let kept: String = text.chars().take(SHOWN).collect();
            json!(format!("{kept}… ({} bytes in all)", text.len()))
        }
        Value::Array(items) => items.into_iter().map(shorten).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, shorten(value))).collect(),
        other => other,
    }
}

/// Seconds to the millisecond.
fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}
