//! What is told of a graph that is faulty in more than one way, and how much of it.

use std::fmt::Write as _;

use super::{edited, told};
use crate::graph::CompiledGraph;

#[test]
fn who_does_not_know_how_a_node_ends_is_not_told_of_its_edges() {
    let graph = |node: &str| {
        told(&format!("version: 1\nname: g\nstart: a\nnodes:\n  - {{id: a, {node}}}\n  - {{id: z, terminal: true}}\nedges: []\n"))
            .join("\n")
    };
    for known in ["actor: agent", "actor: code", "actor: human, exit: [classify-feedback]"] {
        assert!(graph(known).contains("no edge"), "{known}: {}", graph(known));
    }
    for unclear in ["exit: [nonsense]", "actor: nobody"] {
        assert!(!graph(unclear).contains("no edge"), "{unclear}: {}", graph(unclear));
    }
    let unknown = graph("actor: human");
    assert!(unknown.contains("node `a`") && !unknown.contains("no edge"), "{unknown}");
}

#[test]
fn where_a_node_cannot_be_named_nobody_says_what_walks_do() {
    let graph = |id: &str| {
        told(&format!(
            "version: 1\nname: g\nstart: a\nnodes:\n  - {{id: a}}\n  - {{id: {id}}}\n  - {{id: c}}\n  - {{id: z, terminal: true}}\n\
             edges:\n  - {{from: a, to: z, on: pass}}\n  - {{from: c, to: z, on: pass}}\n"
        ))
        .join("\n")
    };
    // What it is called, and so what it leads to, may be the way to `c`.
    assert!(graph("b").contains("node `c`: no walk"), "{}", graph("b"));
    assert!(!graph("[b]").contains("no walk"), "{}", graph("[b]"));
}

#[test]
fn names_of_hooks_at_the_start_are_kept() {
    let text = edited(&[("{id: build,", "{id: build, entry: [announce, {hook: ping, with: {a: 1}}],")]);
    let graph = CompiledGraph::compile(&text).unwrap();
    assert_eq!(graph.node("build").unwrap().entry(), ["announce", "ping"]);
    assert_eq!(graph.node("ship").unwrap().entry(), [] as [String; 0]);
}

/// A circle of so many nodes.
fn circle(length: usize) -> String {
    let (mut nodes, mut edges) = (String::new(), String::new());
    for number in 0..length {
        writeln!(nodes, "  - {{id: n{number}}}").unwrap();
        writeln!(edges, "  - {{from: n{number}, to: n{}, on: pass}}", (number + 1) % length).unwrap();
    }
    format!("version: 1\nname: g\nstart: n0\nnodes:\n{nodes}  - {{id: z, terminal: true}}\nedges:\n{edges}")
}

#[test]
fn a_long_way_is_told_without_its_middle() {
    let told = |length| told(&circle(length)).join("\n");
    let long = "`n0` -> `n1` -> `n2` -> `n3` -> … -> `n9` -> `n10` -> `n11` -> `n0`";
    assert!(told(12).contains(long), "{}", told(12));
    let whole = "`n0` -> `n1` -> `n2` -> `n3` -> `n4` -> `n5` -> `n6` -> `n0`";
    assert!(told(7).contains(whole), "{}", told(7));
}

#[test]
fn a_way_is_shown_for_the_first_twenty_that_are_passed_by() {
    let mut text = "version: 1\nname: g\nstart: s\nnodes:\n  - {id: s, skippable: true}\n".to_owned();
    let mut edges =
        "edges:\n  - {from: s, to: n0, on: pass}\n  - {from: s, to: n21, on: skipped}\n".to_owned();
    for number in 0..21 {
        writeln!(text, "  - {{id: n{number}, optIn: true}}").unwrap();
        for outcome in ["pass", "skipped"] {
            writeln!(edges, "  - {{from: n{number}, to: n{}, on: {outcome}}}", number + 1).unwrap();
        }
    }
    let told = told(&(text + "  - {id: n21, terminal: true}\n" + &edges));
    let passed_by: Vec<&String> =
        told.iter().filter(|line| line.contains("pass this opt-in node by")).collect();
    let shown = passed_by.iter().filter(|line| line.contains("by: `s` -> `n21`")).count();
    assert_eq!((passed_by.len(), shown), (21, 20), "{told:#?}");
}
