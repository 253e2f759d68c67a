//! `lint --deep`: which must-scenarios would pass without their triggers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use super::arguments::LintArguments;
use super::workshop::Workshop;
use super::{CliError, print, program};
use crate::baseline::Baseline;
use crate::campaign::{Checkup, Pool, Sandboxes, Selection};
use crate::probe::{Finding, Probe, Turn};
use crate::suite::Suite;

pub(super) fn deep(arguments: &LintArguments, suite: &Suite) -> Result<u8, CliError> {
    let target = program::target(&super::arguments::TargetArguments {
        target: arguments.target.first().cloned(),
        env: arguments.env.clone(),
        command: arguments.command.clone(),
    })?;
    let workshop = Workshop::open(None)?;
    let stop = Arc::new(AtomicBool::new(false));
    let checkup = Checkup { target: &target, kit: workshop.kit(), results: workshop.folder(), hang_after: None, stop: &stop };
    let findings = checkup.run()?;
    let baseline = Baseline::default();
    let selection = Selection { only: arguments.only.clone(), ..Selection::default() };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.map_or(processors * 4, usize::from);
    let probe = Probe {
        suite,
        selection: &selection,
        pool: Pool {
            ledger: suite.ledger(),
            target: &target,
            startup: findings.startup,
            hang_after: None,
            baseline: &baseline,
            kit: workshop.kit(),
            results: workshop.folder(),
            keep: Sandboxes::None,
            jobs,
            repeat: 1,
            stop: &stop,
        },
    };
    let begin = std::time::Instant::now();
    let examinations = probe.run().unwrap_or_default();
    let mut text = String::new();
    let mut runs = 0;
    for ex in &examinations {
        match &ex.finding {
            Finding::Unclaimed(why) => text.push_str(&format!("UNCLAIMED {} {why}\n", ex.scenario.id())),
            Finding::Untouched(v) => text.push_str(&format!("UNTOUCHED {} {}\n", ex.scenario.id(), v.len())),
            Finding::Cut(looks) => {
                runs += looks.tried.len();
                let kind = if ex.scenario.control().is_some() { "control" } else if !ex.scenario.evidence().is_empty() { "evidence" } else { "plain" };
                for look in &looks.checks {
                    let best = look.turns.values().map(|t| t.0).max();
                    let word = match best { None => "NONE", Some(Turn::Gross) => "GROSS", Some(Turn::Fine) => "FINE" };
                    text.push_str(&format!("{word} {kind} {} {}/{} {:?}\n", look.check, looks.tried.len(), looks.possible, look.turns));
                }
            }
        }
    }
    text.push_str(&format!("{} scenarios, {runs} runs, {:?}\n", examinations.len(), begin.elapsed()));
    print(&text)?;
    Ok(0)
}
