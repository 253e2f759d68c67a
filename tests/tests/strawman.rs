//! The strawman keeps the contract by itself, before any kit judges it, and its faults are really there.
//!
//! Main type: [`Sandbox`], a home, a checkout and a folder of shell critics. Which check of the kit notices which
//! fault is the kill matrix's business, not this file's.

#![allow(clippy::expect_used, reason = "a sandbox that cannot be made fails its test")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    fn new(config: &str, critics: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for part in ["home/.the-loop", "checkout", "bin", "tmp"] {
            fs::create_dir_all(folder.path().join(part)).expect("a folder");
        }
        fs::write(folder.path().join("home/.the-loop/cli-config.yaml"), config).expect("a config");
        for (name, script) in critics {
            let path = folder.path().join("bin").join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a critic");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a run bit");
        }
        Self { folder }
    }

    fn path(&self, part: &str) -> PathBuf {
        self.folder.path().join(part)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_strawman"));
        let search = format!("{}:/usr/bin:/bin", self.path("bin").display());
        command.args(words).current_dir(self.path("checkout")).env_clear().stdin(Stdio::null());
        command.env("HOME", self.path("home")).env("PATH", search).env("TMPDIR", self.path("tmp"));
        command.env("SEEN", self.path("seen"));
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the strawman")
    }

    fn run_with_fault(&self, slug: &str, words: &[&str]) -> Output {
        self.command(words).env("STRAWMAN_FAULT", slug).output().expect("the strawman")
    }

    /// What the critic wrote into the file `$SEEN`; nothing if it never ran.
    fn seen(&self) -> String {
        fs::read_to_string(self.path("seen")).unwrap_or_default()
    }
}

fn envelope(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next()).is_some_and(|state| state != "Z")
}

/// Prints, leaves a child of its own session and one of its group, and writes their ids down.
const LEAVES_CHILDREN: &str = "echo text\nsetsid sleep 61 &\necho $! >>$SEEN\nsleep 62 &\necho $! >>$SEEN";

const PLAIN: &str = "critics:\n  - {name: c, command: critic, args: ['{prompt}'], timeoutSeconds: 20}\n";

#[test]
fn a_round_hands_over_each_argument_whole() {
    let config = "critics: [{name: c, harness: h, model: m, command: critic, args: ['<{prompt}>', '', '{model}', '{}']}]";
    let sandbox =
        Sandbox::new(config, &[("critic", "for word in \"$@\"; do printf '%s\\n' \"$word\"; done")]);
    let output = sandbox.run(&["critic", "run", "c", "--prompt", "a; {model} $(id)"]);
    let envelope = envelope(&output);
    assert_eq!(envelope["output"], "<a; {model} $(id)>\n\nm\n{}\n");
    assert_eq!(envelope["attribution"], "[h/m]");
    assert_eq!((output.status.code(), &envelope["error"]), (Some(0), &Value::from("")));
}

#[test]
fn a_prompt_file_is_private_and_gone_afterwards() {
    let config = "critics: [{name: c, command: critic, args: ['{promptFile}']}]";
    let sandbox = Sandbox::new(config, &[("critic", "stat -c %a \"$1\"; cat \"$1\"")]);
    let output = sandbox.run(&["critic", "run", "c", "--prompt", "look"]);
    assert_eq!(envelope(&output)["output"], "600\nlook");
    assert_eq!(fs::read_dir(sandbox.path("tmp")).expect("a folder").count(), 0);
}

#[test]
fn a_timeout_ends_the_whole_tree() {
    let config = "critics: [{name: c, command: critic, args: ['{prompt}'], timeoutSeconds: 1}]";
    let script = format!("trap '' TERM\n{LEAVES_CHILDREN}\nsleep 63");
    let sandbox = Sandbox::new(config, &[("critic", &script)]);
    let begin = Instant::now();
    let output = sandbox.run(&["critic", "run", "c", "--prompt", "x"]);
    let seconds = begin.elapsed();
    let envelope = envelope(&output);
    assert_eq!((output.status.code(), &envelope["ok"]), (Some(1), &Value::from(false)));
    assert_eq!(envelope["output"], "text\n");
    assert!(envelope["error"].as_str().is_some_and(|error| error.contains("timed out")));
    assert!(seconds >= Duration::from_secs(1) && seconds < Duration::from_secs(15), "{seconds:?}");
    let pids = sandbox.seen();
    assert_eq!(pids.lines().count(), 2);
    assert!(!pids.lines().any(is_alive), "{pids}");
}

#[test]
fn a_success_leaves_nothing_running_and_does_not_wait_for_it() {
    let sandbox = Sandbox::new(PLAIN, &[("critic", LEAVES_CHILDREN)]);
    let begin = Instant::now();
    let output = sandbox.run(&["critic", "run", "c", "--prompt", "x"]);
    assert!(begin.elapsed() < Duration::from_secs(15));
    assert_eq!((output.status.code(), envelope(&output)["output"].as_str()), (Some(0), Some("text\n")));
    let pids = sandbox.seen();
    assert_eq!(pids.lines().count(), 2);
    assert!(!pids.lines().any(is_alive), "{pids}");
}

#[test]
fn a_process_from_before_the_round_is_left_alone() {
    let sandbox = Sandbox::new(PLAIN, &[("critic", LEAVES_CHILDREN)]);
    let line = format!(
        "sleep 64 >/dev/null 2>&1 & echo $! >{}; exec \"$0\" \"$@\"",
        sandbox.path("before").display()
    );
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_strawman"), "critic", "run", "c", "--prompt", "x"]);
    let plain = sandbox.command(&[]);
    shell.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = shell.current_dir(sandbox.path("checkout")).output().expect("a shell");
    let before = fs::read_to_string(sandbox.path("before")).expect("an id");
    let survived = is_alive(before.trim());
    Command::new("kill").arg(before.trim()).status().expect("kill");
    assert_eq!(envelope(&output)["ok"], true);
    assert!(survived);
    assert!(!sandbox.seen().lines().any(is_alive));
}

#[test]
fn a_signal_ends_the_tree_and_prints_the_envelope() {
    // The critic itself sends the signal, so that it certainly comes during the round.
    let script = format!("{LEAVES_CHILDREN}\nkill -TERM $PPID\nsleep 65");
    let sandbox = Sandbox::new(PLAIN, &[("critic", &script)]);
    let output = sandbox.run(&["critic", "run", "c", "--prompt", "x"]);
    assert_eq!((output.status.code(), &envelope(&output)["ok"]), (Some(1), &Value::from(false)));
    assert_eq!(envelope(&output)["output"], "text\n");
    assert!(!sandbox.seen().lines().any(is_alive));
}

#[test]
fn two_entries_of_one_name_stop_every_run() {
    let entry = |name: &str| format!("  - {{name: {name}, command: critic, args: ['{{prompt}}']}}\n");
    let config = format!("critics:\n{}{}{}", entry("twin"), entry("twin"), entry("other"));
    let sandbox = Sandbox::new(&config, &[("critic", "echo ran >>$SEEN")]);
    for name in ["twin", "other"] {
        let output = sandbox.run(&["critic", "run", name, "--prompt", "x"]);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()));
    }
    assert_eq!(sandbox.seen(), "");
    let listed = sandbox.run(&["critic", "list", "--format", "json"]);
    assert_eq!((listed.status.code(), listed.stdout.as_slice()), (Some(2), b"".as_slice()));
    let said = String::from_utf8_lossy(&listed.stderr).into_owned();
    assert!(said.contains("line 2, line 3"), "{said}");
    let listed =
        envelope(&sandbox.run_with_fault("duplicates-listed", &["critic", "list", "--format", "json"]));
    assert_eq!(listed.as_array().map(Vec::len), Some(3));
    assert_ne!(listed[0]["error"], "");
    assert_eq!(listed[2]["error"], "");
}

#[test]
fn whatever_is_ambiguous_is_listed_and_runs_nothing() {
    let broken = [
        "name: b, command: critic",
        "name: b, command: critic, args: ['{prompt}', '{unknown}']",
        "name: b, command: critic, args: 5",
        "name: b, command: critic, args: ['{prompt}'], enabled: 'false'",
        "name: b, command: critic, args: ['{prompt}'], enabled: false",
        "name: b, command: critic, args: ['{prompt}'], timeoutSeconds: 0.5",
        "name: b, command: critic, args: ['{prompt}'], timeoutSeconds: .nan",
        "name: b, command: critic, args: ['{prompt}'], timeoutSeconds: '900'",
        "name: b, harness: critic",
    ];
    for entry in broken {
        let config = format!("{PLAIN}  - {{{entry}}}\n  - 5\n");
        let sandbox = Sandbox::new(&config, &[("critic", "echo ran >>$SEEN; echo fine")]);
        let refused = sandbox.run(&["critic", "run", "b", "--prompt", "x"]);
        assert_eq!((refused.status.code(), refused.stdout.as_slice()), (Some(2), b"".as_slice()), "{entry}");
        assert_eq!(sandbox.seen(), "", "{entry}");
        let listed = sandbox.run(&["critic", "list", "--format", "json"]);
        assert_eq!(
            (listed.status.code(), envelope(&listed).as_array().map(Vec::len)),
            (Some(0), Some(3)),
            "{entry}"
        );
        let neighbour = sandbox.run(&["critic", "run", "c", "--prompt", "x"]);
        assert_eq!(neighbour.status.code(), Some(0), "{entry}");
    }
}

#[test]
fn json_gives_text_and_usage_and_silence_is_no_approval() {
    let config = "critics: [{name: c, command: critic, args: ['{prompt}'], outputFormat: json}]";
    let cases = [
        (r#"{"result":"fine","usage":{"input_tokens":3}}"#, "fine", true, true),
        (r#"{"other":"fine"}"#, "{\"other\":\"fine\"}\n", true, false),
        ("prose {\"result\": 1}", "prose {\"result\": 1}\n", true, false),
        (r#"{"result":"fine","is_error":true}"#, "fine", false, false),
        (r#"{"result":""}"#, "", false, false),
    ];
    for (printed, text, ok, usage) in cases {
        let sandbox = Sandbox::new(config, &[("critic", &format!("cat <<'END'\n{printed}\nEND"))]);
        let envelope = envelope(&sandbox.run(&["critic", "run", "c", "--prompt", "x"]));
        assert_eq!((&envelope["output"], &envelope["ok"]), (&text.into(), &ok.into()), "{printed}");
        assert_eq!(envelope["usage"]["present"], usage, "{printed}");
    }
}

#[test]
fn output_that_was_cut_is_never_a_success() {
    // It ends by itself, so that its exit and the overflow race.
    let sandbox = Sandbox::new(PLAIN, &[("critic", "head -c 34000000 /dev/zero | tr '\\0' x")]);
    let output = sandbox.run(&["critic", "run", "c", "--prompt", "x"]);
    let envelope = envelope(&output);
    assert_eq!((output.status.code(), &envelope["ok"]), (Some(1), &Value::from(false)));
    assert!(envelope["error"].as_str().is_some_and(|error| error.contains("too much")));
    assert!(
        envelope["output"]
            .as_str()
            .is_some_and(|text| text.len() <= 32 * 1024 * 1024 && text.starts_with("xx"))
    );
}

#[test]
fn a_file_that_the_kernel_cannot_execute_reaches_no_shell() {
    let sandbox = Sandbox::new(PLAIN, &[]);
    let path = sandbox.path("bin/critic");
    fs::write(&path, "echo ran >>$SEEN\n").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a run bit");
    let output = sandbox.run(&["critic", "run", "c", "--prompt", "x"]);
    assert_eq!((output.status.code(), &envelope(&output)["ok"]), (Some(1), &Value::from(false)));
    assert_eq!(sandbox.seen(), "");
    sandbox.run_with_fault("shell-for-scripts", &["critic", "run", "c", "--prompt", "x"]);
    assert_eq!(sandbox.seen(), "ran\n");
}

#[test]
fn every_fault_is_planted_once_described_and_known_by_its_slug() {
    let sandbox = Sandbox::new("", &[]);
    let table = String::from_utf8(sandbox.run(&["faults"]).stdout).expect("text");
    let mut slugs: Vec<&str> = table.lines().filter_map(|line| line.split('\t').next()).collect();
    assert!(slugs.len() > 200, "{} faults", slugs.len());
    assert!(table.lines().all(|line| line.split('\t').filter(|field| !field.is_empty()).count() == 4));
    slugs.sort_unstable();
    assert!(slugs.windows(2).all(|pair| pair[0] != pair[1]));

    let folder = tests::workspace::root().join("tests/src/bin/strawman");
    let sources = tests::workspace::files_with_extension(&folder, "rs").expect("sources");
    let code: String = sources
        .iter()
        .filter(|path| !path.ends_with("fault.rs") && !path.ends_with("fault/graph.rs"))
        .map(|path| fs::read_to_string(path).expect("a source"))
        .collect();
    let declared: String = ["fault.rs", "fault/graph.rs"]
        .iter()
        .map(|path| fs::read_to_string(folder.join(path)).expect("a source"))
        .collect();
    let variant = regex::Regex::new(r#"(?m)^    ([A-Z]\w+) = ""#).expect("a pattern");
    let variants: Vec<&str> =
        variant.captures_iter(&declared).map(|found| found.extract::<1>().1[0]).collect();
    assert_eq!(variants.len(), slugs.len());
    for name in variants {
        let used = regex::Regex::new(&format!(r"Fault::{name}\b")).expect("a pattern");
        assert!(used.is_match(&code), "{name} is switched on nowhere");
    }
}

#[test]
fn a_misspelt_fault_stops_the_program() {
    let output = Sandbox::new("", &[]).run_with_fault("shel", &["critic", "policy"]);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), b"".as_slice()));
}

#[test]
fn faults_change_what_their_sentence_says() {
    let sandbox = Sandbox::new(PLAIN, &[("critic", "printf ' text '; exit 9")]);
    let run = |slug: &str| sandbox.run_with_fault(slug, &["critic", "run", "c", "--prompt", "x"]);
    let clean = run("");
    assert_eq!((clean.status.code(), &envelope(&clean)["exitCode"]), (Some(1), &Value::from(9)));
    assert_eq!(run("wrong-exit-code-on-failure").status.code(), Some(0));
    assert_eq!(run("no-envelope-on-failure").stdout, b"");
    assert_eq!(run("critics-code-passed-on").status.code(), Some(9));
    assert_eq!(envelope(&run("strip-output"))["output"], "text");
    assert_eq!(envelope(&run("strip-output, ok-on-non-zero"))["ok"], true);
    assert_eq!(envelope(&run("missing-usage")).get("usage"), None);
    let is_json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).is_ok();
    let killed = Sandbox::new(PLAIN, &[("critic", "kill -9 $$")]);
    let run = |slug: &str| killed.run_with_fault(slug, &["critic", "run", "c", "--prompt", "x"]);
    assert!(is_json(&run("").stdout) && !is_json(&run("duration-nan").stdout));
    let copied = ["critic", "run", "c", "--prompt", "x", "--output-file", "copy.json"];
    let run = |slug: &str| sandbox.run_with_fault(slug, &copied);
    assert!(is_json(&run("").stdout) && !is_json(&run("two-objects").stdout));
}
