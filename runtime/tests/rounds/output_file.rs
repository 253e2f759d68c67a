//! `--output-file`, and a standard output that cannot be written.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::bench::{Bench, start, text};

const OLD: &str = r#"{"critic":"c","ok":true}"#;

#[test]
fn the_file_holds_the_same_envelope_and_its_folders_are_made() {
    let bench = Bench::scripted("echo text");
    let outcome = bench.run(["--prompt", "x", "--output-file", "new/folder/round.json"]);
    outcome.assert_ok("text\n");
    assert_eq!(fs::read(bench.path("checkout/new/folder/round.json")).unwrap(), outcome.stdout);
    assert_eq!(fs::read_dir(bench.path("checkout/new/folder")).unwrap().count(), 1);
}

#[test]
fn a_failed_round_is_written_too() {
    let bench = Bench::scripted("exit 4");
    let outcome = bench.run(["--prompt", "x", "--output-file", "round.json"]);
    outcome.assert_failed("status 4");
    assert_eq!(fs::read(bench.path("checkout/round.json")).unwrap(), outcome.stdout);
}

#[test]
fn the_working_directory_of_the_critic_does_not_move_the_file() {
    let bench = Bench::scripted("echo text");
    bench.write("checkout/sub/x", "");
    bench.run(["--prompt", "x", "--cwd", "sub", "--output-file", "round.json"]).assert_ok("text\n");
    assert!(bench.path("checkout/round.json").is_file());
}

#[test]
fn a_link_is_followed() {
    let bench = Bench::scripted("echo text");
    bench.write("elsewhere/x", "");
    symlink("../elsewhere/round.json", bench.path("checkout/link")).unwrap();
    bench.run(["--prompt", "x", "--output-file", "link"]).assert_ok("text\n");
    assert!(fs::symlink_metadata(bench.path("checkout/link")).unwrap().is_symlink());
    assert!(bench.read("elsewhere/round.json").contains("text"));
}

#[test]
fn an_older_envelope_stays_whole_until_it_is_replaced() {
    let bench = Bench::scripted("cat $B/checkout/round.json");
    bench.write("checkout/round.json", OLD);
    bench.run(["--prompt", "x", "--output-file", "round.json"]).assert_ok(OLD);
    assert!(bench.read("checkout/round.json").contains("durationSeconds"));
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_runs() {
    let bench = Bench::scripted("echo ran > $B/ran");
    bench.write("checkout/file", "x");
    for (place, words) in [
        (".", "not a regular file"),
        ("/dev/full", "not a regular file"),
        ("/dev/stdout", "not a regular file"),
        ("new/", "not a regular file"),
        ("new/.", "not a regular file"),
        ("file/", "cannot be written"),
        ("file/below", "cannot be written"),
        ("/proc/round.json", "cannot be written"),
    ] {
        bench.run(["--prompt", "x", "--output-file", place]).assert_refused(words);
        assert_eq!(bench.read("ran"), "");
    }
}

#[test]
fn a_file_that_the_round_reads_is_not_replaced() {
    let bench = Bench::scripted("echo ran > $B/ran");
    let config = bench.read(".the-loop/cli-config.yaml");
    bench.write(".the-loop/cli-config.yaml", format!("env: {{file: secrets}}\n{config}"));
    bench.write(".the-loop/secrets", "A=1\n");
    bench.write("checkout/prompt", OLD);
    symlink("prompt", bench.path("checkout/link")).unwrap();
    fs::hard_link(bench.path("checkout/prompt"), bench.path("checkout/hard")).unwrap();
    let before = bench.read(".the-loop/cli-config.yaml");
    for (place, words) in [
        ("prompt", "is the prompt file of this round"),
        ("link", "is the prompt file of this round"),
        ("hard", "is the prompt file of this round"),
        ("../.the-loop/cli-config.yaml", "is the config of this round"),
        ("../.the-loop/secrets", "is the env file of this round"),
    ] {
        bench.run(["--prompt-file", "prompt", "--output-file", place]).assert_refused(words);
    }
    // Also where the round is refused for another reason, although this prompt looks like an older envelope.
    bench
        .run(["--prompt-file", "prompt", "--timeout", "0", "--output-file", "link"])
        .assert_refused("--timeout");
    assert_eq!((bench.read("checkout/prompt").as_str(), bench.read("ran").as_str()), (OLD, ""));
    assert_eq!(bench.read(".the-loop/cli-config.yaml"), before);
    assert_eq!(bench.read(".the-loop/secrets"), "A=1\n");
}

#[test]
fn nothing_lies_beside_the_file_during_the_round() {
    let bench = Bench::scripted("ls -A $B/checkout/new");
    let outcome = bench.run(["--prompt", "x", "--output-file", "new/round.json"]);
    outcome.assert_failed("said nothing");
    assert_eq!(outcome.output(), "");
    assert!(bench.path("checkout/new/round.json").is_file());
}

#[test]
fn a_standard_output_that_does_not_block_gets_the_whole_envelope() {
    let bench = Bench::scripted("head -c 3000000 /dev/zero | tr '\\0' x");
    let (mut reader, writer) = std::io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    let mut command = bench.command();
    command.args(["critic", "run", "c", "--prompt", "x", "--output-file", "round.json"]);
    let mut child = command.stdout(writer).stderr(Stdio::null()).spawn().unwrap();
    drop(command);
    // The envelope is on its way, and the pipe full, before anything is taken from it.
    crate::bench::wait_until(|| bench.path("checkout/round.json").is_file(), "the copy");
    let mut printed = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(printed, fs::read(bench.path("checkout/round.json")).unwrap());
    assert!(printed.len() > 3_000_000);
}

#[test]
fn a_refused_round_removes_an_older_envelope_and_nothing_else() {
    let bench = Bench::scripted("echo text");
    for refused in [
        &["--prompt", ""][..],
        &["--prompt", "x", "--timeout", "0"],
        &["--prompt", "x", "--work-item", ".."],
        &["--prompt", "x", "--config", "gone"],
    ] {
        let arguments: Vec<&str> = refused.iter().copied().chain(["--output-file", "old"]).collect();
        bench.write("checkout/old", OLD);
        bench.run(&arguments).assert_refused("");
        assert!(!bench.path("checkout/old").exists(), "{refused:?}");
        bench.write("checkout/old", "{\"notes\":1}");
        bench.run(&arguments).assert_refused("");
        assert_eq!(bench.read("checkout/old"), "{\"notes\":1}");
    }
}

#[test]
fn a_copy_that_finds_no_room_costs_the_exit_code_and_not_the_envelope() {
    let bench = Bench::scripted("head -c 200000 /dev/zero | tr '\\0' x");
    bench.write("checkout/round.json", OLD);
    let mut command = bench.command_below("ulimit -f 100; exec \"$@\"");
    command.args(["critic", "run", "c", "--prompt", "x", "--output-file", "round.json"]);
    let outcome = start(command).outcome();
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(outcome.output().len(), 200_000);
    assert!(outcome.stderr.contains("could not be written"), "{}", outcome.stderr);
    assert!(!bench.path("checkout/round.json").exists());
}

#[test]
fn a_reader_who_left_costs_the_exit_code_and_not_the_file() {
    let bench = Bench::scripted("head -c 2000000 /dev/zero | tr '\\0' x");
    let mut command = bench.command();
    command.args(["critic", "run", "c", "--prompt", "x", "--output-file", "round.json"]);
    let mut running = start(command);
    drop(running.child.stdout.take());
    let outcome = running.outcome();
    assert_eq!(outcome.code, Some(1));
    assert!(!outcome.stderr.contains("panicked"));
    assert!(bench.read("checkout/round.json").contains("xxx"));
}

#[test]
fn a_full_standard_output_is_no_panic() {
    let bench = Bench::scripted("echo text");
    for arguments in [
        &["critic", "run", "c", "--prompt", "x"][..],
        &["critic", "list"],
        &["critic", "policy"],
        &["critic", "guide"],
        &["--help"],
        &["--version"],
        &["help", "critic"],
        &["completions", "bash"],
    ] {
        let mut command = bench.command_below("exec \"$@\" > /dev/full 2> $B/log");
        command.args(arguments).stdout(Stdio::null());
        assert_eq!(start(command).outcome().code, Some(1), "{arguments:?}");
        assert!(bench.read("log").contains("cannot be written"));
    }
}

#[test]
fn a_closed_standard_error_costs_nothing() {
    let bench = Bench::scripted("echo text");
    for line in ["exec \"$@\" 2> /dev/full", "exec \"$@\" 2>&-", "exec \"$@\" <&-"] {
        let mut command = bench.command_below(line);
        command.args(["critic", "run", "c", "--prompt", "x", "--output-file", text(&bench.path("copy"))]);
        start(command).outcome().assert_ok("text\n");
    }
}
