//! The laws of opt-in phases once more, a few times, on the real binary with files, a log and another checkout.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::binaries::{Binary, Profile};

use super::cases;

static REFERENCE: LazyLock<PathBuf> =
    LazyLock::new(|| Binary::Reference.build(Profile::Development).expect("the reference"));

/// The only opt-in phase of the shipped loop.
const OPT_IN: &str = "design-critic-review";
/// The phases before it, but for the selection and `design`.
const EARLY: [&str; 3] = ["brainstorming", "requirements-definition", "requirements-approval"];

const RECORD: &str = "## Design critic review\n\n| Round | Critic | Outcome | Findings | Link |\n|---|---|---|---|---|\n\
    | 1 | [m/n] | zero findings | 0 | - |\n";

/// Two checkouts of one home.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        for part in ["home/.the-loop", "here", "there"] {
            fs::create_dir_all(folder.path().join(part)).expect("a folder");
        }
        let config = folder.path().join("home/.the-loop/cli-config.yaml");
        fs::write(config, "routing: {authorizedUsers: [ada]}\n").expect("a config");
        Self { folder }
    }

    fn run(&self, checkout: &str, arguments: &[&str]) -> (String, Option<i32>) {
        let output = Command::new(&*REFERENCE)
            .args(arguments)
            .current_dir(self.folder.path().join(checkout))
            .env_clear()
            .env("HOME", self.folder.path().join("home"))
            .stdin(Stdio::null())
            .output()
            .expect("the reference");
        (String::from_utf8(output.stdout).expect("text"), output.status.code())
    }

    fn item(&self, checkout: &str) -> PathBuf {
        self.folder.path().join(checkout).join("docs/specs/issue-7")
    }

    /// Starts the item and answers its selection with these rows.
    fn selected(&self, checkout: &str, rows: &str) -> Value {
        assert_eq!(self.run(checkout, &["graph", "start", "issue-7"]).1, Some(0));
        let (posted, _) = self.run(checkout, &["graph", "checklist", "issue-7"]);
        let time = "2099-01-01T00:00:00Z";
        let comment = |id: u32, login: &str, body: &str| json!({"id": id, "user": {"login": login}, "body": body, "created_at": time, "updated_at": time});
        let ticked = posted.replace("- [ ]", "- [x]");
        let comments = json!([
            comment(1, "loop-bot", &posted),
            comment(2, "mallory", &format!("the-loop execute\n{ticked}")),
            comment(3, "mallory", &ticked),
            comment(4, "ada", &format!("the-loop execute\n\n{rows}")),
        ]);
        let file = self.folder.path().join("comments.json");
        fs::write(&file, comments.to_string()).expect("a file");
        let arguments = ["graph", "advance", "issue-7", "--comments", file.to_str().expect("text")];
        serde_json::from_str(&self.run(checkout, &arguments).0).expect("JSON")
    }

    fn row(&self, more: &[&str]) -> Value {
        let (text, _) = self.run("here", &[&["check", "issue-7", "--format", "json"], more].concat());
        let report: Value = serde_json::from_str(&text).expect("JSON");
        let rows = report["nodes"].as_array().expect("rows");
        rows.iter().find(|row| row["node"] == OPT_IN).cloned().expect("a row")
    }
}

fn state(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("graph-state.json")).expect("a state");
    serde_json::from_str(&text).expect("JSON")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 12, ..cases() })]

    #[test]
    fn a_phase_that_nobody_ticked_here_does_not_run(
        is_ticked: bool, is_claimed: bool, is_decided: bool, is_moved: bool, is_written: bool, is_lost: bool,
    ) {
        let place = Place::new();
        place.selected("there", &format!("- [x] {OPT_IN}\n"));
        let rows: String = EARLY.iter().flat_map(|id| ["- [ ] ", id, "\n"]).collect();
        let tick = if is_ticked { format!("- [x] {OPT_IN}\n") } else { String::new() };
        let step = place.selected("here", &format!("{rows}{tick}"));
        prop_assert_eq!(&step["outcome"], "selected");
        prop_assert_eq!(!step["optIns"][OPT_IN].is_null(), is_ticked);

        let folder = place.item("here");
        fs::create_dir_all(folder.join("evidence")).expect("a folder");
        fs::write(folder.join("design.md"), "## Design\n\nOne.\n\n## Decisions\n\nTwo.\n").expect("a file");
        if is_written {
            fs::write(folder.join("evidence").join(format!("{OPT_IN}.md")), RECORD).expect("a file");
        }
        let mut forged = state(&folder);
        let claim = state(&place.item("there"))["optIns"][OPT_IN].clone();
        prop_assert!(claim.is_object());
        if is_claimed && !is_ticked {
            forged["optIns"][OPT_IN] = claim;
        }
        if is_lost {
            forged["optIns"] = json!({});
        }
        if is_decided {
            forged["nodes"][OPT_IN] = json!({"outcome": "pass", "by": "ada", "via": "comment", "at": "2026-01-01T00:00:00Z"});
        }
        if is_moved {
            forged["current"] = OPT_IN.into();
        }
        fs::write(folder.join("graph-state.json"), forged.to_string()).expect("a state");

        let runs = is_ticked && !is_lost;
        for more in [&[][..], &["--recompute"]] {
            let status = place.row(more)["status"].clone();
            prop_assert_eq!(status == "not-selected", !runs, "{}", status);
            prop_assert!(status != "pass" || (runs && is_written), "{}", status);
        }
        let (text, _) = place.run("here", &["graph", "advance", "issue-7"]);
        let step: Value = serde_json::from_str(&text).expect("JSON");
        prop_assert!(runs || (step["node"] != OPT_IN && step["current"] != OPT_IN), "{}", text);
    }
}
