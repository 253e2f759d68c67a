//! `list`: the checks that a selection holds.

use std::fmt::Write as _;

use serde_json::json;

use super::arguments::{ListArguments, SelectionArguments};
use super::{CliError, print, suite};
use crate::campaign::{Selection, Shard};
use crate::report::Format;
use crate::suite::Suite;

/// What a selection asks for.
pub(super) fn selection(arguments: &SelectionArguments, shard: Option<Shard>) -> Selection {
    Selection {
        only: arguments.only.clone(),
        levels: arguments.level.clone(),
        profiles: arguments.profile.clone(),
        tags: arguments.tag.clone(),
        shard,
    }
}

/// A name that fits nothing is a slip, also beside one that fits.
pub(super) fn expect_matches(selection: &Selection, suite: &Suite) -> Result<(), CliError> {
    let unmatched = selection.unmatched(suite);
    if unmatched.is_empty() {
        return Ok(());
    }
    let typed: Vec<String> = unmatched.iter().map(|typed| format!("`{typed}`")).collect();
    Err(CliError::Call(format!(
        "nothing matches {}, compare with `the-loop-conformance list`",
        typed.join(", ")
    )))
}

pub(super) fn list(arguments: &ListArguments) -> Result<u8, CliError> {
    let suite = suite(arguments.selection.scenarios.as_deref())?;
    let selection = selection(&arguments.selection, None);
    expect_matches(&selection, &suite)?;
    let mut lines = String::new();
    let mut count = 0;
    for scenario in suite.scenarios() {
        for check in scenario.checks() {
            let row = suite.ledger().row(scenario.requirement_of(check));
            if !selection.holds(scenario, check, row) {
                continue;
            }
            count += 1;
            let id = scenario.check_id(check);
            let level = row.map_or("", |row| row.level().name());
            let requirement = scenario.requirement_of(check);
            // A String takes whatever is written to it.
            let _ = match arguments.format {
                Format::Text => writeln!(lines, "{level:<6} {id}  {requirement}"),
                Format::Jsonl => {
                    let line = json!({
                        "check": id, "requirement": requirement, "level": level, "title": scenario.title(),
                        "trigger": scenario.trigger().to_string(), "tags": scenario.tags(),
                    });
                    writeln!(lines, "{line}")
                }
            };
        }
    }
    if count == 0 {
        return Err(CliError::Call("nothing matches, compare with `the-loop-conformance list`".to_owned()));
    }
    print(&lines)?;
    Ok(0)
}
