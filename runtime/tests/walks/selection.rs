//! What ticks choose, and whose (OR-2.1 to OR-2.6, OR-A1, OR-FC, OR-X).

use serde_json::{Value, json};

use crate::desk::{Desk, time};

/// The ids in a map of a step.
fn ids(step: &Value, map: &str) -> Vec<String> {
    step[map].as_object().unwrap().keys().cloned().collect()
}

/// The step after a reply with these boxes.
fn chosen(boxes: &str) -> Value {
    let desk = Desk::small();
    desk.say("ada", &format!("the-loop execute\n\n{boxes}"));
    let step = desk.advance();
    assert_eq!(step["outcome"], "selected", "{boxes}");
    step
}

#[test]
fn the_checklist_tells_opt_in_phases_apart() {
    let desk = Desk::small();
    let text = desk.graph(["checklist", "w"]).stdout;
    let (default_on, opt_in) = text.split_once("## Opt-in phases: off unless ticked").unwrap();
    assert!(default_on.contains("\n- [x] build — makes it\n- [x] docs\n"), "{text}");
    assert!(opt_in.contains("\n- [ ] deep-review — a second model reads it\n- [ ] wide-review\n"), "{text}");
    assert!(opt_in.contains("Always run: `select`, `approval`, `ship`, `sign-off`, `complete`."), "{text}");
    assert!(text.starts_with("<!-- the-loop:agent-comment -->\n"), "{text}");
    let token = text.split_once("the-loop:checklist ").unwrap().1.split_once(' ').unwrap().0;
    assert!(!desk.state().to_string().contains(token) && token.len() == 64);
}

#[test]
fn ticks_choose_and_everything_else_keeps_its_default() {
    let step = chosen("- [x] deep-review");
    assert_eq!((ids(&step, "optIns"), ids(&step, "skips")), (vec!["deep-review".to_owned()], vec![]));
    let step = chosen("- [ ] deep-review\n- [x] build\n- [ ] docs");
    assert_eq!((ids(&step, "optIns"), ids(&step, "skips")), (vec![], vec!["docs".to_owned()]));
    for nothing in [
        "",
        "- [x] deep-review\n- [ ] deep-review",
        "- [x] deep-reviews",
        "deep-review",
        "- [x] ~~deep-review~~",
    ] {
        let step = chosen(nothing);
        assert_eq!((ids(&step, "optIns"), ids(&step, "skips")), (vec![], vec![]), "{nothing}");
        let text = step["confirmation"].as_str().unwrap();
        assert!(text.contains("not selected: `deep-review`, `wide-review`"), "{text}");
    }
    let step = chosen("- [x] build\n- [ ] build");
    assert_eq!(ids(&step, "skips"), [""; 0]);
}

#[test]
fn boxes_that_are_not_shown_do_not_count() {
    for hidden in [
        "```\n- [x] deep-review\n- [ ] build\n```",
        "~~~\n- [x] deep-review\n- [ ] build\n~~~",
        "> - [x] deep-review\n> - [ ] build",
        "<!--\n- [x] deep-review\n- [ ] build\n-->",
        "<!-- open\n\n- [x] deep-review\n- [ ] build",
        "    - [x] deep-review\n    - [ ] build",
        "`- [x] deep-review`",
    ] {
        let step = chosen(hidden);
        assert_eq!((ids(&step, "optIns"), ids(&step, "skips")), (vec![], vec![]), "{hidden}");
    }
}

#[test]
fn unticking_what_always_runs_is_refused_out_loud() {
    let step = chosen("- [ ] ship\n- [ ] select\n- [x] deep-review");
    assert_eq!(step["refused"], json!(["select", "ship"]));
    assert!(step["confirmation"].as_str().unwrap().contains("Refused: `select`, `ship`"));
    assert_eq!(step["skips"], json!({}));
}

#[test]
fn the_boxes_of_the_reply_win_over_those_of_the_checklist() {
    let desk = Desk::small();
    let posted = desk.post_checklist();
    desk.change(posted, |comment| {
        comment["body"] = comment["body"].as_str().unwrap().replace("- [ ] deep", "- [x] deep").into();
    });
    desk.say("ada", "the-loop execute\n- [x] wide-review");
    assert_eq!(ids(&desk.advance(), "optIns"), ["wide-review"]);
}

#[test]
fn a_stranger_s_copy_of_the_checklist_never_counts() {
    let desk = Desk::small();
    let posted = desk.post_checklist();
    let body = desk.body(posted);
    let flipped = body.replace("[x]", "[!]").replace("[ ]", "[x]").replace("[!]", "[ ]");
    desk.say("mallory", &flipped);
    // Seen once, the original is pinned; should it be removed, no copy takes its place.
    assert_eq!(desk.advance()["outcome"], "wait");
    desk.forget(posted);
    desk.say("ada", "the-loop execute");
    let step = desk.advance();
    assert_eq!((ids(&step, "optIns"), ids(&step, "skips")), (vec![], vec![]));
    assert!(step["confirmation"].as_str().unwrap().contains("No checklist was found"));
}

#[test]
fn a_checklist_is_known_by_its_token_and_by_nothing_that_the_state_says() {
    let desk = Desk::small();
    let posted = desk.post_checklist();
    let own = "<!-- the-loop:checklist aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -->";
    let forged = desk.say_at("mallory", &format!("{own}\n- [x] wide-review\n- [ ] build"), &time(-60));
    // The SHA-256 of that token, as an agent can write it into the state, and the comment as if it had been seen.
    desk.forge(|state| {
        let hash = "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb";
        state["checklist"] = json!({"tokens": [hash], "comment": forged});
    });
    desk.change(posted, |comment| {
        comment["body"] = comment["body"].as_str().unwrap().replace("- [ ] deep", "- [x] deep").into();
    });
    desk.say("ada", "the-loop execute");
    let step = desk.advance();
    assert_eq!((ids(&step, "optIns"), ids(&step, "skips")), (vec!["deep-review".to_owned()], vec![]));
}

#[test]
fn a_checklist_that_only_the_state_knows_counts_for_nothing() {
    for is_pinned in [false, true] {
        let desk = Desk::small();
        let own =
            "<!-- the-loop:checklist aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -->";
        let forged = desk.say("mallory", &format!("{own}\n- [x] deep-review\n- [ ] build"));
        desk.forge(|state| {
            let hash = "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb";
            state["checklist"] = json!({"tokens": [hash], "comment": is_pinned.then_some(forged)});
        });
        desk.say("ada", "the-loop execute");
        let step = desk.advance();
        assert_eq!((ids(&step, "optIns"), ids(&step, "skips")), (vec![], vec![]));
    }
}

/// What a stranger makes of the checklist: the other way round, in an older comment of theirs.
fn edit_into_copy(desk: &Desk, theirs: u64, original: u64) {
    let flipped = desk.body(original).replace("[x]", "[!]").replace("[ ]", "[x]").replace("[!]", "[ ]");
    desk.change(theirs, |comment| {
        comment["body"] = flipped.clone().into();
        comment["updated_at"] = time(1).into();
    });
}

/// The step after a reply that the human wrote a while later.
fn answered_later(desk: &Desk) -> Value {
    desk.say_at("ada", "the-loop execute", &time(30));
    desk.advance()
}

#[test]
fn a_comment_from_before_the_checklist_was_printed_is_no_checklist() {
    for is_removed in [false, true] {
        let desk = Desk::small();
        let theirs = desk.say_at("mallory", "me too", &time(-3600));
        let posted = desk.post_checklist();
        edit_into_copy(&desk, theirs, posted);
        if is_removed {
            desk.forget(posted);
        }
        let step = answered_later(&desk);
        assert_eq!((ids(&step, "optIns"), ids(&step, "skips")), (vec![], vec![]));
        let is_told = step["confirmation"].as_str().unwrap().contains("older than the checklist");
        assert_eq!(is_told, is_removed);
    }
}

#[test]
fn where_a_copy_cannot_be_told_from_the_checklist_neither_counts() {
    let desk = Desk::small();
    let printed = desk.graph(["checklist", "w"]).stdout;
    // In the second between printing and posting.
    let theirs = desk.say("mallory", "me too");
    let posted = desk.say("bot", &printed);
    edit_into_copy(&desk, theirs, posted);
    assert_eq!(desk.advance()["outcome"], "wait");
    // Also when only the copy is left.
    desk.forget(posted);
    let step = answered_later(&desk);
    assert_eq!((ids(&step, "optIns"), ids(&step, "skips")), (vec![], vec![]));
    let text = step["confirmation"].as_str().unwrap();
    assert!(text.contains("look like the checklist"), "{text}");
}

#[test]
fn after_a_doubt_the_next_checklist_counts() {
    let desk = Desk::small();
    let printed = desk.graph(["checklist", "w"]).stdout;
    let theirs = desk.say("mallory", "me too");
    let posted = desk.say("bot", &printed);
    edit_into_copy(&desk, theirs, posted);
    assert_eq!(desk.advance()["outcome"], "wait");
    let next = desk.post_checklist();
    desk.change(next, |comment| {
        comment["body"] = comment["body"].as_str().unwrap().replace("- [ ] wide", "- [x] wide").into();
        comment["updated_at"] = time(2).into();
    });
    assert_eq!(ids(&answered_later(&desk), "optIns"), ["wide-review"]);
}

#[test]
fn a_checklist_that_was_ticked_before_it_was_seen_counts_as_long_as_it_is_the_only_one() {
    let desk = Desk::small();
    let posted = desk.post_checklist();
    desk.change(posted, |comment| {
        comment["body"] = comment["body"].as_str().unwrap().replace("- [ ] wide", "- [x] wide").into();
        comment["updated_at"] = time(2).into();
    });
    assert_eq!(ids(&answered_later(&desk), "optIns"), ["wide-review"]);
}

#[test]
fn a_checklist_that_was_changed_after_the_reply_does_not_count() {
    let desk = Desk::small();
    let posted = desk.post_checklist();
    desk.say("ada", "the-loop execute");
    desk.change(posted, |comment| {
        comment["body"] = comment["body"].as_str().unwrap().replace("- [ ] deep", "- [x] deep").into();
        comment["updated_at"] = time(60).into();
    });
    let step = desk.advance();
    assert_eq!(ids(&step, "optIns"), [""; 0]);
    assert!(step["confirmation"].as_str().unwrap().contains("changed after the reply"));
}

#[test]
fn once_answered_later_replies_change_nothing() {
    let desk = Desk::selected("- [ ] docs");
    desk.say("ada", "the-loop execute\n- [x] deep-review");
    let step = desk.advance();
    assert_eq!(
        (&step["node"], &step["outcome"], &step["optIns"]),
        (&"build".into(), &"block".into(), &json!({}))
    );
    // Not even when an agent puts the pointer back and takes the answer away.
    desk.forge(|state| {
        state["current"] = "select".into();
        state["nodes"] = json!({});
        state["frozen"] = json!({});
    });
    let step = desk.advance();
    assert_eq!((&step["outcome"], &step["optIns"]), (&"selected".into(), &json!({})));
    assert_eq!(ids(&step, "skips"), ["docs"]);
}

#[test]
fn a_selection_is_recorded_with_who_how_and_when() {
    let desk = Desk::selected("- [x] deep-review\n- [ ] docs");
    let state = desk.state();
    for recorded in [&state["optIns"]["deep-review"], &state["skips"]["docs"]] {
        assert_eq!((&recorded["by"], &recorded["via"]), (&"ada".into(), &"comment".into()));
        assert!(recorded["at"].as_str().unwrap().ends_with('Z'));
    }
    let frozen = |id: &str| {
        state["frozen"]["nodes"].as_array().unwrap().iter().find(|node| node["id"] == id).unwrap().clone()
    };
    let node = |id: &str, selectable: bool, opt_in: bool, skipped: bool| json!({"id": id, "phase": id, "selectable": selectable, "optIn": opt_in, "skipped": skipped});
    assert_eq!(frozen("build"), node("build", true, false, false));
    assert_eq!(frozen("docs"), node("docs", true, false, true));
    assert_eq!(frozen("deep-review"), node("deep-review", true, true, false));
    assert_eq!(frozen("wide-review"), node("wide-review", true, true, true));
    assert_eq!(frozen("ship"), node("ship", false, false, false));
}

#[test]
fn a_checklist_is_seen_once() {
    let desk = Desk::small();
    desk.post_checklist();
    for _ in 0..3 {
        assert_eq!(desk.advance()["outcome"], "wait");
    }
    assert_eq!(desk.events_called("graph.checklist_seen").len(), 1);
}

#[test]
fn where_the_log_is_gone_the_start_counts_from_when_the_state_says() {
    let desk = Desk::small();
    std::fs::remove_file(desk.path("home/.the-loop/events.jsonl")).unwrap();
    desk.forge(|state| state["entered"]["select"] = time(-60).into());
    desk.say_at("ada", "the-loop execute", &time(-30));
    let step = desk.advance();
    assert_eq!(step["outcome"], "selected");
    assert!(!step["confirmation"].to_string().contains("older than the checklist"), "{step}");
}
