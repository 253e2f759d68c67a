//! What is refused before anything is started.

use crate::bench::{Bench, start};

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
    start(command).outcome().assert_refused("no critic is named `d`");
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
