//! A desk: a home with a config, a checkout with one work item, and the comments on its ticket.
//!
//! [`Desk`] calls the binary; [`Outcome`] is what came out. It asserts only that a call was possible at all.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use jiff::{Span, Timestamp};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The graph of most tests.
pub(crate) const SMALL: &str = "version: 1
name: small
start: select
skipSets: {quick: [build, docs]}
nodes:
  - {id: select, actor: human, required: true, exit: [classify-phase-selection]}
  - {id: build, skippable: true, description: makes it, produces: [build.md], exit: [{hook: validate-artifacts, with: {sections: [Build]}}]}
  - {id: docs, skippable: true}
  - {id: deep-review, optIn: true, description: a second model reads it, produces: [evidence/deep-review.md],
     exit: [{hook: validate-review-record, with: {sections: [Deep review]}}]}
  - {id: wide-review, optIn: true}
  - {id: approval, actor: human, exit: [classify-feedback]}
  - {id: ship, required: true, produces: [ship.md], exit: [{hook: validate-artifacts, with: {sections: [Ship]}}]}
  - {id: sign-off, actor: human, produces: [sign-off.md],
     exit: [{hook: validate-artifacts, with: {sections: [Briefing]}}, classify-feedback]}
  - {id: complete, terminal: true}
edges:
  - {from: select, to: build, on: selected}
  - {from: build, to: docs, on: pass}
  - {from: build, to: docs, on: skipped}
  - {from: docs, to: deep-review, on: pass}
  - {from: docs, to: deep-review, on: skipped}
  - {from: deep-review, to: wide-review, on: pass}
  - {from: deep-review, to: wide-review, on: skipped}
  - {from: wide-review, to: approval, on: pass}
  - {from: wide-review, to: approval, on: skipped}
  - {from: approval, to: ship, on: approved}
  - {from: approval, to: build, on: changes-requested}
  - {from: ship, to: sign-off, on: pass}
  - {from: sign-off, to: complete, on: approved}
  - {from: sign-off, to: docs, on: changes-requested}
";

pub(crate) const RECORD: &str = "## Deep review\n\n| Round | Critic | Outcome | Findings | Link |\n|---|---|---|---|---|\n\
                                 | 1 | [cursor/gpt-5.5] | zero findings | 0 | x |\n";

pub(crate) struct Desk {
    place: TempDir,
    comments: RefCell<Vec<Value>>,
}

pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Now and that many seconds, as comments tell it.
pub(crate) fn time(seconds: i64) -> String {
    let moment = Timestamp::now().checked_add(Span::new().seconds(seconds)).unwrap();
    Timestamp::from_second(moment.as_second()).unwrap().to_string()
}

impl Desk {
    /// A desk without an item, whose config holds these lines besides what declares the graph `small`.
    pub(crate) fn configured(lines: &str) -> Self {
        let desk = Self { place: TempDir::new().unwrap(), comments: RefCell::default() };
        fs::create_dir_all(desk.path("checkout")).unwrap();
        desk.write("home/.the-loop/small.yaml", SMALL);
        desk.write(
            "home/.the-loop/cli-config.yaml",
            format!("graphs: [{{name: small, path: small.yaml}}]\n{lines}\n"),
        );
        desk
    }

    /// A desk where `ada` may answer and the item `w` is walked by this loop.
    pub(crate) fn walking(loop_name: &str) -> Self {
        let desk = Self::configured("routing: {authorizedUsers: ['@Ada']}");
        desk.graph(["start", "w", "--loop", loop_name]).assert(0);
        desk
    }

    pub(crate) fn small() -> Self {
        Self::walking("small")
    }

    /// One whose selection was answered by these boxes.
    pub(crate) fn selected(boxes: &str) -> Self {
        let desk = Self::small();
        desk.say("ada", &format!("the-loop execute\n{boxes}"));
        assert_eq!(desk.advance()["outcome"], "selected");
        desk
    }

    /// One that stands at `approval`, with `deep-review` selected and its evidence written.
    pub(crate) fn at_approval() -> Self {
        let desk = Self::selected("- [x] deep-review");
        desk.item("build.md", "## Build\nmade\n");
        desk.item("evidence/deep-review.md", RECORD);
        for node in ["build", "docs", "deep-review"] {
            assert_eq!(desk.advance()["node"], node);
        }
        assert_eq!(desk.state()["current"], "approval");
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn item_path(&self, name: &str) -> PathBuf {
        self.path("checkout/docs/specs/w").join(name)
    }

    /// Writes into the item's folder.
    pub(crate) fn item(&self, name: &str, text: &str) {
        self.write(&format!("checkout/docs/specs/w/{name}"), text);
    }

    pub(crate) fn command<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_the-loop"));
        command.env_clear().env("HOME", self.path("home")).env("USER", "operator");
        command.current_dir(self.path("checkout")).stdin(Stdio::null()).args(arguments);
        command
    }

    pub(crate) fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Outcome {
        self.command(arguments).output().unwrap().into()
    }

    pub(crate) fn graph<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Outcome {
        self.run(["graph"].into_iter().chain(arguments))
    }

    /// A comment of now; its id.
    pub(crate) fn say(&self, author: &str, body: &str) -> u64 {
        self.say_at(author, body, &time(0))
    }

    pub(crate) fn say_at(&self, author: &str, body: &str, time: &str) -> u64 {
        let mut comments = self.comments.borrow_mut();
        let id = 100 + comments.len() as u64;
        comments.push(json!({"id": id, "user": {"login": author}, "body": body, "created_at": time, "updated_at": time}));
        id
    }

    /// Changes a comment.
    pub(crate) fn change(&self, id: u64, change: impl Fn(&mut Value)) {
        let mut comments = self.comments.borrow_mut();
        change(comments.iter_mut().find(|comment| comment["id"] == id).unwrap());
    }

    pub(crate) fn body(&self, id: u64) -> String {
        let comments = self.comments.borrow();
        let comment = comments.iter().find(|comment| comment["id"] == id).unwrap();
        comment["body"].as_str().unwrap().to_owned()
    }

    pub(crate) fn forget(&self, id: u64) {
        self.comments.borrow_mut().retain(|comment| comment["id"] != id);
    }

    /// Prints the checklist and posts it as a bot.
    pub(crate) fn post_checklist(&self) -> u64 {
        let printed = self.graph(["checklist", "w"]);
        printed.assert(0);
        self.say("bot", &printed.stdout)
    }

    pub(crate) fn comments_file(&self) -> PathBuf {
        self.write("comments.json", Value::from(self.comments.borrow().clone()).to_string());
        self.path("comments.json")
    }

    /// A step with all comments.
    pub(crate) fn step(&self) -> Outcome {
        self.graph(["advance", "w", "--comments", self.comments_file().to_str().unwrap()])
    }

    /// The JSON of a step.
    pub(crate) fn advance(&self) -> Value {
        let step = self.step();
        assert_ne!(step.code, Some(2), "{}", step.stderr);
        step.json()
    }

    pub(crate) fn check(&self) -> Value {
        self.run(["check", "w", "--format", "json"]).json()
    }

    /// What `check` says of a node.
    pub(crate) fn judged(&self, node: &str) -> Value {
        find(&self.check(), node)
    }

    pub(crate) fn status(&self, node: &str) -> String {
        self.judged(node)["status"].as_str().unwrap().to_owned()
    }

    /// The messages about a node in one text.
    pub(crate) fn told(&self, node: &str) -> String {
        self.judged(node)["messages"].to_string()
    }

    /// The line of a node in the table.
    pub(crate) fn row(&self, node: &str) -> String {
        let table = self.run(["check", "w"]).stdout;
        table.lines().find(|line| line.starts_with(&format!("{node} "))).unwrap().to_owned()
    }

    pub(crate) fn state(&self) -> Value {
        serde_json::from_slice(&fs::read(self.item_path("graph-state.json")).unwrap()).unwrap()
    }

    /// What an agent can do to the state.
    pub(crate) fn forge(&self, change: impl Fn(&mut Value)) {
        let mut state = self.state();
        change(&mut state);
        self.item("graph-state.json", &state.to_string());
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.path("home/.the-loop/events.jsonl")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn events_called(&self, name: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["event"] == name).collect()
    }
}

/// What a report says of a node.
pub(crate) fn find(report: &Value, node: &str) -> Value {
    report["nodes"].as_array().unwrap().iter().find(|found| found["node"] == node).unwrap().clone()
}

/// A well-formed entry of `skips` or `optIns`.
pub(crate) fn entry() -> Value {
    json!({"by": "ada", "via": "comment", "at": time(0)})
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Outcome {
    pub(crate) fn assert(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
    }

    /// A refusal in these words, with nothing on standard output.
    pub(crate) fn assert_refused(&self, words: &str) {
        self.assert(2);
        assert_eq!(self.stdout, "");
        assert!(self.stderr.contains(words), "{}", self.stderr);
    }

    /// The one line of standard output.
    pub(crate) fn json(&self) -> Value {
        let line = self.stdout.strip_suffix('\n').unwrap_or_else(|| panic!("no line; {}", self.stderr));
        assert!(!line.contains('\n'), "{line}");
        serde_json::from_str(line).unwrap()
    }
}
