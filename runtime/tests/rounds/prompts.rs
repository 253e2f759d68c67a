//! How a prompt travels.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Stdio;

use crate::bench::{Bench, start, text};

fn by_file(script: &str) -> Bench {
    let bench = Bench::new(&["{name: c, command: /bin/sh, args: ['%/script', '{promptFile}']}"]);
    bench.write("script", script);
    bench
}

#[test]
fn nothing_of_the_callers_input_reaches_the_critic() {
    let bench = Bench::scripted("cat; echo end");
    let mut command = bench.command();
    command.args(["critic", "run", "c", "--prompt", "x"]).stdin(Stdio::piped());
    let mut running = start(command);
    let mut input = running.child.stdin.take().unwrap();
    input.write_all(b"meant for somebody else").unwrap();
    running.outcome().assert_ok("end\n");
    drop(input);
}

#[test]
fn a_prompt_that_looks_like_a_flag_is_data() {
    let bench = Bench::scripted("printf %s \"$1\"");
    for prompt in [
        "-",
        "--",
        "---",
        "/",
        "-h",
        "--help",
        "--config=other.yaml",
        "--prompt-file",
        "$(id)",
        "{model}",
        "a\nb",
    ] {
        bench.run(["--prompt", prompt]).assert_ok(prompt);
        bench.run([format!("--prompt={prompt}")]).assert_ok(prompt);
    }
}

#[test]
fn a_prompt_never_chooses_the_config() {
    let bench = Bench::scripted("echo right");
    bench.write(
        "checkout/other.yaml",
        "critics:\n  - {name: c, command: /bin/echo, args: ['wrong', '{prompt}']}\n",
    );
    bench.run(["--prompt", "--config=other.yaml"]).assert_ok("right\n");
    bench.run(["--prompt", "--config", "--root", "."]).assert_ok("right\n");
    bench.run(["--work-item", "--config=other.yaml", "--prompt", "x"]).assert_ok("right\n");
}

#[test]
fn a_config_is_taken_before_and_after_the_command() {
    let bench = Bench::scripted("echo default");
    bench.write(
        "checkout/other.yaml",
        "critics:\n  - {name: c, command: /bin/echo, args: ['other', '{prompt}']}\n",
    );
    bench.run(["--prompt", "x", "--config", "other.yaml"]).assert_ok("other x\n");
    let mut command = bench.command();
    command.args(["--config", "other.yaml", "critic", "run", "c", "--prompt", "x"]);
    start(command).outcome().assert_ok("other x\n");
}

#[test]
fn prompt_bytes_travel_as_they_are() {
    let bytes = b"caf\xe9 \x01\x7f\r\n\xff";
    let bench = Bench::scripted("printf %s \"$1\" > $B/seen; echo ok");
    bench.run([OsStr::new("--prompt"), OsStr::from_bytes(bytes)]).assert_ok("ok\n");
    assert_eq!(std::fs::read(bench.path("seen")).unwrap(), bytes);
    bench.write("prompt", bytes);
    bench.run([OsStr::new("--prompt-file"), bench.path("prompt").as_os_str()]).assert_ok("ok\n");
    assert_eq!(std::fs::read(bench.path("seen")).unwrap(), bytes);
}

#[test]
fn a_prompt_file_stands_for_itself() {
    let bench = by_file("printf %s \"$1\"");
    bench.write("checkout/p.md", "text");
    bench.run(["--prompt-file", "p.md"]).assert_ok(text(&bench.path("checkout/p.md")));
}

#[test]
fn a_typed_prompt_gets_a_private_file_that_goes_away() {
    let bench = by_file("cat \"$1\"; stat -c ' %a' \"$1\"");
    bench.run(["--prompt", "text"]).assert_ok("text 600\n");
    assert_eq!(bench.temporary_files(), 0);
    let failing = by_file("exit 1");
    failing.round().assert_failed("status 1");
    assert_eq!(failing.temporary_files(), 0);
}

#[test]
fn a_temporary_file_that_cannot_be_written_is_a_failed_round() {
    let bench = by_file("echo ran");
    let mut command = bench.command();
    command.env("TMPDIR", bench.path("gone")).args(["critic", "run", "c", "--prompt", "x"]);
    start(command).outcome().assert_failed("set TMPDIR");
}

#[test]
fn no_file_is_written_for_a_critic_that_needs_none() {
    Bench::scripted("ls $TMPDIR | wc -l").round().assert_ok("0\n");
}

#[test]
fn a_piped_prompt_is_read_once_and_handed_on() {
    let bench = by_file("cat \"$1\"");
    let mut command = bench.command();
    command.args(["critic", "run", "c", "--prompt-file", "/dev/stdin"]).stdin(Stdio::piped());
    let mut running = start(command);
    running.child.stdin.take().unwrap().write_all(b"piped").unwrap();
    running.outcome().assert_ok("piped");
}

#[test]
fn a_prompt_file_behind_our_own_standard_input_reaches_the_critic() {
    let bench = by_file("cat \"$1\"");
    bench.write("prompt", "redirected");
    let mut command = bench.command();
    command.args(["critic", "run", "c", "--prompt-file", "/dev/stdin"]);
    command.stdin(std::fs::File::open(bench.path("prompt")).unwrap());
    start(command).outcome().assert_ok("redirected");
}

#[test]
fn the_longest_argument_passes_and_one_more_byte_names_the_way_out() {
    let bench = Bench::scripted("printf %s \"$1\" | wc -c");
    bench.write("prompt", "x".repeat(131_071));
    bench.run(["--prompt-file", text(&bench.path("prompt"))]).assert_ok("131071\n");
    bench.write("prompt", "x".repeat(131_072));
    let outcome = bench.run(["--prompt-file", text(&bench.path("prompt"))]);
    for words in ["131072 bytes", "131071", "`{promptFile}`"] {
        outcome.assert_failed(words);
    }
}

#[test]
fn a_nul_is_located_and_passes_by_file() {
    let bench = Bench::scripted("true");
    bench.write("prompt", "ab\0c");
    let outcome = bench.run(["--prompt-file", text(&bench.path("prompt"))]);
    outcome.assert_failed("offset 2");
    outcome.assert_failed("`{promptFile}`");
    let bench = by_file("wc -c < \"$1\"");
    bench.write("prompt", "ab\0c");
    bench.run(["--prompt-file", text(&bench.path("prompt"))]).assert_ok("4\n");
}

#[test]
fn fifty_rounds_at_once_keep_their_prompts() {
    let bench = by_file("sleep 0.1; cat \"$1\"");
    let running: Vec<_> = (0..50)
        .map(|number| {
            let mut command = bench.command();
            command.args(["critic", "run", "c", "--prompt", &format!("prompt {number}")]);
            start(command)
        })
        .collect();
    for (number, running) in running.into_iter().enumerate() {
        running.outcome().assert_ok(&format!("prompt {number}"));
    }
    assert_eq!(bench.temporary_files(), 0);
}
