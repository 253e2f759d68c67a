//! What a target finds in its sandbox, and what becomes of the sandbox. Targets are tiny shell scripts.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod stage;

use std::sync::atomic::{AtomicBool, Ordering};

use fake_critics::journal::{Event, EventName};
use stage::{Stage, count, lives, observe};
use the_loop_conformance::source::Source;
use the_loop_conformance::supervisor::{Keep, LaunchError, launch};
use the_loop_conformance::target::Target;

#[test]
fn nothing_of_the_kits_environment_reaches_a_target() {
    let copy = Stage::new()
        .copy("env | sed 's/=.*//' | sort | tr '\\n' ' '", "env: {MINE: 'x'}\nsteps: [{call: {args: []}}]");
    assert_eq!(copy.stdout.lossy(), "HOME LANG MINE PATH PWD TMPDIR ");
}

#[test]
fn the_environment_of_a_step_lies_over_the_scenarios() {
    let copy = Stage::new().copy(
        "echo $A ${B-gone}",
        "env: {A: '1', B: '2'}\nsteps: [{call: {args: [], env: {A: '3', B: null}}}]",
    );
    assert_eq!(copy.stdout.lossy(), "3 gone\n");
}

#[test]
fn the_configuration_lies_where_an_operator_keeps_it() {
    let copy = Stage::new().copy(
        "cat ~/.the-loop/cli-config.yaml",
        "critics: |\n  - {name: a, command: '%{bin}/x', model: 4.10}\nreviews: |\n  selfReviewCount: 2\nsteps: [{call: {args: []}}]",
    );
    let text = copy.stdout.lossy().into_owned();
    assert!(text.starts_with("critics:\n  - {name: a, command: '/"), "{text}");
    assert!(text.ends_with("/bin/x', model: 4.10}\nreviews:\n  selfReviewCount: 2\n"), "{text}");
}

#[test]
fn no_configuration_is_no_file() {
    let copy = Stage::new().copy("ls -A ~", "no-config: true\nsteps: [{call: {args: []}}]");
    assert_eq!(copy.stdout.lossy(), "");
}

#[test]
fn each_channel_tells_the_target_where_its_configuration_is() {
    for (via, shell) in
        [("env", "cat \"$THE_LOOP_CLI_CONFIG\""), ("flag", "[ \"$1\" = --config ] && cat \"$2\"")]
    {
        let stage = Stage::new();
        let target = format!("name: t\ncommand: [sh, -c, '{shell}', t]\nconfig: {{via: {via}}}\n");
        let target = Target::parse(&Source::new("t.yaml", target)).unwrap();
        let job = stage.job_for(target, "config: 'critics: []'\nsteps: [{list: {}}]");
        assert_eq!(observe(&job).subject.steps[0].copies[0].stdout.lossy(), "critics: []", "{via}");
    }
}

#[test]
fn a_file_in_the_sandbox_can_be_anything() {
    let copy = Stage::new().copy(
        "stat -c '%n %F %a' text dir link pipe | sed 's/ regular file/ file/'; cat text pipe; readlink link; further",
        "files: {text: {text: 'in %{tmp}', mode: '0640'}, dir: {directory: true, mode: '0755'}, link: {link: nowhere}, \
         pipe: {pipe: fed}, 'sub/further': {fake: one}}\nfakes: {one: [{print: fake}]}\n\
         env: {PATH: '%{root}/sub:/usr/bin:/bin'}\nsteps: [{call: {args: []}}]",
    );
    let text = copy.stdout.lossy().into_owned();
    assert!(
        text.contains("text file 640\ndir directory 755\nlink symbolic link 777\npipe fifo 600\n"),
        "{text}"
    );
    assert!(text.ends_with("/tmpfednowhere\nfake"), "{text}");
}

#[test]
fn a_further_name_of_a_fake_writes_its_journal() {
    let subject = Stage::new()
        .subject("./two; one", "files: {two: {fake: one}}\nfakes: {one: []}\nsteps: [{call: {args: []}}]");
    assert_eq!(count(&subject, "one", EventName::Started), 2);
}

#[test]
fn names_in_a_script_are_put_in() {
    let copy = Stage::new().copy("one", "fakes: {one: [{print: '%{root}'}]}\nsteps: [{call: {args: []}}]");
    assert!(copy.stdout.lossy().ends_with("/checkout"), "{copy:?}");
}

#[test]
fn a_fake_sees_the_directory_and_the_arguments_of_its_start() {
    let subject = Stage::new().subject(
        "cd dir && exec one a 'b c'",
        "files: {dir: {directory: true}}\nfakes: {one: []}\nsteps: [{call: {args: []}}]",
    );
    let Event::Started(started) = &subject.journals["one"][0].event else { panic!("{:?}", subject.journals) };
    assert_eq!(started.cwd.lossy(), subject.places.root.join("dir").display().to_string());
    assert_eq!(started.argv[1..], ["a".into(), "b c".into()]);
}

#[test]
fn a_sandbox_is_removed_whatever_its_permissions() {
    let stage = Stage::new();
    stage.subject("mkdir -p a/b && : > a/b/c && chmod 0 a/b a", "steps: [{call: {args: []}}]");
    assert!(!stage.path().join("sandbox").exists());
}

#[test]
fn a_kept_sandbox_can_be_replayed_without_the_kit() {
    let stage = Stage::new();
    let mut job = stage.job(
        "cat; printf '<%s>' \"$@\"; echo \"$ODD\"; exec one",
        "bystanders: [other]\nfakes: {other: [{sleep: 600}], one: [{print: 'fake\\n'}, {sleep: 600}]}\nenv: {ODD: \"it's $HOME\"}\n\
         steps: [{run: {critic: one, prompt: \"a 'b'\\n$(c)\", stdin: given}, signal: {after: sleeping, of: one, send: INT}}]",
    );
    job.keep = Keep::Keep;
    let observation = observe(&job);
    let replay = job.sandbox.join("subject/replay.sh");
    let output = std::process::Command::new(&replay).output().unwrap();
    let seen = String::from_utf8_lossy(&output.stdout);
    let recorded = observation.subject.steps[0].copies[0].stdout.lossy();
    assert!(seen.starts_with(&*recorded), "{seen}\n{recorded}");
    assert!(
        recorded.starts_with("given<critic><run><one><--prompt><a 'b'\n$(c)>it's $HOME\nfake"),
        "{recorded}"
    );
    // Both journals, each from this replay only.
    assert_eq!(seen.matches("\"started\"").count(), 2, "{seen}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("exit 130"), "{output:?}");
}

#[test]
fn an_interrupted_run_leaves_nothing_alive_and_no_sandbox() {
    let stage = Stage::new();
    let job = stage.job("slow", "fakes: {slow: [{child: {session: own, steps: [{sleep: 600}]}}, {sleep: 600}]}\nsteps: [{call: {args: []}, within: 600}]");
    let stop = AtomicBool::new(false);
    let journal = job.sandbox.join("subject/bin/.fakes/slow.journal");
    let (outcome, entries) = std::thread::scope(|scope| {
        let running = scope.spawn(|| launch(&job, &stop));
        let sleeping = |entries: &[fake_critics::journal::Entry]| {
            entries.iter().filter(|entry| entry.event.name() == EventName::Sleeping).count() == 2
        };
        let entries = loop {
            let entries = fake_critics::journal::read(&journal).unwrap();
            if sleeping(&entries) {
                break entries;
            }
            assert!(!running.is_finished(), "the run ended by itself");
            std::thread::yield_now();
        };
        stop.store(true, Ordering::Relaxed);
        (running.join().unwrap(), entries)
    });
    assert!(matches!(outcome, Err(LaunchError::Interrupted)), "{outcome:?}");
    assert!(entries.iter().all(|entry| !lives(entry.pid)));
    assert!(!job.sandbox.exists());
}

#[test]
fn a_supervisor_that_dies_is_an_error_of_the_kit_and_takes_everything_with_it() {
    let stage = Stage::new();
    let job = stage.job(
        "one; kill -KILL $PPID; one",
        "fakes: {one: [{child: {session: own, steps: [{sleep: 600}]}}]}\nsteps: [{call: {args: []}}]",
    );
    let outcome = launch(&job, &AtomicBool::new(false));
    assert!(
        matches!(&outcome, Err(LaunchError::Died { status, .. }) if status.contains("signal")),
        "{outcome:?}"
    );
    assert_eq!(stage::running_in(&job.sandbox), Vec::<String>::new());
    assert!(!job.sandbox.exists());
}

#[test]
fn a_supervisor_that_its_target_stopped_does_not_hold_an_interrupted_run() {
    let stage = Stage::new();
    let job = stage.job(
        "one; kill -STOP $PPID; one",
        "fakes: {one: [{sleep: 0}]}\nsteps: [{call: {args: []}, within: 600}]",
    );
    let stop = AtomicBool::new(false);
    let journal = job.sandbox.join("subject/bin/.fakes/one.journal");
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| launch(&job, &stop));
        // The second start is after the stop.
        let started = |entry: &fake_critics::journal::Entry| entry.event.name() == EventName::Started;
        while fake_critics::journal::read(&journal)
            .unwrap_or_default()
            .iter()
            .filter(|entry| started(entry))
            .count()
            < 2
        {
            assert!(!running.is_finished(), "the run ended by itself");
            std::thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
        running.join().unwrap()
    });
    assert!(matches!(outcome, Err(LaunchError::Interrupted)), "{outcome:?}");
    assert_eq!(stage::running_in(&job.sandbox), Vec::<String>::new());
    assert!(!job.sandbox.exists());
}
