//! `critic list` and `critic policy` through the real binary.
//!
//! The main type is [`Operator`]: a home and a checkout of its own. Rounds are tested elsewhere.

#![allow(clippy::unwrap_used, reason = "what cannot be set up fails its test")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

struct Operator {
    home: TempDir,
    checkout: TempDir,
}

impl Operator {
    fn new(config: &str) -> Self {
        let operator = Self::without_config();
        operator.write(".the-loop/cli-config.yaml", config);
        operator
    }

    fn without_config() -> Self {
        Self { home: TempDir::new().unwrap(), checkout: TempDir::new().unwrap() }
    }

    fn write(&self, name: &str, text: &str) {
        write(&self.home.path().join(name), text);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_the-loop"));
        command.args(arguments).current_dir(self.checkout.path()).env_clear();
        command.env("HOME", self.home.path()).env("PATH", self.home.path().join("bin"));
        command
    }

    fn call(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn rows(&self) -> Vec<Value> {
        let output = self.call(&["critic", "list", "--format", "json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn executable(path: &Path) {
    write(path, "#!/bin/sh\n");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn every_entry_is_listed_with_its_executable_or_its_reason() {
    let operator = Operator::new(
        "critics:
- {name: here, harness: claude, model: 5.5}
- {name: relative, command: ./tools/mine, args: ['{prompt}'], enabled: false}
- {name: gone, harness: cursor}
- {name: broken, command: claude, args: 5, enabled: \"false\"}
- 5
",
    );
    executable(&operator.home.path().join("bin/claude"));
    executable(&operator.home.path().join(".the-loop/tools/mine"));
    let rows = operator.rows();
    let told: Vec<(&str, &str, bool, bool, bool)> = rows
        .iter()
        .map(|row| {
            let text = |key| row[key].as_str().unwrap();
            let is = |key| row[key].as_bool().unwrap();
            (text("name"), text("binary"), is("available"), is("enabled"), row["error"].is_null())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("here", "claude", true, true, true),
            ("relative", "./tools/mine", true, false, true),
            ("gone", "cursor-agent", false, true, true),
            ("broken", "claude", true, false, false),
            ("", "", false, true, false),
        ]
    );
    assert_eq!(rows[0]["path"], operator.home.path().join("bin/claude").to_str().unwrap());
    assert_eq!(rows[0]["model"], "5.5");
    let keys: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "harness", "model", "binary", "path", "available", "enabled", "error"]);

    let table = stdout(&operator.call(&["critic", "list"]));
    assert_eq!(table.lines().count(), 6, "{table}");
    assert!(
        table.contains("relative") && table.contains("disabled") && table.contains("critics[4]"),
        "{table}"
    );
}

#[test]
fn no_critics_is_said_on_standard_output() {
    for operator in [Operator::without_config(), Operator::new("critics: []\n"), Operator::new("critics:\n")]
    {
        let output = operator.call(&["critic", "list"]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).starts_with("No critics are configured;"));
        assert!(operator.rows().is_empty());
    }
}

#[test]
fn a_shared_name_and_a_file_that_cannot_be_read_print_nothing() {
    let twins = Operator::new("critics:\n- {name: twin, harness: claude}\n- {name: twin, harness: cursor}\n");
    let output = twins.call(&["critic", "list"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""));
    assert!(stderr(&output).contains("line 2") && stderr(&output).contains("line 3"), "{}", stderr(&output));
    for config in ["critics: {a: b}", "critics: 5", "critics: [", "a: 1\n---\nb: 2\n", "a: 1\na: 2\n"] {
        let output = Operator::new(config).call(&["critic", "list", "--format", "json"]);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{config}");
        assert!(stderr(&output).contains("line "), "{config}: {}", stderr(&output));
    }
}

#[test]
fn the_config_is_the_flag_then_the_variable_then_the_home() {
    let operator = Operator::new("critics: [{name: home, harness: claude}]\n");
    operator.write("flag.yaml", "critics: [{name: flag, harness: claude}]\n");
    operator.write("variable.yaml", "critics: [{name: variable, harness: claude}]\n");
    let at = |name: &str| operator.home.path().join(name).to_str().unwrap().to_owned();
    let (flag, variable) = (at("flag.yaml"), at("variable.yaml"));
    let listed = |arguments: &[&str], variable: &str| {
        stdout(&operator.command(arguments).env("THE_LOOP_CLI_CONFIG", variable).output().unwrap())
    };
    assert!(listed(&["critic", "list"], "").contains("home "));
    assert!(listed(&["critic", "list"], &variable).contains("variable "));
    assert!(listed(&["critic", "list", "--config", &flag], &variable).contains("flag "));
    assert!(listed(&["--config", &flag, "critic", "list"], &variable).contains("flag "));
    let missing = operator.call(&["critic", "list", "--config", &at("missing.yaml")]);
    assert_eq!((missing.status.code(), stdout(&missing).as_str()), (Some(2), ""));
}

#[test]
fn control_characters_of_the_config_never_reach_the_terminal() {
    let operator =
        Operator::new("critics: [{name: \"a\\e[2Jb\", harness: \"\\x9b31m\", model: \"\\u202e\"}]\n");
    let output = operator.call(&["critic", "list"]);
    for stream in [stdout(&output), stderr(&output)] {
        assert!(!stream.contains(|letter: char| letter.is_control() && letter != '\n'), "{stream:?}");
        assert!(!stream.contains('\u{202e}'), "{stream:?}");
    }
    assert_eq!(operator.rows()[0]["name"], "a\u{1b}[2Jb");
}

#[test]
fn what_lies_in_the_checkout_is_mentioned_and_not_listed() {
    let operator = Operator::without_config();
    let folder = operator.checkout.path().join(".the-loop");
    write(&folder.join("cli-config.yaml"), "critics: [{name: sneaky, harness: claude}]\n");
    write(&folder.join("harness-config.yaml"), "reviews: {critics: [{name: sneaky, harness: claude}]}\n");
    let output = operator.call(&["critic", "list"]);
    assert!(!stdout(&output).contains("sneaky"));
    let told = stderr(&output);
    assert!(
        told.contains("cli-config.yaml` is not used") && told.contains("harness-config.yaml` is not used"),
        "{told}"
    );
}

#[test]
fn the_env_file_is_read_and_its_faults_are_refused() {
    let operator = Operator::new("env: {file: secrets.env}\ncritics: [{name: a, harness: claude}]\n");
    let refused = operator.call(&["critic", "list"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    operator.write(".the-loop/secrets.env", "PATH=/nowhere\nTOKEN=hunter2\n");
    executable(&operator.home.path().join("bin/claude"));
    assert_eq!(operator.rows()[0]["available"], true, "an inherited PATH wins");
    operator.write(".the-loop/secrets.env", "TOKEN='hunter2\n");
    let malformed = operator.call(&["critic", "list"]);
    assert_eq!((malformed.status.code(), stdout(&malformed).as_str()), (Some(2), ""));
    assert!(stderr(&malformed).contains("line 1") && !stderr(&malformed).contains("hunter2"));
}

#[test]
fn the_policy_holds_its_defaults_and_refuses_wrong_values() {
    let defaults = "{\"selfReviewCount\":3,\"criticReviewCount\":3,\"stopOnNoNewFindings\":true,\"escalateOnRepeatFinding\":true}\n";
    for operator in
        [Operator::without_config(), Operator::new("critics: []\n"), Operator::new("reviews: ~\n")]
    {
        let output = operator.call(&["critic", "policy", "--format", "json"]);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), defaults));
    }
    let some = Operator::new("reviews: {criticReviewCount: 0, rounds: 9}\n").call(&["critic", "policy"]);
    assert!(stdout(&some).contains("selfReviewCount: 3\ncriticReviewCount: 0\n"));
    assert!(stderr(&some).contains("unknown key `rounds`"), "{}", stderr(&some));
    for reviews in ["[]", "{selfReviewCount: -1}", "{selfReviewCount: '3'}", "{stopOnNoNewFindings: no}"] {
        let output = Operator::new(&format!("reviews: {reviews}\n")).call(&["critic", "policy"]);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{reviews}");
        assert!(stderr(&output).contains("line 1"), "{}", stderr(&output));
    }
}

#[test]
fn the_list_for_programs_is_one_line() {
    let operator = Operator::new("critics: [{name: a, harness: claude}, {name: b, harness: cursor}]");
    let text = stdout(&operator.call(&["critic", "list", "--format", "json"]));
    assert_eq!(text.matches('\n').count(), 1, "{text}");
}

#[test]
fn the_path_of_the_env_file_counts_where_the_environment_has_none() {
    let operator =
        Operator::new("env: {file: env}\ncritics: [{name: a, command: tool, args: ['{prompt}']}]\n");
    let bin = operator.home.path().join("elsewhere");
    executable(&bin.join("tool"));
    operator.write(".the-loop/env", &format!("OTHER=/nowhere\nPATH={}\n", bin.display()));
    let rows = |command: &mut Command| -> Vec<Value> {
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
    };
    let list = ["critic", "list", "--format", "json"];
    let found = rows(operator.command(&list).env_remove("PATH"));
    assert_eq!(
        (&found[0]["available"], &found[0]["path"]),
        (&true.into(), &bin.join("tool").to_str().unwrap().into())
    );
    assert_eq!(rows(&mut operator.command(&list))[0]["available"], false);
}
