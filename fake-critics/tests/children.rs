//! Children of a fake: where they run, what they hold, whose child they are.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod den;

use std::process::Stdio;

use den::{Den, wait_until};
use fake_critics::journal::{ChildStarted, Entry, Event, EventName, Started};
use rustix::process::{Pid, Signal, kill_process};

/// Plays a script whose child sleeps, ends the child and gives what both journaled.
fn family(child: &str) -> (i32, Started, i32, ChildStarted) {
    let den = Den::new(&format!(r#"[{{"child": {{{child}, "steps": [{{"sleep": 600}}]}}}}]"#));
    den.command().stdout(Stdio::null()).status().unwrap();
    den.wait_for(EventName::Sleeping);
    let journal = den.journal();
    let child = journal.iter().find(|entry| entry.event.name() == EventName::ChildStarted).unwrap();
    kill_process(Pid::from_raw(child.pid).unwrap(), Signal::KILL).unwrap();
    match (&journal[0], &child.event) {
        (Entry { pid, event: Event::Started(started), .. }, Event::ChildStarted(place)) => {
            (*pid, (**started).clone(), child.pid, *place)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_child_runs_before_its_parent_goes_on() {
    let den = Den::new(r#"[{"child": {"steps": []}}, {"print": "x"}]"#);
    den.play();
    let events = den.events();
    let at = |event| events.iter().position(|other| *other == event);
    assert!(at(EventName::ChildStarted) < at(EventName::Printed), "{events:?}");
}

#[test]
fn a_child_shares_group_and_session_unless_told_otherwise() {
    let (pid, parent, child, place) = family(r#""stdout": "held""#);
    assert_eq!((place.parent, place.group, place.session), (pid, parent.group, parent.session));
    assert_ne!(child, pid);
}

#[test]
fn a_child_in_a_group_of_its_own_shares_the_session() {
    let (_, parent, child, place) = family(r#""group": "own""#);
    assert_eq!((place.group, place.session), (child, parent.session));
}

#[test]
fn a_child_in_a_session_of_its_own_has_a_group_of_its_own() {
    let (_, _, child, place) = family(r#""session": "own", "group": "own""#);
    assert_eq!((place.group, place.session), (child, child));
}

#[test]
fn a_child_of_a_double_fork_is_not_its_fakes_child() {
    // The intermediate one ends at once, so that the child's parent is somebody further up when it looks, or soon after.
    let den = Den::new(
        r#"[{"child": {"twice": true, "session": "own", "steps": [{"sleep": 600}]}}, {"sleep": 600}]"#,
    );
    let mut process = den.command().spawn().unwrap();
    let asleep = || den.events().iter().filter(|event| **event == EventName::Sleeping).count();
    wait_until(|| asleep() == 2, "both to sleep");
    let journal = den.journal();
    let child = journal.iter().find(|entry| entry.event.name() == EventName::ChildStarted).unwrap().pid;
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", process.id())).unwrap();
    for pid in [child, process.id().cast_signed()] {
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }
    process.wait().unwrap();
    assert!(!children.split_whitespace().any(|pid| pid == child.to_string()), "{children}");
}

#[test]
fn a_child_that_holds_nothing_lets_the_reader_see_the_end() {
    let den = Den::new(r#"[{"child": {"stdout": "closed", "session": "own", "steps": [{"sleep": 600}]}}]"#);
    // Comes back only because nobody holds the pipes any more.
    assert_eq!(den.play().status.code(), Some(0));
    let child = den.journal().iter().find(|entry| entry.event.name() == EventName::ChildStarted).unwrap().pid;
    kill_process(Pid::from_raw(child).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn a_child_of_a_child_and_one_of_a_handler_play_their_own_steps() {
    let den = Den::new(
        r#"[{"child": {"steps": [{"child": {"steps": [{"print": "inner"}]}}]}},
            {"on-signal": {"signal": "USR1", "steps": [{"child": {"steps": [{"print": "handler"}]}}, {"exit": 0}]}},
            {"sleep": 600}]"#,
    );
    let process = den.command().stdout(Stdio::piped()).spawn().unwrap();
    let pid = process.id().cast_signed();
    let asleep = |entry: &Entry| entry.pid == pid && entry.event.name() == EventName::Sleeping;
    wait_until(|| den.journal().iter().any(asleep), "the fake to sleep");
    kill_process(Pid::from_raw(pid).unwrap(), Signal::USR1).unwrap();
    let output = String::from_utf8(process.wait_with_output().unwrap().stdout).unwrap();
    assert!(output.contains("inner") && output.contains("handler"), "{output}");
}
