//! The selection: what ticks mean for the nodes of a graph.
//!
//! [`Selection::of`] is a function from boxes to nodes. Whatever is unclear falls back to the node's default, which is off for
//! an opt-in node (OR-2.3 to OR-2.6, OR-FC).

use std::collections::HashMap;
use std::fmt::Write as _;

use super::history::{Answered, History};
use super::markdown::Row;
use super::reply::OWN_MARKER;
use super::{CompiledGraph, Node, NodeId};

/// What a human chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Opt-in nodes that run, in file order.
    pub opt_ins: Vec<NodeId>,
    /// Default-on nodes that do not run, in file order.
    pub skips: Vec<NodeId>,
    /// Nodes that were unticked and run all the same, in file order.
    pub refused: Vec<NodeId>,
}

/// What the boxes of one name say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tick {
    Yes,
    No,
    Both,
}

/// Whether any box names a node of the graph, so that these boxes are a checklist.
pub fn is_checklist(graph: &CompiledGraph, rows: &[Row]) -> bool {
    rows.iter().any(|row| graph.node(&row.id).is_some())
}

impl Selection {
    /// What the boxes choose.
    pub fn of(graph: &CompiledGraph, rows: &[Row]) -> Self {
        let mut ticks: HashMap<&str, Tick> = HashMap::new();
        for row in rows {
            let tick = if row.ticked { Tick::Yes } else { Tick::No };
            let known = ticks.entry(&row.id).or_insert(tick);
            if *known != tick {
                *known = Tick::Both;
            }
        }
        let mut selection = Self::default();
        for node in graph.nodes() {
            let list = match ticks.get(node.id().as_str()) {
                Some(Tick::Yes) if node.is_opt_in() => &mut selection.opt_ins,
                Some(Tick::No) if node.is_default_on() => &mut selection.skips,
                Some(Tick::No) if !node.is_skippable() => &mut selection.refused,
                _ => continue,
            };
            list.push(node.id().clone());
        }
        selection
    }

    /// What the log knows to have been chosen.
    pub fn logged(graph: &CompiledGraph, history: &History) -> Self {
        let ids = |event| {
            let nodes = history.answered(event).filter_map(|id| graph.node(id));
            nodes.map(|node| node.id().clone()).collect()
        };
        Self { opt_ins: ids(Answered::Selected), skips: ids(Answered::DeclaredAway), refused: Vec::new() }
    }
}

/// The comment that confirms a selection (OR-2.5). `gone_round` are all default-on nodes that do not run.
pub fn confirmation(
    graph: &CompiledGraph,
    work_item: &str,
    selection: &Selection,
    gone_round: &[&Node],
    remark: Option<&str>,
) -> String {
    let offered: Vec<&NodeId> = graph.nodes().iter().filter(|node| node.is_opt_in()).map(Node::id).collect();
    let (taken, left): (Vec<&NodeId>, Vec<&NodeId>) =
        offered.into_iter().partition(|id| selection.opt_ins.contains(id));
    let mut text = format!("{OWN_MARKER}\nThe phases of `{work_item}` are chosen.\n\n");
    // Writing to a string cannot fail.
    if !taken.is_empty() {
        let _ = writeln!(text, "- Opt-in phases selected: {}.", names(&taken));
    }
    if !left.is_empty() {
        let _ = writeln!(text, "- Opt-in phases offered and not selected: {}.", names(&left));
    }
    let gone_round: Vec<&NodeId> = gone_round.iter().map(|node| node.id()).collect();
    if gone_round.is_empty() {
        text.push_str("- Every phase that runs by default runs.\n");
    } else {
        let _ = writeln!(
            text,
            "- Declared away: {}. Every other phase that runs by default runs.",
            names(&gone_round)
        );
    }
    if !selection.refused.is_empty() {
        let refused: Vec<&NodeId> = selection.refused.iter().collect();
        let _ = writeln!(text, "- Refused: {} cannot be unticked, and runs.", names(&refused));
    }
    if let Some(remark) = remark {
        let _ = writeln!(text, "- {remark}");
    }
    text
}

fn names(ids: &[&NodeId]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::markdown::rows;

    const GRAPH: &str = "version: 1
name: g
start: s
nodes:
  - {id: s, actor: human, required: true, exit: [classify-phase-selection]}
  - {id: on, skippable: true}
  - {id: off, optIn: true}
  - {id: always}
  - {id: end, terminal: true}
edges:
  - {from: s, to: on, on: selected}
  - {from: on, to: off, on: pass}
  - {from: on, to: off, on: skipped}
  - {from: off, to: always, on: pass}
  - {from: off, to: always, on: skipped}
  - {from: always, to: end, on: pass}
";

    fn chosen(text: &str) -> String {
        let graph = CompiledGraph::compile(GRAPH).unwrap();
        let selection = Selection::of(&graph, &rows(text));
        let list = |ids: &[NodeId]| ids.iter().map(NodeId::as_str).collect::<Vec<_>>().join(",");
        format!("+{} -{} !{}", list(&selection.opt_ins), list(&selection.skips), list(&selection.refused))
    }

    #[test]
    fn boxes_mean_what_the_graph_allows() {
        for (boxes, meant) in [
            ("", "+ - !"),
            ("- [x] off\n- [ ] on", "+off -on !"),
            ("- [ ] off\n- [x] on", "+ - !"),
            ("- [x] off\n- [x] off\n- [ ] on\n- [ ] on", "+off -on !"),
            ("- [x] off\n- [ ] off\n- [ ] on\n- [x] on", "+ - !"),
            ("- [ ] always\n- [ ] s\n- [ ] end\n- [x] always", "+ - !s,end"),
            ("- [x] other\n- [ ] on-off", "+ - !"),
        ] {
            assert_eq!(chosen(boxes), meant, "{boxes}");
        }
    }

    #[test]
    fn the_confirmation_names_what_was_offered_either_way() {
        let graph = CompiledGraph::compile(GRAPH).unwrap();
        let told = |boxes: &str| confirmation(&graph, "w", &Selection::of(&graph, &rows(boxes)), &[], None);
        insta::assert_snapshot!(told("- [x] off\n- [ ] always"), @r"
        <!-- the-loop:agent-comment -->
        The phases of `w` are chosen.

        - Opt-in phases selected: `off`.
        - Every phase that runs by default runs.
        - Refused: `always` cannot be unticked, and runs.
        ");
        assert!(told("").contains("Opt-in phases offered and not selected: `off`."));
    }
}
