//! The form of scripts: what is accepted and what is refused.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use fake_critics::script::{Script, Step};

fn parse(json: &str) -> Result<Script, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

#[test]
fn every_step_survives_being_written_and_read() {
    let json = r#"[{"print":"a"},{"print-bytes":"AA=="},{"print-error":"e"},{"print-argv":{}},{"print-file":0},{"print-stdin":{}},
        {"flood":{"stream":"stderr","bytes":3,"text":"x"}},{"read-stdin":{"seconds":2}},{"sleep":0.5},{"exit":3},{"die-by":"KILL"},
        {"ignore":"TERM"},{"on-signal":{"signal":"INT","steps":[{"exit":0}]}},{"stop":{}},
        {"child":{"session":"own","group":"own","stdout":"closed","twice":true,"steps":[]}},
        {"write-file":{"path":"p","text":"t"}},{"reopen-stdout":"r"},{"close-stdout":{}}]"#;
    let script = parse(json).unwrap();
    assert_eq!(script.0.len(), 18);
    assert_eq!(parse(&serde_json::to_string(&script).unwrap()), Ok(script));
}

#[test]
fn unknown_steps_and_keys_are_refused() {
    for json in [
        r#"[{"prnt": "x"}]"#,
        r#"[{"stop": {"now": true}}]"#,
        r#"[{"child": {"steps": [], "sesion": "own"}}]"#,
    ] {
        assert!(parse(json).unwrap_err().contains("unknown"), "{json}");
    }
}

#[test]
fn a_step_has_one_key() {
    assert!(parse(r#"[{"print": "x", "exit": 1}]"#).is_err());
}

#[test]
fn only_times_can_be_slept() {
    assert!(parse(r#"[{"sleep": -1}]"#).unwrap_err().contains("`-1` is no time"));
    assert!(parse(r#"[{"sleep": 1e300}]"#).is_err());
    assert!(
        matches!(parse(r#"[{"sleep": 1}]"#).unwrap().0[0], Step::Sleep(seconds) if seconds.0 == Duration::from_secs(1))
    );
}

#[test]
fn a_child_is_found_by_its_path() {
    let script = parse(
        r#"[{"stop": {}}, {"child": {"steps": [{"on-signal": {"signal": "INT", "steps": [{"child": {"twice": true, "steps": []}}]}}]}}]"#,
    )
    .unwrap();
    assert!(script.child_at(&[1, 0, 0]).is_some_and(|child| child.twice));
    assert!(script.child_at(&[1]).is_some_and(|child| !child.twice));
    assert_eq!(script.child_at(&[0]), None);
}
