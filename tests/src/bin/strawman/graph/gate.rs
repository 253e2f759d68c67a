//! Whether what a node should leave behind is there. Main type: [`Verdict`], main function: [`judge`].
//!
//! It looks at the files afresh each time and at nothing that was recorded about them. Gates at which a person
//! decides are not its business.

use std::path::Path;

use crate::fault::graph::{Fault, on};

use super::artifact;
use super::definition::{Gate, Hook, Node};
use super::{markdown, record, section};

/// What the files say about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Everything is there.
    Holds,
    /// A review could not be held; the cause.
    Unavailable(String),
    /// Something is missing.
    Fails(Vec<String>),
}

/// Judges all gates of a node that look at files.
pub(crate) fn judge(node: &Node, folder: &Path) -> Verdict {
    if node.opt_in && on(Fault::SelectedPassesGate) {
        return Verdict::Holds;
    }
    let (mut flaws, mut causes) = (Vec::new(), Vec::new());
    for gate in node.exit.iter().filter(|gate| !gate.hook.is_human()) {
        if on(Fault::GatesIgnored) || on(Fault::FirstGateOnly) && gate.spot != node.exit[0].spot {
            continue;
        }
        for verdict in judge_gate(gate, node, folder) {
            match verdict {
                Verdict::Holds => {}
                Verdict::Unavailable(cause) => causes.push(cause),
                Verdict::Fails(found) => flaws.extend(found),
            }
        }
    }
    match () {
        () if !flaws.is_empty() => Verdict::Fails(flaws),
        () if !causes.is_empty() => Verdict::Unavailable(causes.join("; ")),
        () => Verdict::Holds,
    }
}

fn judge_gate(gate: &Gate, node: &Node, folder: &Path) -> Vec<Verdict> {
    let instead = gate.validates.as_ref().filter(|_| !on(Fault::ValidatesIgnored));
    let files = if instead.is_some() { &[] } else { node.produces.as_slice() };
    let files = instead.into_iter().chain(files);
    files
        .flat_map(|file| match artifact::read(folder, &file.text) {
            Err(flaw) => vec![Verdict::Fails(vec![flaw])],
            Ok(_) if on(Fault::FileIsEnough) => vec![Verdict::Holds],
            Ok(text) => judge_text(gate, &file.text, &text),
        })
        .collect()
}

fn judge_text(gate: &Gate, file: &str, text: &str) -> Vec<Verdict> {
    if gate.sections.is_empty() {
        let lines = markdown::visible(text, markdown::ALL);
        return vec![judge_lines(gate.hook, &lines, &format!("`{file}`"))];
    }
    let sections = gate.sections.iter().take(if on(Fault::FirstSectionOnly) { 1 } else { usize::MAX });
    sections
        .map(|name| {
            let place = format!("section `{}` of `{file}`", name.text);
            match section::find(text, &name.text) {
                None => Verdict::Fails(vec![format!("{place} is missing")]),
                Some(lines) => judge_lines(gate.hook, &lines, &place),
            }
        })
        .collect()
}

fn judge_lines(hook: Hook, lines: &[String], place: &str) -> Verdict {
    if on(Fault::CriticTextObeyed) && lines.iter().any(|line| line.to_lowercase().contains("approve")) {
        return Verdict::Holds;
    }
    if hook == Hook::ReviewRecord {
        return match record::judge(lines) {
            Verdict::Fails(_) if on(Fault::ReviewRecordIsAnyText) && section::says_something(lines) => {
                Verdict::Holds
            }
            Verdict::Fails(flaws) => {
                Verdict::Fails(flaws.into_iter().map(|flaw| format!("{place}: {flaw}")).collect())
            }
            other => other,
        };
    }
    if section::says_something(lines) {
        Verdict::Holds
    } else {
        Verdict::Fails(vec![format!("{place} says nothing")])
    }
}
