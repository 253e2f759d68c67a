//! Whether every statement has a row, and every row its scenarios.
//!
//! Looks at ledger, tags and scenarios together; whether one scenario is well made is looked at elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::Requirement;
use crate::scenario::Trigger;
use crate::source::fault::{Fault, nearest};
use crate::suite::Draft;

/// Rows that scenarios name and the ledger does not have.
pub(super) fn unknown_requirements(draft: &Draft) -> Vec<Fault> {
    let mut faults = Vec::new();
    for scenario in &draft.scenarios {
        let own = std::iter::once(("/requirement".to_owned(), scenario.requirement()));
        let of_checks = scenario.checks().iter().filter_map(|check| {
            let pointer = format!("/checks/{}/requirement", crate::source::escape(check.name()));
            check.requirement().map(|requirement| (pointer, requirement))
        });
        for (pointer, requirement) in own.chain(of_checks) {
            if draft.ledger.row(requirement).is_none() {
                let remedy = draft.ledger.nearest(requirement).map_or_else(
                    || "name a row of specs/critic.yaml or specs/graph.yaml".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("unknown requirement `{requirement}`");
                faults.push(scenario.source().fault(&pointer, message).remedy(remedy));
            }
        }
    }
    faults
}

/// Rows without the scenarios that they need.
pub(super) fn rows(draft: &Draft) -> Vec<Fault> {
    let mut sides: BTreeMap<&str, BTreeSet<Trigger>> = BTreeMap::new();
    for scenario in &draft.scenarios {
        for check in scenario.checks() {
            sides.entry(scenario.requirement_of(check)).or_default().insert(scenario.trigger_of(check));
        }
        // The row it is about is held by it also where each check names one of its own.
        sides.entry(scenario.requirement()).or_default().insert(scenario.trigger());
    }
    let nothing = BTreeSet::new();
    draft
        .ledger
        .rows()
        .iter()
        .filter_map(|row| {
            let sides = sides.get(row.id()).unwrap_or(&nothing);
            let (message, remedy) = lack(row, sides)?;
            draft.ledger.fault(row.id(), message).map(|fault| fault.remedy(remedy))
        })
        .collect()
}

fn lack(row: &Requirement, sides: &BTreeSet<Trigger>) -> Option<(String, String)> {
    let id = row.id();
    if row.excluded().is_some() {
        return (!sides.is_empty()).then(|| {
            (format!("requirement `{id}` is excluded and has scenarios"), "remove `excluded`".to_owned())
        });
    }
    if sides.is_empty() {
        let remedy = "write one under conformance/scenarios, or say why none can decide it: `excluded: …`";
        return Some((format!("requirement `{id}` has no scenario"), remedy.to_owned()));
    }
    if !row.pattern().has_two_sides() {
        return None;
    }
    let missing = [Trigger::Present, Trigger::Absent].into_iter().find(|side| !sides.contains(side))?;
    Some((
        format!("requirement `{id}` has no scenario with `trigger: {missing}`"),
        format!("a sentence that opens with `{}` needs both sides", row.pattern().opening()),
    ))
}

/// Tags without a row, and rows that cite what is no tag.
pub(super) fn tags(draft: &Draft) -> Vec<Fault> {
    let mut faults = Vec::new();
    let cited: BTreeSet<&str> =
        draft.ledger.rows().iter().flat_map(|row| row.source().iter().map(String::as_str)).collect();
    for tag in draft.tags.iter().filter(|tag| draft.asks_for(tag)) {
        if !cited.contains(tag.tag.as_str()) {
            let message = format!("no requirement cites `{}`: {}", tag.tag, tag.asks);
            let remedy =
                "add a row for it to specs/critic.yaml or specs/graph.yaml, with scenarios or `excluded`";
            faults.push(draft.tag_fault(tag, message).remedy(remedy));
        }
    }
    for row in draft.ledger.rows() {
        for tag in row.source() {
            if draft.tags.iter().any(|known| known.tag == *tag) {
                continue;
            }
            let near = nearest(tag, draft.tags.iter().map(|known| known.tag.as_str()));
            let remedy = near.map_or_else(
                || "cite a tag of specs/tags.yaml".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("requirement `{}` cites the unknown tag `{tag}`", row.id());
            faults.extend(draft.ledger.fault(row.id(), message).map(|fault| fault.remedy(remedy)));
        }
    }
    faults
}
