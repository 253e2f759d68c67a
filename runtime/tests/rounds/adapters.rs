//! The built-in adapters, against stubs of their command lines.

use crate::bench::{Bench, text};

/// A stub named after the real command line.
fn stub(harness: &str, keys: &str, script: &str) -> Bench {
    let bench = Bench::new(&[&format!("{{name: c, harness: {harness}{keys}}}")]);
    let name = if harness == "claude" { "claude" } else { "cursor-agent" };
    bench.script(name, &format!("#!/bin/sh\n{script}\n"));
    bench
}

fn claude(printed: &str) -> Bench {
    let bench = stub("claude", "", "cat $B/printed");
    bench.write("printed", printed);
    bench
}

#[test]
fn claude_gets_the_prompt_once_on_standard_input() {
    let bench = stub("claude", ", model: opus", "echo \"$@\"; cat");
    bench.run(["--prompt", "--review\nall"]).assert_ok("-p --output-format json --model opus\n--review\nall");
    assert_eq!(bench.temporary_files(), 0);
    let bench = stub("claude", ", args: [--verbose]", "echo \"$@\"; cat");
    bench.run(["--prompt", "x"]).assert_ok("-p --output-format json --verbose\nx");
}

#[test]
fn own_arguments_that_hold_the_prompt_deliver_it_alone() {
    let bench = stub("claude", ", args: ['{prompt}']", "echo \"$@\"; cat");
    bench.run(["--prompt", "x"]).assert_ok("-p --output-format json x\n");
    let bench =
        stub("cursor", ", args: ['--file={promptFile}']", "shift 3; cat \"${1#--file=}\"; echo \" $#\"; cat");
    bench.run(["--prompt", "x"]).assert_ok("x 1\n");
}

#[test]
fn cursor_gets_the_prompt_as_its_last_argument() {
    let bench = stub("cursor", ", model: m", "for each; do printf '[%s]' \"$each\"; done; cat");
    bench.run(["--prompt", "a b"]).assert_ok("[-p][--output-format][json][--model][m][a b]");
}

#[test]
fn cursor_gets_on_standard_input_what_cannot_be_an_argument() {
    let bench = stub("cursor", "", "echo $#; wc -c; ");
    bench.run(["--prompt", "--help"]).assert_ok("3\n6\n");
    bench.write("prompt", "x".repeat(200_000));
    bench.run(["--prompt-file", text(&bench.path("prompt"))]).assert_ok("3\n200000\n");
}

#[test]
fn a_critic_that_does_not_read_its_prompt_breaks_no_pipe() {
    let bench = stub("claude", "", "echo no credit; exit 3");
    bench.write("prompt", "x".repeat(1 << 20));
    let outcome = bench.run(["--prompt-file", text(&bench.path("prompt"))]);
    outcome.assert_failed("status 3");
    assert_eq!(outcome.output(), "no credit\n");
}

#[test]
fn a_critic_that_writes_before_it_reads_does_not_deadlock() {
    let bench = stub("claude", "", "head -c 1048576 /dev/zero | tr '\\0' x; wc -c");
    bench.write("prompt", "x".repeat(1 << 20));
    let outcome = bench.run(["--prompt-file", text(&bench.path("prompt"))]);
    assert_eq!(outcome.code, Some(0));
    assert_eq!(outcome.output().trim_start_matches('x'), "1048576\n");
}

#[test]
fn the_result_and_its_usage_are_read() {
    let printed = r#"{"type":"result","subtype":"success","is_error":false,"result":"one \"finding\"\n","total_cost_usd":0.25,
        "usage":{"input_tokens":10,"output_tokens":4,"cache_read_input_tokens":0}}"#;
    let outcome = claude(printed).round();
    outcome.assert_ok("one \"finding\"\n");
    let usage = &outcome.envelope()["usage"];
    let expected = serde_json::json!({"present": true, "inputTokens": 10, "outputTokens": 4, "cacheReadTokens": 0,
        "cacheWriteTokens": null, "costUsd": 0.25});
    assert_eq!(usage, &expected);
}

#[test]
fn the_last_result_of_events_is_read() {
    let events = [
        r#"{"type":"system"}"#,
        r#"{"type":"result","result":"first"}"#,
        r#"{"type":"assistant","text":"no"}"#,
        r#"{"type":"result","result":"last","usage":{"input_tokens":1}}"#,
    ];
    let array = claude(&format!("[{}]\n", events.join(", "))).round();
    array.assert_ok("last");
    assert_eq!(array.envelope()["usage"]["inputTokens"], 1);
    claude(&events.join("\n")).round().assert_ok("last");
}

#[test]
fn events_without_a_result_stay_verbatim() {
    let events = r#"[{"type":"system"},{"type":"assistant","text":"no"}]"#;
    claude(events).round().assert_ok(events);
}

#[test]
fn a_failure_the_json_reports_is_a_failed_round() {
    let broke = claude(r#"{"type":"result","is_error":true,"result":"credit balance too low"}"#).round();
    broke.assert_failed("credit balance too low");
    assert_eq!(broke.envelope()["exitCode"], 0);
    assert_eq!(broke.output(), "credit balance too low");
    claude(r#"{"type":"result","subtype":"error_max_turns","errors":["too many","turns"]}"#)
        .round()
        .assert_failed("too many; turns");
    claude(r#"{"type":"result","result":""}"#).round().assert_failed("said nothing");
    claude(r#"[{"type":"result","subtype":"error_during_execution"}]"#)
        .round()
        .assert_failed("error_during_execution");
}

#[test]
fn an_explicit_format_wins_over_the_adapter() {
    let printed = r#"{"result":"x"}"#;
    let bench = stub("claude", ", outputFormat: text", "cat $B/printed");
    bench.write("printed", printed);
    bench.round().assert_ok(printed);
}

#[test]
fn an_executable_that_is_not_installed_is_a_failed_round() {
    for (harness, executable) in [("claude", "claude"), ("cursor", "cursor-agent")] {
        let bench = Bench::new(&[&format!("{{name: c, harness: {harness}, env: {{PATH: /nowhere}}}}")]);
        bench.round().assert_failed(&format!("`{executable}` was not found"));
    }
}
