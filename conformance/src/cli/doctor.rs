//! `doctor`: whether a target can be driven, and what it is.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use super::arguments::TargetArguments;
use super::workshop::Workshop;
use super::{CliError, print, program};
use crate::campaign::Checkup;
use crate::scenario::verb::Verb;

pub(super) fn doctor(arguments: &TargetArguments) -> Result<u8, CliError> {
    let target = program::target(arguments)?;
    let workshop = Workshop::open(None)?;
    let stop = AtomicBool::new(false);
    let checkup = Checkup {
        target: &target,
        kit: workshop.kit(),
        results: workshop.folder(),
        hang_after: None,
        stop: &stop,
    };
    let findings = checkup.run()?;
    let mut text = String::new();
    let profiles: Vec<&str> = target.profiles().iter().map(|profile| profile.name()).collect();
    let steps = Verb::ALL.map(|verb| target.steps().contains(&verb).then_some(verb.name()));
    let only = if steps.contains(&None) {
        format!(", and of their steps only {}", steps.into_iter().flatten().collect::<Vec<_>>().join(", "))
    } else {
        String::new()
    };
    let version = findings.version.as_deref().unwrap_or("unknown: the version command gave none");
    let mut lines = vec![
        ("target", target.name().to_owned()),
        ("command", target.command().join(" ")),
        ("version", version.to_owned()),
        ("start-up", format!("{} ms (median of three lists)", findings.startup.as_millis())),
        ("profiles", profiles.join(", ") + &only),
        ("trivial round", findings.trivial.shown()),
        ("refused round", findings.refused.shown()),
    ];
    lines.extend(findings.walk.as_ref().map(|walk| ("walk", walk.shown())));
    for (what, found) in lines {
        // A String takes whatever is written to it.
        let _ = writeln!(text, "{what:<14} {found}");
    }
    text.push_str("It can be driven. Whether it conforms is what `run` says.\n");
    print(&text)?;
    Ok(0)
}
