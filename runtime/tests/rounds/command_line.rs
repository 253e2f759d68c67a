//! What the command line says about itself, and what it does not take.

use crate::bench::{Bench, Outcome, start};

fn call(arguments: &[&str]) -> Outcome {
    let bench = Bench::scripted("echo text");
    let mut command = bench.command();
    command.args(arguments);
    start(command).outcome()
}

fn printed(arguments: &[&str]) -> String {
    let outcome = call(arguments);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    String::from_utf8(outcome.stdout).unwrap()
}

#[test]
fn help_shows_examples_and_exit_codes() {
    for arguments in [&["--help"][..], &["critic", "run", "--help"]] {
        let help = printed(arguments);
        assert!(help.contains("Examples:") && help.contains("Exit codes:"), "{help}");
    }
}

#[test]
fn help_is_a_command_too_and_verbosity_may_be_repeated() {
    assert_eq!(printed(&["help"]), printed(&["--help"]));
    assert_eq!(printed(&["help", "critic", "run"]), printed(&["critic", "run", "--help"]));
    printed(&["-vv", "critic", "list"]);
    printed(&["critic", "list", "-v", "-v"]);
}

#[test]
fn guide_prints_the_reviewing_procedure() {
    assert_eq!(printed(&["critic", "guide"]), include_str!("../../../docs/reviewing.md"));
}

#[test]
fn completions_know_the_commands_of_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&["completions", shell]);
        assert!(script.contains("critic") && script.contains("output-file"), "{shell}");
    }
}

#[test]
fn wrong_usage_is_refused_with_nothing_on_standard_output() {
    for arguments in [
        &[][..],
        &["critic"],
        &["critic", "run"],
        &["frobnicate"],
        &["critic", "run", "c", "--prompt", "x", "--frob"],
        &["critic", "run", "c", "--prompt"],
        &["-q", "-v", "critic", "list"],
        &["critic", "run", "c", "--prompt", "x", "--", "y"],
    ] {
        let outcome = call(arguments);
        assert_eq!((outcome.code, outcome.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
}
