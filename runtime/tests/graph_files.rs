//! `graph compile` and `graph show` through the real binary.
//!
//! The main type is [`Place`]: a home and a working directory of its own. Walks are tested elsewhere.

#![allow(clippy::unwrap_used, reason = "what cannot be set up fails its test")]

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const SMALL: &str = include_str!("graphs/small.yaml");

struct Place {
    home: TempDir,
    work: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { home: TempDir::new().unwrap(), work: TempDir::new().unwrap() }
    }

    /// A place with one file in the working directory.
    fn with(name: &str, text: impl AsRef<[u8]>) -> Self {
        let place = Self::new();
        place.write(name, text);
        place
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.work.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn call(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_the-loop"));
        command.args(arguments).current_dir(self.work.path()).env_clear().env("HOME", self.home.path());
        command.output().unwrap()
    }

    /// What a call that must succeed prints.
    #[track_caller]
    fn printed(&self, arguments: &[&str]) -> String {
        let output = self.call(arguments);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What a call that must be refused says.
    #[track_caller]
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.call(arguments);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
        stderr(&output)
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_example_compiles_with_one_line() {
    let place = Place::with("small.yaml", SMALL);
    let printed = place.printed(&["graph", "compile", "small.yaml"]);
    assert_eq!(printed, "small.yaml: small, 5 nodes, 6 edges, opt-in: deep-review\n");
}

#[test]
fn a_fault_is_told_with_its_place_its_line_and_its_remedy() {
    let place = Place::with("g.yaml", SMALL.replace("optIn: true,", "optIn: true, required: true,"));
    insta::assert_snapshot!(place.refused(&["graph", "compile", "g.yaml"]), @"
    error: node `deep-review`: `required` and `optIn` exclude each other: what must run cannot be off by default
     --> g.yaml:8:46
      |
    8 |   - {id: deep-review, optIn: true, required: true, description: a second model reads the build, stage: critic-review,
      |                                              ^^^^
      |
      = help: remove one of them
    ");
}

#[test]
fn lines_are_counted_whatever_ends_them() {
    for ending in ["\n", "\r\n", "\r"] {
        let place =
            Place::with("g.yaml", SMALL.replace("on: selected}", "on: select}").replace('\n', ending));
        let told = place.refused(&["graph", "compile", "g.yaml"]);
        assert!(told.contains("g.yaml:13:35") && told.contains("13 |   - {from: select"), "{told}");
    }
}

#[test]
fn all_faults_of_all_files_are_told_at_once() {
    let place = Place::with("good.yaml", SMALL);
    let bad =
        SMALL.replace("{quick: [build]}", "{quick: [deep-review]}").replace("on: selected}", "on: select}");
    place.write("bad.yaml", bad);
    place.write("worse.yaml", SMALL.replace("on: skipped", "on: skip"));
    let output = place.call(&["graph", "compile", "bad.yaml", "good.yaml", "none.yaml", "worse.yaml", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
    let told = stderr(&output);
    for place in
        ["bad.yaml:4:20", "bad.yaml:13:35", "worse.yaml:15:40", "worse.yaml:17:39", "`none.yaml`", "`.`"]
    {
        assert!(told.contains(place), "{place} is missing in:\n{told}");
    }
    assert_eq!(told.matches("error: ").count(), 6, "{told}");
}

#[test]
fn what_is_no_text_or_too_large_is_refused() {
    let place = Place::with("latin.yaml", b"name: \xe9");
    assert!(place.refused(&["graph", "compile", "latin.yaml"]).contains("not UTF-8"));
    place.write("large.yaml", "# x\n".repeat(2 * 1024 * 1024 + 1));
    assert!(place.refused(&["graph", "compile", "large.yaml"]).contains("larger than 8 MiB"));
    place.write("empty.yaml", "");
    assert!(place.refused(&["graph", "compile", "empty.yaml"]).contains("the file is empty"));
    place.write("bomb.yaml", format!("a: &a [x]\n{}", "b: [*a, *a, *a]\n".repeat(100_000)));
    assert!(place.refused(&["graph", "compile", "bomb.yaml"]).contains("aliases stand for more than"));
    place.write("deep.yaml", "[".repeat(100_000));
    assert!(place.refused(&["graph", "compile", "deep.yaml"]).contains("nested deeper"));
}

#[test]
fn nothing_that_a_terminal_would_obey_is_printed() {
    let place = Place::with("g.yaml", "\"na\\eme\u{202e}\": 1 # \u{1b}[31m\n");
    let told = place.refused(&["graph", "compile", "g.yaml"]);
    assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told:?}");
}

#[test]
fn a_loop_is_shown_as_json_in_file_order() {
    let printed = Place::new().printed(&["graph", "show", "--format", "json"]);
    let graph: Value = serde_json::from_str(&printed).unwrap();
    let keys: Vec<&String> = graph.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "start", "nodes", "edges"]);
    assert_eq!((&graph["name"], &graph["start"]), (&"pdlc-work-item-loop".into(), &"phase-selection".into()));
    let at = |id: &str| graph["nodes"].as_array().unwrap().iter().position(|node| node["id"] == id).unwrap();
    assert_eq!(
        (at("design") + 1, at("test-planning") - 1),
        (at("design-critic-review"), at("design-critic-review"))
    );
    insta::assert_snapshot!(graph["nodes"][at("design-critic-review")], @r#"{"id":"design-critic-review","phase":"design","actor":"agent","required":false,"skippable":true,"optIn":true,"description":"another model reads the locked design while a finding still costs an edit and not a rewrite","stage":"critic-review","produces":["evidence/design-critic-review.md"],"entry":[],"exit":[{"hook":"validate-review-record","with":{"validates":["evidence/design-critic-review.md"],"sections":["Design critic review"]}}],"terminal":false}"#);
    insta::assert_snapshot!(graph["edges"][0], @r#"{"from":"phase-selection","to":"brainstorming","on":"selected"}"#);
}

#[test]
fn a_drawing_has_opt_in_phases_dashed() {
    let place = Place::with("home.yaml", "graphs: [{name: small, path: small.yaml}]");
    place.write("small.yaml", SMALL);
    let drawing = place.printed(&["--config", "home.yaml", "graph", "show", "small", "--format", "mermaid"]);
    insta::assert_snapshot!(drawing, @r#"
    flowchart TD
      n0{{"select"}}
      n1["build"]
      n2["deep-review"]:::optIn
      n3["ship"]
      n4(["complete"])
      n0 -->|selected| n1
      n1 -->|pass, skipped| n2
      n2 -->|pass, skipped| n3
      n3 -->|pass| n4
      classDef optIn stroke-dasharray: 5 5
    "#);
}

#[test]
fn people_see_what_runs_and_what_comes_next() {
    let place = Place::with("home.yaml", "graphs: [{name: small, path: small.yaml}]");
    place.write("small.yaml", SMALL);
    insta::assert_snapshot!(place.printed(&["--config", "home.yaml", "graph", "show", "small"]), @"
    small, from select

    NODE         RUNS             ACTOR  STAGE          LEFT WHEN                                THEN
    select       required         human  -              a human chose the phases                 build
    build        unless unticked  agent  -              build.md has Build                       deep-review
    deep-review  only if ticked   agent  critic-review  evidence/deep-review.md has Deep review  ship
    ship         always           agent  -              ship.md has Ship                         complete
    complete     end              agent  -              -                                        -
    ");
}

#[test]
fn a_declared_path_is_relative_to_the_config() {
    let place = Place::with("operator/cli-config.yaml", "graphs: [{name: small, path: loops/small.yaml}]");
    place.write("operator/loops/small.yaml", SMALL);
    let config = ["--config", "operator/cli-config.yaml", "graph", "show"];
    assert!(place.printed(&[&config[..], &["small"]].concat()).starts_with("small, from select\n"));
    // The shipped ones are still there.
    assert!(place.printed(&config).starts_with("pdlc-work-item-loop, from"));
    assert!(place.printed(&[&config[..], &["pdlc-pr-loop"]].concat()).starts_with("pdlc-pr-loop, from"));
}

#[test]
fn a_graph_of_the_checkout_is_not_picked_up() {
    let place = Place::with("small.yaml", SMALL);
    place.write(".the-loop/cli-config.yaml", "graphs: [{name: small, path: ../small.yaml}]");
    place.write(".the-loop/small.yaml", SMALL);
    for name in ["small", "small.yaml", "./small.yaml", ".the-loop/small.yaml"] {
        assert!(place.refused(&["graph", "show", name]).contains("no loop is called"), "{name}");
    }
}

#[test]
fn a_loop_that_does_not_compile_is_not_shown() {
    let place = Place::with("home.yaml", "graphs: [{name: small, path: small.yaml}]");
    place.write("small.yaml", SMALL.replace("on: skipped", "on: skip"));
    let told = place.refused(&["--config", "home.yaml", "graph", "show", "small"]);
    assert!(
        told.contains("does not compile") && told.matches("unknown outcome `skip`").count() == 2,
        "{told}"
    );
    place.write("home.yaml", "graphs: [{name: small}]");
    assert!(place.refused(&["--config", "home.yaml", "graph", "show"]).contains("`path` is missing"));
    assert!(place.refused(&["--config", "none.yaml", "graph", "show"]).contains("cannot read the config"));
}

#[test]
fn help_shows_examples() {
    for arguments in [&["graph", "--help"][..], &["graph", "compile", "--help"], &["graph", "show", "--help"]]
    {
        let help = Place::new().printed(arguments);
        assert!(help.contains("Examples:\n  the-loop graph "), "{help}");
    }
    assert!(Place::new().refused(&["graph", "compile"]).contains("<FILE>"));
}

#[test]
fn a_fault_at_the_end_of_a_line_is_pointed_at() {
    let place = Place::with("g.yaml", SMALL.replace("start: select", "start:"));
    insta::assert_snapshot!(place.refused(&["graph", "compile", "g.yaml"]), @r#"
    error: graph: `start`: expected text, found null
     --> g.yaml:3:6
      |
    3 | start:
      |      ^
      |
      = help: quote it (`"null"`, `""`) if that text is meant, or remove the key
    "#);
}

#[test]
fn a_way_back_is_told_with_what_leads_there() {
    let table = Place::new().printed(&["graph", "show"]);
    let row =
        table.lines().find(|row| row.starts_with("human-approval ")).unwrap_or_else(|| panic!("{table}"));
    assert!(row.contains(" on changes-requested"), "{row}");
    assert_eq!(
        table.lines().filter(|row| row.starts_with("phase-selection ") && row.contains(" on ")).count(),
        0
    );
}

#[test]
fn a_gate_without_sections_asks_for_the_file() {
    let place = Place::with("home.yaml", "graphs: [{name: small, path: small.yaml}]");
    for (sections, told) in [("", "ship.md is there"), (", with: {sections: [A, B]}", "ship.md has A, B")] {
        place.write("small.yaml", SMALL.replace(", with: {sections: [Ship]}", sections));
        let table = place.printed(&["--config", "home.yaml", "graph", "show", "small"]);
        assert!(table.contains(told), "{table}");
    }
}

#[test]
fn a_drawing_tells_the_ways_back_apart() {
    let drawing = Place::new().printed(&["graph", "show", "--format", "mermaid"]);
    let is_back = |line: &&str| line.contains("-.->");
    assert!(drawing.lines().any(|line| is_back(&line)), "{drawing}");
    for line in drawing.lines().filter(|line| line.contains('|')) {
        assert_eq!(is_back(&line), line.contains("changes-requested"), "{line}");
    }
}
