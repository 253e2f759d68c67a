//! `lint --deep` through the built kit: scenarios written to be pointless are reported, good ones are not.
#![allow(clippy::unwrap_used, reason = "only tests are here")]

mod kit;

use self::kit::{Called, Kit, TINY};

/// A must-scenario that [`TINY`] passes, about a row with a condition.
const GOOD: &str = r#"title: A round prints what the critic said
requirement: critic.executable.command-wins
trigger: present
critics: |
  - {name: one, command: "%{bin}/one", args: ["{prompt}"], model: big}
env: {FLAVOUR: plain}
fakes: {one: [{print: fine}]}
steps:
  - run: {critic: one, prompt: review}
checks:
  said: {exit: 0, envelope: {/output: fine}}
"#;

/// The check of [`GOOD`], and one that says nothing of what the critic does.
const SAID: &str = "  said: {exit: 0, envelope: {/output: fine}}\n";
const DULL: &str = "  ran: {exit: 0, envelope: {/ok: true}}\n";

fn deep(scenario: &str) -> Called {
    let kit = Kit::new();
    let (tiny, mine) = (kit.program("tiny", TINY), kit.scenario("round", scenario));
    kit.call(&["lint", "--deep", "--scenarios", &mine, "--only", "mine/", "--", &tiny])
}

fn assert_reported(scenario: &str) -> Called {
    let called = deep(scenario);
    assert_eq!(called.exit, Some(2), "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("1 must-scenarios: 0 change without their trigger, 1 do not\n"));
    called
}

fn assert_bites(scenario: &str) -> Called {
    let called = deep(scenario);
    assert_eq!((called.exit, called.stderr.as_str()), (Some(0), ""), "{}", called.stdout);
    assert!(called.stdout.ends_with("1 must-scenarios: 1 change without their trigger, 0 do not\n"));
    called
}

#[test]
fn a_scenario_whose_check_looks_at_what_the_trigger_does_bites() {
    let called = assert_bites(GOOD);
    assert!(!called.stdout.contains("unturned"), "{}", called.stdout);
}

#[test]
fn a_scenario_whose_check_would_hold_anyway_is_reported() {
    let called = assert_reported(&GOOD.replace(SAID, DULL));
    for wanted in [
        "`mine/round` does not change without its trigger: ran passes all the same",
        "mine/round.yaml:3:",
        "taken away, one at a time: ",
        "others; only the whole step falls, without `/steps/0/run/critic`",
        "or give a `control`",
    ] {
        assert!(called.stderr.contains(wanted), "{wanted} is not in\n{}", called.stderr);
    }
}

#[test]
fn a_sentence_without_a_condition_asks_only_that_the_target_is_called() {
    let always = GOOD.replace(SAID, DULL).replace("executable.command-wins", "envelope.single-object");
    let called = assert_bites(&always);
    assert!(called.stdout.contains("only collapses: mine/round: "), "{}", called.stdout);
    let other = assert_bites(&GOOD.replace("executable.command-wins", "envelope.single-object"));
    assert!(!other.stdout.contains("only collapses"), "{}", other.stdout);
}

#[test]
fn a_control_must_change_a_verdict_itself() {
    let with = |control: &str| GOOD.replace("checks:", &format!("control: {control}\nchecks:"));
    assert_bites(&with("{fakes: {one: [{print: other}]}}"));
    let called = assert_reported(&with("{env: {FLAVOUR: sweet}}"));
    assert!(
        called.stderr.contains("the control changes nothing, but a check fails without"),
        "{}",
        called.stderr
    );
}

#[test]
fn evidence_does_not_stand_for_a_check() {
    // Without what the fake prints the scenario would be vacuous: that says nothing about its check.
    assert_reported(&GOOD.replace(SAID, DULL).replace("checks:", "evidence: {one: [printed]}\nchecks:"));
    assert_bites(&GOOD.replace("checks:", "evidence: {one: [printed]}\nchecks:"));
}

#[test]
fn a_check_that_is_given_does_not_bite_for_those_that_it_is_given_to() {
    let dull = DULL.replace("{exit", "{given: [said], exit");
    let called = assert_reported(&GOOD.replace(SAID, &format!("{SAID}{dull}")));
    assert!(called.stderr.contains("trigger: ran passes"), "{}", called.stderr);
}

#[test]
fn a_dull_check_in_a_scenario_that_bites_is_named() {
    let called = assert_bites(&GOOD.replace(SAID, &format!("{SAID}{DULL}")));
    let wanted = "unturned: mine/round/ran: of ";
    assert!(called.stdout.contains(wanted), "{}", called.stdout);
}

#[test]
fn what_is_no_must_check_with_its_trigger_is_not_examined_at_all() {
    for other in [
        GOOD.replace("trigger: present", "trigger: absent"),
        GOOD.replace("critic.executable.command-wins", "critic.config.checkout-file-ignored"),
    ] {
        let called = deep(&other.replace(SAID, DULL));
        assert_eq!(called.exit, Some(2));
        assert!(called.stderr.contains("no must-scenario"), "{}", called.stderr);
    }
}

#[test]
fn scenarios_that_the_target_does_not_pass_are_named_and_fail_the_call() {
    let called = deep(&GOOD.replace("exit: 0", "exit: 3"));
    assert_eq!(called.exit, Some(1), "{}", called.stderr);
    for wanted in [
        "not examined: mine/round: with everything in place, said is `fail`\n",
        "1 must-scenarios: 0 change without their trigger, 0 do not, 1 do not pass with it\n",
    ] {
        assert!(called.stdout.contains(wanted), "{wanted} is not in\n{}", called.stdout);
    }
}

#[test]
fn scenarios_that_the_target_does_not_claim_are_named() {
    let kit = Kit::new();
    kit.program("tiny", TINY);
    kit.file("mine.yaml", "name: tiny\ncommand: [./tiny]\nprofiles: [policy]\n");
    let mine = kit.scenario("round", GOOD);
    let called =
        kit.call(&["lint", "--deep", "--scenarios", &mine, "--only", "mine/", "--target", "mine.yaml"]);
    assert_eq!(called.exit, Some(0), "{}", called.stderr);
    assert!(called.stdout.contains("not examined: mine/round: the target does not claim the profile"));
    assert!(called.stdout.ends_with("0 do not, 1 are not claimed by the target\n"), "{}", called.stdout);
}

#[test]
fn exactly_one_target_is_asked_for() {
    let kit = Kit::new();
    kit.file("mine.yaml", "name: mine\ncommand: [mine]\n");
    for (arguments, found) in [
        (&["lint", "--deep"][..], "found 0"),
        (&["lint", "--deep", "--target", "mine.yaml", "--", "mine"], "found 2"),
    ] {
        let called = kit.call(arguments);
        assert_eq!((called.exit, called.stdout.as_str()), (Some(2), ""));
        for wanted in ["exactly one implementation", found, "name it by `-- COMMAND` or by `--target FILE`"] {
            assert!(called.stderr.contains(wanted), "{wanted} is not in\n{}", called.stderr);
        }
    }
    // What only a run needs says nothing without one.
    for only in [&["--jobs", "1"][..], &["--only", "mine/"], &["--", "mine"]] {
        assert_eq!(kit.call(&[&["lint"], only].concat()).exit, Some(2), "{only:?}");
    }
    assert_eq!(kit.call(&["lint", "--deep", "--", "./no-such-program"]).exit, Some(3));
}

#[test]
fn nothing_is_left_behind() {
    let kit = Kit::new();
    let (tiny, mine) = (kit.program("tiny", TINY), kit.scenario("round", &GOOD.replace(SAID, DULL)));
    kit.call(&["lint", "--deep", "--scenarios", &mine, "--only", "mine/", "--", &tiny]);
    assert_eq!(kit.leftovers(), 0);
}
