//! JSON lines: first the run, then one line per check, last the counts.
//!
//! Main type: [`JsonLines`]. Each line is flushed: a file without the last line is that of an interrupted run.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Report;
use super::words::Shown;
use crate::campaign::{Conclusion, Ending, Event, Header};
use crate::judge::{Kind, Verdict};

/// The report.
#[derive(Debug)]
pub struct JsonLines<W> {
    stream: W,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckLine<'a> {
    check: &'a str,
    requirement: &'a str,
    source: &'a [String],
    level: &'a str,
    verdict: &'a str,
    expected: Value,
    seen: Value,
    seconds: f64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    peaks: &'a BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    fingerprint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<String>,
}

impl<W: Write> JsonLines<W> {
    /// A report to this stream.
    pub fn new(stream: W) -> Self {
        Self { stream }
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.stream, line)?;
        self.stream.write_all(b"\n")?;
        self.stream.flush()
    }
}

impl<W: Write> Report for JsonLines<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Begun(header) => self.line(&first(header)),
            Event::Judged(outcome) => {
                let replay = outcome.replay.as_ref().map(|path| path.display().to_string());
                let place = Shown::new(outcome);
                let mut verdicts = outcome.verdicts.iter();
                verdicts.try_for_each(|verdict| self.line(&check(verdict, replay.clone(), &place)))
            }
            Event::Ended(ending) if ending.conclusion == Conclusion::Interrupted => Ok(()),
            Event::Ended(ending) => self.line(&last(ending)),
        }
    }
}

fn first(header: &Header) -> Value {
    json!({
        "kit": header.kit,
        "suite": header.suite,
        "target": header.target,
        "targetVersion": header.target_version,
        "startup": header.startup.map(seconds),
        "expected": header.expected,
    })
}

fn check<'a>(verdict: &'a Verdict, replay: Option<String>, place: &Shown) -> CheckLine<'a> {
    CheckLine {
        check: &verdict.check,
        requirement: &verdict.requirement,
        source: &verdict.source,
        level: verdict.level.name(),
        verdict: verdict.kind.name(),
        expected: place.value(&verdict.expected()),
        seen: place.value(&verdict.seen()),
        seconds: seconds(verdict.seconds),
        peaks: &verdict.peaks,
        note: verdict.note.as_deref(),
        fingerprint: verdict.fingerprint(),
        replay: replay.filter(|_| !verdict.findings.is_empty() || verdict.kind.is_failure()),
    }
}

fn last(ending: &Ending) -> Value {
    let counts: Map<String, Value> =
        Kind::ALL.iter().map(|kind| (kind.name().to_owned(), json!(ending.tally.count(*kind)))).collect();
    json!({"counts": counts, "exit": ending.conclusion.exit()})
}

/// Seconds to the millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}
