//! What a critic leaves behind is gone when the round is over; what was there before is not touched.

use std::fs::File;
use std::os::unix::process::CommandExt as _;

use crate::bench::{Bench, start, wait_until};

/// Puts a process that stays below `$B/NAME` in ways a critic might.
const IN_GROUP: &str = "sleep 600 & echo $! > $B/left;";
const IN_OWN_SESSION: &str =
    "setsid sh -c 'echo $$ > $B/left; exec sleep 600' & until test -s $B/left; do sleep 0.01; done;";
const DOUBLE_FORK: &str = "( setsid sh -c 'sh -c \"echo \\$\\$ > $B/left; exec sleep 600\" & exit' & ); until test -s $B/left; do sleep 0.01; done;";
const STOPPED: &str = "setsid sh -c 'echo $$ > $B/left; kill -STOP $$; sleep 600' & until test -s $B/left; do sleep 0.01; done;";
const DEAF: &str = "setsid sh -c 'trap \"\" TERM INT HUP; echo $$ > $B/left; while :; do sleep 0.05; done' & until test -s $B/left; do sleep 0.01; done;";

const WAYS: [&str; 5] = [IN_GROUP, IN_OWN_SESSION, DOUBLE_FORK, STOPPED, DEAF];

#[test]
fn a_success_is_not_delayed_and_leaves_nothing() {
    for way in WAYS {
        let bench = Bench::scripted(&format!("echo text; {way} exit 0"));
        let outcome = bench.round();
        outcome.assert_ok("text\n");
        assert!(outcome.seconds < 10.0, "{way}: {}", outcome.seconds);
        assert!(!bench.is_alive("left"), "{way}");
    }
}

#[test]
fn a_timeout_leaves_nothing() {
    for way in WAYS {
        let bench = Bench::with(&format!("echo text; {way} sleep 600"), ", timeoutSeconds: 1");
        let outcome = bench.round();
        outcome.assert_failed("timed out");
        assert_eq!(outcome.output(), "text\n");
        assert!(outcome.seconds < 10.0, "{way}: {}", outcome.seconds);
        assert!(!bench.is_alive("left"), "{way}");
    }
}

#[test]
fn a_descendant_gets_its_grace_at_the_limit_too() {
    let script = "setsid sh -c 'trap \"echo cleaned > $B/cleaned; exit\" TERM; echo $$ > $B/left; while :; do sleep 0.05; done' &
        sleep 600";
    let bench = Bench::with(script, ", timeoutSeconds: 1");
    bench.round().assert_failed("timed out");
    assert_eq!(bench.read("cleaned"), "cleaned\n");
    assert!(!bench.is_alive("left"));
}

#[test]
fn a_leftover_that_keeps_writing_does_not_keep_the_round() {
    let bench = Bench::scripted(
        "setsid sh -c 'echo $$ > $B/left; exec yes' & until test -s $B/left; do sleep 0.01; done",
    );
    let outcome = bench.round();
    assert_eq!(outcome.code, Some(0), "{}", outcome.error());
    assert!(!bench.is_alive("left"));
}

#[test]
fn processes_that_keep_forking_are_met_in_the_end() {
    let chain = "case $1 in 0) ;; *) setsid sh $0 $(($1 - 1)) & ;; esac; echo $$ >> $B/seen; sleep 600";
    let bench =
        Bench::new(&["{name: c, command: /bin/sh, args: ['%/script', '40', '{prompt}'], timeoutSeconds: 1}"]);
    bench.write("script", chain);
    bench.round().assert_failed("timed out");
    let seen = bench.read("seen");
    assert!(seen.lines().count() > 1, "{seen}");
    for id in seen.lines() {
        wait_until(|| !std::path::Path::new("/proc").join(id).exists(), id);
    }
}

#[test]
fn orphans_that_end_during_a_round_are_collected_at_once() {
    // Each of them is handed over to us, and hangs on as a zombie as long as we do not collect it.
    let bench = Bench::scripted(
        "for orphan in 1 2 3 4 5; do (sh -c 'exec sleep 0.05' &); done
        children() { set -- $(cat /proc/$PPID/task/*/children); echo $#; }
        tries=0
        until test $(children) = 1 || test $tries = 500; do sleep 0.02; tries=$((tries + 1)); done
        children",
    );
    bench.round().assert_ok("1\n");
}

/// Some chains of processes, each of which forks the next and ends, for 20 s unless it is met. One or two of each are
/// alive at a time. All of them hold a lock on `$B/chain`.
fn chains(each: &str, critic: &str) -> Bench {
    let bench = Bench::new(&[
        "{name: c, command: /usr/bin/perl, args: ['%/script', '%/chain', '{prompt}'], timeoutSeconds: 1}",
    ]);
    let script = "use POSIX; use Fcntl ':flock';
        open(my $lock, '>', $ARGV[0]); flock($lock, LOCK_SH); $SIG{TERM} = 'IGNORE'; $| = 1; print \"text\\n\";
        pipe(my $read, my $write);
        if (fork) { close($write); sysread($read, my $byte, 1); CRITIC }
        for (2..10) { last if !fork }
        setsid; my ($end, $links) = (time + 20, 0);
        while (time < $end) { exit if fork; EACH; syswrite($write, '.') if ++$links == 20 }";
    bench.write("script", script.replace("EACH", each).replace("CRITIC", critic));
    bench
}

#[test]
fn chains_of_processes_that_fork_and_end_are_met() {
    for each in ["1", "setsid", "setpgid(0, 0)"] {
        for (critic, is_ok) in [("exit 0", true), ("sleep 600", false)] {
            let bench = chains(each, critic);
            let outcome = bench.round();
            assert_eq!(outcome.envelope()["ok"], is_ok, "{each}, {critic}: {}", outcome.error());
            assert_eq!(outcome.output(), "text\n");
            assert!(outcome.seconds < 15.0, "{each}, {critic}: {}", outcome.seconds);
            assert!(File::open(bench.path("chain")).unwrap().try_lock().is_ok(), "{each}, {critic}");
        }
    }
}

#[test]
fn a_descendant_that_joins_our_group_does_not_take_us_along() {
    let bench = Bench::scripted(
        "perl -e 'use POSIX; setpgid(0, getpgrp($ARGV[0])) or die; open(my $f, q(>), qq($ENV{B}/left)); print $f qq($$\\n); close($f);
            sleep 600' $PPID &
        until test -s $B/left; do sleep 0.01; done; echo text",
    );
    let mut command = bench.command();
    // Ours is a group that nobody else is in.
    command.args(["critic", "run", "c", "--prompt", "x"]).process_group(0);
    start(command).outcome().assert_ok("text\n");
    assert!(!bench.is_alive("left"));
}

#[test]
fn a_shells_job_that_became_our_child_is_untouched() {
    let bench = Bench::scripted("echo text");
    let line = "sleep 600 > /dev/null 2>&1 & echo $! > $B/job; exec \"$@\"";
    let mut command = bench.command_below(line);
    command.args(["critic", "run", "c", "--prompt", "x"]);
    start(command).outcome().assert_ok("text\n");
    let alive = bench.is_alive("job");
    bench.end("job");
    assert!(alive);
}

#[test]
fn a_shells_job_that_is_orphaned_during_the_round_is_untouched() {
    // The job's parent ends while the round runs, and only then does the job start a session of its own.
    let line = "sh -c 'sh -c \"until test -s $B/running; do sleep 0.01; done; setsid sh -c \\\"echo \\\\\\$\\\\\\$ > $B/orphan; exec sleep 600\\\" & exit\" & wait' > /dev/null 2>&1 & exec \"$@\"";
    let bench =
        Bench::scripted("echo yes > $B/running; until test -s $B/orphan; do sleep 0.01; done; echo text");
    let mut command = bench.command_below(line);
    command.args(["critic", "run", "c", "--prompt", "x"]);
    start(command).outcome().assert_ok("text\n");
    let alive = bench.is_alive("orphan");
    bench.end("orphan");
    assert!(alive);
}
