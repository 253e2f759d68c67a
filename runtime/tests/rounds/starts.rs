//! What is started, where, with what; and what cannot be.

use std::os::unix::fs::symlink;

use crate::bench::{Bench, start, text};

const TOOL: &str = "{name: c, command: tool, args: ['{prompt}']}";

#[test]
fn a_missing_executable_is_a_failed_round_that_names_it() {
    let outcome = Bench::new(&["{name: c, command: no-such-tool, args: ['{prompt}']}"]).round();
    outcome.assert_failed("`no-such-tool` was not found on PATH");
    assert_eq!(outcome.envelope()["exitCode"], serde_json::Value::Null);
}

#[test]
fn path_hits_that_cannot_be_run_are_passed_over() {
    let bench =
        Bench::new(&["{name: c, command: tool, args: ['{prompt}'], env: {PATH: '%/a:%/b:%/c:%/bin'}}"]);
    bench.write("a/tool/x", "");
    bench.file("b/tool", "#!/bin/sh\necho wrong", 0o644);
    bench.write("c/x", "");
    symlink("gone", bench.path("c/tool")).unwrap();
    bench.script("tool", "#!/bin/sh\necho right");
    bench.round().assert_ok("right\n");
}

#[test]
fn empty_and_relative_path_elements_never_run_the_checkout() {
    for path in ["", ":", ".", "::.:./bin", "bin:"] {
        let bench = Bench::new(&[TOOL]);
        bench.file("checkout/tool", "#!/bin/sh\necho owned", 0o755);
        bench.file("checkout/bin/tool", "#!/bin/sh\necho owned", 0o755);
        let mut command = bench.command();
        command.env("PATH", path).args(["critic", "run", "c", "--prompt", "x"]);
        start(command).outcome().assert_failed("`tool`");
    }
}

#[test]
fn list_shows_and_run_executes_the_one_on_the_entrys_path() {
    let bench = Bench::new(&["{name: c, command: tool, args: ['{prompt}'], env: {PATH: '%/other'}}"]);
    bench.script("tool", "#!/bin/sh\necho ours");
    bench.file("other/tool", "#!/bin/sh\necho theirs", 0o755);
    bench.round().assert_ok("theirs\n");
    let mut command = bench.command();
    command.args(["critic", "list", "--format", "json"]);
    let listed: serde_json::Value = serde_json::from_slice(&start(command).outcome().stdout).unwrap();
    assert_eq!(listed[0]["path"], text(&bench.path("other/tool")));
}

#[test]
fn argv0_is_the_command_as_written() {
    let bench = Bench::new(&["{name: c, command: tool, args: ['-c', 'echo $0', '{prompt}']}"]);
    symlink("/bin/sh", bench.path("bin/tool")).unwrap();
    let shown = bench.run(["--prompt", "zero"]).output();
    assert_eq!(shown, "zero\n");
    let bench = Bench::new(&[
        "{name: c, command: tool, args: ['-c', 'tr \"\\0\" \"\\n\" < /proc/$$/cmdline | head -n 1', '{prompt}']}",
    ]);
    symlink("/bin/sh", bench.path("bin/tool")).unwrap();
    bench.round().assert_ok("tool\n");
}

#[test]
fn a_script_without_a_first_line_is_not_given_to_a_shell() {
    let bench = Bench::new(&[TOOL]);
    bench.script("tool", "echo a shell ran this\n");
    let outcome = bench.round();
    outcome.assert_failed("exec format error");
    outcome.assert_failed("a script needs a first line");
    assert_eq!(outcome.output(), "");
}

#[test]
fn a_missing_interpreter_is_told_from_a_missing_program() {
    let bench = Bench::new(&[TOOL]);
    bench.script("tool", "#!/no/such/interpreter -x\n");
    bench.round().assert_failed("needs the interpreter `/no/such/interpreter`");
    bench.script("tool", "#!/bin/sh\r\necho x\r\n");
    bench.round().assert_failed(r"needs the interpreter `/bin/sh\r`");
}

#[test]
fn a_missing_directory_is_told_from_a_missing_program() {
    let bench = Bench::scripted("pwd");
    bench
        .run(["--prompt", "x", "--cwd", "gone"])
        .assert_failed("checkout/gone` cannot be entered: no such file");
    bench.write("checkout/file", "");
    bench.run(["--prompt", "x", "--cwd", "file"]).assert_failed("cannot be entered: not a directory");
}

#[test]
fn the_working_directory_is_the_flags_then_the_entrys_then_the_root() {
    let script = "echo $(/bin/pwd) $PWD $1";
    let entry = |cwd: &str| {
        Bench::new(&[&format!(
            "{{name: c, command: /bin/sh, args: ['%/script', '{{cwd}}', '{{prompt}}']{cwd}}}"
        )])
    };
    let expect = |bench: &Bench, arguments: &[&str], name: &str| {
        bench.write("script", script);
        bench.write("checkout/sub/deep/x", "");
        bench.write("checkout/sub/own/x", "");
        bench.write("checkout/own/x", "");
        let path = bench.path(name).display().to_string();
        let arguments = arguments.iter().copied().chain(["--prompt", "x"]);
        bench.run(arguments).assert_ok(&format!("{path} {path} {path}\n"));
    };
    expect(&entry(""), &[], "checkout");
    expect(&entry(""), &["--root", "sub"], "checkout/sub");
    expect(&entry(", cwd: own"), &[], "checkout/own");
    expect(&entry(", cwd: own"), &["--root", "./sub/"], "checkout/sub/own");
    expect(&entry(", cwd: own"), &["--root", "sub", "--cwd", "sub/deep"], "checkout/sub/deep");
}

#[test]
fn an_entrys_own_pwd_wins() {
    let bench =
        Bench::new(&["{name: c, command: /usr/bin/env, args: ['-u', '{prompt}'], env: {PWD: /elsewhere}}"]);
    assert!(bench.round().output().lines().any(|line| line == "PWD=/elsewhere"));
}

#[test]
fn the_environment_is_inherited_overlaid_and_reduced() {
    let bench = Bench::new(&[
        "{name: c, command: /usr/bin/env, args: ['-u', '{prompt}'], env: {NEW: '1', OLD: changed, GONE: null}}",
    ]);
    let mut command = bench.command();
    command
        .env("OLD", "old")
        .env("GONE", "still")
        .env("KEPT", "kept")
        .args(["critic", "run", "c", "--prompt", "X"]);
    let output = start(command).outcome().output();
    for line in ["NEW=1", "OLD=changed", "KEPT=kept"] {
        assert!(output.lines().any(|each| each == line), "{line} in {output}");
    }
    assert!(!output.contains("GONE"));
}

#[test]
fn variables_of_the_env_file_join_where_they_are_not_set() {
    let bench =
        Bench::new(&["{name: c, command: /usr/bin/env, args: ['-u', '{prompt}'], env: {OWN: entry}}"]);
    let config = bench.read(".the-loop/cli-config.yaml");
    bench.write(".the-loop/cli-config.yaml", config + "env: {file: secrets.env}\n");
    bench.file(".the-loop/secrets.env", "JOINED=file\nSET=file\nOWN=file\n", 0o600);
    let mut command = bench.command();
    command.env("SET", "shell").args(["critic", "run", "c", "--prompt", "X"]);
    let output = start(command).outcome().output();
    for line in ["JOINED=file", "SET=shell", "OWN=entry"] {
        assert!(output.lines().any(|each| each == line), "{line} in {output}");
    }
}

#[test]
fn the_critic_leads_a_group_of_its_own() {
    let bench = Bench::scripted("echo $$ $(cut -d ' ' -f 5 /proc/$$/stat)");
    let output = bench.round().output();
    let (own, group) = output.trim().split_once(' ').unwrap();
    assert_eq!(own, group);
}

#[test]
fn executable_limit_status_and_duration_are_logged_and_the_prompt_is_not() {
    let bench = Bench::scripted("exit 3");
    let outcome = bench.run(["--prompt", "the secret plan", "-v", "--timeout", "77"]);
    for part in ["`c`", "/bin/sh", "77 s", "exit status 3", "after 0."] {
        assert!(outcome.stderr.contains(part), "{part} in {}", outcome.stderr);
    }
    assert!(!outcome.stderr.contains("secret plan"));
}

#[test]
fn quiet_says_nothing_of_a_good_round() {
    let outcome = Bench::scripted("echo text; echo noise >&2").run(["--prompt", "x", "-q"]);
    outcome.assert_ok("text\n");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn more_arguments_than_the_system_passes_are_counted() {
    let arguments = ["'{prompt}'"; 64].join(", ");
    let bench = Bench::new(&[&format!("{{name: c, command: /bin/echo, args: [{arguments}]}}")]);
    let prompt = "x".repeat(100_000);
    bench.write("prompt", &prompt);
    let outcome = bench.run(["--prompt-file", &bench.path("prompt").to_string_lossy()]);
    // With the byte that ends each of them.
    outcome.assert_failed(&format!("arguments ({} bytes) and environment", 64 * (prompt.len() + 1)));
}
