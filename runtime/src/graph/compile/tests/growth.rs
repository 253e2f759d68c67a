//! Compiling costs what the graph is long, and not more: chains of a thousand and of ten thousand nodes.
//!
//! Time is that of the thread alone, so that a busy machine changes little.

use std::fmt::Write as _;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::graph::CompiledGraph;

/// A chain of so many opt-in nodes.
fn chain(length: usize) -> String {
    let mut text = "version: 1\nname: long\nstart: s\nnodes:\n".to_owned();
    text += "  - {id: s, actor: human, required: true, exit: [classify-phase-selection]}\n";
    for number in 0..length {
        let gate = format!("{{hook: validate-artifacts, with: {{validates: n{number}.md}}}}");
        writeln!(text, "  - {{id: n{number}, optIn: true, exit: [{gate}]}}").unwrap();
    }
    text += "  - {id: end, terminal: true}\nedges:\n  - {from: s, to: n0, on: selected}\n";
    for number in 0..length {
        let next = if number + 1 == length { "end".to_owned() } else { format!("n{}", number + 1) };
        writeln!(text, "  - {{from: n{number}, to: {next}, on: pass}}").unwrap();
        writeln!(text, "  - {{from: n{number}, to: {next}, on: skipped}}").unwrap();
    }
    text
}

/// A chain with one edge led elsewhere.
fn led(length: usize, from: &str, to: &str, elsewhere: &str) -> String {
    let (old, new) = (format!("{{from: {from}, to: {to},"), format!("{{from: {from}, to: {elsewhere},"));
    let text = chain(length);
    assert!(text.contains(&old), "no edge {old}");
    text.replacen(&old, &new, 1)
}

fn faults(text: &str) -> Vec<String> {
    CompiledGraph::compile(text).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn a_graph_of_ten_thousand_nodes_compiles() {
    let graph = CompiledGraph::compile(&chain(10_000)).unwrap();
    assert_eq!((graph.nodes().len(), graph.edges().count()), (10_002, 20_001));
}

#[test]
fn what_is_wrong_with_thousands_of_nodes_is_all_told() {
    let circle = faults(&led(10_000, "n9999", "end", "n0"));
    assert_eq!(circle.len(), 1);
    assert!(
        circle[0].contains("`n0` -> `n1` -> `n2` -> `n3` -> … -> `n9997` -> `n9998` -> `n9999` -> `n0`"),
        "{circle:?}"
    );
    let island = faults(&led(2_000, "s", "n0", "end"));
    assert_eq!(island.len(), 1);
    assert!(island[0].contains("no walk reaches it, nor `n1`"), "{island:?}");
    assert_eq!(faults(&led(2_000, "n0", "n1", "end")).len(), 1_999, "passed by");
    assert_eq!(faults(&chain(2_000).replace("to: n", "to: x")).len(), 3_999, "edges to nowhere");
    assert_eq!(faults(&chain(2_000).replace("optIn: true", "optIn: 1")).len(), 2_000, "markers");
}

/// The time of this thread for one compilation.
fn cost(text: &str) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
    };
    let before = now();
    let _ = std::hint::black_box(CompiledGraph::compile(text));
    now().saturating_sub(before)
}

#[test]
fn ten_times_the_nodes_cost_about_ten_times_the_time() {
    let shapes: [fn(usize) -> String; 5] = [
        chain,
        |length| led(length, &format!("n{}", length - 1), "end", "n0"),
        |length| led(length, "s", "n0", "end"),
        |length| led(length, "n0", "n1", "end"),
        |length| chain(length).replace("to: n", "to: x"),
    ];
    for shape in shapes {
        let (small, large) = (shape(1_000), shape(10_000));
        // Ten times would be linear, a hundred times the square. A busy machine gets a second and a third chance.
        let tried: Vec<(Duration, Duration)> = (0..3)
            .map(|_| (cost(&small), cost(&large)))
            .take_while(|(fast, slow)| *slow > *fast * 30)
            .collect();
        assert!(tried.len() < 3, "{tried:?}: {}", &large[large.len() - 60..]);
    }
}
