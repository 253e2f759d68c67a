//! A stage for tests of the supervisor: tiny shell targets, scenarios as text, sandboxes in the build directory.
//! Main type: [`Stage`].
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fake_critics::journal::EventName;
use tempfile::TempDir;
use the_loop_conformance::observation::{CopyRecord, Observation, Session, StepRecord};
use the_loop_conformance::scenario::Scenario;
use the_loop_conformance::source::Source;
use the_loop_conformance::supervisor::{Job, Keep, launch};
use the_loop_conformance::target::Target;

/// One run's directory, with the kit in it.
pub(crate) struct Stage {
    directory: TempDir,
    kit: PathBuf,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        // Not a copy as in a run: a copy that is still open in another test's child would be a busy text.
        let kit = directory.path().join("kit");
        std::fs::hard_link(env!("CARGO_BIN_EXE_the-loop-conformance"), &kit).unwrap();
        Self { directory, kit }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A job for a target that is this shell script; the arguments after the command are `$@`.
    pub(crate) fn job(&self, shell: &str, scenario: &str) -> Job {
        let command = ["sh", "-c", shell, "target"].map(str::to_owned).to_vec();
        self.job_for(Target::from_command(command).unwrap(), scenario)
    }

    pub(crate) fn job_for(&self, target: Target, scenario: &str) -> Job {
        let text =
            format!("title: With one, slow or other\nrequirement: a.b.c\ntrigger: present\n{scenario}\n");
        let text =
            if scenario.contains("checks:") { text } else { format!("{text}checks: {{any: {{exit: 0}}}}\n") };
        let scenario = Scenario::parse("test/one", Source::new("one.yaml", text));
        Job {
            scenario: scenario.unwrap_or_else(|faults| panic!("{faults:#?}")),
            target,
            startup: Duration::ZERO,
            hang_after: None,
            sandbox: self.path().join("sandbox"),
            kit: self.kit.clone(),
            keep: Keep::Discard,
        }
    }

    pub(crate) fn observe(&self, shell: &str, scenario: &str) -> Observation {
        observe(&self.job(shell, scenario))
    }

    /// The session of the scenario itself, which had no trouble.
    pub(crate) fn subject(&self, shell: &str, scenario: &str) -> Session {
        let subject = self.observe(shell, scenario).subject;
        assert_eq!(subject.trouble, None);
        subject
    }

    /// The only step of the scenario.
    pub(crate) fn step(&self, shell: &str, scenario: &str) -> StepRecord {
        self.subject(shell, scenario).steps.pop().unwrap()
    }

    /// The only copy of the only step.
    pub(crate) fn copy(&self, shell: &str, scenario: &str) -> CopyRecord {
        self.step(shell, scenario).copies.pop().unwrap()
    }
}

pub(crate) fn observe(job: &Job) -> Observation {
    launch(job, &AtomicBool::new(false)).unwrap()
}

/// How often a fake journaled an event.
pub(crate) fn count(session: &Session, fake: &str, event: EventName) -> usize {
    session.journals[fake].iter().filter(|entry| entry.event.name() == event).count()
}

/// Whether a process lives, zombies left out.
pub(crate) fn lives(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
}

/// The command lines that name a folder, of all processes that live.
pub(crate) fn running_in(folder: &Path) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(folder.to_str().unwrap())).collect()
}
