//! Phases that are declared away on the command line, and those that cannot be (OR-X).

use serde_json::json;

use crate::desk::{Desk, Outcome};

fn skip(desk: &Desk, node: &str) -> Outcome {
    desk.graph(["skip", "w", "--node", node, "--reason", "not needed"])
}

#[test]
fn a_default_on_phase_is_declared_away_with_who_how_when_and_why() {
    let desk = Desk::small();
    skip(&desk, "docs").assert(0);
    let skip = desk.state()["skips"]["docs"].clone();
    assert_eq!(
        (&skip["by"], &skip["via"], &skip["reason"]),
        (&"operator".into(), &"cli".into(), &"not needed".into())
    );
    let report = desk.judged("docs");
    assert_eq!(
        (&report["status"], &report["by"], &report["via"], &report["at"]),
        (&"skipped".into(), &skip["by"], &skip["via"], &skip["at"])
    );
    let row = desk.row("docs");
    assert!(
        row.contains("skipped by declaration of `operator` via cli") && row.contains("not needed"),
        "{row}"
    );
    assert!(!row.contains("not selected"), "{row}");
    let events = desk.events_called("graph.skips_declared");
    assert_eq!(
        (&events[0]["nodes"], &events[0]["via"], &events[0]["by"]),
        (&json!(["docs"]), &"cli".into(), &"operator".into())
    );
    // It stays away when the selection is answered, whatever the boxes say by default.
    desk.say("ada", "the-loop execute");
    let step = desk.advance();
    assert_eq!(step["skips"]["docs"]["reason"], "not needed");
    assert!(step["confirmation"].as_str().unwrap().contains("Declared away: `docs`"));
}

#[test]
fn a_skip_set_stands_for_its_phases() {
    let desk = Desk::small();
    skip(&desk, "docs").assert(0);
    let first = desk.state()["skips"]["docs"].clone();
    skip(&desk, "quick").assert(0);
    let state = desk.state();
    assert_eq!((&state["skips"]["docs"], &state["skips"]["build"]["via"]), (&first, &"cli".into()));
    assert_eq!(desk.events_called("graph.skips_declared")[1]["nodes"], json!(["build"]));
    skip(&desk, "quick").assert(0);
    assert_eq!(desk.events_called("graph.skips_declared").len(), 2);
}

#[test]
fn what_cannot_be_declared_away_is_refused() {
    let desk = Desk::small();
    let before = desk.state();
    for (node, words) in [
        ("deep-review", "opt-in"),
        ("ship", "always runs"),
        ("select", "always runs"),
        ("approval", "always runs"),
        ("complete", "always runs"),
        ("dosc", "did you mean `docs`?"),
        ("nowhere", "no phase or skip set"),
        ("", "no phase or skip set"),
    ] {
        skip(&desk, node).assert_refused(words);
    }
    desk.graph(["skip", "w", "--node", "docs", "--reason", " "]).assert_refused("reason");
    desk.graph(["skip", "w", "--node", "docs"]).assert_refused("--reason");
    assert_eq!(desk.state(), before);
}

#[test]
fn after_the_answer_nothing_is_declared_away() {
    let desk = Desk::selected("");
    skip(&desk, "build").assert_refused("has come to `build`");
    skip(&desk, "docs").assert_refused("has been answered");
    desk.forge(|state| {
        state["current"] = "select".into();
        state["nodes"] = json!({});
        state["frozen"] = json!({});
    });
    skip(&desk, "docs").assert_refused("has been answered");
    // Where only the pointer says so.
    let desk = Desk::small();
    desk.forge(|state| state["current"] = "build".into());
    skip(&desk, "docs").assert_refused("has been answered");
}

#[test]
fn no_verb_selects_an_opt_in_phase() {
    let desk = Desk::small();
    for verb in ["select", "opt-in", "unskip"] {
        desk.graph([verb, "w", "--node", "deep-review"]).assert_refused("unrecognized subcommand");
    }
    desk.graph(["advance", "w", "--select", "deep-review"]).assert_refused("--select");
    assert_eq!(desk.state()["optIns"], json!({}));
}
