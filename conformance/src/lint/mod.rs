//! What is wrong with a suite, beyond what makes its files unreadable.
//!
//! [`lint`] gives every fault at once. It runs nothing.

mod coverage;
mod honesty;
mod sense;

use crate::source::fault::Fault;
use crate::suite::Draft;

/// What makes a suite unfit to run: unreadable files, unknown requirements, scenarios that idleness passes,
/// checks that nothing passes. A suite that
/// is not complete yet can be run.
pub fn lint_files(draft: &Draft) -> Vec<Fault> {
    let mut faults = draft.faults.clone();
    if !draft.ledger.rows().is_empty() {
        faults.extend(coverage::unknown_requirements(draft));
    }
    faults.extend(draft.scenarios.iter().filter_map(honesty::fault));
    faults.extend(draft.scenarios.iter().flat_map(sense::faults));
    faults
}

/// Every fault of the suite. Whether rows have their scenarios is asked only once every file can be read: a scenario
/// with a misspelt key is not a missing one.
pub fn lint(draft: &Draft) -> Vec<Fault> {
    let mut faults = lint_files(draft);
    if draft.faults.is_empty() {
        faults.extend(coverage::tags(draft));
        faults.extend(coverage::rows(draft));
    }
    faults
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod walk_tests;
