//! The strawman walks graphs by itself, before any kit judges it.
//!
//! Main type: [`Sandbox`], a home, a checkout and one work item in it. What a fault does to which check is the kill
//! matrix's business.

#![allow(clippy::expect_used, reason = "a sandbox that cannot be made fails its test")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

struct Sandbox {
    folder: tempfile::TempDir,
}

const SMALL: &str = "\
name: small
start: select
skipSets: {quick: [build]}
nodes:
  - {id: select, actor: human, required: true, exit: [classify-phase-selection]}
  - {id: build, skippable: true, produces: [build.md], exit: [{hook: validate-artifacts, with: {sections: [Build]}}]}
  - {id: deep, optIn: true, description: another look, exit: [{hook: validate-artifacts, with: {validates: deep.md}}]}
  - {id: ship, actor: human, exit: [classify-feedback]}
  - {id: complete, terminal: true}
edges:
  - {from: select, to: build, on: selected}
  - {from: build, to: deep, on: pass}
  - {from: build, to: deep, on: skipped}
  - {from: deep, to: ship, on: pass}
  - {from: deep, to: ship, on: skipped}
  - {from: ship, to: complete, on: approved}
  - {from: ship, to: build, on: changes-requested}
";

impl Sandbox {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for part in ["home/.the-loop", "checkout"] {
            fs::create_dir_all(folder.path().join(part)).expect("a folder");
        }
        let config = "routing: {authorizedUsers: [ann]}\ngraphs: [{name: small, path: small.yaml}]\n";
        fs::write(folder.path().join("home/.the-loop/cli-config.yaml"), config).expect("a config");
        fs::write(folder.path().join("home/.the-loop/small.yaml"), SMALL).expect("a graph");
        Self { folder }
    }

    /// A sandbox with the item `it` at the beginning of a loop.
    fn started(name: &str) -> Self {
        let sandbox = Self::new();
        assert_eq!(sandbox.run(&["graph", "start", "it", "--loop", name]).status.code(), Some(0));
        sandbox
    }

    fn path(&self, part: &str) -> PathBuf {
        self.folder.path().join(part)
    }

    fn item(&self, part: &str) -> PathBuf {
        self.path("checkout/docs/specs/it").join(part)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_strawman"));
        command.args(words).current_dir(self.path("checkout")).env_clear().env("HOME", self.path("home"));
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the strawman")
    }

    /// What `graph advance` prints, given these comments.
    fn advance(&self, comments: &[Value]) -> Value {
        fs::write(self.path("comments.json"), Value::from(comments).to_string()).expect("a file");
        let comments = self.path("comments.json");
        let output = self.run(&["graph", "advance", "it", "--comments", comments.to_str().expect("text")]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        let stays = ["wait", "block"].contains(&report["outcome"].as_str().expect("a word"));
        assert_eq!(output.status.code(), Some(i32::from(stays)), "{report}");
        report
    }

    fn write(&self, part: &str, text: &str) {
        let path = self.item(part);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn state(&self) -> Value {
        serde_json::from_slice(&fs::read(self.item("graph-state.json")).expect("a state")).expect("JSON")
    }

    /// Changes the state behind the strawman's back.
    fn forge(&self, change: impl Fn(&mut Value)) {
        let mut state = self.state();
        change(&mut state);
        fs::write(self.item("graph-state.json"), state.to_string()).expect("a state");
    }

    /// The row of a node in `check`, and the exit code.
    fn row(&self, node: &str, more: &[&str]) -> (Value, Option<i32>) {
        let output = self.run(&[&["check", "it", "--format", "json"], more].concat());
        let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        let rows = report["nodes"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["node"] == node).cloned().unwrap_or_default();
        (row, output.status.code())
    }
}

/// A comment that was written long after everything else here, and never changed.
fn comment(id: u32, login: &str, body: &str) -> Value {
    let time = format!("2099-01-01T00:00:{id:02}Z");
    json!({ "id": id, "user": { "login": login }, "body": body, "created_at": time, "updated_at": time })
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every row that a design critic review can leave behind with one finding.
const RECORD: &str = "## Design critic review\n\n| Round | Critic | Outcome | Findings | Link |\n|---|---|---|---|---|\n\
    | 1 | [cursor/m] | new findings | 1 | - |\n| 2 | [cursor/m] | zero findings | 0 | - |\n\n- a race: fixed in 1234\n";

#[test]
fn an_item_is_walked_from_its_selection_to_its_end() {
    let sandbox = Sandbox::started("pdlc-work-item-loop");
    let offered = text(&sandbox.run(&["graph", "checklist", "it"]));
    let (default_on, opt_in) = offered.split_once("off unless ticked").expect("a heading of its own");
    assert!(default_on.contains("- [x] design —") && !default_on.contains("[ ]"), "{offered}");
    assert!(opt_in.contains("- [ ] design-critic-review — another model") && !opt_in.contains("[x]"));

    // The boxes are set in our own comment, as people do it.
    let keep = ["design", "design-critic-review", "test-planning", "human-approval"];
    let ticked: Vec<String> = offered
        .lines()
        .map(|line| {
            let wanted = keep.iter().any(|id| line.contains(&format!("] {id} ")));
            let unticked = line.replace("- [x]", "- [ ]");
            if wanted { unticked.replace("- [ ]", "- [x]") } else { unticked }
        })
        .collect();
    let comments = [comment(1, "bot", &ticked.join("\n")), comment(2, "Ann", "The-Loop Execute, please")];
    let selected = sandbox.advance(&comments);
    assert_eq!((&selected["outcome"], &selected["current"]), (&json!("selected"), &json!("design")));
    assert_eq!(selected["optIns"]["design-critic-review"]["by"], "Ann");
    assert_eq!(selected["skips"]["critic-review"]["via"], "comment");
    let confirmation = selected["confirmation"].as_str().expect("a confirmation");
    assert!(confirmation.contains("will run: `design-critic-review`"), "{confirmation}");

    sandbox.write("design.md", "## Design\n\nIn two parts.\n");
    assert_eq!(sandbox.advance(&comments)["current"], "design-critic-review");
    sandbox.write(
        "evidence/design-critic-review.md",
        &text(&sandbox.run(&["graph", "template", "design-critic-review"])),
    );
    assert_eq!(sandbox.advance(&comments)["outcome"], "block");
    sandbox.write("evidence/design-critic-review.md", RECORD);
    assert_eq!(sandbox.advance(&comments)["current"], "test-planning");
    sandbox.write("test-plan.md", "## Test plan\n\n| what | how |\n|---|---|\n| all | by hand |\n");
    assert_eq!(sandbox.advance(&comments)["current"], "human-approval");
    assert_eq!(sandbox.advance(&comments)["outcome"], "wait");
    let approval = [comment(1, "mallory", "the-loop approve"), comment(3, "ann", "the-loop approve")];
    assert_eq!(sandbox.advance(&approval)["current"], "complete");
    assert_eq!(sandbox.advance(&approval)["outcome"], "block");

    let table = text(&sandbox.run(&["check", "it"]));
    assert_eq!(sandbox.row("design-critic-review", &[]).0["status"], "pass", "{table}");
    let (row, code) = sandbox.row("critic-review", &["--recompute"]);
    assert_eq!((&row["status"], &row["by"], code), (&json!("skipped"), &json!("Ann"), Some(0)));
    let events = fs::read_to_string(sandbox.path("home/.the-loop/events.jsonl")).expect("a log");
    for event in ["graph.opt_ins_selected", "graph.skips_declared", "graph.gate_decided"] {
        assert!(events.contains(event), "{events}");
    }
}

#[test]
fn without_a_tick_design_leads_to_test_planning() {
    let sandbox = Sandbox::started("pdlc-work-item-loop");
    let rows =
        "the-loop execute\n- [ ] brainstorming\n- [ ] requirements-definition\n- [ ] requirements-approval\n";
    let selected = sandbox.advance(&[comment(1, "ann", rows)]);
    assert!(
        selected["confirmation"].as_str().expect("text").contains("not selected: `design-critic-review`")
    );
    sandbox.write("design.md", "## Design\n\nIn two parts.\n");
    assert_eq!(sandbox.advance(&[])["current"], "test-planning");
    for more in [&[] as &[&str], &["--recompute"]] {
        assert_eq!(sandbox.row("design-critic-review", more).0["status"], "not-selected");
    }
    let table = text(&sandbox.run(&["check", "it"]));
    let row = table.lines().find(|line| line.starts_with("design-critic-review")).expect("a row");
    assert!(row.contains("not selected") && !row.contains("pass"), "{row}");
}

#[test]
fn what_nobody_authorised_says_or_a_reader_cannot_see_selects_nothing() {
    let waits = [
        comment(1, "mallory", "the-loop execute\n- [x] deep"),
        comment(1, "ann", "the-loop executed\n- [x] deep"),
        comment(1, "ann", "please: the-loop execute\n- [x] deep"),
        comment(1, "ann", "the-loop execute\n- [x] deep\n<!-- the-loop:agent-comment -->"),
        json!({ "id": 1, "user": null, "body": "the-loop execute" }),
    ];
    for comment in waits {
        assert_eq!(
            Sandbox::started("small").advance(std::slice::from_ref(&comment))["outcome"],
            "wait",
            "{comment}"
        );
    }
    let unticked = [
        "the-loop execute",
        "the-loop execute\n- [ ] deep",
        "the-loop execute\n- [x] deep\n- [ ] deep",
        "the-loop execute\n- [x] build",
        "the-loop execute\n- [x] deeper\n- [x] deep, please",
        "the-loop execute\n```\n- [x] deep\n```",
        "the-loop execute\n> - [x] deep",
        "the-loop execute\n<!--\n- [x] deep\n-->",
        "the-loop execute\n    - [x] deep",
    ];
    for body in unticked {
        let sandbox = Sandbox::started("small");
        let report = sandbox.advance(&[comment(1, "ann", body)]);
        assert_eq!((&report["current"], &report["optIns"]), (&json!("build"), &json!({})), "{body}");
        assert_eq!(sandbox.row("deep", &[]).0["status"], "not-selected");
    }
}

#[test]
fn a_copy_of_the_checklist_counts_for_nothing() {
    let sandbox = Sandbox::started("small");
    let offered = text(&sandbox.run(&["graph", "checklist", "it"]));
    let copy = offered.replace("- [ ] deep", "- [x] deep");
    let ours = comment(1, "bot", &offered);
    assert_eq!(sandbox.advance(std::slice::from_ref(&ours))["outcome"], "wait");
    let without_ours = [comment(2, "mallory", &copy), comment(3, "ann", "the-loop execute")];
    assert_eq!(sandbox.advance(&without_ours)["optIns"], json!({}));
}

#[test]
fn what_an_agent_writes_into_a_state_is_filtered() {
    let by = json!({ "by": "me", "via": "comment", "at": "2099-01-01T00:00:00Z" });
    let sandbox = Sandbox::started("small");
    sandbox.forge(|state| {
        state["optIns"] = json!({ "deep": by, "ship": by, "build": 5 });
        state["skips"] = json!({ "ship": by, "deep": by, "nothing": by, "build": [] });
    });
    let report = sandbox.advance(&[comment(1, "ann", "the-loop execute")]);
    assert_eq!((&report["optIns"], &report["skips"]), (&json!({}), &json!({})));

    sandbox.forge(|state| {
        state["current"] = json!("complete");
        state["nodes"]["build"] = json!({ "outcome": "pass" });
        state["nodes"]["ship"] =
            json!({ "outcome": "approved", "by": "ann", "via": "comment", "at": "2099-01-01T00:00:00Z" });
    });
    let (row, code) = sandbox.row("ship", &[]);
    assert_eq!((&row["status"], code), (&json!("wait"), Some(1)));
    assert!(row["messages"][0].as_str().expect("a message").contains("unverified"));
    assert_eq!(sandbox.row("build", &[]).0["status"], "block");
    assert_eq!(sandbox.row("build", &["--recompute"]).0["status"], "block");
}

#[test]
fn changes_that_are_requested_lead_back_and_old_approvals_stay_used() {
    let sandbox = Sandbox::started("small");
    sandbox.write("build.md", "## Build\n\ndone\n");
    let replies = [comment(1, "ann", "the-loop execute"), comment(2, "ann", "the-loop approve")];
    for current in ["build", "ship", "complete"] {
        assert_eq!(sandbox.advance(&replies)["current"], current);
    }
    let sandbox = Sandbox::started("small");
    sandbox.write("build.md", "## Build\n\ndone\n");
    let more = [comment(1, "ann", "the-loop execute"), comment(3, "ann", "the-loop request changes: none")];
    for current in ["build", "ship", "build", "ship"] {
        assert_eq!(sandbox.advance(&more)["current"], current);
    }
    assert_eq!(sandbox.advance(&more)["outcome"], "wait");
    assert_eq!(sandbox.row("ship", &[]).0["status"], "wait");
}

#[test]
fn only_default_on_phases_can_be_declared_away_and_only_before_the_answer() {
    let sandbox = Sandbox::started("small");
    let skip =
        |node: &str| sandbox.run(&["graph", "skip", "it", "--node", node, "--reason", "small"]).status.code();
    for node in ["deep", "ship", "select", "complete", "nothing"] {
        assert_eq!(skip(node), Some(2), "{node}");
    }
    assert_eq!(skip("quick"), Some(0));
    assert_eq!(sandbox.row("build", &[]).0["via"], "cli");
    assert_eq!(sandbox.advance(&[comment(1, "ann", "the-loop execute")])["current"], "ship");
    assert_eq!(skip("build"), Some(2));
}

#[test]
fn nothing_moves_where_events_cannot_be_written() {
    let sandbox = Sandbox::started("small");
    fs::create_dir(sandbox.path("home/.the-loop/events.jsonl")).expect("a folder");
    fs::write(sandbox.path("comments.json"), json!([comment(1, "ann", "the-loop execute")]).to_string())
        .expect("a file");
    let before = sandbox.state();
    let output = sandbox.run(&["graph", "advance", "it", "--comments", "../comments.json"]);
    assert_eq!(
        (output.status.code(), output.stdout.as_slice(), sandbox.state()),
        (Some(2), b"".as_slice(), before)
    );
}

#[test]
fn a_graph_that_cannot_be_walked_is_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    let cases = [
        ("optIn: true,", "optIn: true, required: true,", "`deep` is `required` and `optIn`"),
        ("quick: [build]", "quick: [build, deep]", "`quick` names `deep`"),
        ("  - {from: deep, to: ship, on: skipped}\n", "", "`deep` has no edge"),
        ("optIn: true", "optIn: 'true'", "`optIn` is \"true\""),
        ("optIn: true", "optin: true", "no key `optin`"),
        ("to: build, on: selected", "to: ship, on: selected", "passes the opt-in node `deep` by"),
        ("to: ship, on: pass", "to: build, on: pass", "go round for ever: `build`, `deep`"),
        ("actor: human, required: true", "actor: human", "must be `required: true`"),
        ("validates: deep.md", "validates: ../deep.md", "outside the folder"),
        ("validates: deep.md", "validates: build.md, sections: [Build]", "read section `Build`"),
        ("[classify-feedback]", "[classify]", "no gate `classify`"),
        ("terminal: true", "terminal: true, produces: [x.md]", "terminal node `complete`"),
    ];
    for (from, to, reason) in cases {
        let broken = SMALL.replacen(from, to, 1);
        assert_ne!(broken, SMALL, "{from}");
        fs::write(sandbox.path("checkout/broken.yaml"), broken).expect("a graph");
        let output = sandbox.run(&["graph", "compile", "broken.yaml"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()), "{to}");
        assert!(said.contains(reason) && said.contains("broken.yaml:"), "{to}: {said}");
    }
    fs::write(sandbox.path("checkout/fine.yaml"), SMALL).expect("a graph");
    assert_eq!(sandbox.run(&["graph", "compile", "fine.yaml"]).status.code(), Some(0));
}

#[test]
fn shipped_loops_compile_and_only_one_offers_a_review_of_the_design() {
    let sandbox = Sandbox::new();
    for (name, offered) in
        [("pdlc-work-item-loop", true), ("pdlc-pr-loop", false), ("pdlc-contribution-loop", false)]
    {
        let shown: Value =
            serde_json::from_slice(&sandbox.run(&["graph", "show", name, "--format", "json"]).stdout)
                .expect("JSON");
        let nodes = shown["nodes"].as_array().expect("nodes");
        let review = nodes.iter().find(|node| node["id"] == "design-critic-review");
        assert_eq!(review.is_some(), offered, "{name}");
        assert!(review.is_none_or(|node| node["optIn"] == true && node["stage"] == "critic-review"));
        assert_eq!(nodes[0]["required"], true);
    }
}

#[test]
fn names_that_lead_elsewhere_and_items_without_a_state_are_refused() {
    let sandbox = Sandbox::new();
    for name in ["..", ".", "a/b", "../it", ""] {
        assert_eq!(sandbox.run(&["graph", "start", name]).status.code(), Some(2), "{name}");
    }
    for verb in ["checklist", "advance"] {
        assert_eq!(sandbox.run(&["graph", verb, "it"]).status.code(), Some(2));
    }
    assert_eq!(sandbox.run(&["check", "it"]).status.code(), Some(2));
    assert!(!sandbox.path("checkout/docs").exists());
}

#[test]
fn two_calls_at_once_lose_nothing() {
    for _ in 0..10 {
        let sandbox = Sandbox::started("pdlc-work-item-loop");
        let ids = ["brainstorming", "design", "self-review", "verification"];
        let calls = ids.map(|id| {
            let mut command = sandbox.command(&["graph", "skip", "it", "--node", id, "--reason", "race"]);
            command.stdout(Stdio::null()).spawn().expect("the strawman")
        });
        for mut call in calls {
            assert!(call.wait().expect("an end").success());
        }
        let skips = sandbox.state()["skips"].clone();
        assert_eq!(skips.as_object().map(serde_json::Map::len), Some(ids.len()), "{skips}");
    }
}
