//! Whole walks of the work-item loop, from the checklist to the end (OR-3.1, OR-3.2).

use crate::desk::Desk;

const WORK_ITEM: &str = "pdlc-work-item-loop";

/// Writes what `graph template` gives, with every section filled in.
fn fill_in(desk: &Desk, node: &str) {
    let form = desk.graph(["template", node]);
    form.assert(0);
    let file = form.stdout.split_once(": the form").unwrap().0.strip_prefix("<!-- ").unwrap();
    let row = "| 1 | [cursor/gpt-5.5] | new findings | 1 | https://example.org/1 |";
    let text = form.stdout.replace("<!-- write this section -->", "Done as planned.");
    let text = text.replace("|  |  |  |  |  |", row);
    let lines = if text.contains(row) { "\n- F1, section Storage: fixed in 1a2b3c\n" } else { "" };
    desk.item(file, &format!("{text}{lines}"));
}

/// Goes on until the item stands at `goal`, filling in every form and approving everything.
fn go_on_to(desk: &Desk, goal: &str) -> Vec<String> {
    let mut walked = Vec::new();
    while desk.state()["current"] != goal {
        let node = desk.state()["current"].as_str().unwrap().to_owned();
        if node.ends_with("-approval") {
            desk.say("ada", "the-loop approve");
        } else {
            fill_in(desk, &node);
        }
        let step = desk.step();
        step.assert(0);
        assert_eq!(step.json()["node"], node.as_str());
        walked.push(node);
        assert!(walked.len() < 20, "{walked:?}");
    }
    walked
}

#[test]
fn a_selected_round_is_walked_from_the_checklist_to_the_end() {
    let desk = Desk::walking(WORK_ITEM);
    let checklist = desk.post_checklist();
    desk.change(checklist, |comment| {
        let body = comment["body"].as_str().unwrap();
        let ticked = body.replace("- [ ] design-critic-review", "- [x] design-critic-review");
        let ticked = ticked.replace("- [x] brainstorming", "- [ ] brainstorming");
        comment["body"] = ticked.into();
    });
    desk.say("ada", "The-Loop execute, please");
    let step = desk.advance();
    assert_eq!((&step["outcome"], &step["current"]), (&"selected".into(), &"requirements-definition".into()));
    assert_eq!(step["optIns"]["design-critic-review"]["by"], "ada");
    assert_eq!(step["skips"]["brainstorming"]["via"], "comment");
    let confirmation = step["confirmation"].as_str().unwrap();
    assert!(confirmation.contains("selected: `design-critic-review`"), "{confirmation}");

    go_on_to(&desk, "design-critic-review");
    // The form as it is printed does not get past the gate.
    let form = desk.graph(["template", "design-critic-review"]).stdout;
    desk.item("evidence/design-critic-review.md", &form);
    let step = desk.step();
    step.assert(1);
    assert_eq!(step.json()["outcome"], "block");
    assert!(step.stderr.contains("Critic"), "{}", step.stderr);

    let walked = go_on_to(&desk, "complete");
    assert_eq!(walked[..2], ["design-critic-review", "test-planning"]);
    assert_eq!(desk.status("design-critic-review"), "pass");
    assert_eq!(desk.status("brainstorming"), "skipped");
    let check = desk.run(["check", "w", "--format", "json", "--recompute"]);
    check.assert(0);
    assert_eq!((&check.json()["ok"], &check.json()["current"]), (&true.into(), &"complete".into()));
    let end = desk.step();
    end.assert(1);
    assert_eq!(end.json()["outcome"], "block");
}

#[test]
fn without_a_tick_design_leads_to_test_planning() {
    let desk = Desk::walking(WORK_ITEM);
    desk.post_checklist();
    desk.say("ada", "the-loop execute");
    let step = desk.advance();
    assert_eq!((&step["skips"], &step["optIns"]), (&serde_json::json!({}), &serde_json::json!({})));
    let confirmation = step["confirmation"].as_str().unwrap();
    assert!(confirmation.contains("not selected: `design-critic-review`"), "{confirmation}");
    let walked = go_on_to(&desk, "complete");
    let design = walked.iter().position(|node| node == "design").unwrap();
    assert_eq!(walked[design + 1], "test-planning");
    assert_eq!(walked.len(), 13, "every phase that runs by default: {walked:?}");
    assert_eq!(desk.status("design-critic-review"), "not-selected");
    let row = desk.row("design-critic-review");
    assert!(row.contains("not selected") && !row.contains("pass"), "{row}");
    desk.run(["check", "w"]).assert(0);
}

#[test]
fn a_round_that_could_not_run_is_a_stated_gap() {
    let desk = Desk::walking(WORK_ITEM);
    desk.say("ada", "the-loop execute\n- [x] design-critic-review");
    desk.advance();
    go_on_to(&desk, "design-critic-review");
    let form = desk.graph(["template", "design-critic-review"]).stdout;
    let row = "| 1 | cursor-gpt | unavailable | the executable is not installed | |";
    desk.item("evidence/design-critic-review.md", &form.replace("|  |  |  |  |  |", row));
    let step = desk.step();
    step.assert(0);
    assert_eq!(step.json()["current"], "test-planning");
    assert_eq!(desk.status("design-critic-review"), "unavailable");
    let row = desk.row("design-critic-review");
    assert!(row.contains("not installed") && !row.contains("pass") && !row.contains("converged"), "{row}");
}

#[test]
fn changes_requested_send_the_walk_back_and_everything_later_is_done_again() {
    let desk = Desk::at_approval();
    desk.say("ada", "the-loop request changes: no tests");
    let step = desk.advance();
    assert_eq!((&step["outcome"], &step["current"]), (&"changes-requested".into(), &"build".into()));
    for known in ["nodes", "entered"] {
        assert_eq!(
            desk.state()[known].as_object().unwrap().keys().collect::<Vec<_>>(),
            ["select"],
            "{known}"
        );
    }
    for node in ["build", "docs", "deep-review"] {
        assert_eq!(desk.advance()["node"], node);
    }
    // The old answers were meant for the old round.
    assert_eq!(desk.advance()["outcome"], "wait");
    desk.say("ada", "the-loop approve");
    assert_eq!(desk.advance()["outcome"], "approved");
}
