//! Evidence: no two nodes are satisfied by the same section of the same file.
//!
//! [`check`] compares what the gates of different nodes read.

use std::collections::HashMap;

use super::index::Index;
use crate::config::Problem;
use crate::graph::{ArtifactPath, Node};

/// Tells every section, and every file read as a whole, that a second node reads as well.
pub(super) fn check(index: &Index<'_>, nodes: &[Node], problems: &mut Vec<Problem>) {
    let mut readers: HashMap<(&ArtifactPath, String), usize> = HashMap::new();
    for (number, node) in nodes.iter().enumerate() {
        let read = node.exit.iter().flat_map(|gate| {
            let whole = gate.sections().is_empty().then(String::new);
            let sections: Vec<String> =
                gate.sections().iter().map(|section| same(section)).chain(whole).collect();
            gate.files()
                .iter()
                .flat_map(move |file| sections.clone().into_iter().map(move |section| (file, section)))
        });
        for (file, section) in read {
            let part = if section.is_empty() { String::new() } else { format!("section `{section}` of ") };
            let first = *readers.entry((file, section)).or_insert(number);
            if first != number {
                let what = format!(
                    "{part}`{file}` is read by `{}` as well: one piece of evidence would satisfy two phases",
                    nodes[first].id
                );
                let named = &index.nodes[number];
                let at = named.written.exit.first().map_or(named.written.at, |gate| gate.at);
                problems.push(
                    Problem::new(at, what).about(named.subject()).remedy("give each a section of its own"),
                );
            }
        }
    }
}

/// A heading without what does not tell two headings apart.
fn same(heading: &str) -> String {
    heading.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
