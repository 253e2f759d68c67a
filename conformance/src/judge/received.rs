//! What a start of a fake saw, against what a check expects of it.
//!
//! Judges the journal of one fake; steps and streams of the target are judged elsewhere.

use fake_critics::Bytes;
use fake_critics::journal::{Entry, Event, Started};
use serde_json::{Value, json};

use super::trace::trace;
use super::{Bench, Finding};
use crate::matcher::{Matcher, Seen};
use crate::scenario::check::{Group, Received};
use crate::text::Names;

/// One start of a fake, with the entries of that process.
struct Start<'a> {
    pid: i32,
    started: &'a Started,
    entries: Vec<&'a Event>,
}

impl Bench<'_> {
    /// What does not hold of the start that `received` asks for. With several copies the order of starts is open, so
    /// that each copy only needs some start that fits it.
    pub(super) fn received(&self, fake: &str, received: &Received) -> Vec<Finding> {
        let starts = starts(self.session.journals.get(fake).map_or(&[], Vec::as_slice));
        let copies = self.record.copies.len();
        if copies <= 1 {
            return self.start_findings(fake, received, starts.get(received.start), 0);
        }
        (0..copies)
            .filter_map(|copy| {
                let fits = |start| self.start_findings(fake, received, Some(start), copy).is_empty();
                if starts.iter().any(fits) {
                    return None;
                }
                Some(self.start_findings(fake, received, starts.get(copy), copy))
            })
            .flatten()
            .collect()
    }

    fn start_findings(
        &self,
        fake: &str,
        received: &Received,
        start: Option<&Start<'_>>,
        copy: usize,
    ) -> Vec<Finding> {
        let names = self.names(copy);
        let Some(start) = start else {
            let expected = format!("start {} of `{fake}`", received.start);
            let what = format!("received {fake}");
            let trace = format!("{what}: not started");
            return vec![Finding {
                what,
                expected: json!(expected),
                seen: json!("it was not started"),
                trace,
            }];
        };
        let mut bench = StartBench { fake, start, names, findings: Vec::new() };
        bench.judge(received);
        bench.findings
    }
}

struct StartBench<'a> {
    fake: &'a str,
    start: &'a Start<'a>,
    names: Names,
    findings: Vec<Finding>,
}

impl StartBench<'_> {
    fn judge(&mut self, received: &Received) {
        let started = self.start.started;
        if let Some(args) = &received.args {
            self.args(args);
        }
        let argv0 = started.argv.first().map_or_else(Seen::absent, |argv0| Seen::bytes(&argv0.0));
        self.matches("argv0", received.argv0.as_ref(), &argv0);
        for (name, matcher) in &received.env {
            let seen = started.variable(name).map_or_else(Seen::absent, |Bytes(value)| Seen::bytes(&value));
            self.matches(&format!("env {name}"), Some(matcher), &seen);
        }
        self.matches("cwd", received.cwd.as_ref(), &Seen::bytes(&started.cwd.0));
        let kind = serde_json::to_value(started.stdin).ok();
        self.matches("stdin-kind", received.stdin_kind.as_ref(), &Seen::json(kind));
        self.stdin(received);
        if let Some(group) = received.group {
            let own = started.group == self.start.pid;
            let seen = if own { Group::Own } else { Group::Shared };
            self.same("group", &json!(group.name()), &json!(seen.name()));
        }
        if let Some(signals) = &received.signals {
            let seen: Vec<Value> = self.start.entries.iter().filter_map(|event| signal(event)).collect();
            self.matches("signals", Some(signals), &Seen::json(Some(seen.into())));
        }
    }

    fn stdin(&mut self, received: &Received) {
        if received.stdin.is_none() && received.stdin_ended.is_none() {
            return;
        }
        let read = self.start.entries.iter().find_map(|event| match event {
            Event::ReadStdin { bytes, ended } => Some((bytes, *ended)),
            _ => None,
        });
        let seen = read.map_or_else(Seen::absent, |(bytes, _)| Seen::bytes(&bytes.0));
        self.matches("stdin", received.stdin.as_ref(), &seen);
        if let Some(ended) = received.stdin_ended {
            self.same("stdin-ended", &json!(ended), &json!(read.map(|(_, ended)| ended)));
        }
    }

    fn args(&mut self, expected: &[Matcher]) {
        let seen: Vec<Seen> = self.start.started.argv.iter().skip(1).map(|arg| Seen::bytes(&arg.0)).collect();
        let holds = seen.len() == expected.len()
            && expected.iter().zip(&seen).all(|(matcher, seen)| matcher.holds(seen, &self.names));
        if holds {
            return;
        }
        let what = format!("received {} args", self.fake);
        let shown: Vec<Value> = seen.iter().map(Seen::shown).collect();
        // Which element differs is part of the fingerprint, what it holds is too.
        let differing =
            expected.iter().zip(&seen).position(|(matcher, seen)| !matcher.holds(seen, &self.names));
        let trace = match differing {
            Some(index) => trace(&format!("{what} {index}"), &shown[index], &self.names),
            None => trace(&what, &Value::Array(shown.clone()), &self.names),
        };
        let expected = expected.iter().map(|matcher| matcher.shown(&self.names)).collect();
        self.findings.push(Finding { what, expected, seen: shown.into(), trace });
    }

    fn matches(&mut self, key: &str, matcher: Option<&Matcher>, seen: &Seen) {
        let Some(matcher) = matcher else { return };
        if matcher.holds(seen, &self.names) {
            return;
        }
        let what = format!("received {} {key}", self.fake);
        let trace = trace(&what, &seen.shown(), &self.names);
        self.findings.push(Finding { what, expected: matcher.shown(&self.names), seen: seen.shown(), trace });
    }

    fn same(&mut self, key: &str, expected: &Value, seen: &Value) {
        if expected == seen {
            return;
        }
        let what = format!("received {} {key}", self.fake);
        let trace = trace(&what, seen, &self.names);
        self.findings.push(Finding { what, expected: expected.clone(), seen: seen.clone(), trace });
    }
}

fn signal(event: &Event) -> Option<Value> {
    match event {
        Event::Signal { name } => serde_json::to_value(name).ok(),
        _ => None,
    }
}

fn starts(journal: &[Entry]) -> Vec<Start<'_>> {
    journal
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Started(started) => Some(Start {
                pid: entry.pid,
                started,
                entries: journal
                    .iter()
                    .filter(|other| other.pid == entry.pid && other.monotonic >= entry.monotonic)
                    .map(|other| &other.event)
                    .collect(),
            }),
            _ => None,
        })
        .collect()
}
