//! What is refused before anything is started.

use std::fs;
use std::path::Path;

use crate::bench::{Bench, start, text, wait_until};

const TRACE: &str = "echo ran > $B/ran";

fn assert_refused(bench: &Bench, arguments: &[&str], words: &str) {
    bench.run(arguments).assert_refused(words);
    assert_eq!(bench.read("ran"), "", "{arguments:?}");
}

#[test]
fn exactly_one_prompt_is_needed() {
    let bench = Bench::scripted(TRACE);
    bench.write("checkout/p", "text");
    assert_refused(&bench, &[], "exactly one");
    assert_refused(&bench, &["--prompt", "x", "--prompt-file", "p"], "exactly one");
    assert_refused(&bench, &["--prompt", "x", "--prompt", "y"], "--prompt");
}

#[test]
fn a_blank_prompt_is_refused() {
    let bench = Bench::scripted(TRACE);
    bench.write("checkout/blank", "\n \t\n");
    assert_refused(&bench, &["--prompt", ""], "blank");
    assert_refused(&bench, &["--prompt", " \n"], "blank");
    assert_refused(&bench, &["--prompt-file", "blank"], "blank");
    assert_refused(&bench, &["--prompt-file", "/dev/null"], "blank");
}

#[test]
fn a_prompt_file_that_cannot_be_read_is_refused() {
    let bench = Bench::scripted(TRACE);
    assert_refused(&bench, &["--prompt-file", "gone"], "`gone` cannot be read");
    assert_refused(&bench, &["--prompt-file", "."], "cannot be read");
}

#[test]
fn a_prompt_file_that_never_ends_is_refused() {
    let bench = Bench::scripted(TRACE);
    assert_refused(&bench, &["--prompt-file", "/dev/zero"], "longer than 64 MiB");
}

#[test]
fn a_limit_that_is_none_is_refused() {
    let bench = Bench::scripted(TRACE);
    for wrong in ["0", "-1", "nan", "inf", "1e999", "soon", "", "-0.0"] {
        assert_refused(&bench, &["--prompt", "x", "--timeout", wrong], "--timeout");
    }
}

#[test]
fn a_huge_limit_is_a_year() {
    let bench = Bench::scripted("echo text");
    bench.run(["--prompt", "x", "--timeout", "1e300"]).assert_ok("text\n");
}

#[test]
fn a_work_item_that_leaves_its_folder_is_refused() {
    let bench = Bench::scripted(TRACE);
    for wrong in ["..", ".", "a/b", "/a", "../x"] {
        assert_refused(&bench, &["--prompt", "x", "--work-item", wrong], "path component");
    }
}

#[test]
fn a_critic_that_is_not_there_or_switched_off_is_refused() {
    let bench = Bench::with(TRACE, ", enabled: false");
    assert_refused(&bench, &["--prompt", "x"], "disabled");
    let mut command = bench.command();
    command.args(["critic", "run", "d", "--prompt", "x"]);
    start(command).outcome().assert_refused("no critic is named `d`; there are: c\n");
}

#[test]
fn entries_without_a_name_are_not_taken_for_none() {
    let bench = Bench::new(&["c"]);
    assert_refused(
        &bench,
        &["--prompt", "x"],
        "the one entry that is configured has no name that can be read",
    );
    let bench = Bench::new(&["c", "{name: [d]}"]);
    assert_refused(&bench, &["--prompt", "x"], "none of the 2 entries has a name");
}

#[test]
fn a_home_that_is_not_absolute_is_none() {
    let bench = Bench::scripted(TRACE);
    bench.write("checkout/.the-loop/cli-config.yaml", bench.read(".the-loop/cli-config.yaml"));
    for home in [".", "", "../checkout"] {
        let mut command = bench.command();
        command.env("HOME", home).args(["critic", "run", "c", "--prompt", "x"]);
        start(command).outcome().assert_refused("HOME is not set");
        assert_eq!(bench.read("ran"), "");
        let mut command = bench.command();
        let outcome = start({
            command.env("HOME", home).args(["critic", "list"]);
            command
        })
        .outcome();
        assert!(String::from_utf8(outcome.stdout).unwrap().contains("HOME is not set"));
    }
}

#[test]
fn pipes_are_read_only_where_somebody_names_them() {
    let bench = Bench::scripted("echo text");
    let mut command = bench.command_below(
        "mkfifo $B/pipe; cat $B/.the-loop/cli-config.yaml > $B/pipe & exec \"$@\" --config $B/pipe",
    );
    command.args(["critic", "run", "c", "--prompt", "x"]);
    start(command).outcome().assert_ok("text\n");

    bench.write("config", format!("env: {{file: pipe}}\n{}", bench.read(".the-loop/cli-config.yaml")));
    assert_refused(&bench, &["--prompt", "x", "--config", text(&bench.path("config"))], "not a regular file");

    fs::rename(bench.path("pipe"), bench.path(".the-loop/cli-config.yaml")).unwrap();
    assert_refused(&bench, &["--prompt", "x"], "not a regular file");
}

#[test]
fn a_pipe_that_nobody_feeds_is_waited_for_until_a_signal_comes() {
    let bench = Bench::scripted("echo text");
    for flag in ["--config", "--prompt-file"] {
        let mut command = bench.command_below("mkfifo $B/pipe 2> /dev/null; exec \"$@\" $B/pipe");
        let rest: &[&str] = if flag == "--config" { &["--prompt", "x", flag] } else { &[flag] };
        command.args(["critic", "run", "c"]).args(rest);
        let running = start(command);
        let process = Path::new("/proc").join(running.child.id().to_string());
        wait_until(
            || {
                let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
                fs::read_link(process.join("exe")).is_ok_and(|exe| exe.ends_with("the-loop"))
                    && stat.contains(") S ")
            },
            "the pipe",
        );
        running.signal("INT");
        assert_eq!(running.outcome().code, None);
    }
}

#[test]
fn one_call_runs_one_critic() {
    let bench = Bench::scripted(TRACE);
    for arguments in [
        &["critic", "run", "--prompt", "x"][..],
        &["critic", "run", "--all", "--prompt", "x"],
        &["critic", "run", "c", "c", "--prompt", "x"],
        &["critic", "run", "*", "--prompt", "x"],
    ] {
        let mut command = bench.command();
        command.args(arguments);
        start(command).outcome().assert_refused("");
        assert_eq!(bench.read("ran"), "");
    }
}

#[test]
fn a_config_that_cannot_be_read_is_refused() {
    let bench = Bench::scripted(TRACE);
    assert_refused(&bench, &["--prompt", "x", "--config", "gone.yaml"], "gone.yaml");
}
