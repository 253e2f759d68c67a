//! How a critic can end, and what the envelope says of it.

use serde_json::{Value, json};

use crate::bench::{Bench, start};

#[test]
fn a_success_has_the_ten_keys_in_order() {
    let bench = Bench::with("printf 'all good'", ", harness: h, model: 5.10");
    let outcome = bench.round();
    outcome.assert_ok("all good");
    let envelope = outcome.envelope();
    let keys: Vec<&String> = envelope.as_object().unwrap().keys().collect();
    let expected = [
        "critic",
        "harness",
        "model",
        "attribution",
        "ok",
        "exitCode",
        "durationSeconds",
        "output",
        "error",
        "usage",
    ];
    assert_eq!(keys, expected);
    assert_eq!(envelope["attribution"], "[h/5.10]");
    assert_eq!(envelope["exitCode"], 0);
    let nothing = json!({"present": false, "inputTokens": null, "outputTokens": null, "cacheReadTokens": null,
        "cacheWriteTokens": null, "costUsd": null});
    assert_eq!(envelope["usage"], nothing);
}

#[test]
fn the_name_and_default_stand_in_for_harness_and_model() {
    assert_eq!(Bench::scripted("echo x").round().envelope()["attribution"], "[c/default]");
}

#[test]
fn an_exit_status_is_reported_with_the_last_words() {
    let outcome = Bench::scripted("echo findings; echo why >&2; exit 3").round();
    outcome.assert_failed("exited with status 3");
    assert!(outcome.error().ends_with("why"));
    assert_eq!(outcome.envelope()["exitCode"], 3);
    assert_eq!(outcome.output(), "findings\n");
}

#[test]
fn exit_status_124_is_no_timeout() {
    let outcome = Bench::scripted("exit 124").round();
    outcome.assert_failed("exited with status 124");
    assert!(!outcome.error().contains("timed out"));
    assert_eq!(outcome.envelope()["exitCode"], 124);
}

#[test]
fn a_foreign_signal_is_no_exit_status() {
    let outcome = Bench::scripted("kill -9 $$").round();
    outcome.assert_failed("SIGKILL");
    assert_eq!(outcome.envelope()["exitCode"], Value::Null);
}

#[test]
fn a_timeout_is_a_failed_round_without_an_exit_status() {
    let outcome = Bench::with("echo partial; sleep 600", ", timeoutSeconds: 1").round();
    outcome.assert_failed("timed out");
    assert_eq!(outcome.envelope()["exitCode"], Value::Null);
    assert_eq!(outcome.output(), "partial\n");
    assert!(outcome.seconds >= 1.0 && outcome.seconds < 10.0, "{}", outcome.seconds);
}

#[test]
fn the_timeout_flag_overrides_the_entry() {
    let outcome = Bench::scripted("sleep 600").run(["--prompt", "x", "--timeout", "0.2"]);
    outcome.assert_failed("timed out");
    assert!(outcome.seconds < 10.0);
}

#[test]
fn a_success_after_the_limit_is_still_a_timeout() {
    let script = "trap 'echo cleaned; exit 0' TERM; echo began; while :; do sleep 0.05; done";
    let outcome = Bench::with(script, ", timeoutSeconds: 1").round();
    outcome.assert_failed("timed out");
    assert_eq!(outcome.output(), "began\ncleaned\n");
    assert!(outcome.seconds < 10.0, "{}", outcome.seconds);
}

#[test]
fn a_critic_that_ignores_term_is_gone_after_the_grace() {
    let bench =
        Bench::with("trap '' TERM; echo $$ > $B/pid; while :; do sleep 0.05; done", ", timeoutSeconds: 1");
    let outcome = bench.round();
    outcome.assert_failed("timed out");
    assert!(outcome.seconds >= 2.9 && outcome.seconds < 10.0, "{}", outcome.seconds);
    assert!(!bench.is_alive("pid"));
}

#[test]
fn a_stopped_critic_still_ends_at_its_limit() {
    let bench = Bench::with(
        "trap 'echo woken; exit' TERM; echo $$ > $B/pid; kill -STOP $$; sleep 600",
        ", timeoutSeconds: 1",
    );
    let outcome = bench.round();
    outcome.assert_failed("timed out");
    assert_eq!(outcome.output(), "woken\n");
    assert!(!bench.is_alive("pid"));
}

#[test]
fn a_critic_stopped_for_asking_the_terminal_still_ends_at_its_limit() {
    let bench = Bench::with("echo $$ > $B/pid; read line < /dev/tty; echo heard", ", timeoutSeconds: 1");
    // `script` gives the call a terminal to be in the foreground of.
    let line = r#"exec script -qec "$1 critic run c --prompt review > $B/out; echo \$? > $B/code" /dev/null"#;
    start(bench.command_below(line)).outcome();
    assert_eq!(bench.wait_for("code"), "1");
    assert!(bench.read("out").contains("timed out"), "{}", bench.read("out"));
    assert!(!bench.is_alive("pid"));
}

#[test]
fn the_log_of_a_failure_has_none_of_the_critics_words() {
    let outcome = Bench::scripted("echo \"sorry, $1\" >&2; exit 3").round();
    assert!(outcome.error().ends_with("sorry, review"));
    assert!(
        !outcome.stderr.contains("sorry") && outcome.stderr.contains("`error` in the envelope has"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn silence_is_a_failed_round() {
    for script in ["", "echo", r"printf '\033[2K\033]0;title\007 \n'"] {
        let outcome = Bench::scripted(script).round();
        outcome.assert_failed("said nothing");
        assert_eq!(outcome.envelope()["exitCode"], 0);
    }
}

#[test]
fn who_was_not_stopped_is_not_continued() {
    let script = "trap 'echo told' TERM; trap 'echo continued' CONT; echo began
        until test $(date +%s) -gt $(($(cat $B/began) + 2)); do sleep 0.05; done";
    let bench = Bench::with(&format!("date +%s > $B/began; {script}"), ", timeoutSeconds: 1");
    let outcome = bench.round();
    outcome.assert_failed("timed out");
    assert_eq!(outcome.output(), "began\ntold\n");
}
