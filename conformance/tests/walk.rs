//! How the supervisor makes and looks at steps of the graph profile. Targets are tiny shell scripts.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod stage;

use serde_json::{Value, json};
use stage::Stage;
use the_loop_conformance::observation::{Ending, FileRecord, Session};
use the_loop_conformance::supervisor::Keep;

/// Prints its arguments.
const WORDS: &str = "for word; do printf '<%s>' \"$word\"; done";

/// A walk of one item, as far as the kit looks: `checklist` prints rows, `advance` its comments, `start` writes a state.
const TINY: &str = r#"
case "$2" in
  checklist) printf '# Phases\n- [x] build\n## Off\n- [ ] review\n<!-- token -->\n' ;;
  advance) cat "$5" ;;
  start) mkdir -p "docs/specs/$3" && printf '{"optIns": {"review": {}}}' > "docs/specs/$3/graph-state.json"
         mkdir -p "$HOME/.the-loop" && echo '{"event": "begun"}' >> "$HOME/.the-loop/events.jsonl" ;;
esac
"#;

fn printed(scenario: &str) -> Vec<String> {
    let subject = Stage::new().subject(WORDS, scenario);
    subject.steps.iter().map(|step| step.copies[0].stdout.lossy().into_owned()).collect()
}

fn comments(session: &Session, step: usize) -> Vec<Value> {
    serde_json::from_slice(&session.steps[step].copies[0].stdout.0).unwrap()
}

#[test]
fn every_verb_has_its_command_line() {
    let words = printed(
        "steps:\n\
         - compile: {files: [a, b]}\n\
         - show: {name: n, format: json}\n\
         - start: {item: w, loop: l}\n\
         - checklist: {item: w}\n\
         - advance: {item: w}\n\
         - skip: {item: w, node: n, reason: r s}\n\
         - template: {node: n}\n\
         - check: {item: w, format: json, recompute: true, fail-on: block, args: [z]}\n\
         - check: {}\n",
    );
    let expected = [
        "<graph><compile><a><b>",
        "<graph><show><n><--format><json>",
        "<graph><start><w><--loop><l>",
        "<graph><checklist><w>",
        "<graph><advance><w>",
        "<graph><skip><w><--node><n><--reason><r s>",
        "<graph><template><n>",
        "<check><w><--format><json><--recompute><--fail-on><block><z>",
        "<check><--all>",
    ];
    assert_eq!(words, expected);
}

#[test]
fn comments_are_a_thread_with_ids_times_and_the_printed_checklist() {
    let subject = Stage::new().subject(
        TINY,
        "steps:\n\
         - checklist: {item: w}\n\
         - advance: {item: w, comments: [{by: bot, checklist: posted}, {by: alice, body: go, checklist: {tick: [review], untick: [build]}}]}\n\
         - advance: {item: w, comments: [{by: bob, body: 'in %{root}', created: -60, updated: 60}]}\n\
         - advance: {item: w, earlier: dropped, comments: []}\n",
    );
    let first = comments(&subject, 1);
    assert_eq!(first[0]["body"], *subject.steps[0].copies[0].stdout.lossy());
    assert_eq!(first[1]["body"], "go\n\n# Phases\n- [ ] build\n## Off\n- [x] review\n\n");
    assert_eq!(first[1]["user"]["login"], "alice");
    assert_eq!(first[1]["created_at"], first[1]["updated_at"]);
    let second = comments(&subject, 2);
    assert_eq!(second[..2], first[..]);
    assert_eq!(second[2]["body"], format!("in {}", subject.places.root.display()));
    let time =
        |comment: &Value, key: &str| -> jiff::Timestamp { comment[key].as_str().unwrap().parse().unwrap() };
    assert_eq!(time(&second[2], "updated_at").duration_since(time(&second[2], "created_at")).as_secs(), 120);
    assert!(time(&second[2], "created_at") < time(&first[0], "created_at"));
    let ids: Vec<u64> = second.iter().map(|comment| comment["id"].as_u64().unwrap()).collect();
    assert!(ids.is_sorted() && ids[0] < ids[2], "{ids:?}");
    assert_eq!(comments(&subject, 3), Vec::<Value>::new());
}

#[test]
fn comments_come_as_pages_and_by_standard_input() {
    let subject = Stage::new().subject(
        "if [ \"$5\" = - ]; then cat; else cat \"$5\"; fi",
        "steps:\n\
         - advance: {item: w, layout: nested, comments: [{by: a, body: x}, {by: a, body: y}, {by: a, body: z}]}\n\
         - advance: {item: w, layout: concatenated, through: stdin, comments: []}\n",
    );
    let nested: Value = serde_json::from_slice(&subject.steps[0].copies[0].stdout.0).unwrap();
    assert_eq!(nested.as_array().unwrap().len(), 2);
    let pages: Vec<Value> = serde_json::Deserializer::from_slice(&subject.steps[1].copies[0].stdout.0)
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(json!(pages), nested);
}

#[test]
fn a_row_that_was_not_printed_leaves_the_step_unmade() {
    let subject = Stage::new().subject(
        TINY,
        "steps:\n\
         - checklist: {item: w}\n\
         - advance: {item: w, comments: [{by: alice, body: go, checklist: {tick: [ship]}}]}\n\
         - checklist: {item: w}\n",
    );
    assert!(subject.steps[1].copies.is_empty());
    assert_eq!(subject.steps[1].lack.as_deref(), Some("the printed checklist has no row `ship`"));
    assert_eq!(subject.steps[2].copies[0].ending, Ending::Exit(0));
}

#[test]
fn state_and_events_are_recorded_after_each_step() {
    let subject = Stage::new().subject(
        TINY,
        "steps:\n\
         - check: {item: w}\n\
         - start: {item: w}\n\
         - check: {item: w}\n  before: {state: {set: {/optIns/build/by: 'm%{copy}'}, remove: [/optIns/review]}}\n",
    );
    let walk = |step: usize| subject.steps[step].walk.clone().unwrap();
    assert_eq!((walk(0).state, walk(0).events), (FileRecord::Absent, FileRecord::Absent));
    assert_eq!(walk(1).events, FileRecord::File("{\"event\": \"begun\"}\n".into()));
    let FileRecord::File(state) = walk(2).state else { panic!("no state") };
    let state: Value = serde_json::from_slice(&state.0).unwrap();
    assert_eq!(state, json!({"optIns": {"build": {"by": "m0"}}}));
}

#[test]
fn a_state_that_is_not_there_cannot_be_edited() {
    let subject = Stage::new().subject(
        TINY,
        "steps:\n- check: {item: w}\n  before: {state: {set: {/loop: x}}}\n- check: {item: w}\n",
    );
    assert!(subject.steps[0].lack.as_ref().unwrap().contains("cannot be edited"));
}

#[test]
fn edits_replace_whatever_lies_there() {
    let subject = Stage::new().subject(
        "cat docs/a docs/b/c; ls docs",
        "files: {docs/a: old, docs/gone/x: text, docs/b: {link: a}}\n\
         steps:\n\
         - check: {}\n  before: {remove: [docs/gone, docs/b], write: {docs/a: new, docs/b/c: inner}}\n",
    );
    assert_eq!(subject.steps[0].copies[0].stdout.lossy(), "newinnera\nb\n");
}

#[test]
fn what_a_step_changes_is_told_from_what_it_leaves() {
    let subject = Stage::new().subject(
        "printf x > docs/new; printf same > docs/same/file",
        "files: {docs/same/file: same, docs/other: text}\n\
         steps: [{check: {}}]\n\
         checks: {any: {unchanged: [docs, docs/same, docs/new, docs/other]}}",
    );
    assert_eq!(subject.steps[0].changed, ["docs", "docs/new"]);
}

#[test]
fn declared_graphs_lie_outside_the_checkout() {
    let subject = Stage::new().subject(
        "cat \"$HOME/.the-loop/cli-config.yaml\" \"$HOME/graphs/mine.yaml\"",
        "routing: '{authorizedUsers: [alice]}'\n\
         event-log: '{path: /e}'\n\
         graphs: {small: {graph: small, replace: {'name: small': 'name: little'}}, mine: \"name: mine\\n\"}\n\
         steps: [{check: {}}]",
    );
    let home = subject.places.home.display().to_string();
    let expected = format!(
        "routing:\n  {{authorizedUsers: [alice]}}\neventLog:\n  {{path: /e}}\ngraphs:\n  \
         - {{name: small, path: \"{home}/graphs/small.yaml\"}}\n  - {{name: mine, path: \"{home}/graphs/mine.yaml\"}}\nname: mine\n"
    );
    assert_eq!(subject.steps[0].copies[0].stdout.lossy(), expected);
    assert!(std::fs::read_dir(&subject.places.root).is_err());
}

#[test]
fn a_replay_starts_each_step_from_what_lay_there_then() {
    let stage = Stage::new();
    let mut job = stage.job(
        "cat docs/specs/w/graph-state.json; printf '{\"n\": 1}' > docs/specs/w/graph-state.json",
        "files: {'%{specs}/w/%{state}': '{}'}\n\
         steps:\n\
         - check: {item: w}\n\
         - check: {item: w}\n  before: {state: {set: {/m: 2}}}\n",
    );
    job.keep = Keep::Keep;
    let subject = stage::observe(&job).subject;
    let replay = subject.places.bin.with_file_name("replay.sh");
    let again = std::process::Command::new(replay).output().unwrap();
    let seen: Vec<String> =
        subject.steps.iter().map(|step| step.copies[0].stdout.lossy().into_owned()).collect();
    assert_eq!(String::from_utf8_lossy(&again.stdout), seen.concat());
    assert!(seen[1].contains("\"m\": 2"), "{seen:?}");
}
