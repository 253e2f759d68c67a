//! What the supervisor finds alive when a target is over, and that it ends it. Targets are tiny shell scripts.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod stage;

use stage::{Stage, lives};
use the_loop_conformance::observation::Liveness;

#[test]
fn a_child_in_its_own_session_is_found_and_killed() {
    let step = Stage::new().step(
        "slow",
        "fakes: {slow: [{child: {session: own, stdout: closed, steps: [{ignore: TERM}, {sleep: 600}]}}]}\nsteps: [{call: {args: []}}]",
    );
    assert_eq!(step.survivors.len(), 1, "{step:?}");
    assert!(step.survivors[0].command.contains("slow"), "{step:?}");
    assert!(!lives(step.survivors[0].pid));
}

#[test]
fn a_daemon_of_a_double_fork_is_found_and_killed() {
    let step = Stage::new().step(
        "slow",
        "fakes: {slow: [{child: {session: own, stdout: closed, twice: true, steps: [{sleep: 600}]}}]}\nsteps: [{call: {args: []}}]",
    );
    assert_eq!(step.survivors.len(), 1, "{step:?}");
    assert!(!lives(step.survivors[0].pid));
}

#[test]
fn a_child_that_holds_the_output_neither_delays_the_step_nor_costs_its_output() {
    let copy = Stage::new().copy(
        "slow",
        "fakes: {slow: [{print: kept}, {child: {steps: [{sleep: 600}]}}]}\nsteps: [{call: {args: []}}]",
    );
    assert_eq!(copy.stdout.lossy(), "kept");
    assert!(copy.wall.as_secs() < 300, "{:?}", copy.wall);
}

#[test]
fn every_survivor_of_a_tree_is_counted() {
    let step = Stage::new().step(
        "slow",
        "fakes: {slow: [{child: {group: own, steps: [{child: {session: own, steps: [{sleep: 600}]}}, {sleep: 600}]}}]}\nsteps: [{call: {args: []}}]",
    );
    assert_eq!(step.survivors.len(), 2, "{step:?}");
}

#[test]
fn a_target_that_cleans_up_leaves_no_survivor() {
    let step = Stage::new()
        .step("slow & kill -KILL $!; exit 0", "fakes: {slow: [{sleep: 600}]}\nsteps: [{call: {args: []}}]");
    assert_eq!(step.survivors, []);
}

#[test]
fn a_bystander_is_no_survivor_and_stays_alive() {
    let subject = Stage::new().subject(
        "exit 0",
        "fakes: {other: [{child: {steps: [{sleep: 600}]}}, {sleep: 600}]}\nbystanders: [other]\nsteps: [{call: {args: []}}]",
    );
    assert_eq!(subject.steps[0].survivors, []);
    assert_eq!(subject.bystanders["other"], Liveness::Alive);
    assert!(subject.journals["other"].iter().all(|entry| !lives(entry.pid)));
}

#[test]
fn a_bystander_that_the_target_killed_is_gone() {
    let subject = Stage::new().subject(
        "kill -KILL $(sed -n 's/.*\"pid\":\\([0-9]*\\).*started.*/\\1/p' ../bin/.fakes/other.journal)",
        "fakes: {other: [{sleep: 600}]}\nbystanders: [other]\nsteps: [{call: {args: []}}]",
    );
    assert_eq!(subject.bystanders["other"], Liveness::Gone);
}

#[test]
fn a_survivor_of_one_step_is_gone_before_the_next() {
    let subject = Stage::new().subject(
        "slow",
        "fakes: {slow: [{child: {session: own, stdout: closed, steps: [{sleep: 600}]}}]}\nsteps: [{call: {args: []}}, {call: {args: []}}]",
    );
    assert_eq!(subject.steps.iter().map(|step| step.survivors.len()).collect::<Vec<_>>(), [1, 1]);
    assert_ne!(subject.steps[0].survivors, subject.steps[1].survivors);
}
