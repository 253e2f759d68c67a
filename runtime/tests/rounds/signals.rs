//! Signals to the runtime while a critic runs.

use serde_json::Value;

use crate::bench::{Bench, Running, start, wait_until};

fn running(bench: &Bench, line: Option<&str>) -> Running {
    let mut command = line.map_or_else(|| bench.command(), |line| bench.command_below(line));
    command.args(["critic", "run", "c", "--prompt", "review"]);
    let running = start(command);
    bench.wait_for("pid");
    running
}

/// A critic that needs the temporary prompt file and leaves a process in a session of its own.
fn waiting() -> Bench {
    let bench = Bench::new(&["{name: c, command: /bin/sh, args: ['%/script', '{promptFile}']}"]);
    let script = "echo partial; setsid sh -c 'echo $$ > $B/left; exec sleep 600' & until test -s $B/left; do sleep 0.01; done
        echo $$ > $B/pid; sleep 600";
    bench.write("script", script);
    bench
}

#[test]
fn term_int_and_hup_end_the_tree_and_print_the_envelope() {
    for name in ["TERM", "INT", "HUP", "QUIT"] {
        let bench = waiting();
        let running = running(&bench, None);
        assert_eq!(bench.temporary_files(), 1);
        running.signal(name);
        let outcome = running.outcome();
        outcome.assert_failed(&format!("interrupted by signal {name}"));
        assert_eq!(outcome.envelope()["exitCode"], Value::Null);
        assert_eq!(outcome.output(), "partial\n");
        assert!(!bench.is_alive("pid") && !bench.is_alive("left"), "{name}");
        assert_eq!(bench.temporary_files(), 0);
    }
}

#[test]
fn every_signal_that_would_end_the_runtime_ends_the_round_instead() {
    for name in ["ALRM", "USR1", "USR2", "VTALRM", "PROF", "XCPU", "IO", "PWR", "STKFLT", "40", "64"] {
        let bench = waiting();
        let mut command = bench.command();
        command.args(["critic", "run", "c", "--prompt", "review", "--output-file", "round.json"]);
        let running = start(command);
        bench.wait_for("pid");
        running.signal(name);
        let outcome = running.outcome();
        outcome.assert_failed("interrupted by signal");
        assert!(!bench.is_alive("pid") && !bench.is_alive("left"), "{name}");
        assert_eq!(bench.temporary_files(), 0);
        assert_eq!(std::fs::read(bench.path("checkout/round.json")).unwrap(), outcome.stdout);
    }
}

#[test]
fn other_signals_that_were_ignored_at_the_start_stay_ignored() {
    let bench = Bench::scripted("echo $$ > $B/pid; until test -s $B/go; do sleep 0.01; done; echo text");
    let running = running(&bench, Some("trap '' USR1 ALRM; exec \"$@\""));
    running.signal("USR1");
    running.signal("ALRM");
    bench.write("go", "go\n");
    running.outcome().assert_ok("text\n");
}

#[test]
fn a_repeated_int_skips_the_grace() {
    let bench =
        Bench::scripted("trap 'echo x >> $B/heard' TERM; echo $$ > $B/pid; while :; do sleep 0.02; done");
    let running = running(&bench, None);
    let began = std::time::Instant::now();
    running.signal("INT");
    wait_until(|| !bench.read("heard").is_empty() && began.elapsed().as_millis() > 100, "TERM");
    running.signal("INT");
    running.outcome().assert_failed("interrupted");
    assert!(began.elapsed().as_secs_f64() < 2.0);
    assert!(!bench.is_alive("pid"));
}

#[test]
fn hup_ignored_at_the_start_stays_ignored() {
    let bench = Bench::scripted("echo $$ > $B/pid; until test -s $B/go; do sleep 0.01; done; echo text");
    let running = running(&bench, Some("trap '' HUP; exec \"$@\""));
    running.signal("HUP");
    bench.write("go", "go\n");
    running.outcome().assert_ok("text\n");
}

#[test]
fn int_and_term_are_heard_also_where_they_were_ignored() {
    for name in ["TERM", "INT"] {
        let bench = Bench::scripted("echo $$ > $B/pid; sleep 600");
        let running = running(&bench, Some("trap '' INT TERM; exec \"$@\""));
        running.signal(name);
        running.outcome().assert_failed(&format!("signal {name}"));
        assert!(!bench.is_alive("pid"));
    }
}

#[test]
fn the_critic_gets_the_usual_signals() {
    let bench = Bench::scripted("sed -n 's/^Sig\\(Ign\\|Blk\\):[[:space:]]*//p' /proc/self/status");
    let mut command = bench.command_below("trap '' INT TERM QUIT XFSZ CHLD USR1 ALRM PROF; exec \"$@\"");
    command.args(["critic", "run", "c", "--prompt", "review"]);
    let output = start(command).outcome().output();
    // Whatever else this test was started with may be ignored still: only the lower 31 are looked at.
    let masks: Vec<u64> =
        output.lines().map(|mask| u64::from_str_radix(mask, 16).unwrap() & 0x7fff_ffff).collect();
    assert_eq!(masks, [0, 0]);
}

#[test]
fn ignored_child_signals_do_not_cost_the_exit_status() {
    let bench = Bench::scripted("echo text; exit 7");
    let mut command = bench.command_below("trap '' CHLD; exec \"$@\"");
    command.args(["critic", "run", "c", "--prompt", "review"]);
    start(command).outcome().assert_failed("status 7");
}

#[test]
fn a_signal_reaches_the_round_through_a_process_that_was_handed_jobs() {
    let bench = waiting();
    let running = running(&bench, Some("sleep 600 > /dev/null 2>&1 & echo $! > $B/job; exec \"$@\""));
    running.signal("TERM");
    running.outcome().assert_failed("interrupted by signal TERM");
    assert!(!bench.is_alive("pid") && !bench.is_alive("left"));
    assert!(bench.is_alive("job"));
    bench.end("job");
}

#[test]
fn no_other_repeated_signal_skips_the_grace() {
    let bench = Bench::scripted(
        "trap 'echo x >> $B/heard; until test -s $B/go; do sleep 0.01; done; echo cleaned; exit' TERM
        echo $$ > $B/pid; while :; do sleep 0.02; done",
    );
    let running = running(&bench, None);
    for name in ["INT", "TERM", "HUP", "QUIT"] {
        running.signal(name);
        wait_until(|| !bench.read("heard").is_empty(), "TERM");
    }
    // It has been alive all the time, and its grace is not over.
    bench.write("go", "go\n");
    let outcome = running.outcome();
    outcome.assert_failed("interrupted by signal INT");
    assert_eq!(outcome.output(), "cleaned\n");
}

/// What the critic prints where three INT reach the runtime within some milliseconds.
fn interrupted_thrice() -> String {
    let bench = Bench::scripted(
        "trap 'echo x >> $B/heard; until test -s $B/go; do sleep 0.01; done; echo cleaned; exit' TERM
        echo $$ > $B/pid; while :; do sleep 0.02; done",
    );
    let running = running(&bench, None);
    let runtime = rustix::process::Pid::from_child(&running.child);
    for _ in 0..3 {
        rustix::process::kill_process(runtime, rustix::process::Signal::INT).unwrap();
        // What arrives while the one before it waits to be seen would be one with it anyway.
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    wait_until(|| !bench.read("heard").is_empty(), "TERM");
    bench.write("go", "go\n");
    let outcome = running.outcome();
    outcome.assert_failed("interrupted by signal INT");
    outcome.output()
}

#[test]
fn several_int_at_once_are_one_request() {
    // On a busy machine the runtime may see them further apart than they were sent.
    assert!((0..10).any(|_| interrupted_thrice() == "cleaned\n"));
}

#[test]
fn a_reader_who_never_reads_does_not_keep_a_runtime_that_is_asked_to_stop() {
    let bench = Bench::scripted("yes | head -c 1000000");
    let mut command = bench.command();
    command.args(["critic", "run", "c", "--prompt", "x", "--output-file", "round.json"]);
    let mut running = start(command);
    wait_until(|| bench.path("checkout/round.json").exists(), "the copy of the envelope");
    // The first request is swallowed, so that an envelope on its way out survives it.
    let ended = std::cell::Cell::new(None);
    let child = std::cell::RefCell::new(&mut running.child);
    wait_until(
        || {
            let mut child = child.borrow_mut();
            let runtime = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(runtime, rustix::process::Signal::TERM).unwrap();
            ended.set(child.try_wait().unwrap());
            ended.get().is_some()
        },
        "the end by TERM",
    );
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended.get().unwrap()), Some(15));
}
