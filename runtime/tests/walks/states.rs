//! States of every shape: nothing crashes, and what is malformed is not there (OR-FC, OR-N1).

use std::fs;

use serde_json::{Value, json};

use crate::desk::{Desk, entry};

#[test]
fn whatever_the_state_holds_it_is_judged() {
    let desk = Desk::small();
    let odd = [
        json!(null),
        json!(true),
        json!(5),
        json!("x"),
        json!([]),
        json!({}),
        json!([1]),
        json!({"build": 5}),
        json!({"build": {}}),
        json!({"build": []}),
        json!({"deep-review": true}),
        json!({"deep-review": {"by": 5}}),
        json!({"select": {"outcome": "selected"}}),
        json!({"nodes": [5, {}, {"id": 5}]}),
        json!("../../etc"),
    ];
    let keys = ["loop", "current", "nodes", "skips", "optIns", "frozen", "entered", "checklist"];
    for key in keys {
        for value in &odd {
            desk.forge(|state| state[key] = value.clone());
            let check = desk.run(["check", "w", "--format", "json"]);
            check.assert(1);
            let report = check.json();
            let statuses: Vec<&Value> =
                report["nodes"].as_array().unwrap().iter().map(|node| &node["status"]).collect();
            assert!(!statuses.contains(&&json!("pass")), "{key}: {value}: {report}");
            let step = desk.graph(["advance", "w"]);
            assert!(matches!(step.code, Some(1 | 2)), "{key}: {value}: {}", step.stderr);
            assert!(!step.stderr.contains("panicked"), "{}", step.stderr);
            fs::remove_file(desk.item_path("graph-state.json")).unwrap();
            desk.graph(["start", "w", "--loop", "small"]).assert(0);
        }
    }
}

#[test]
fn a_state_that_is_no_json_is_a_clear_error() {
    let desk = Desk::small();
    for text in
        ["", "{", "current: select", "\u{0}", "{} {}", &"[".repeat(100_000), &"x".repeat(9 * 1024 * 1024)]
    {
        desk.item("graph-state.json", text);
        for verb in [&["check", "w"][..], &["graph", "advance", "w"], &["graph", "checklist", "w"]] {
            desk.run(verb.iter().copied()).assert_refused("graph-state.json");
        }
        assert_eq!(fs::read_to_string(desk.item_path("graph-state.json")).unwrap(), text);
    }
}

#[test]
fn a_state_that_is_no_file_is_refused() {
    let desk = Desk::small();
    let path = desk.item_path("graph-state.json");
    fs::rename(&path, desk.path("state.json")).unwrap();
    std::os::unix::fs::symlink(desk.path("state.json"), &path).unwrap();
    desk.run(["check", "w"]).assert_refused("symbolic link");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    desk.run(["check", "w"]).assert_refused("regular file");
    desk.graph(["start", "w"]).assert_refused("is there already");
}

#[test]
fn without_a_state_every_verb_asks_for_a_start_and_makes_nothing() {
    let desk = Desk::configured("");
    for verb in [
        &["graph", "checklist", "w"][..],
        &["graph", "advance", "w"],
        &["graph", "skip", "w", "--node", "design", "--reason", "x"],
        &["check", "w"],
    ] {
        desk.run(verb.iter().copied()).assert_refused("run `the-loop graph start w` first");
    }
    assert!(!desk.path("checkout/docs").exists());
}

#[test]
fn a_start_makes_folder_and_state_once() {
    let desk = Desk::configured("");
    let started = desk.graph(["start", "w"]);
    started.assert(0);
    let state = desk.state();
    assert_eq!(
        (&state["loop"], &state["current"]),
        (&"pdlc-work-item-loop".into(), &"phase-selection".into())
    );
    for empty in [&state["nodes"], &state["skips"], &state["optIns"]] {
        assert_eq!(*empty, json!({}));
    }
    assert_eq!(state["frozen"], json!({"nodes": []}));
    desk.graph(["start", "w"]).assert_refused("is there already");
    desk.graph(["start", "v", "--loop", "pdlc-pr-lop"]).assert_refused("pdlc-pr-loop");
    assert!(!desk.path("checkout/docs/specs/v").exists());
}

#[test]
fn an_unknown_pointer_stops_writers_and_is_judged_from_the_start() {
    let desk = Desk::selected("");
    desk.forge(|state| state["current"] = "nowhere".into());
    let before = desk.state();
    desk.graph(["advance", "w"]).assert_refused("`current` is `nowhere`");
    desk.graph(["skip", "w", "--node", "docs", "--reason", "x"]).assert_refused("`current` is `nowhere`");
    assert_eq!(desk.state(), before);
    let check = desk.run(["check", "w", "--format", "json"]);
    check.assert(1);
    assert!(check.stderr.contains("judged from the start"), "{}", check.stderr);
    assert_eq!(check.json()["current"], "build");
}

#[test]
fn an_item_from_before_an_opt_in_phase_existed_is_unaffected() {
    let desk = Desk::selected("- [ ] docs");
    desk.item("build.md", "## Build\nx\n");
    desk.forge(|state| {
        let state = state.as_object_mut().unwrap();
        for key in ["optIns", "entered", "checklist"] {
            state.remove(key);
        }
    });
    assert_eq!(desk.advance()["current"], "approval");
    assert_eq!(desk.status("deep-review"), "not-selected");
}

#[test]
fn a_stored_pointer_on_a_skipped_node_is_routed_round() {
    let desk = Desk::selected("- [ ] docs");
    desk.item("build.md", "## Build\nx\n");
    desk.advance();
    desk.forge(|state| state["current"] = "docs".into());
    assert_eq!(desk.check()["current"], "approval");
    assert_eq!(desk.advance()["node"], "approval");
}

#[test]
fn members_of_others_survive() {
    let desk = Desk::small();
    desk.forge(|state| state["note"] = json!({"mine": [1]}));
    desk.say("ada", "the-loop execute");
    desk.advance();
    assert_eq!(desk.state()["note"], json!({"mine": [1]}));
    desk.forge(|state| state["skips"]["docs"] = entry());
}

#[test]
fn the_item_s_folder_can_be_named() {
    let desk = Desk::configured("routing: {graph: {specDir: specs}}");
    desk.graph(["start", "w"]).assert(0);
    assert!(desk.path("checkout/specs/w/graph-state.json").is_file());
    desk.graph(["start", "w", "--spec-dir", "../other/here"]).assert(0);
    assert!(desk.path("other/here/graph-state.json").is_file());
    let root = desk.path("elsewhere");
    fs::create_dir(&root).unwrap();
    desk.graph(["start", "w", "--root", root.to_str().unwrap()]).assert(0);
    assert!(root.join("specs/w/graph-state.json").is_file());
    desk.graph(["start", "w", "--root", "missing"]).assert_refused("missing");
}
