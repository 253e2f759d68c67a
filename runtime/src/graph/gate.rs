//! Gates on files: whether what a node has to leave behind is there.
//!
//! [`judge`] reads artifacts through [`Artifacts`] each time anew; no recorded verdict is ever taken for one (OR-3.3).

use std::rc::Rc;

use super::markdown::{Document, says_something};
use super::record::{self, Review};
use super::{ArtifactPath, Gate, Node};

/// The artifacts of one work item.
pub trait Artifacts {
    /// The artifact, split into its sections.
    ///
    /// # Errors
    /// Why there is none that counts: a sentence without the path.
    fn document(&self, path: &ArtifactPath) -> Result<Rc<Document>, String>;
}

/// What the artifacts of a node come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that its gates ask for is there; also where they ask for nothing.
    Holds,
    /// Review rounds are recorded, and none of them could run, for these causes (OR-3.5).
    Unavailable(String),
    /// What is missing, one sentence each.
    Fails(Vec<String>),
}

/// Whether a node has gates on files at all.
pub fn asks_for_artifacts(node: &Node) -> bool {
    node.exit().iter().any(|gate| !gate.files().is_empty())
}

/// Judges the gates on files of a node.
pub fn judge(node: &Node, artifacts: &dyn Artifacts) -> Verdict {
    let mut missing = Vec::new();
    let mut causes = Vec::new();
    for gate in node.exit() {
        for file in gate.files() {
            match artifacts.document(file) {
                Err(why) => missing.push(format!("`{file}` {why}")),
                Ok(document) if gate.sections().is_empty() && document.is_blank() => {
                    missing.push(format!("`{file}` is empty"));
                }
                Ok(document) => {
                    for title in gate.sections() {
                        match section(gate, &document, title) {
                            Ok(Review::Ran) => {}
                            Ok(Review::Unavailable(cause)) => causes.push(cause),
                            Err(faults) => {
                                let told = |fault| format!("`{file}`, section `{title}`: {fault}");
                                missing.extend(faults.into_iter().map(told));
                            }
                        }
                    }
                }
            }
        }
    }
    match (missing.is_empty(), causes.is_empty()) {
        (false, _) => Verdict::Fails(missing),
        (true, false) => Verdict::Unavailable(causes.join("; ")),
        (true, true) => Verdict::Holds,
    }
}

fn section(gate: &Gate, document: &Document, title: &str) -> Result<Review, Vec<String>> {
    let mut sections = document.sections(title).peekable();
    if sections.peek().is_none() {
        return Err(vec![format!("there is no heading `## {title}`")]);
    }
    match gate {
        // The name may stand twice by mistake; one of them has to tell everything.
        Gate::ValidateReviewRecord { .. } => {
            let mut faults = Vec::new();
            for section in sections {
                match record::read(section) {
                    Ok(review) => return Ok(review),
                    Err(found) => faults = found,
                }
            }
            Err(faults)
        }
        Gate::ValidateArtifacts { .. } | Gate::ClassifyPhaseSelection | Gate::ClassifyFeedback => {
            if sections.any(says_something) {
                Ok(Review::Ran)
            } else {
                Err(vec!["it says nothing yet".to_owned()])
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::graph::CompiledGraph;

    /// Artifacts that are no files.
    #[derive(Default)]
    pub(crate) struct Shelf(pub(crate) HashMap<String, String>);

    impl Shelf {
        pub(crate) fn of(artifacts: &[(&str, &str)]) -> Self {
            Self(artifacts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
        }
    }

    impl Artifacts for Shelf {
        fn document(&self, path: &ArtifactPath) -> Result<Rc<Document>, String> {
            let text = self.0.get(path.as_str()).ok_or_else(|| "is not there".to_owned())?;
            Ok(Rc::new(Document::read(text.clone())))
        }
    }

    const GRAPH: &str = "version: 1
name: g
start: a
nodes:
  - {id: a, produces: [a.md, b.md], exit: [{hook: validate-artifacts, with: {sections: [One, Two]}}]}
  - {id: b, produces: [c.md], exit: [{hook: validate-review-record, with: {sections: [Review]}}]}
  - {id: c}
  - {id: end, terminal: true}
edges:
  - {from: a, to: b, on: pass}
  - {from: b, to: c, on: pass}
  - {from: c, to: end, on: pass}
";

    fn verdict(node: &str, artifacts: &[(&str, &str)]) -> Verdict {
        let graph = CompiledGraph::compile(GRAPH).unwrap();
        judge(graph.node(node).unwrap(), &Shelf::of(artifacts))
    }

    #[test]
    fn every_section_stands_in_every_file() {
        let whole = "## One\nx\n## Two\ny\n";
        assert_eq!(verdict("a", &[("a.md", whole), ("b.md", whole)]), Verdict::Holds);
        let Verdict::Fails(missing) = verdict("a", &[("a.md", "## One\n-\n")]) else { panic!() };
        insta::assert_snapshot!(missing.join("\n"), @r"
        `a.md`, section `One`: it says nothing yet
        `a.md`, section `Two`: there is no heading `## Two`
        `b.md` is not there
        ");
    }

    #[test]
    fn rounds_that_could_not_run_are_told_apart() {
        let record = |row: &str| {
            format!("## Review\n| Round | Critic | Outcome | Findings | Link |\n|-|-|-|-|-|\n{row}\n")
        };
        let judged = |row: &str| verdict("b", &[("c.md", &record(row))]);
        assert_eq!(judged("| 1 | a | zero findings | 0 | |"), Verdict::Holds);
        assert_eq!(judged("| 1 | a | unavailable | gone | |"), Verdict::Unavailable("gone".to_owned()));
        assert!(matches!(judged("| 1 | a | | | |"), Verdict::Fails(_)));
    }

    #[test]
    fn a_node_without_gates_holds() {
        assert_eq!(verdict("c", &[]), Verdict::Holds);
    }

    #[test]
    fn a_file_without_sections_has_to_say_something() {
        let graph = CompiledGraph::compile(
            &GRAPH
                .replace(", with: {sections: [One, Two]}}]", "}]")
                .replace("produces: [a.md, b.md]", "produces: [a.md]"),
        )
        .unwrap();
        let verdict = |text: &str| judge(graph.node("a").unwrap(), &Shelf::of(&[("a.md", text)]));
        assert_eq!(verdict("x"), Verdict::Holds);
        assert_eq!(verdict(" \n\t\n"), Verdict::Fails(vec!["`a.md` is empty".to_owned()]));
    }
}
