//! `lint`, `list`, `explain` and the rest of the command line, through the built kit.
#![allow(clippy::unwrap_used, reason = "only tests are here")]

mod kit;

use self::kit::{Kit, ROUND};

#[test]
fn the_suite_inside_the_kit_has_no_faults() {
    let called = Kit::new().call(&["lint"]);
    assert_eq!((called.exit, called.stderr.as_str()), (Some(0), ""));
    assert!(called.stdout.contains("no faults"), "{}", called.stdout);
}

#[test]
fn planted_faults_are_found_with_file_line_and_remedy() {
    for (fault, planted, line, remedy) in [
        ("unknown field `criticz`", ROUND.replace("critics:", "criticz:"), 5, "did you mean `critics`?"),
        ("unknown requirement", ROUND.replace("single-object", "single-objet"), 2, "did you mean"),
        ("duplicate key `said`", ROUND.replace("  started:", "  said:"), 12, "rename one"),
        ("used nowhere", ROUND.replace("fakes: {", "fakes: {two: [], "), 7, "or remove it"),
        ("unknown name `%{bim}`", ROUND.replace("%{bin}", "%{bim}"), 6, "writing-scenarios.md"),
        ("an empty check", format!("{ROUND}  nothing: {{}}\n"), 13, "see the table"),
    ] {
        let kit = Kit::new();
        let mine = kit.scenario("round", &planted);
        let called = kit.call(&["lint", "--scenarios", &mine]);
        assert_eq!(called.exit, Some(2), "{fault}");
        let place = format!("mine/round.yaml:{line}:");
        for wanted in [fault, &place, remedy] {
            assert!(called.stderr.contains(wanted), "{wanted} is not in\n{}", called.stderr);
        }
        let run = kit.call(&["run", "--scenarios", &mine, "--only", "mine/", "--", "true"]);
        assert_eq!(run.exit, Some(2), "{fault}");
    }
}

#[test]
fn a_missing_side_and_a_tag_without_a_row_are_found() {
    let kit = Kit::new();
    let specs = kit.path("specs").display().to_string();
    kit.file("specs/tags.yaml", "- {tag: CR-1.4, asks: disabled}\n- {tag: CR-9.9, asks: more}\n");
    kit.file(
        "specs/critic.yaml",
        "- id: mine.refused\n  pattern: event\n  ears: WHEN asked THEN the runtime SHALL refuse.\n  level: must\n  source: [CR-1.4]\n  profile: critic\n  since: 1\n",
    );
    let called = kit.call(&["lint", "--specs", &specs]);
    assert_eq!(called.exit, Some(2));
    for wanted in
        ["no requirement cites `CR-9.9`", "tags.yaml:2:", "`mine.refused` has no scenario", "critic.yaml:1:"]
    {
        assert!(called.stderr.contains(wanted), "{wanted} is not in\n{}", called.stderr);
    }
}

#[test]
fn a_side_that_a_scenario_gives_up_is_found() {
    let kit = Kit::new();
    let mine = kit.path("scenarios").display().to_string();
    // The suite's only scenario in which nothing was to be refused, turned round.
    kit.file(
        "scenarios/list/some-json.yaml",
        &ROUND.replace("critic.envelope.single-object", "critic.list.none-json"),
    );
    let called = kit.call(&["lint", "--scenarios", &mine]);
    assert_eq!(called.exit, Some(2));
    for wanted in [
        "requirement `critic.list.none-json` has no scenario with `trigger: absent`",
        "critic.yaml:",
        "needs both sides",
    ] {
        assert!(called.stderr.contains(wanted), "{wanted} is not in\n{}", called.stderr);
    }
}

#[test]
fn ids_are_explained_and_near_ones_offered() {
    let kit = Kit::new();
    let row = kit.call(&["explain", "critic.envelope.single-object"]);
    assert!(row.stdout.contains("The runtime SHALL print exactly one JSON object"), "{}", row.stdout);
    assert!(kit.call(&["explain", "CR-2.1"]).stdout.contains("CR-2.1: "));
    let mine = kit.scenario("round", ROUND);
    let check = kit.call(&["explain", "mine/round/said", "--scenarios", &mine]);
    assert!(check.stdout.contains("proves critic.envelope.single-object"), "{}", check.stdout);
    let unknown = kit.call(&["explain", "critic.envelope.single-objet"]);
    assert_eq!(unknown.exit, Some(2));
    assert!(unknown.stderr.contains("did you mean `critic.envelope.single-object`?"), "{}", unknown.stderr);
}

#[test]
fn every_command_has_help_with_an_example() {
    let kit = Kit::new();
    for command in [
        &["run"][..],
        &["baseline", "write"],
        &["doctor"],
        &["lint"],
        &["list"],
        &["explain"],
        &["completions"],
    ] {
        let called = kit.call(&[command, &["--help"]].concat());
        assert_eq!(called.exit, Some(0), "{command:?}");
        assert!(called.stdout.contains("Examples:"), "{command:?}");
    }
    assert_eq!(kit.call(&["run"]).exit, Some(2));
    assert!(kit.call(&["completions", "bash"]).stdout.contains("complete"));
}

#[test]
fn target_files_are_checked() {
    let kit = Kit::new();
    kit.file("good.yaml", "name: mine\ncommand: [mine]\nprofiles: [critic]\n");
    assert_eq!(kit.call(&["lint", "--target", "good.yaml"]).exit, Some(0));
    for (text, fault) in [
        ("name: mine\ncomand: [mine]\n", "did you mean `command`?"),
        ("name: mine\ncommand: []\n", "empty `command`"),
        ("name: mine\ncommand: [mine]\nsteps: []\n", "empty `steps`"),
        ("name: mine\ncommand: [mine]\nsteps: [compiling]\n", "compiling"),
        ("name: mine\ncommand: [mine]\nconfig: {dialect: repository, via: env}\n", "lies in the checkout"),
    ] {
        kit.file("bad.yaml", text);
        let called = kit.call(&["lint", "--target", "bad.yaml"]);
        assert_eq!(called.exit, Some(2));
        assert!(called.stderr.contains(fault), "{}", called.stderr);
    }
}
