//! The event log: told first, and nothing moves without it (OR-N2).

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::desk::{Desk, Outcome};

fn keys(event: &Value) -> Vec<&str> {
    event.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_selection_is_told_beside_the_skips() {
    let desk = Desk::selected("- [x] deep-review\n- [x] wide-review\n- [ ] docs");
    let selected = desk.events_called("graph.opt_ins_selected");
    let [event] = selected.as_slice() else { panic!("{selected:?}") };
    assert_eq!(keys(event), ["ts", "event", "work_item", "via", "by", "nodes", "root", "loop"]);
    assert_eq!(event["nodes"], json!(["deep-review", "wide-review"]));
    assert_eq!(
        (&event["work_item"], &event["via"], &event["by"]),
        (&"w".into(), &"comment".into(), &"ada".into())
    );
    let skipped = desk.events_called("graph.skips_declared");
    assert_eq!((skipped.len(), &skipped[0]["nodes"]), (1, &json!(["docs"])));
    let decided = desk.events_called("graph.gate_decided");
    let [event] = decided.as_slice() else { panic!("{decided:?}") };
    let more = ["root", "loop", "node", "outcome", "comment", "entered"];
    assert_eq!(keys(event), [&["ts", "event", "work_item", "via", "by"][..], &more].concat());
    assert_eq!((&event["node"], &event["outcome"]), (&"select".into(), &"selected".into()));
}

#[test]
fn nothing_chosen_is_no_event() {
    let desk = Desk::selected("");
    assert_eq!(desk.events_called("graph.opt_ins_selected"), [Value::Null; 0]);
    assert_eq!(desk.events_called("graph.skips_declared"), [Value::Null; 0]);
    assert_eq!(desk.events_called("graph.gate_decided").len(), 1);
}

#[test]
fn what_cannot_be_logged_does_not_happen() {
    let desk = Desk::configured("routing: {authorizedUsers: [ada]}\neventLog: {path: log/events.jsonl}");
    desk.graph(["start", "w", "--loop", "small"]).assert(0);
    let log = desk.path("home/.the-loop/log/events.jsonl");
    assert!(log.is_file(), "relative to the config");
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    let before = desk.state();
    desk.say("ada", "the-loop execute\n- [x] deep-review");
    desk.step().assert_refused("event log");
    desk.graph(["skip", "w", "--node", "docs", "--reason", "x"]).assert_refused("event log");
    assert_eq!(desk.state(), before);
}

#[test]
fn nothing_starts_without_a_log() {
    let desk =
        Desk::configured("routing: {authorizedUsers: [ada]}\neventLog: {path: small.yaml/events.jsonl}");
    desk.graph(["start", "w", "--loop", "small"]).assert_refused("event log");
    assert!(!desk.path("checkout/docs").exists());
    let state = json!({"loop": "small", "current": "select"}).to_string();
    desk.item("graph-state.json", &state);
    desk.graph(["checklist", "w"]).assert_refused("event log");
    desk.say("ada", "the-loop execute");
    desk.step().assert_refused("event log");
    assert_eq!(desk.state().to_string(), state);
    // Whoever only looks still sees.
    let check = desk.run(["check", "w"]);
    check.assert(1);
    assert!(check.stderr.contains("event log"), "{}", check.stderr);
}

#[test]
fn a_step_that_was_logged_and_not_written_is_taken_again() {
    let desk = Desk::small();
    let before = desk.state().to_string();
    desk.say("ada", "the-loop execute\n- [x] deep-review");
    desk.advance();
    // As if the machine had stopped between the two.
    desk.item("graph-state.json", &before);
    desk.say("ada", "the-loop execute");
    let step = desk.advance();
    assert_eq!((&step["outcome"], step["optIns"].as_object().unwrap().len()), (&"selected".into(), 1));
    assert_eq!(desk.status("select"), "pass");
    assert_eq!(desk.status("deep-review"), "pending");
}

#[test]
fn an_answer_that_was_logged_and_not_written_needs_no_comment_any_more() {
    let desk = Desk::at_approval();
    let before = desk.state().to_string();
    let approval = desk.say("ada", "the-loop approve");
    desk.advance();
    desk.item("graph-state.json", &before);
    desk.forget(approval);
    desk.say("ada", "the-loop request changes");
    assert_eq!(desk.advance()["outcome"], "approved");
    assert_eq!(desk.status("approval"), "pass");
    assert_eq!(desk.events_called("graph.gate_decided").len(), 2);
}

#[test]
fn an_answer_that_could_not_be_written_decides_nothing() {
    let desk = Desk::small();
    // A folder with room for the state's path, and none for the longer one of a draft.
    let mut folder = desk.path("deep");
    while folder.as_os_str().len() < 4076 {
        let room = 4076 - folder.as_os_str().len() - 1;
        folder.push("d".repeat(room.min(if room > 200 { 199.min(room - 2) } else { room })));
    }
    fs::create_dir_all(&folder).unwrap();
    fs::copy(desk.item_path("graph-state.json"), folder.join("graph-state.json")).unwrap();
    desk.say("ada", "the-loop execute");
    let comments = desk.comments_file();
    let there = ["--spec-dir", folder.to_str().unwrap(), "--comments", comments.to_str().unwrap()];
    desk.graph(["advance", "w"].into_iter().chain(there)).assert_refused("cannot write");
    assert_eq!(desk.events_called("graph.gate_decided"), [Value::Null; 0]);
    // The later answer is the one that counts.
    desk.say("ada", "the-loop execute\n- [x] deep-review");
    assert_eq!(desk.advance()["optIns"]["deep-review"]["by"], "ada");
}

#[test]
fn lines_that_are_no_events_of_ours_are_left_alone() {
    let desk = Desk::small();
    let log = desk.path("home/.the-loop/events.jsonl");
    let mut text = fs::read(&log).unwrap();
    text.extend_from_slice(b"nonsense\n\xff\xfe\n{\"event\": 5}\n[]\n{\"ts\": 5, \"event\": \"graph.gate_decided\", \"work_item\": \"w\"}\n{\"torn");
    fs::write(&log, &text).unwrap();
    desk.say("ada", "the-loop execute");
    assert_eq!(desk.advance()["outcome"], "selected");
    assert_eq!(desk.status("select"), "pass");
    let after = fs::read(&log).unwrap();
    assert!(after.starts_with(&text) && after[text.len()] == b'\n' && after.ends_with(b"\n"));
}

#[test]
fn a_log_in_any_checkout_is_warned_of() {
    for path in ["../../checkout/events.jsonl", "link.jsonl", "../../other/logs/events.jsonl"] {
        let desk = Desk::configured(&format!("eventLog: {{path: {path}}}"));
        // It leads nowhere yet.
        symlink("../../checkout/events.jsonl", desk.path("home/.the-loop/link.jsonl")).unwrap();
        desk.write("other/.git/HEAD", "");
        let started = desk.graph(["start", "w"]);
        started.assert(0);
        assert!(started.stderr.contains("lies inside the checkout"), "{path}: {}", started.stderr);
    }
}

#[test]
fn what_was_done_and_cannot_be_printed_is_said_beside() {
    let desk = Desk::small();
    desk.say("ada", "the-loop execute");
    let comments = desk.comments_file();
    let mut command = desk.command(["graph", "advance", "w", "--comments", comments.to_str().unwrap()]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let step: Outcome = command.stdout(full).output().unwrap().into();
    step.assert(2);
    assert!(
        step.stderr.contains(r#"this was done: {"workItem":"w","node":"select","outcome":"selected""#),
        "{}",
        step.stderr
    );
    assert_eq!(desk.state()["current"], "build");
}

#[test]
fn what_killed_writers_left_is_removed() {
    let desk = Desk::small();
    desk.item(".graph-state-aB3dE6.json", "{");
    desk.item(".graph-state-mine-too.json", "{");
    desk.say("ada", "the-loop execute");
    desk.advance();
    assert!(!desk.item_path(".graph-state-aB3dE6.json").exists());
    assert!(desk.item_path(".graph-state-mine-too.json").exists());
}

#[test]
fn only_gates_are_entered() {
    let desk = Desk::at_approval();
    let entered: Vec<Value> =
        desk.events_called("graph.gate_entered").iter().map(|event| event["node"].clone()).collect();
    assert_eq!(entered, ["approval"]);
}
