//! Forms: what a node's artifacts look like before anybody has filled them in.
//!
//! [`form`] gives Markdown that no gate takes for an answer (OR-3.3).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::record::{COLUMNS, OUTCOMES};
use super::{ArtifactPath, Gate, Node};

/// The forms of all artifacts that a node's gates read, one after another; `None` when they read none.
pub fn form(node: &Node) -> Option<String> {
    let mut sections: BTreeMap<&ArtifactPath, Vec<(&Gate, &str)>> = BTreeMap::new();
    for gate in node.exit() {
        for file in gate.files() {
            sections
                .entry(file)
                .or_default()
                .extend(gate.sections().iter().map(|title| (gate, title.as_str())));
        }
    }
    let forms: Vec<String> = sections.iter().map(|(file, sections)| artifact(node, file, sections)).collect();
    (!forms.is_empty()).then(|| forms.join("\n"))
}

fn artifact(node: &Node, file: &ArtifactPath, sections: &[(&Gate, &str)]) -> String {
    let mut text =
        format!("<!-- {file}: the form of `{}`; replace every comment -->\n# {}\n", node.id(), title(node));
    for (gate, title) in sections {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n## {title}\n");
        match gate {
            Gate::ValidateReviewRecord { .. } => text.push_str(&record()),
            _ => text.push_str("<!-- write this section -->\n"),
        }
    }
    text
}

fn title(node: &Node) -> String {
    let words = node.id().as_str().replace('-', " ");
    let mut letters = words.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}

fn record() -> String {
    let line = |cells: [&str; 5]| format!("| {} |\n", cells.join(" | "));
    format!(
        "<!-- One row for each round, also for one that could not run.\n     Outcome: {}.\n     Findings: their number; for an \
         unavailable round its cause. -->\n\n{}{}{}\n<!-- Below, one line for each finding: `fixed`, `won't fix` and why, or \
         `needs clarification`, such as\n- section Storage: no index for the lookup: fixed in 1a2b3c\n-->\n",
        OUTCOMES.join(", "),
        line(COLUMNS),
        line(["---"; 5]),
        line(["", "", "", "", ""]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::OperatorConfig;
    use crate::graph::gate::tests::Shelf;
    use crate::graph::gate::{Verdict, judge};
    use crate::graph::{CompiledGraph, Loops};

    fn shipped() -> Vec<CompiledGraph> {
        let loops = Loops::read(&OperatorConfig::default()).unwrap();
        loops.names().into_iter().map(|name| loops.load(name).unwrap()).collect()
    }

    #[test]
    fn no_form_passes_unedited() {
        let mut forms = 0;
        for graph in shipped() {
            for node in graph.nodes() {
                let Some(form) = form(node) else { continue };
                forms += 1;
                let shelf: Vec<(&str, &str)> = node
                    .exit()
                    .iter()
                    .flat_map(Gate::files)
                    .map(|file| (file.as_str(), form.as_str()))
                    .collect();
                assert!(matches!(judge(node, &Shelf::of(&shelf)), Verdict::Fails(_)), "{form}");
            }
        }
        assert!(forms > 10);
    }

    #[test]
    fn a_record_form_passes_once_it_is_filled_in() {
        let graph = &shipped()[0];
        let node = graph.node("design-critic-review").unwrap();
        let form = form(node).unwrap();
        let filled = form.replace("|  |  |  |  |  |", "| 1 | [cursor/gpt-5.5] | new findings | 1 | link |");
        let verdict = |text: &str| judge(node, &Shelf::of(&[("evidence/design-critic-review.md", text)]));
        assert!(matches!(verdict(&filled), Verdict::Fails(_)));
        assert_eq!(verdict(&format!("{filled}\n- an index is missing: fixed\n")), Verdict::Holds);
    }

    #[test]
    fn a_form_opens_with_what_it_is() {
        let graph = &shipped()[0];
        let form = form(graph.node("design-critic-review").unwrap()).unwrap();
        let opening: Vec<&str> = form.lines().take(4).collect();
        assert_eq!(
            opening,
            [
                "<!-- evidence/design-critic-review.md: the form of `design-critic-review`; replace every comment -->",
                "# Design critic review",
                "",
                "## Design critic review",
            ]
        );
    }
}
