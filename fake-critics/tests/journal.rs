//! What a fake journals about its start and its steps.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod den;

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;

use den::Den;
use fake_critics::Bytes;
use fake_critics::journal::{Ending, Event, EventName, Started, StdinKind};

fn started(den: &Den) -> Started {
    match &den.journal()[0].event {
        Event::Started(started) => (**started).clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_start_is_journaled_before_the_first_byte_is_printed() {
    let den = Den::new(r#"[{"print": "x"}, {"sleep": 600}]"#);
    let mut process = den.command().stdout(Stdio::piped()).spawn().unwrap();
    let mut byte = [0];
    process.stdout.take().unwrap().read_exact(&mut byte).unwrap();
    let events = den.events();
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(events[0], EventName::Started);
}

#[test]
fn arguments_are_journaled_as_bytes() {
    let den = Den::new("[]");
    den.command().arg0("other name").args([OsStr::from_bytes(b"\xff"), OsStr::new("")]).output().unwrap();
    assert_eq!(started(&den).argv, [Bytes::from("other name"), Bytes(vec![0xff]), Bytes::default()]);
}

#[test]
fn the_environment_is_journaled_and_nothing_is_added_to_it() {
    let den = Den::new("[]");
    den.command().env_clear().env("B", OsStr::from_bytes(b"\xfe=")).env("PWD", "/").output().unwrap();
    let started = started(&den);
    assert_eq!(started.environment.len(), 2, "{started:?}");
    assert_eq!(started.variable("B"), Some(Bytes(b"\xfe=".to_vec())));
    assert_eq!(started.variable("PWD"), Some("/".into()));
    assert_eq!(started.variable("PW"), None);
}

#[test]
fn the_place_among_the_processes_is_journaled() {
    let den = Den::new("[]");
    let mut process = den.command().process_group(0).spawn().unwrap();
    process.wait().unwrap();
    let started = started(&den);
    assert_eq!(u32::try_from(started.parent), Ok(std::process::id()));
    assert_eq!(u32::try_from(started.group), Ok(process.id()));
    assert_ne!(u32::try_from(started.session), Ok(process.id()));
    assert_eq!(started.cwd.lossy(), den.folder.path().canonicalize().unwrap().display().to_string());
}

#[test]
fn the_kind_of_standard_input_is_told_apart() {
    let file = tempfile::tempfile().unwrap();
    let kinds = [
        (Stdio::null(), StdinKind::Null),
        (Stdio::piped(), StdinKind::Pipe),
        (Stdio::from(file), StdinKind::File),
    ];
    for (stdin, kind) in kinds {
        let den = Den::new("[]");
        den.command().stdin(stdin).output().unwrap();
        assert_eq!(started(&den).stdin, kind);
    }
}

#[test]
fn what_standard_input_held_is_journaled_with_its_end() {
    let den = Den::new(r#"[{"read-stdin": {}}]"#);
    std::fs::write(den.file("input"), b"a\xffb").unwrap();
    den.command().stdin(std::fs::File::open(den.file("input")).unwrap()).output().unwrap();
    let event = Event::ReadStdin { bytes: Bytes(b"a\xffb".to_vec()), ended: true };
    assert_eq!(den.journal()[1].event, event);
}

#[test]
fn a_standard_input_that_stays_open_is_given_up_and_said_so() {
    let den = Den::new(r#"[{"read-stdin": {"seconds": 0.05}}]"#);
    let mut process = den.command().stdin(Stdio::piped()).spawn().unwrap();
    den.wait_for(EventName::Exiting);
    process.wait().unwrap();
    assert_eq!(den.journal()[1].event, Event::ReadStdin { bytes: Bytes::default(), ended: false });
}

#[test]
fn starts_at_the_same_time_never_mix_their_lines() {
    let den = Den::new(r#"[{"print": "x"}]"#);
    let long = "y".repeat(100_000);
    let processes: Vec<_> =
        (0..20).map(|_| den.command().arg(&long).stdout(Stdio::null()).spawn().unwrap()).collect();
    for mut process in processes {
        process.wait().unwrap();
    }
    assert_eq!(den.events().iter().filter(|event| **event == EventName::Started).count(), 20);
    assert_eq!(den.events().len(), 60);
}

#[test]
fn the_end_is_journaled_before_it_comes() {
    let den = Den::new(r#"[{"exit": 7}]"#);
    assert_eq!(den.play().status.code(), Some(7));
    assert_eq!(den.journal().last().unwrap().event, Event::Exiting(Ending::Code(7)));
}

#[test]
fn without_a_script_the_program_is_no_fake() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_fake-critic")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_step_that_cannot_be_done_is_told_and_ends_the_fake() {
    let den = Den::new(r#"[{"print-file": 0}, {"print": "never"}]"#);
    let output = den.play();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(70), 0));
    assert_eq!(den.events().last(), Some(&EventName::Failed));
}
