//! `run` against tiny targets: exit codes, reports, filters, sandboxes.
#![allow(clippy::unwrap_used, reason = "only tests are here")]

mod kit;

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use self::kit::{Kit, ROUND, TINY, exists};

#[test]
fn a_target_that_keeps_its_musts_exits_0_and_leaves_nothing() {
    let kit = Kit::new();
    let (tiny, mine) = (kit.program("tiny", TINY), kit.scenario("round", ROUND));
    let called = kit.call(&["run", "--scenarios", &mine, "--only", "mine/", "--", &tiny]);
    assert_eq!(called.exit, Some(0), "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("2 of 2 checks"), "{}", called.stdout);
    assert!(called.stdout.contains("tiny (tiny 1.0, start-up"), "{}", called.stdout);
    assert_eq!(kit.leftovers(), 0);
}

#[test]
fn a_broken_must_exits_1_and_its_script_repeats_it() {
    let kit = Kit::new();
    let broken = TINY.replace("\"ok\": true", "\"ok\": false").replace("%s", "%s!");
    let (tiny, mine) = (kit.program("tiny", &broken), kit.scenario("round", ROUND));
    let called =
        kit.call(&["run", "--scenarios", &mine, "--only", "mine/", "--format", "jsonl", "--", &tiny]);
    assert_eq!(called.exit, Some(1));
    let lines = called.lines();
    assert_eq!(lines[0]["expected"], 2);
    assert_eq!(lines[1]["verdict"], "fail");
    assert_eq!(lines[1]["expected"]["envelope /output"], "fine");
    assert_eq!(lines[1]["seen"]["envelope /output"], "fine!");
    assert_eq!(lines[2]["verdict"], "pass");
    assert_eq!(lines[3]["exit"], 1);
    let replay = Command::new(lines[1]["replay"].as_str().unwrap()).output().unwrap();
    let printed = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(printed.contains("\"output\": \"fine!\""), "{printed}");
}

#[test]
fn what_cannot_be_driven_exits_3() {
    let kit = Kit::new();
    for command in ["/nowhere/at/all", "no-such-program-anywhere", "true"] {
        let called = kit.call(&["run", "--only", "policy/", "--", command]);
        assert_eq!(called.exit, Some(3), "{command}: {}{}", called.stdout, called.stderr);
        let called = kit.call(&["doctor", "--", command]);
        assert_eq!(called.exit, Some(3), "{command}: {}{}", called.stdout, called.stderr);
    }
    assert_eq!(kit.leftovers(), 0);
}

#[test]
fn an_idle_target_driven_past_the_preflight_fails() {
    let kit = Kit::new();
    let mine = kit.scenario("round", ROUND);
    let called = kit.call(&["run", "--no-preflight", "--scenarios", &mine, "--only", "mine/", "--", "true"]);
    assert_eq!(called.exit, Some(1));
    assert!(called.stdout.contains("start-up not measured"), "{}", called.stdout);
    assert!(called.stdout.contains("0 of 1 requirements kept"), "{}", called.stdout);
}

#[test]
fn nothing_selected_and_nothing_executed_are_no_success() {
    let kit = Kit::new();
    let tiny = kit.program("tiny", TINY);
    assert_eq!(kit.call(&["run", "--only", "nothing/", "--", &tiny]).exit, Some(2));
    let target = kit.file("tiny.yaml", &format!("name: t\ncommand: ['{tiny}']\nprofiles: [graph]\n"));
    let unclaimed = kit.call(&["run", "--target", &target, "--only", "policy/"]);
    assert_eq!(unclaimed.exit, Some(1));
    assert!(unclaimed.stdout.contains("nothing was executed"), "{}", unclaimed.stdout);
}

#[test]
fn a_name_that_fits_nothing_is_refused_beside_one_that_fits() {
    let kit = Kit::new();
    let (tiny, mine) = (kit.program("tiny", TINY), kit.scenario("round", ROUND));
    for (slip, named) in [
        (["--only", "mine/", "--only", "mine/ruond"], "`--only mine/ruond`"),
        (["--only", "mine/*", "--only", "*/sad"], "`--only */sad`"),
        (["--only", "mine/", "--tag", "yours"], "`--tag yours`"),
    ] {
        for command in ["run", "list"] {
            let mut arguments = vec![command, "--scenarios", &mine];
            arguments.extend(slip);
            arguments.extend(["--", &tiny].iter().filter(|_| command == "run"));
            let called = kit.call(&arguments);
            assert_eq!(called.exit, Some(2), "{command} {slip:?}: {}", called.stdout);
            assert!(called.stderr.contains(named), "{command} {slip:?}: {}", called.stderr);
            assert!(!called.stderr.contains("`--only mine/`"), "{}", called.stderr);
        }
    }
}

#[test]
fn the_profile_of_a_command_says_what_is_claimed_and_counted() {
    let kit = Kit::new();
    let tiny = kit.program("tiny", TINY);
    let policy = r#"POLICY={"selfReviewCount": 3}"#;
    let called = kit.call(&["run", "--profile", "policy", "--format", "jsonl", "--env", policy, "--", &tiny]);
    let lines = called.lines();
    let (first, last) = (lines.first().unwrap(), lines.last().unwrap());
    assert_eq!(last["counts"]["not-applicable"], 0);
    assert_eq!(first["expected"], lines.len() - 2);
    assert!(lines.len() < 100, "{}", lines.len());
}

#[test]
fn a_preflight_is_cut_off_like_every_step() {
    let kit = Kit::new();
    let hangs = kit.program("hangs", "#!/bin/sh\nexec sleep 600\n");
    let begin = Instant::now();
    let called = kit.call(&["run", "--only", "policy/zero", "--hang-after", "0.3", "--", &hangs]);
    assert_eq!(called.exit, Some(3), "{}{}", called.stdout, called.stderr);
    assert!(begin.elapsed() < Duration::from_secs(25), "{:?}", begin.elapsed());
}

#[test]
fn a_sandbox_has_one_path_in_a_report() {
    let kit = Kit::new();
    let broken =
        TINY.replace("\"ok\": true", "\"ok\": \"'$PWD'\"").replace("text=", "echo \"in $PWD\" >&2\ntext=");
    let scenario = ROUND.replace("/output: fine", "/output: fine, /ok: true");
    let (tiny, mine) = (kit.program("tiny", &broken), kit.scenario("round", &scenario));
    for format in ["text", "jsonl"] {
        let called =
            kit.call(&["run", "--scenarios", &mine, "--only", "mine/", "--format", format, "--", &tiny]);
        let text = called.stdout.replace(['"', '\'', ',', '\\'], " ");
        let paths: Vec<&str> = text.split_whitespace().filter(|word| word.contains("/checkout")).collect();
        assert!(!paths.is_empty(), "{text}");
        assert!(paths.iter().all(|path| path.contains("/mine/round/")), "{paths:?}");
    }
}

#[test]
fn what_needs_a_step_that_is_not_claimed_is_not_asked() {
    let kit = Kit::new();
    kit.program("programs/tiny", TINY);
    let mine = kit.scenario("round", ROUND);
    let run = |steps: &str| {
        let text = format!("name: part\ncommand: [programs/tiny]\nsteps: [{steps}]\n");
        let target = kit.file("part.yaml", &text);
        kit.call(&["run", "--scenarios", &mine, "--only", "mine/", "--format", "jsonl", "--target", &target])
    };
    let without = run("list, check");
    assert_eq!(without.exit, Some(1), "nothing was executed");
    assert_eq!(without.lines()[1]["verdict"], "not-applicable");
    assert_eq!(without.lines()[1]["note"], "the target does not claim the step `run`");
    assert_eq!(run("run").lines()[1]["verdict"], "pass");
}

#[test]
fn a_program_with_a_path_lies_beside_its_target_file() {
    let kit = Kit::new();
    kit.program("elsewhere/programs/tiny", TINY);
    let mine = kit.scenario("round", ROUND);
    let target = kit.file("elsewhere/mine.yaml", "name: mine\ncommand: [programs/tiny]\n");
    for file in [target.as_str(), "elsewhere/mine.yaml"] {
        let called = kit.call(&["run", "--scenarios", &mine, "--only", "mine/", "--target", file]);
        assert_eq!(called.exit, Some(0), "{file}: {}{}", called.stdout, called.stderr);
    }
}

#[test]
fn filters_choose_by_id_requirement_level_and_tag() {
    let kit = Kit::new();
    let (tiny, mine) = (kit.program("tiny", TINY), kit.scenario("round", ROUND));
    let run = |filters: &[&str]| {
        let mut arguments = vec!["run", "--no-preflight", "--format", "jsonl", "--scenarios", &mine];
        arguments.extend(filters);
        arguments.extend(["--", &tiny]);
        kit.call(&arguments)
    };
    let checks = |filters: &[&str]| run(filters).lines()[0]["expected"].clone();
    assert_eq!(checks(&["--only", "mine/round/said"]), 1);
    assert_eq!(checks(&["--only", "*/said", "--tag", "mine"]), 1);
    assert_eq!(checks(&["--tag", "mine"]), 2);
    assert_eq!(checks(&["--tag", "mine", "--level", "must"]), 2);
    assert_eq!(run(&["--tag", "mine", "--level", "open"]).exit, Some(2));
    let of_requirement = run(&["--only", "critic.envelope.single-object", "--tag", "mine"]);
    assert_eq!(of_requirement.lines()[0]["expected"], 2);
}

#[test]
fn shards_make_the_whole() {
    let kit = Kit::new();
    let tiny = kit.program("tiny", TINY);
    let expected = |shard: &[&str]| {
        let mut arguments = vec!["run", "--no-preflight", "--format", "jsonl", "--only", "policy/"];
        arguments.extend(shard);
        arguments.extend(["--", &tiny]);
        kit.call(&arguments).lines()[0]["expected"].as_u64().unwrap()
    };
    let parts = expected(&["--shard", "1/2"]) + expected(&["--shard", "2/2"]);
    assert_eq!(parts, expected(&[]));
}

#[test]
fn a_target_that_changes_its_mind_is_flaky() {
    let kit = Kit::new();
    let fickle =
        TINY.replace("printf", "if [ -e \"$STATE\" ]; then text=other; else : > \"$STATE\"; fi\nprintf");
    let (fickle, mine) = (kit.program("fickle", &fickle), kit.scenario("round", ROUND));
    let state = format!("STATE={}", kit.path("state").display());
    let called = kit.call(&[
        "run",
        "--no-preflight",
        "--scenarios",
        &mine,
        "--only",
        "mine/",
        "--repeat",
        "2",
        "--env",
        &state,
        "--",
        &fickle,
    ]);
    assert_eq!(called.exit, Some(1));
    assert!(called.stdout.contains("flaky: pass, fail in 2 runs"), "{}", called.stdout);
}

#[test]
fn sandboxes_are_kept_when_asked() {
    let kit = Kit::new();
    let (tiny, mine) = (kit.program("tiny", TINY), kit.scenario("round", ROUND));
    let keep = format!("--keep={}", kit.path("kept").display());
    let called = kit.call(&["run", &keep, "--scenarios", &mine, "--only", "mine/", "--", &tiny]);
    assert_eq!(called.exit, Some(0));
    assert!(called.stdout.contains("sandboxes kept in"), "{}", called.stdout);
    let run = fs::read_dir(kit.path("kept")).unwrap().next().unwrap().unwrap().path();
    assert!(exists(&run.join("mine/round/subject/replay.sh")));
    // The target was not told which scenario it is in: its paths hold neither words nor digits of their own.
    let seen = fs::canonicalize(run.join("mine/round")).unwrap();
    let name = seen.file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.len() == 4 && !name.contains(['a', 'e', 'i', 'o', 'u']), "{name}");
    assert_eq!(seen.parent().unwrap(), fs::canonicalize(&run).unwrap());
}

#[test]
fn the_report_goes_where_it_is_asked_to() {
    let kit = Kit::new();
    let (tiny, mine) = (kit.program("tiny", TINY), kit.scenario("round", ROUND));
    let output = kit.path("report.txt").display().to_string();
    let called =
        kit.call(&["run", "--output", &output, "--scenarios", &mine, "--only", "mine/", "--", &tiny]);
    assert_eq!((called.exit, called.stdout.as_str()), (Some(0), ""));
    let report = fs::read_to_string(output).unwrap();
    assert!(report.contains("conforms (gate must)"), "{report}");
    assert!(!report.contains('\u{1b}'), "{report}");
}

#[test]
fn an_interrupted_run_says_so_and_leaves_nothing() {
    let kit = Kit::new();
    let marker = kit.path("begun");
    let hanging = format!("#!/bin/sh\n: > '{}'\nexec sleep 300\n", marker.display());
    let (hanging, mine) = (kit.program("hanging", &hanging), kit.scenario("round", ROUND));
    let mut process = kit
        .command(&[
            "run",
            "--no-preflight",
            "--format",
            "jsonl",
            "--scenarios",
            &mine,
            "--only",
            "mine/",
            "--",
            &hanging,
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while !exists(&marker) {
        assert!(begin.elapsed() < Duration::from_mins(1), "the target never began");
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_child(&process);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(2));
    let output = process.wait_with_output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(report.lines().count(), 1, "{report}");
    assert_eq!(kit.leftovers(), 0);
}
