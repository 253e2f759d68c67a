//! How the supervisor starts a target, talks to it and records its end. Targets are tiny shell scripts.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod stage;

use fake_critics::SignalName;
use fake_critics::journal::EventName;
use stage::{Stage, count};
use the_loop_conformance::observation::{Ending, FileRecord};

const CALL: &str = "steps: [{call: {args: []}}]";

#[test]
fn exit_code_and_both_outputs_are_recorded_apart() {
    let copy = Stage::new().copy("printf out; printf err >&2; exit 7", CALL);
    assert_eq!(copy.ending, Ending::Exit(7));
    assert_eq!((&*copy.stdout.lossy(), &*copy.stderr.lossy()), ("out", "err"));
}

#[test]
fn the_signal_that_ended_a_target_is_no_exit_code() {
    let copy = Stage::new().copy("kill -TERM $$", CALL);
    assert_eq!(copy.ending, Ending::Signal(SignalName::Term.number()));
}

#[test]
fn a_target_that_hangs_is_cut_off_and_nothing_of_it_stays() {
    let step = Stage::new().step(
        "printf begun; slow; exit 0",
        "fakes: {slow: [{sleep: 600}]}\nsteps: [{call: {args: []}, within: 1}]",
    );
    assert_eq!(step.copies[0].ending, Ending::Hung);
    assert_eq!(step.copies[0].stdout.lossy(), "begun");
    assert_eq!(step.survivors.len(), 1);
}

#[test]
fn fifty_copies_run_at_once_each_with_its_own_prompt() {
    // Nobody ends before all have started.
    let subject = Stage::new().subject(
        "slow; while [ $(grep -c '\"started\"' ../bin/.fakes/slow.journal) -lt 50 ]; do sleep 0.05; done; printf %s \"$5\"",
        "fakes: {slow: []}\nsteps: [{run: {critic: slow, prompt: 'mine is %{copy}', copies: 50}, within: 300}]",
    );
    let copies = &subject.steps[0].copies;
    assert_eq!(copies.len(), 50);
    for (number, copy) in copies.iter().enumerate() {
        assert_eq!(copy.stdout.lossy(), format!("mine is {number}"));
        assert_eq!(copy.prompt.as_ref().unwrap().lossy(), copy.stdout.lossy());
    }
    assert_eq!(count(&subject, "slow", EventName::Started), 50);
}

#[test]
fn a_large_input_that_nobody_reads_blocks_nothing() {
    let copy = Stage::new().copy(
        "head -c 2000000 /dev/zero; exit 3",
        "steps: [{call: {args: [], stdin: {repeat: {text: abcd, times: 500000}}}}]",
    );
    assert_eq!((copy.ending, copy.stdout.0.len()), (Ending::Exit(3), 2_000_000));
}

#[test]
fn an_input_arrives_whole_and_ends() {
    let copy = Stage::new()
        .copy("wc -c", "steps: [{call: {args: [], stdin: {repeat: {text: abcd, times: 500000}}}}]");
    assert_eq!(copy.stdout.lossy().trim(), "2000000");
}

#[test]
fn a_held_input_does_not_end() {
    let copy = Stage::new().copy("cat", "steps: [{call: {args: [], stdin: held}, within: 1}]");
    assert_eq!(copy.ending, Ending::Hung);
}

#[test]
fn an_output_without_a_reader_cannot_be_written() {
    let copy =
        Stage::new().copy("trap '' PIPE; echo x || exit 9", "steps: [{call: {args: [], stdout: closed}}]");
    assert_eq!(copy.ending, Ending::Exit(9));
}

#[test]
fn a_full_device_takes_nothing() {
    let copy = Stage::new().copy("echo x | cat || exit 9", "steps: [{call: {args: [], stdout: full}}]");
    assert_eq!(copy.ending, Ending::Exit(9));
    assert!(copy.stderr.lossy().contains("space"), "{copy:?}");
}

#[test]
fn a_signal_is_sent_after_its_event_and_as_often_as_asked() {
    let subject = Stage::new().subject(
        "exec slow",
        "fakes: {slow: [{on-signal: {signal: INT, steps: [{print: x}]}}, {on-signal: {signal: TERM, steps: [{exit: 4}]}}, {sleep: 600}]}\n\
         steps: [{call: {args: []}, id: twice, signal: {after: sleeping, send: INT, times: 2}, within: 2},\n\
                 {call: {args: []}, signal: {after: sleeping, send: TERM}}]",
    );
    assert_eq!(subject.steps[0].copies[0].stdout.lossy(), "xx");
    assert_eq!(subject.steps[0].id, "twice");
    assert_eq!(subject.steps[1].copies[0].ending, Ending::Exit(4));
}

#[test]
fn a_signal_whose_event_never_comes_is_said_to_be_unsent() {
    let copy = Stage::new().copy(
        "exit 0",
        "fakes: {slow: []}\nsteps: [{call: {args: [slow]}, signal: {after: sleeping, send: TERM}}]",
    );
    assert!(copy.signal_unsent);
}

#[test]
fn the_canonical_command_line_names_every_flag() {
    let copy = Stage::new().copy(
        "for word; do printf '<%s>' \"$word\"; done",
        "steps: [{run: {critic: one, prompt: p q, root: r, cwd: c, work-item: w, spec-dir: s, timeout: '3', output-file: o, args: [z]}}]",
    );
    assert_eq!(
        copy.stdout.lossy(),
        "<critic><run><one><--prompt><p q><--root><r><--cwd><c><--work-item><w><--spec-dir><s><--timeout><3><--output-file><o><z>"
    );
}

#[test]
fn the_peak_of_a_target_is_its_own_and_not_that_of_a_fake() {
    let copy = Stage::new().copy(
        "x=$(head -c 40000000 /dev/zero | tr '\\0' x); slow; exit 0",
        "fakes: {slow: [{sleep: 0.3}]}\nsteps: [{call: {args: []}}]\nchecks: {any: {memory: {max: 1}}}",
    );
    assert!(copy.peak_memory > 40_000_000 / 1024, "{} KiB", copy.peak_memory);
}

#[test]
fn the_disk_of_a_target_is_looked_at_while_it_runs() {
    let peak = |shell: &str| {
        let scenario =
            "fakes: {slow: [{sleep: 0.3}]}\nsteps: [{call: {args: []}}]\nchecks: {any: {disk: {max: 1}}}";
        Stage::new().copy(shell, scenario).peak_disk
    };
    let write = "head -c 4000000 /dev/zero";
    for holds in [
        format!("{write} > \"$TMPDIR/spool\"; slow; rm \"$TMPDIR/spool\""),
        format!("exec 5>\"$HOME/spool\"; rm \"$HOME/spool\"; {write} >&5; slow"),
        format!("{write} > left"),
    ] {
        let peak = peak(&holds);
        assert!((4_000_000..5_000_000).contains(&peak), "{holds}: {peak} bytes");
    }
    assert!(peak("slow; exit 0") < 1_000_000);
}

#[test]
fn files_and_leftovers_are_recorded_after_the_last_step() {
    let subject = Stage::new().subject(
        "printf made > out; mkdir \"$TMPDIR/d\"; : > \"$TMPDIR/d/left\"",
        "steps: [{call: {args: []}}]\nchecks: {made: {files: {out: made, '%{canary}': {absent: true}, '%{tmp}/d': {absent: false}}}}",
    );
    assert_eq!(subject.files["out"], FileRecord::File("made".into()));
    assert_eq!(subject.files[&subject.places.canary.display().to_string()], FileRecord::Absent);
    assert_eq!(subject.files[&subject.places.tmp.join("d").display().to_string()], FileRecord::Directory);
    assert_eq!(subject.temporary, ["d/left"]);
}

#[test]
fn the_control_has_a_sandbox_of_its_own() {
    let observation = Stage::new().observe(
        "one",
        "fakes: {one: [{exit: 3}]}\ncontrol: {fakes: {one: [{exit: 0}]}}\nsteps: [{call: {args: []}}]",
    );
    let control = observation.control.unwrap();
    assert_eq!(observation.subject.steps[0].copies[0].ending, Ending::Exit(3));
    assert_eq!(control.steps[0].copies[0].ending, Ending::Exit(0));
    assert_ne!(observation.subject.places, control.places);
}

#[test]
fn a_target_that_cannot_be_started_is_trouble() {
    let stage = Stage::new();
    let target =
        the_loop_conformance::target::Target::from_command(vec!["/nowhere/at-all".to_owned()]).unwrap();
    let subject = stage::observe(&stage.job_for(target, CALL)).subject;
    assert_eq!(subject.steps[0].copies[0].ending, Ending::NotStarted);
    assert!(subject.trouble.unwrap().contains("/nowhere/at-all"));
}
