//! Which comments count, and in which form they come (OR-A1, OR-SEC).

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::{Desk, Outcome, time};

const TICKED: &str = "the-loop execute\n- [x] deep-review";

/// A step that waits, and says why in these words.
fn waits(desk: &Desk, words: &str) {
    let step = desk.step();
    step.assert(1);
    assert_eq!(step.json()["outcome"], "wait");
    assert!(step.stderr.contains(words), "{}", step.stderr);
}

#[test]
fn an_unauthorised_tick_is_ignored_entirely() {
    let desk = Desk::small();
    desk.say("mallory", TICKED);
    waits(&desk, "comment 100 of `mallory` does not count: its author is not in `routing.authorizedUsers`");
    desk.say("ADA", "the-loop execute");
    assert_eq!(desk.advance()["optIns"], json!({}));
}

#[test]
fn without_authorised_users_it_waits_and_says_so() {
    for routing in ["", "routing: {authorizedUsers: []}", "routing:"] {
        let desk = Desk::configured(routing);
        desk.graph(["start", "w", "--loop", "small"]).assert(0);
        desk.say("ada", TICKED);
        waits(&desk, "`routing.authorizedUsers` of the config names nobody");
        assert!(desk.row("select").contains("names nobody"));
    }
}

#[test]
fn the_loop_s_own_comments_are_dropped_first() {
    let desk = Desk::small();
    desk.say("ada", &format!("{TICKED}\n<!-- the-loop:agent-comment -->"));
    waits(&desk, "carries the marker");
}

#[test]
fn comments_before_the_gate_edited_or_undated_do_not_count() {
    let desk = Desk::small();
    desk.say_at("ada", TICKED, &time(-60));
    waits(&desk, "before this gate was entered");
    let desk = Desk::small();
    let edited = desk.say("ada", TICKED);
    desk.change(edited, |comment| comment["updated_at"] = time(60).into());
    waits(&desk, "it was edited");
    let desk = Desk::small();
    desk.say_at("ada", TICKED, "just now");
    waits(&desk, "`created_at` cannot be read");
}

#[test]
fn other_words_are_no_answer() {
    let desk = Desk::small();
    for body in
        ["the-loop executed", "please the-loop execute", "> the-loop execute", "the-loop approve", "-"]
    {
        desk.say("ada", body);
    }
    waits(&desk, "waits for the reply `the-loop execute`");
}

#[test]
fn an_old_approval_is_not_replayed_at_a_later_gate() {
    let desk = Desk::at_approval();
    let used = desk.say_at("ada", "the-loop approve", &time(60));
    assert_eq!(desk.advance()["outcome"], "approved");
    let unused = desk.say("ada", "the-loop approve");
    desk.item("ship.md", "## Ship\nit\n");
    desk.item("sign-off.md", "## Briefing\nall\n");
    assert_eq!(desk.advance()["current"], "sign-off");
    // An agent makes the state say that the gate was entered long ago.
    desk.change(unused, |comment| comment["created_at"] = time(-5).into());
    desk.forge(|state| state["entered"]["sign-off"] = time(-100).into());
    let step = desk.step();
    assert_eq!(step.json()["outcome"], "wait");
    assert!(
        step.stderr.contains(&format!("comment {used} of `ada` does not count: it has decided")),
        "{}",
        step.stderr
    );
    assert!(
        step.stderr.contains(&format!("comment {unused} of `ada` does not count: it was written before")),
        "{}",
        step.stderr
    );
}

#[test]
fn artifacts_hold_before_an_approval_counts_and_changes_can_always_be_requested() {
    let desk = Desk::at_approval();
    desk.say("ada", "the-loop approve");
    desk.advance();
    desk.item("ship.md", "## Ship\nit\n");
    desk.advance();
    desk.say("ada", "the-loop approve");
    let step = desk.step();
    step.assert(1);
    assert_eq!(step.json()["outcome"], "block");
    assert!(step.stderr.contains("`sign-off.md` is not there"), "{}", step.stderr);
    desk.say("ada", "The-loop request changes.");
    let step = desk.advance();
    assert_eq!((&step["outcome"], &step["current"]), (&"changes-requested".into(), &"docs".into()));
}

#[test]
fn the_latest_answer_wins() {
    let desk = Desk::at_approval();
    desk.say("ada", "the-loop request changes");
    desk.say("ada", "the-loop approve");
    assert_eq!(desk.advance()["outcome"], "approved");
}

#[test]
fn the_operator_s_keywords_count() {
    let desk = Desk::configured(
        "routing: {authorizedUsers: [ada], control: {keywords: {execute: /go, approve: lgtm}}}",
    );
    desk.graph(["start", "w", "--loop", "small"]).assert(0);
    assert!(desk.graph(["checklist", "w"]).stdout.contains("opens with `/go`"));
    desk.say("ada", "the-loop execute");
    assert_eq!(desk.advance()["outcome"], "wait");
    desk.say("ada", "/GO\n- [x] deep-review");
    assert_eq!(desk.advance()["optIns"]["deep-review"]["by"], "ada");
}

/// A step whose comments come on standard input.
fn piped(desk: &Desk, text: &str) -> Outcome {
    let mut command = desk.command(["graph", "advance", "w", "--comments", "-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn pages_come_on_standard_input_in_every_form() {
    let reply: Value = json!({"id": 1, "user": {"login": "ada", "id": 5}, "body": TICKED, "created_at": time(5), "updated_at": time(5), "reactions": {}});
    for text in [
        format!("[{reply}]"),
        format!("[][{reply}]\n[]"),
        format!("[[], [{reply}]]"),
        format!("[null, 5, {{}}, {{\"id\": 1}}, {reply}]"),
    ] {
        let desk = Desk::small();
        let step = piped(&desk, &text);
        step.assert(0);
        assert_eq!(step.json()["optIns"]["deep-review"]["by"], "ada", "{text}");
    }
}

#[test]
fn what_is_no_array_of_comments_is_an_error() {
    let desk = Desk::small();
    let before = desk.state();
    for text in ["", "{\"message\": \"Not Found\"}", "[", "nonsense", &"[".repeat(100_000)] {
        piped(&desk, text).assert_refused("comments");
    }
    desk.graph(["advance", "w", "--comments", "none.json"]).assert_refused("none.json");
    assert_eq!(desk.state(), before);
}

#[test]
fn comments_that_cannot_be_read_are_counted_out_loud() {
    let desk = Desk::small();
    let comments = |text: &str| {
        desk.write("comments.json", text);
        desk.graph(["advance", "w", "--comments", desk.path("comments.json").to_str().unwrap()]).stderr
    };
    assert!(
        comments(r#"[{"id": 1}, 5, {"body": "x"}]"#).contains("3 of the comments have no id, author or text")
    );
    assert!(!comments("[]").contains("of the comments"));
}

#[test]
fn comments_of_sixty_four_mebibytes_are_read_and_one_byte_more_is_not() {
    let desk = Desk::small();
    let advanced = |length: usize| {
        let mut text = vec![b' '; length];
        (text[0], text[length - 1]) = (b'[', b']');
        desk.write("comments.json", text);
        desk.graph(["advance", "w", "--comments", desk.path("comments.json").to_str().unwrap()])
    };
    advanced(64 << 20).assert(1);
    advanced((64 << 20) + 1).assert_refused("larger than 64 MiB");
}
