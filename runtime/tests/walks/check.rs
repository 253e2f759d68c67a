//! What `check` tells apart, in both of its forms (OR-1.5, OR-A3).

use std::fs;

use serde_json::json;

use crate::desk::{Desk, RECORD};

#[test]
fn every_status_is_told_apart_in_table_and_json() {
    let desk = Desk::selected("- [x] deep-review\n- [ ] docs");
    desk.item("build.md", "## Build\nx\n");
    desk.advance();
    desk.item("evidence/deep-review.md", &RECORD.replace("zero findings | 0", "unavailable | timed out"));
    desk.advance();
    let statuses: Vec<(String, String)> = desk.check()["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["node"].as_str().unwrap().to_owned(), node["status"].as_str().unwrap().to_owned()))
        .collect();
    let told: Vec<String> = statuses.iter().map(|(node, status)| format!("{node}: {status}")).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    select: pass
    build: pass
    docs: skipped
    deep-review: unavailable
    wide-review: not-selected
    approval: wait
    ship: pending
    sign-off: pending
    complete: pending
    ");
    for (node, status) in &statuses {
        let row = desk.row(node);
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words[..2], [node, status], "{row}");
    }
    assert!(desk.row("deep-review").contains("no review could run: timed out"));
    assert!(desk.row("docs").contains("skipped by declaration of `ada` via comment at 2"));
    assert!(desk.row("wide-review").contains("not selected"));
    let (select, review) = (desk.judged("select"), desk.judged("deep-review"));
    assert_eq!((&select["by"], &select["via"]), (&"ada".into(), &"comment".into()));
    assert_eq!((&review["by"], &review["via"]), (&"ada".into(), &"comment".into()));
    desk.item("evidence/deep-review.md", "## Deep review\n");
    assert_eq!(desk.status("deep-review"), "block");
}

#[test]
fn before_the_answer_an_opt_in_phase_is_already_not_selected() {
    let desk = Desk::small();
    assert_eq!(desk.status("deep-review"), "not-selected");
    let recomputed = desk.run(["check", "w", "--recompute", "--format", "json"]).json();
    assert_eq!(crate::desk::find(&recomputed, "deep-review")["status"], "not-selected");
}

#[test]
fn artifacts_are_judged_afresh() {
    let desk = Desk::at_approval();
    assert_eq!(desk.status("build"), "pass");
    desk.item("build.md", "## Build\n<!-- nothing -->\n");
    assert_eq!(desk.status("build"), "block");
    desk.run(["check", "w", "--fail-on", "block"]).assert(1);
    fs::remove_file(desk.item_path("build.md")).unwrap();
    let recomputed = desk.run(["check", "w", "--recompute", "--format", "json"]).json();
    assert_eq!(recomputed["current"], "build");
}

#[test]
fn a_byte_order_mark_hides_no_heading() {
    let desk = Desk::selected("");
    desk.item("build.md", "\u{feff}## Build\nx\n");
    assert_eq!(desk.status("build"), "pass");
}

#[test]
fn the_exit_code_says_whether_something_is_unmet() {
    let desk = Desk::at_approval();
    desk.run(["check", "w"]).assert(1);
    desk.run(["check", "w", "--fail-on", "unmet"]).assert(1);
    desk.run(["check", "w", "--fail-on", "block"]).assert(0);
    desk.run(["check", "w", "--fail-on", "nothing"]).assert(2);
    desk.run(["check"]).assert(2);
}

#[test]
fn the_json_keeps_the_protocol() {
    let report = Desk::small().check();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&report), ["workItem", "loop", "current", "ok", "nodes"]);
    assert_eq!(keys(&report["nodes"][0]), ["node", "status", "messages", "via", "by", "at"]);
    assert_eq!(
        (&report["workItem"], &report["loop"], &report["ok"]),
        (&"w".into(), &"small".into(), &false.into())
    );
}

#[test]
fn all_items_are_judged_and_a_broken_one_hides_no_other() {
    let desk = Desk::small();
    desk.graph(["start", "v", "--loop", "small"]).assert(0);
    fs::create_dir(desk.path("checkout/docs/specs/no-item")).unwrap();
    let all = desk.run(["check", "--all", "--format", "json"]);
    all.assert(1);
    let names: Vec<_> = all.json().as_array().unwrap().iter().map(|item| item["workItem"].clone()).collect();
    assert_eq!(names, ["v", "w"]);
    desk.item("graph-state.json", "{");
    let all = desk.run(["check", "--all"]);
    all.assert(2);
    assert!(
        all.stdout.starts_with("v, by small\n") && all.stderr.contains("`w`:"),
        "{}{}",
        all.stdout,
        all.stderr
    );
    let none = Desk::configured("");
    none.run(["check", "--all"]).assert(0);
    assert_eq!(none.run(["check", "--all", "--format", "json"]).stdout, "[]\n");
}

#[test]
fn control_characters_never_reach_a_terminal_raw() {
    let desk = Desk::small();
    desk.forge(|state| {
        state["loop"] = "\u{1b}[31m".into();
        state["current"] = "\u{1b}]0;x\u{7}".into();
    });
    let check = desk.run(["check", "w"]);
    assert!(!check.stdout.contains('\u{1b}') && !check.stderr.contains('\u{1b}'), "{}", check.stderr);
}

#[test]
fn nothing_is_said_of_a_node_but_what_there_is_to_say() {
    let desk = Desk::selected("- [x] deep-review");
    desk.item("build.md", "## Build\nmade\n");
    assert_eq!(desk.step().stderr, "");
    let told = |node: &str| desk.told(node);
    let not_selected = "not selected: it is off unless an authorised user ticks it at the phase selection";
    assert_eq!(desk.told("wide-review"), format!("[\"{not_selected}\"]"));
    assert_eq!((desk.status("docs"), told("docs")), ("pending".into(), r#"["the walk stands here"]"#.into()));
    for node in ["select", "build", "deep-review", "approval", "ship", "sign-off", "complete"] {
        assert_eq!(told(node), "[]", "{node}");
    }
    let table = desk.run(["check", "w"]);
    let here: Vec<&str> = table.stdout.lines().filter(|line| line.contains("the walk is here")).collect();
    assert!(matches!(here.as_slice(), [row] if row.starts_with("docs ")), "{}", table.stdout);
    assert_eq!(table.stderr, "");
    assert_eq!(Desk::at_approval().run(["check", "w"]).stderr, "");
}

#[test]
fn a_skip_is_told_with_who_declared_it_and_nothing_else() {
    let desk = Desk::small();
    desk.graph(["skip", "w", "--node", "docs", "--reason", "not needed"]).assert(0);
    let report = desk.judged("docs");
    let told = format!(
        "skipped by declaration of `operator` via cli at {}: not needed",
        report["at"].as_str().unwrap()
    );
    assert_eq!(report["messages"], json!([told]));
}

#[test]
fn one_item_of_all_is_a_list_of_one() {
    let desk = Desk::small();
    let all = desk.run(["check", "--all", "--format", "json"]).json();
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert!(desk.run(["check", "w", "--format", "json"]).json().is_object());
}

#[test]
fn what_the_pointer_is_past_without_a_record_blocks() {
    let desk = Desk::at_approval();
    assert_eq!(desk.status("docs"), "pass");
    desk.forge(|state| {
        state["nodes"].as_object_mut().unwrap().remove("docs");
    });
    assert_eq!(desk.status("docs"), "block");
    assert_eq!(desk.told("docs"), r#"["the pointer is past it, and it has no record"]"#);
}
