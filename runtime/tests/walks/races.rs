//! Two writers at once: nothing is lost, nothing is torn.

use std::process::{Child, Command, Stdio};

use crate::desk::{Desk, Outcome};

/// Starts all commands before any of them is waited for.
fn race(commands: impl IntoIterator<Item = Command>) -> Vec<Outcome> {
    let start = |mut command: Command| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let running: Vec<Child> = commands.into_iter().map(start).collect();
    running.into_iter().map(|child| child.wait_with_output().unwrap().into()).collect()
}

#[test]
fn fifty_races_of_two_skips_lose_nothing() {
    let desk = Desk::small();
    for round in 0..50 {
        let item = format!("item-{round}");
        desk.graph(["start", &item, "--loop", "small"]).assert(0);
        let skip = |node| desk.command(["graph", "skip", &item, "--node", node, "--reason", node]);
        for outcome in race([skip("build"), skip("docs")]) {
            outcome.assert(0);
        }
        let report = desk.run(["check", &item, "--format", "json"]).json();
        for node in ["build", "docs"] {
            assert_eq!(crate::desk::find(&report, node)["status"], "skipped", "{round}: {report}");
        }
    }
    assert_eq!(desk.events_called("graph.skips_declared").len(), 100);
}

#[test]
fn fifty_races_of_two_steps_decide_each_node_once() {
    let desk = Desk::small();
    let id = desk.say("ada", "the-loop execute\n- [x] deep-review");
    desk.change(id, |comment| {
        comment["created_at"] = crate::desk::time(600).into();
        comment["updated_at"] = crate::desk::time(600).into();
    });
    let comments = desk.comments_file();
    let comments = comments.to_str().unwrap();
    for round in 0..50 {
        let item = format!("item-{round}");
        desk.graph(["start", &item, "--loop", "small"]).assert(0);
        desk.write(&format!("checkout/docs/specs/{item}/build.md"), "## Build\nx\n");
        let step = || desk.command(["graph", "advance", &item, "--comments", comments]);
        let outcomes = race([step(), step()]);
        let mut decided: Vec<String> = outcomes
            .iter()
            .map(|outcome| {
                outcome.assert(0);
                outcome.json()["node"].as_str().unwrap().to_owned()
            })
            .collect();
        decided.sort();
        assert_eq!(decided, ["build", "select"], "{round}");
        let report = desk.run(["check", &item, "--format", "json"]).json();
        assert_eq!(report["current"], "docs", "{round}: {report}");
        assert_eq!(crate::desk::find(&report, "select")["status"], "pass");
        assert_eq!(crate::desk::find(&report, "deep-review")["status"], "pending");
    }
    assert_eq!(desk.events_called("graph.gate_decided").len(), 50);
    assert_eq!(desk.events_called("graph.opt_ins_selected").len(), 50);
}

#[test]
fn a_writer_that_never_ends_is_waited_for_ten_seconds() {
    let desk = Desk::small();
    let folder = std::fs::File::open(desk.item_path("")).unwrap();
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let before = desk.state();
    desk.graph(["skip", "w", "--node", "docs", "--reason", "x"]).assert_refused("10 s; try again, or end it");
    assert_eq!(desk.state(), before);
    // Readers do not wait.
    desk.run(["check", "w"]).assert(1);
}
