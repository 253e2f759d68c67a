//! What becomes of the critic's output.

use crate::bench::Bench;

/// A critic read as JSON that prints these bytes.
fn json(printed: impl AsRef<[u8]>) -> Bench {
    let bench = Bench::with("cat $B/printed", ", outputFormat: json");
    bench.write("printed", printed);
    bench
}

#[test]
fn text_is_verbatim() {
    let printed = "  a\r\n\tb\u{1b}[1m {\"result\":\"x\"} \u{2028}\u{7f}\n\n";
    let bench = Bench::scripted("cat $B/printed");
    bench.write("printed", printed);
    bench.round().assert_ok(printed);
}

#[test]
fn bytes_that_are_not_utf8_are_replaced() {
    let bench = Bench::scripted(r"printf 'a\377b\000c\342\202'");
    bench.round().assert_ok("a\u{fffd}b\0c\u{fffd}");
    json(b"{\"result\":\"a\xffb\"}").round().assert_ok("a\u{fffd}b");
}

#[test]
fn the_first_text_key_that_says_something_is_read() {
    json(r#"{"result":"r","text":"t"}"#).round().assert_ok("r");
    json(r#"{"message":"m","content":"c"}"#).round().assert_ok("c");
    json(r#"{"result":null,"response":"","text":["no"],"output":"o"}"#).round().assert_ok("o");
    json(r#"{"result":"half \ud83d of a pair","\ud83d":1}"#).round().envelope();
}

#[test]
fn what_stands_around_the_object_is_ignored() {
    for (before, after) in [
        ("\u{feff}", "\n"),
        ("\u{1b}]0;title\u{7}", ""),
        ("\u{1b}[2K\r", "\u{1b}[0m\n"),
        (" \n", "\u{1b}]0;\u{1b}\\"),
    ] {
        json(format!("{before}{{\"result\":\"x\"}}{after}")).round().assert_ok("x");
    }
}

#[test]
fn anything_else_is_verbatim() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let deeper = format!("{{\"result\":\"x\",\"deep\":{deep}}}");
    let long = format!("{{\"result\":\"x\",\"n\":{}}}", "9".repeat(5000));
    let prose = "Findings:\n{\"result\":\"x\",\"usage\":{\"input_tokens\":1}}\n";
    for printed in [
        &deep,
        &deeper,
        &long,
        prose,
        "null",
        "5",
        "\"text\"",
        "[]",
        "{\"findings\":[]}",
        "{\"result\":\"x\"} trailing",
        "{\"result\":\"x\"}{}",
        "{\"result\":\"x\"",
    ] {
        let outcome = json(printed).round();
        outcome.assert_ok(printed);
        assert_eq!(outcome.envelope()["usage"]["present"], false);
    }
}

#[test]
fn json_that_reports_a_failure_or_nothing_is_a_failed_round() {
    json(r#"{"is_error":true,"result":"out of credit"}"#).round().assert_failed("out of credit");
    json(r#"{"error":{"message":"bad key"}}"#).round().assert_failed("bad key");
    json(r#"{"result":" "}"#).round().assert_failed("said nothing");
    json(r#"{"text":null}"#).round().assert_failed("said nothing");
    json(r#"{"error":null,"result":"fine"}"#).round().assert_ok("fine");
}

#[test]
fn usage_is_read_from_the_object_alone() {
    let outcome = json(r#"{"result":"x","usage":{"prompt_tokens":3,"completion_tokens":0,"cached_input_tokens":-1,"cacheWriteTokens":"7"},"cost_usd":1e-3}"#).round();
    let expected = serde_json::json!({"present": true, "inputTokens": 3, "outputTokens": 0, "cacheReadTokens": null,
        "cacheWriteTokens": null, "costUsd": 0.001});
    assert_eq!(outcome.envelope()["usage"], expected);
    let text = Bench::scripted(r#"echo '{"result":"x","usage":{"input_tokens":3}}'"#).round();
    assert_eq!(text.envelope()["usage"]["present"], false);
}

#[test]
fn a_flood_on_standard_error_neither_blocks_nor_stays() {
    let flood = "yes abcdefghijklmnopqrstuvwxyz | head -c 20971520 >&2; echo last words >&2";
    Bench::scripted(&format!("{flood}; echo answer")).round().assert_ok("answer\n");
    let outcome = Bench::scripted(&format!("{flood}; exit 9")).round();
    outcome.assert_failed("status 9");
    let error = outcome.error();
    assert!(error.ends_with("last words") && error.len() < 66_000, "{}", error.len());
}

#[test]
fn endless_output_ends_at_the_cap() {
    let outcome = Bench::scripted("exec yes").round();
    outcome.assert_failed("64 MiB");
    assert_eq!(outcome.output().len(), 64 << 20);
    assert_eq!(outcome.envelope()["exitCode"], serde_json::Value::Null);
}

#[test]
fn output_that_memory_does_not_suffice_for_fails_the_round_and_keeps_what_came_first() {
    for format in ["text", "json"] {
        let keys = format!(", outputFormat: {format}");
        let bench =
            Bench::with("echo $$ > $B/pid; head -c 60000000 /dev/zero | tr '\\0' x; sleep 600", &keys);
        let mut command = bench.command_below("ulimit -v 50000; exec \"$@\"");
        command.args(["critic", "run", "c", "--prompt", "x", "--output-file", "round.json"]);
        let outcome = crate::bench::start(command).outcome();
        outcome.assert_failed("memory");
        let output = outcome.output();
        assert!(output.len() > 8 << 20 && output.bytes().all(|byte| byte == b'x'), "{}", output.len());
        assert!(!bench.is_alive("pid"));
        assert_eq!(std::fs::read(bench.path("checkout/round.json")).unwrap(), outcome.stdout);
    }
}

#[test]
fn large_output_of_a_critic_that_exits_at_once_is_whole() {
    let outcome = Bench::scripted("head -c 3000000 /dev/zero | tr '\\0' x").round();
    assert_eq!(outcome.output().len(), 3_000_000);
}

#[test]
fn a_critic_may_open_its_output_again() {
    Bench::scripted("echo one; echo two > /dev/stdout; echo three >> /proc/self/fd/1")
        .round()
        .assert_ok("one\ntwo\nthree\n");
}

#[test]
fn a_critic_that_closes_its_output_early_is_waited_for() {
    let bench = Bench::scripted("echo text; exec >&- 2>&-; sleep 0.2; echo done > $B/done; exit 5");
    bench.round().assert_failed("status 5");
    assert_eq!(bench.read("done"), "done\n");
}

#[test]
fn a_locale_of_c_changes_nothing() {
    let bench = Bench::scripted("printf 'größe'");
    let mut command = bench.command();
    command.env("LC_ALL", "C").args(["critic", "run", "c", "--prompt", "x"]);
    crate::bench::start(command).outcome().assert_ok("größe");
}
