//! Values, journals and differences in words.
//!
//! Small functions named for what they show. Where a word stands and which colour it has is the report's matter.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use fake_critics::journal::{Ending, Entry, Event};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::campaign::Outcome;
use crate::matcher::KEYS as MATCHERS;

/// A sandbox under the name that it is shown by: the target saw another one, which the two would make two places.
pub(super) struct Shown {
    names: Option<(String, String)>,
}

impl Shown {
    /// As the target saw it, and as it is kept.
    pub(super) fn new(outcome: &Outcome<'_>) -> Self {
        let seen = outcome.observation.as_ref().and_then(|seen| seen.subject.places.bin.parent());
        let kept = outcome.replay.as_ref().and_then(|replay| replay.parent());
        let name = |path: &Path| path.display().to_string();
        Self { names: seen.zip(kept).map(|(seen, kept)| (name(seen), name(kept))) }
    }

    /// The same text with the name that is shown.
    pub(super) fn text(&self, text: &str) -> String {
        match &self.names {
            Some((seen, kept)) => text.replace(seen, kept),
            None => text.to_owned(),
        }
    }

    /// The same value, in all its texts.
    pub(super) fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(map) => map.iter().map(|(key, item)| (key.clone(), self.value(item))).collect(),
            other => other.clone(),
        }
    }
}

/// How many entries of a journal a failure shows.
const ENTRIES: usize = 12;
const LONGEST: usize = 160;

/// A line of a difference.
pub(super) enum Change {
    /// Expected, not there.
    Missing(String),
    /// There, not expected.
    Found(String),
    /// In both.
    Same(String),
}

/// What was expected against what was seen, line by line. A matcher is no value: it shares no lines with one.
pub(super) fn difference(expected: &Value, seen: &Value) -> Vec<Change> {
    let (wanted, seen) = (pretty(expected), pretty(seen));
    if is_matcher(expected) {
        let wanted =
            Some(format!("{expected}\n")).filter(|line| line.chars().count() <= LONGEST).unwrap_or(wanted);
        let missing = wanted.lines().map(|line| Change::Missing(clip(line)));
        return missing.chain(seen.lines().map(|line| Change::Found(clip(line)))).collect();
    }
    let expected = wanted;
    TextDiff::from_lines(expected.as_str(), seen.as_str())
        .iter_all_changes()
        .map(|change| {
            let line = clip(change.value().trim_end_matches('\n'));
            match change.tag() {
                ChangeTag::Delete => Change::Missing(line),
                ChangeTag::Insert => Change::Found(line),
                ChangeTag::Equal => Change::Same(line),
            }
        })
        .collect()
}

fn is_matcher(expected: &Value) -> bool {
    expected
        .as_object()
        .is_some_and(|map| !map.is_empty() && map.keys().all(|key| MATCHERS.contains(&key.as_str())))
}

fn pretty(value: &Value) -> String {
    let is_flat = match value {
        Value::Array(items) => items.iter().all(|item| !item.is_array() && !item.is_object()),
        Value::Object(map) => map.values().all(|item| !item.is_array() && !item.is_object()),
        _ => true,
    };
    let line = value.to_string();
    if is_flat && line.len() <= 100 {
        return format!("{line}\n");
    }
    serde_json::to_string_pretty(value).unwrap_or(line) + "\n"
}

/// The first entries of a journal, one line each, times from its beginning.
pub(super) fn journal(entries: &[Entry], shown: &Shown) -> Vec<String> {
    let begin = entries.first().map_or(0, |entry| entry.monotonic);
    let mut lines: Vec<String> = entries
        .iter()
        .take(ENTRIES)
        .map(|entry| {
            let since = Duration::from_nanos(entry.monotonic.saturating_sub(begin));
            clip(&format!(
                "+{:.3} s  {:>7}  {}",
                since.as_secs_f64(),
                entry.pid,
                shown.text(&event(&entry.event))
            ))
        })
        .collect();
    if entries.len() > ENTRIES {
        lines.push(format!("and {} more", entries.len() - ENTRIES));
    }
    lines
}

fn event(event: &Event) -> String {
    match event {
        Event::Started(started) => {
            let argv: Vec<String> = started.argv.iter().map(|word| quoted(&word.0)).collect();
            format!("started {} in {}", argv.join(" "), quoted(&started.cwd.0))
        }
        Event::Printed { bytes, .. } => format!("printed {bytes} bytes"),
        Event::ReadStdin { bytes, ended } => {
            let ended = if *ended { "to its end" } else { "without its end" };
            format!("read {} from standard input, {ended}", quoted(&bytes.0))
        }
        Event::ChildStarted(_) => "child started".to_owned(),
        Event::Signal { name } => format!("signal {name:?}").to_uppercase().replace("SIGNAL", "signal"),
        Event::Sleeping { seconds } => format!("sleeping {seconds:?}"),
        Event::Exiting(Ending::Code(code)) => format!("exiting {code}"),
        Event::Exiting(Ending::Signal(name)) => format!("ending itself by {name:?}"),
        Event::Failed { error } => format!("failed: {error}"),
    }
}

/// A line that a program wrote, whatever it holds.
pub(super) fn printable(line: &str, shown: &Shown) -> String {
    clip(&shown.text(line.trim()))
}

/// Bytes as one word on one line.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    let mut word = String::from("'");
    for character in text.chars().take(LONGEST) {
        match character {
            '\'' => word.push_str("'\\''"),
            other if other.is_control() => {
                // A String takes whatever is written to it.
                let _ = write!(word, "{}", other.escape_default());
            }
            other => word.push(other),
        }
    }
    word.push('\'');
    word
}

fn clip(line: &str) -> String {
    let shown: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.chars().count() <= LONGEST {
        return shown;
    }
    shown.chars().take(LONGEST).chain(['…']).collect()
}
