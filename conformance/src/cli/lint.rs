//! `lint`: every fault of suite, targets and baselines at once; with `--deep`, see `deep`.

use std::collections::BTreeSet;
use std::path::Path;

use super::arguments::LintArguments;
use super::{CliError, deep, print};
use crate::baseline::{Baseline, BaselineError};
use crate::scenario::Scenario;
use crate::source::fault::Fault;
use crate::suite::{Draft, Suite};
use crate::target::{Target, TargetError};

pub(super) fn lint(arguments: &LintArguments) -> Result<u8, CliError> {
    let subject = arguments.deep.then(|| deep::subject(arguments)).transpose()?;
    let draft = Draft::load(arguments.scenarios.as_deref(), arguments.specs.as_deref())?;
    let mut faults = crate::lint::lint(&draft);
    let checks: BTreeSet<String> = draft.scenarios.iter().flat_map(Scenario::check_ids).collect();
    for path in &arguments.target {
        faults.extend(target_faults(path, &checks)?);
    }
    for path in &arguments.baseline {
        faults.extend(baseline_faults(path, &checks)?);
    }
    if !faults.is_empty() {
        return Err(CliError::Faults(faults));
    }
    let (rows, scenarios) = (draft.ledger.rows().len(), draft.scenarios.len());
    print(&format!("{rows} requirements, {scenarios} scenarios, {} checks: no faults\n", checks.len()))?;
    match subject {
        Some(target) => deep::deep(arguments, &Suite::new(draft).map_err(CliError::Faults)?, &target),
        None => Ok(0),
    }
}

fn target_faults(path: &Path, checks: &BTreeSet<String>) -> Result<Vec<Fault>, CliError> {
    match Target::read(path) {
        Err(TargetError::Faulty(fault)) => Ok(vec![*fault]),
        Err(other) => Err(other.into()),
        Ok(target) => target.baseline().map_or(Ok(Vec::new()), |path| baseline_faults(path, checks)),
    }
}

fn baseline_faults(path: &Path, checks: &BTreeSet<String>) -> Result<Vec<Fault>, CliError> {
    match Baseline::read(path) {
        Err(BaselineError::Faulty(faults)) => Ok(faults),
        Err(other) => Err(other.into()),
        Ok(baseline) => Ok(baseline.faults(checks)),
    }
}
