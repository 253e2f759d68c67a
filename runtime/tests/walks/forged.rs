//! What an agent can write and what it gains: nothing (OR-1.7, OR-A2, OR-A3, OR-SEC).

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::desk::{Desk, RECORD, SMALL, entry, time};

#[test]
fn a_selection_of_a_node_that_is_not_opt_in_has_no_effect() {
    let desk = Desk::selected("- [ ] docs");
    desk.forge(|state| state["optIns"] = json!({"docs": entry(), "ship": entry(), "nowhere": entry()}));
    assert_eq!(desk.status("docs"), "skipped");
    assert!(desk.told("ship").contains("not opt-in"));
    desk.item("build.md", "## Build\nx\n");
    let step = desk.advance();
    assert_eq!((&step["current"], &step["optIns"]), (&"approval".into(), &json!({})));
}

#[test]
fn a_forged_selection_does_not_make_a_phase_run_or_pass() {
    let desk = Desk::selected("");
    desk.item("evidence/deep-review.md", RECORD);
    desk.item("build.md", "## Build\nx\n");
    desk.forge(|state| {
        state["optIns"] = json!({"deep-review": entry()});
        state["nodes"]["deep-review"] = json!({"outcome": "pass", "by": "ada", "via": "cli", "at": time(0)});
    });
    assert_eq!(desk.status("deep-review"), "not-selected");
    assert!(desk.told("deep-review").contains("unverified"));
    desk.advance();
    assert_eq!(desk.advance()["current"], "approval");
}

#[test]
fn a_selection_from_before_the_answer_is_dropped_by_it() {
    let desk = Desk::small();
    desk.forge(|state| {
        state["optIns"] = json!({"deep-review": entry()});
        state["skips"] = json!({"docs": entry()});
    });
    assert_eq!(desk.status("deep-review"), "not-selected");
    assert_eq!(desk.status("docs"), "pending");
    assert!(desk.told("docs").contains("unverified"), "{}", desk.told("docs"));
    desk.say("ada", "the-loop execute");
    let step = desk.advance();
    assert_eq!((&step["optIns"], &step["skips"]), (&json!({}), &json!({})));
    assert_eq!(desk.status("deep-review"), "not-selected");
}

#[test]
fn where_the_log_knows_nothing_a_selection_makes_a_review_due_and_never_done() {
    let desk = Desk::configured("routing: {authorizedUsers: [ada]}");
    desk.item(
        "graph-state.json",
        &json!({"loop": "small", "current": "approval", "nodes": {}, "optIns": {"deep-review": entry()}})
            .to_string(),
    );
    desk.item("evidence/deep-review.md", RECORD);
    assert_eq!(desk.status("deep-review"), "wait");
    assert!(desk.told("deep-review").contains("unverified"));
    // As long as nobody has answered, a log that knows the start knows that there was no selection.
    desk.forge(|state| state["current"] = "select".into());
    assert_eq!(desk.status("deep-review"), "pending");
    fs::remove_file(desk.item_path("graph-state.json")).unwrap();
    desk.graph(["start", "w", "--loop", "small"]).assert(0);
    desk.forge(|state| state["optIns"] = json!({"deep-review": entry()}));
    assert_eq!(desk.status("deep-review"), "not-selected");
}

#[test]
fn a_deleted_selection_reverts_to_not_selected() {
    let desk = Desk::at_approval();
    assert_eq!(desk.status("deep-review"), "pass");
    desk.forge(|state| state["optIns"] = json!({}));
    assert_eq!(desk.status("deep-review"), "not-selected");
    assert!(desk.told("deep-review").contains("that record is gone"));
    let gone = "`deep-review` was selected when the selection was answered, and that record is gone";
    assert!(desk.run(["check", "w"]).stderr.contains(gone));
    let step = desk.step();
    assert!(step.stderr.contains(gone), "{}", step.stderr);
    let row = desk.row("deep-review");
    assert!(row.contains("not selected") && !row.contains("pass"), "{row}");
    // The log knows it too.
    desk.forge(|state| state["frozen"] = json!(null));
    assert!(desk.told("deep-review").contains("that record is gone"));
}

#[test]
fn a_skip_counts_only_where_the_graph_allows_it_and_the_log_knows_it() {
    let desk = Desk::selected("- [ ] docs");
    desk.forge(|state| {
        for node in ["build", "ship", "select", "approval", "deep-review", "nowhere", "../x"] {
            state["skips"][node] = entry();
        }
    });
    assert_eq!(desk.status("docs"), "skipped");
    assert_eq!((desk.status("build"), desk.status("ship")), ("block".to_owned(), "pending".to_owned()));
    assert_eq!(desk.status("deep-review"), "not-selected");
    assert_eq!(desk.state()["current"], "build");
    assert_eq!(desk.advance()["node"], "build");
    for (node, words) in [("build", "unverified"), ("ship", "cannot be declared away")] {
        assert!(desk.told(node).contains(words), "{}", desk.told(node));
    }
}

#[test]
fn an_approval_counts_only_if_the_log_knows_every_field_of_it() {
    let desk = Desk::at_approval();
    let forged = json!({"outcome": "approved", "by": "ada", "via": "comment", "at": time(0), "comment": 7});
    desk.forge(|state| {
        state["nodes"]["approval"] = forged.clone();
        state["current"] = "ship".into();
    });
    assert_eq!(desk.status("approval"), "wait");
    assert!(desk.row("approval").contains("unverified"));
    desk.item("ship.md", "## Ship\nx\n");
    let step = desk.step();
    assert_eq!(step.json()["outcome"], "block");
    assert!(step.stderr.contains("unverified"), "{}", step.stderr);

    desk.forge(|state| {
        state["nodes"].as_object_mut().unwrap().remove("approval");
        state["current"] = "approval".into();
    });
    desk.say("ada", "the-loop approve");
    assert_eq!(desk.advance()["outcome"], "approved");
    let genuine = desk.state()["nodes"]["approval"].clone();
    assert_eq!(desk.status("approval"), "pass");
    for (field, value) in [
        ("by", json!("eve")),
        ("via", json!("cli")),
        ("at", json!(time(-9))),
        ("comment", json!(7)),
        ("outcome", json!("changes-requested")),
    ] {
        desk.forge(|state| {
            state["nodes"]["approval"] = genuine.clone();
            state["nodes"]["approval"][field] = value.clone();
        });
        assert_eq!(desk.status("approval"), "wait", "{field}");
    }
}

#[test]
fn a_decision_of_one_item_counts_for_no_other() {
    let desk = Desk::at_approval();
    let state = desk.state().to_string();
    desk.write("checkout/docs/specs/other/graph-state.json", state);
    let other = desk.run(["check", "other", "--format", "json"]).json();
    assert_eq!(crate::desk::find(&other, "select")["status"], "wait");
}

#[test]
fn an_approval_from_before_the_changes_cannot_be_put_back() {
    let desk = Desk::at_approval();
    desk.say("ada", "the-loop approve");
    desk.advance();
    let approved = desk.state();
    desk.item("ship.md", "## Ship\nx\n");
    desk.item("sign-off.md", "## Briefing\nx\n");
    desk.advance();
    desk.say("ada", "the-loop request changes");
    assert_eq!(desk.advance()["current"], "docs");
    // An older state, with the genuine record of the approval that no longer counts.
    desk.item("graph-state.json", &approved.to_string());
    assert_eq!(desk.status("approval"), "wait");
    assert_eq!(desk.advance()["outcome"], "block");
}

#[test]
fn decisions_do_not_outlive_a_new_start() {
    let desk = Desk::at_approval();
    let old = desk.state().to_string();
    fs::remove_file(desk.item_path("graph-state.json")).unwrap();
    desk.graph(["start", "w", "--loop", "small"]).assert(0);
    desk.item("graph-state.json", &old);
    assert_eq!(desk.status("select"), "wait");
    assert_eq!(desk.advance()["outcome"], "block");
}

#[test]
fn a_forged_pointer_gains_nothing() {
    let desk = Desk::selected("");
    let pass = json!({"outcome": "pass", "by": "x", "via": "cli", "at": time(0)});
    for current in ["docs", "approval", "ship", "sign-off", "complete"] {
        desk.forge(|state| state["current"] = current.into());
        let step = desk.step();
        step.assert(1);
        assert_eq!(step.json()["outcome"], "block", "{current}");
        desk.run(["check", "w"]).assert(1);
    }
    // Records that are forged as well do not stand for artifacts.
    desk.forge(|state| {
        for node in ["build", "docs"] {
            state["nodes"][node] = pass.clone();
        }
        state["current"] = "approval".into();
    });
    desk.say("ada", "the-loop approve");
    let step = desk.step();
    assert_eq!(step.json()["outcome"], "block");
    assert!(step.stderr.contains("`build.md` is not there"), "{}", step.stderr);
    assert_ne!(desk.status("complete"), "pass");
}

#[test]
fn a_terminal_pointer_is_no_end() {
    let desk = Desk::small();
    desk.forge(|state| state["current"] = "complete".into());
    let report = desk.check();
    assert_eq!(
        (&report["ok"], crate::desk::find(&report, "complete")["status"].as_str()),
        (&false.into(), Some("block"))
    );
    let recomputed = desk.run(["check", "w", "--recompute", "--format", "json"]).json();
    assert_eq!(recomputed["current"], "select");
}

#[test]
fn a_loop_in_the_checkout_is_never_taken() {
    let desk = Desk::small();
    let evil = SMALL.replace("deep-review", "easy-review").replace("name: small", "name: evil");
    desk.item("evil.yaml", &evil);
    for name in ["docs/specs/w/evil.yaml", "./evil.yaml", "evil", "../w/evil.yaml", ""] {
        desk.forge(|state| state["loop"] = name.into());
        let check = desk.run(["check", "w", "--format", "json"]);
        assert_eq!(check.json()["loop"], "pdlc-work-item-loop");
        assert!(check.stderr.contains("neither shipped nor declared"), "{}", check.stderr);
    }
}

#[test]
fn a_loop_that_is_switched_in_the_state_decides_nothing() {
    for other in ["pdlc-pr-loop", "pdlc-work-item-loop", "nowhere"] {
        let desk = Desk::small();
        desk.forge(|state| state["loop"] = other.into());
        if other != "nowhere" {
            let check = desk.run(["check", "w", "--format", "json"]);
            assert_eq!(check.json()["loop"], "small");
            assert!(check.stderr.contains("it was started by `small`, which counts"), "{}", check.stderr);
        }
        assert!(desk.graph(["checklist", "w"]).stdout.contains("- [ ] wide-review"));
        desk.say("ada", "the-loop execute\n- [x] deep-review");
        let step = desk.step();
        step.assert(0);
        assert_eq!(step.json()["optIns"]["deep-review"]["by"], "ada");
        assert!(step.stderr.contains("which counts; restore it"), "{}", step.stderr);
        assert_eq!(desk.events_called("graph.gate_decided")[0]["loop"], "small");
    }
}

#[test]
fn what_was_chosen_in_another_checkout_chooses_nothing_here() {
    let desk = Desk::selected("");
    let root = desk.path("second");
    fs::create_dir(&root).unwrap();
    let there = ["--root", root.to_str().unwrap()];
    desk.graph(["start", "w", "--loop", "small"].into_iter().chain(there)).assert(0);
    let skip = ["skip", "w", "--node", "docs", "--reason", "x"];
    desk.graph(skip.into_iter().chain(there)).assert(0);
    let reply = desk.say_at("ada", "the-loop execute\n- [x] deep-review\n- [ ] build", &time(5));
    let comments = desk.comments_file();
    let step =
        desk.graph(["advance", "w", "--comments", comments.to_str().unwrap()].into_iter().chain(there));
    assert_eq!(step.json()["optIns"]["deep-review"]["by"], "ada", "{}", step.stderr);
    desk.forget(reply);
    let text = fs::read(root.join("docs/specs/w/graph-state.json")).unwrap();
    let other: Value = serde_json::from_slice(&text).unwrap();
    desk.forge(|state| {
        state["optIns"] = other["optIns"].clone();
        state["skips"] = other["skips"].clone();
    });
    assert_eq!(desk.status("deep-review"), "not-selected");
    assert_eq!((desk.status("build"), desk.status("docs")), ("block".to_owned(), "pending".to_owned()));
    desk.item("build.md", "## Build\nx\n");
    assert_eq!(desk.advance()["current"], "docs");
    assert_eq!(desk.advance()["current"], "approval");
}

#[test]
fn a_pointer_that_was_put_back_is_told_of() {
    let desk = Desk::at_approval();
    desk.forge(|state| state["current"] = "build".into());
    let check = desk.run(["check", "w"]);
    assert!(check.stderr.contains("has come to `approval`"), "{}", check.stderr);
    assert!(desk.told("approval").contains("the walk came here"), "{}", desk.told("approval"));
    let recomputed = desk.run(["check", "w", "--recompute"]);
    recomputed.assert(1);
    assert!(!recomputed.stderr.contains("has come to"), "{}", recomputed.stderr);
    // Who asks for changes sends the walk back, and nothing is wrong with that.
    desk.forge(|state| state["current"] = "approval".into());
    desk.say("ada", "the-loop request changes");
    assert_eq!(desk.advance()["current"], "build");
    assert_eq!(desk.run(["check", "w"]).stderr, "");
}

#[test]
fn an_item_is_one_plain_name() {
    let desk = Desk::small();
    for name in ["..", ".", "../w", "a/b", "/etc", "w/", "", "w/../w"] {
        for verb in [&["graph", "start"][..], &["graph", "checklist"], &["graph", "advance"], &["check"]] {
            desk.run(verb.iter().copied().chain(["--", name])).assert_refused("work item");
        }
    }
    assert!(!desk.path("checkout/docs/graph-state.json").exists());
}

/// The verdict on `build` when its artifact is what `make` makes of the path.
fn artifact(make: impl Fn(&Desk)) -> Value {
    let desk = Desk::selected("");
    make(&desk);
    let step = desk.step();
    assert_eq!((step.code, step.json()["outcome"].as_str()), (Some(1), Some("block")), "{}", step.stderr);
    desk.judged("build")
}

#[test]
fn artifacts_are_regular_files_inside_the_folder() {
    let linked = artifact(|desk| {
        desk.write("outside.md", "## Build\nx\n");
        symlink(desk.path("outside.md"), desk.item_path("build.md")).unwrap();
    });
    assert!(linked["messages"].to_string().contains("symbolic link"), "{linked}");
    artifact(|desk| fs::create_dir(desk.item_path("build.md")).unwrap());
    artifact(|desk| symlink("/dev/zero", desk.item_path("build.md")).unwrap());
    let pipe = artifact(|desk| {
        let path = desk.item_path("build.md");
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    });
    assert!(pipe["messages"].to_string().contains("not a regular file"), "{pipe}");
    let large = artifact(|desk| {
        let text = format!("## Build\nx\n{}", "y".repeat(8 * 1024 * 1024));
        desk.item("build.md", &text);
    });
    assert!(large["messages"].to_string().contains("larger than 8 MiB"), "{large}");

    let desk = Desk::selected("- [x] deep-review\n- [ ] build\n- [ ] docs");
    desk.write("outside/deep-review.md", RECORD);
    symlink(desk.path("outside"), desk.item_path("evidence")).unwrap();
    assert_eq!(desk.advance()["outcome"], "block");
    let in_the_way = "a link or a file stands where a folder should";
    assert!(desk.told("deep-review").contains(in_the_way), "{}", desk.told("deep-review"));
    fs::remove_file(desk.item_path("evidence")).unwrap();
    desk.item("evidence", "a file");
    assert!(desk.told("deep-review").contains(in_the_way), "{}", desk.told("deep-review"));
    fs::remove_file(desk.item_path("evidence")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(desk.item_path("evidence")).status().unwrap().success());
    assert!(desk.told("deep-review").contains(in_the_way), "{}", desk.told("deep-review"));
}

#[test]
fn an_item_s_folder_does_not_lead_out_of_the_checkout() {
    let desk = Desk::small();
    fs::create_dir_all(desk.path("elsewhere/w")).unwrap();
    symlink(desk.path("elsewhere/w"), desk.path("checkout/docs/specs/linked")).unwrap();
    desk.graph(["start", "linked"]).assert_refused("by a link");
    fs::remove_dir_all(desk.path("checkout/docs/specs")).unwrap();
    symlink(desk.path("elsewhere"), desk.path("checkout/docs/specs")).unwrap();
    desk.graph(["start", "w"]).assert_refused("by a link");
    assert!(!desk.path("elsewhere/w/graph-state.json").exists());
}

#[test]
fn a_selection_counts_only_as_it_was_logged() {
    let desk = Desk::at_approval();
    let logged = desk.state()["optIns"]["deep-review"].clone();
    for (key, forged) in [("by", "mallory"), ("via", "cli"), ("at", &time(-60))] {
        desk.forge(|state| state["optIns"]["deep-review"][key] = forged.into());
        assert_eq!(desk.status("deep-review"), "not-selected", "{key}");
        assert!(desk.told("deep-review").contains("a recorded selection does not count"), "{key}");
        desk.forge(|state| state["optIns"]["deep-review"] = logged.clone());
        assert_eq!(desk.status("deep-review"), "pass", "{key}");
    }
}

#[test]
fn a_skip_that_only_the_state_knows_is_dropped_by_the_answer() {
    let desk = Desk::small();
    desk.graph(["skip", "w", "--node", "docs", "--reason", "not needed"]).assert(0);
    desk.forge(|state| {
        let mut forged = entry();
        forged["via"] = "cli".into();
        state["skips"]["build"] = forged;
    });
    desk.say("ada", "the-loop execute");
    assert_eq!(desk.advance()["outcome"], "selected");
    assert_eq!(desk.state()["skips"].as_object().unwrap().keys().collect::<Vec<_>>(), ["docs"]);
}

#[test]
fn an_item_s_folder_is_a_folder() {
    let desk = Desk::configured("");
    fs::create_dir_all(desk.path("checkout/docs/specs")).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(desk.path("checkout/docs/specs/w"))
            .status()
            .unwrap()
            .success()
    );
    desk.graph(["advance", "w"]).assert_refused("docs/specs/w");
    desk.run(["check", "w"]).assert_refused("docs/specs/w");
}
