//! What each step of a script does, seen from outside.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod den;

use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;

use den::{Den, wait_until};
use fake_critics::SignalName;
use fake_critics::journal::{Ending, Event, EventName};
use rustix::process::{Pid, kill_process};

fn pid(number: i32) -> Pid {
    Pid::from_raw(number).unwrap()
}

#[test]
fn text_and_bytes_are_printed_as_they_are() {
    let den = Den::new(r#"[{"print": "a\n"}, {"print-bytes": "/wA="}, {"print-error": "e"}]"#);
    let output = den.play();
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"a\n\xff\x00"[..], &b"e"[..]));
}

#[test]
fn arguments_are_printed_as_one_array() {
    let den = Den::new(r#"[{"print-argv": {}}]"#);
    assert_eq!(den.command().args(["a b", "\""]).output().unwrap().stdout, b"[\"a b\",\"\\\"\"]\n");
}

#[test]
fn the_file_that_an_argument_names_is_printed() {
    let den = Den::new(r#"[{"print-file": 1}]"#);
    std::fs::write(den.file("input"), b"\xffx").unwrap();
    assert_eq!(den.command().args(["-f", "input"]).output().unwrap().stdout, b"\xffx");
}

#[test]
fn standard_input_is_printed_whole() {
    let den = Den::new(r#"[{"print-stdin": {}}]"#);
    std::fs::write(den.file("input"), vec![b'z'; 300_000]).unwrap();
    let output = den.command().stdin(std::fs::File::open(den.file("input")).unwrap()).output().unwrap();
    assert_eq!(output.stdout, vec![b'z'; 300_000]);
}

#[test]
fn a_flood_has_exactly_the_bytes_asked_for() {
    let den = Den::new(
        r#"[{"flood": {"bytes": 1000003, "text": "abc"}}, {"flood": {"stream": "stderr", "bytes": 2, "text": "abc"}}]"#,
    );
    let output = den.play();
    assert_eq!((output.stdout.len(), output.stderr.as_slice()), (1_000_003, &b"ab"[..]));
    assert!(output.stdout.starts_with(b"abcabc") && output.stdout.ends_with(b"abca"));
}

#[test]
fn a_flood_may_be_of_bytes_that_are_no_text() {
    let den = Den::new(r#"[{"flood": {"bytes": 5, "base64": "/wA="}}]"#);
    assert_eq!(den.command().output().unwrap().stdout, b"\xff\0\xff\0\xff");
}

#[test]
fn an_endless_flood_dies_of_the_reader_it_lost() {
    let den = Den::new(r#"[{"flood": {}}]"#);
    let mut process = den.command().stdout(Stdio::piped()).spawn().unwrap();
    process.stdout.take().unwrap().read_exact(&mut [0; 10]).unwrap();
    assert_eq!(process.wait().unwrap().signal(), Some(SignalName::Pipe.number()));
}

#[test]
fn a_reopened_output_cuts_a_file_as_a_shell_does() {
    let den = Den::new(r#"[{"print": "first"}, {"reopen-stdout": "x"}]"#);
    let file = std::fs::File::create(den.file("out")).unwrap();
    den.command().stdout(file).status().unwrap();
    assert_eq!(std::fs::read(den.file("out")).unwrap(), b"x");
}

#[test]
fn a_closed_output_is_seen_by_its_reader_while_the_fake_goes_on() {
    let den = Den::new(r#"[{"close-stdout": {}}, {"sleep": 600}]"#);
    let mut process = den.command().stdout(Stdio::piped()).spawn().unwrap();
    let mut text = String::new();
    process.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(process.try_wait().unwrap(), None);
    process.kill().unwrap();
    process.wait().unwrap();
}

#[test]
fn a_file_is_written_relative_to_the_working_directory() {
    let den = Den::new(r#"[{"write-file": {"path": "made", "text": "x"}}]"#);
    den.play();
    assert_eq!(std::fs::read(den.file("made")).unwrap(), b"x");
}

#[test]
fn a_fake_dies_by_the_signal_asked_for_without_a_core_file() {
    for signal in ["TERM", "KILL", "SEGV", "ABRT", "PIPE"] {
        let den = Den::new(&format!(r#"[{{"die-by": "{signal}"}}]"#));
        let output = den.play();
        let name: SignalName = serde_json::from_str(&format!("\"{signal}\"")).unwrap();
        assert_eq!(output.status.signal(), Some(name.number()), "{output:?}");
        assert_eq!(den.journal()[1].event, Event::Exiting(Ending::Signal(name)));
        assert!(!output.status.core_dumped());
    }
}

#[test]
fn an_ignored_signal_is_journaled_and_has_no_effect() {
    let den = Den::new(r#"[{"ignore": "TERM"}, {"sleep": 600}]"#);
    let mut process = den.command().spawn().unwrap();
    den.wait_for(EventName::Sleeping);
    kill_process(pid(process.id().cast_signed()), SignalName::Term.signal()).unwrap();
    den.wait_for(EventName::Signal);
    assert_eq!(process.try_wait().unwrap(), None);
    process.kill().unwrap();
    process.wait().unwrap();
}

#[test]
fn a_handled_signal_starts_its_steps_which_may_exit() {
    let den = Den::new(
        r#"[{"on-signal": {"signal": "TERM", "steps": [{"print": "bye"}, {"exit": 0}]}}, {"sleep": 600}]"#,
    );
    let process = den.command().stdout(Stdio::piped()).spawn().unwrap();
    den.wait_for(EventName::Sleeping);
    kill_process(pid(process.id().cast_signed()), SignalName::Term.signal()).unwrap();
    let output = process.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"bye"[..]));
}

#[test]
fn a_stopped_fake_goes_on_when_it_is_told_to() {
    let den = Den::new(r#"[{"stop": {}}, {"exit": 5}]"#);
    let mut process = den.command().spawn().unwrap();
    let number = process.id().cast_signed();
    let stat = format!("/proc/{number}/stat");
    wait_until(|| std::fs::read_to_string(&stat).unwrap().contains(") T "), "the fake to stop");
    kill_process(pid(number), SignalName::Cont.signal()).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(5));
}
