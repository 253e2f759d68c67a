//! `explain`: what an id stands for, and what hangs on it.

use std::fmt::Write as _;

use super::arguments::ExplainArguments;
use super::{CliError, print, suite};
use crate::ledger::Requirement;
use crate::scenario::Scenario;
use crate::source::fault::nearest;
use crate::suite::Suite;

pub(super) fn explain(arguments: &ExplainArguments) -> Result<u8, CliError> {
    let suite = suite(arguments.scenarios.as_deref())?;
    let id = arguments.id.as_str();
    let text = explanation(&suite, id).ok_or_else(|| {
        let near = nearest(id, known(&suite).iter().map(String::as_str)).map(str::to_owned);
        CliError::Call(match near {
            Some(near) => format!("unknown id `{id}`, did you mean `{near}`?"),
            None => format!(
                "unknown id `{id}`, expected a requirement, scenario, check or source tag; see `list`"
            ),
        })
    })?;
    print(&text)?;
    Ok(0)
}

fn explanation(suite: &Suite, id: &str) -> Option<String> {
    let mut text = String::new();
    if let Some(row) = suite.ledger().row(id) {
        requirement(&mut text, suite, row);
        return Some(text);
    }
    let cited: Vec<&Requirement> =
        suite.ledger().rows().iter().filter(|row| row.source().iter().any(|tag| tag == id)).collect();
    if !cited.is_empty() {
        if let Some(tag) = suite.tags().iter().find(|tag| tag.tag == id) {
            push(&mut text, &format!("{id}: {}\n", tag.asks));
        }
        for row in cited {
            requirement(&mut text, suite, row);
            text.push('\n');
        }
        return Some(text);
    }
    let found = suite.scenarios().iter().find(|scenario| {
        scenario.id() == id || scenario.checks().iter().any(|check| scenario.check_id(check) == id)
    })?;
    self::scenario(&mut text, suite, found, id);
    Some(text)
}

fn requirement(text: &mut String, suite: &Suite, row: &Requirement) {
    push(text, row.id());
    push(text, &format!("  {}", row.ears()));
    let (level, profile, since) = (row.level(), row.profile().name(), row.since());
    let sources = row.source().join(", ");
    push(text, &format!("  level {level}, profile {profile}, source {sources}, since suite {since}"));
    if let Some(reason) = row.excluded() {
        push(text, &format!("  excluded: {reason}"));
    }
    let mut last = "";
    for (scenario, check) in suite.checks_of(row) {
        if scenario.id() != last {
            push(text, &format!("  {} ({}): {}", scenario.id(), scenario.trigger(), scenario.title()));
            last = scenario.id();
        }
        let other = check.trigger().map(|trigger| format!(" ({trigger})")).unwrap_or_default();
        push(text, &format!("    {}{other}", scenario.check_id(check)));
    }
}

fn scenario(text: &mut String, suite: &Suite, scenario: &Scenario, id: &str) {
    push(text, &format!("{}: {}", scenario.id(), scenario.title()));
    push(text, &format!("  {}", scenario.source().path()));
    for check in scenario.checks() {
        let check_id = scenario.check_id(check);
        if id != scenario.id() && id != check_id {
            continue;
        }
        let requirement = scenario.requirement_of(check);
        push(text, &format!("  {check_id} proves {requirement} (trigger {})", scenario.trigger_of(check)));
        if let Some(row) = suite.ledger().row(requirement) {
            push(text, &format!("    {} ({}; {})", row.ears(), row.level(), row.source().join(", ")));
        }
    }
    push(text, "");
    text.push_str(scenario.source().text());
}

fn push(text: &mut String, line: &str) {
    // A String takes whatever is written to it.
    let _ = writeln!(text, "{line}");
}

fn known(suite: &Suite) -> Vec<String> {
    let rows = suite.ledger().rows().iter().map(|row| row.id().to_owned());
    let scenarios = suite.scenarios().iter().map(|scenario| scenario.id().to_owned());
    let tags = suite.tags().iter().map(|tag| tag.tag.clone());
    rows.chain(scenarios).chain(suite.check_ids()).chain(tags).collect()
}
