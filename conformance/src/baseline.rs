//! The baseline of a target: which checks it is known to fail, how, and why that is accepted.
//!
//! [`Baseline`] turns verdicts into expected ones and says what does not fit. It excuses nothing silently: unknown ids,
//! other fingerprints, unexpected passes and entries without a reason are faults.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::judge::{Kind, Verdict};
use crate::ledger::Level;
use crate::source::Source;
use crate::source::fault::{Fault, nearest};

/// Known failures of one target.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    entries: Vec<Entry>,
    source: Option<Source>,
}

/// One known failure.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    check: String,
    fingerprint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Why there is no baseline.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// It cannot be read.
    #[error(
        "cannot read baseline `{path}` ({source}), name an existing one or write it with `baseline write`"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is wrong.
    #[error("{}", shown(.0))]
    Faulty(Vec<Fault>),
    /// It cannot be written.
    #[error("cannot write baseline `{path}`: {why}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

fn shown(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// It cannot be read, or is no list of entries. Rules across entries are asked by [`Baseline::faults`].
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| BaselineError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(Source::new(path.display().to_string(), text))
            .map_err(|fault| BaselineError::Faulty(vec![fault]))
    }

    /// The baseline of a text.
    ///
    /// # Errors
    /// It is no list of entries.
    pub fn parse(source: Source) -> Result<Self, Fault> {
        Ok(Self { entries: source.read()?, source: Some(source) })
    }

    /// What is wrong with it, for a suite with these check ids.
    pub fn faults(&self, checks: &BTreeSet<String>) -> Vec<Fault> {
        let Some(source) = &self.source else { return Vec::new() };
        let mut known = BTreeSet::new();
        let mut faults = Vec::new();
        for (number, entry) in self.entries.iter().enumerate() {
            let mut fault = |key: &str, message: String, remedy: String| {
                faults.push(source.fault(&format!("/{number}/{key}"), message).remedy(remedy));
            };
            let check = &entry.check;
            if entry.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) {
                let remedy = "say in your own words why this failure is accepted: `reason: …`";
                fault("check", format!("baseline entry `{check}` has no reason"), remedy.to_owned());
            }
            if !known.insert(check) {
                let remedy = "keep one of the two".to_owned();
                fault("check", format!("duplicate baseline entry `{check}`"), remedy);
            }
            if !checks.contains(check) {
                let near = nearest(check, checks.iter().map(String::as_str));
                let remedy = near.map_or_else(
                    || "remove it: the suite has no such check".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                fault("check", format!("unknown check `{check}` in the baseline"), remedy);
            }
        }
        faults
    }

    /// The same verdict in the light of the baseline. An expected failure keeps its findings.
    #[must_use]
    pub fn apply(&self, mut verdict: Verdict) -> Verdict {
        let Some(entry) = self.entries.iter().find(|entry| entry.check == verdict.check) else {
            return verdict;
        };
        let fingerprint = verdict.fingerprint();
        match verdict.kind {
            kind if kind.is_failure() && fingerprint == entry.fingerprint => {
                verdict.kind = Kind::ExpectedFail;
                verdict.note.clone_from(&entry.reason);
            }
            kind if kind.is_failure() => {
                verdict.kind = Kind::Fail;
                let note = format!(
                    "the baseline knows another failure: `{}`, not `{fingerprint}`",
                    entry.fingerprint
                );
                verdict.note = Some(note);
            }
            Kind::KitError => {}
            _ => {
                verdict.kind = Kind::UnexpectedPass;
                verdict.note = Some("remove it from the baseline: it does not fail any more".to_owned());
            }
        }
        verdict
    }

    /// Whether this check has an entry: then its verdict counts whatever its level.
    pub fn knows(&self, check: &str) -> bool {
        self.entries.iter().any(|entry| entry.check == check)
    }

    /// A baseline of everything that fails here, without reasons, except where `self` has one for the same failure.
    #[must_use]
    pub fn renewed<'a>(&self, verdicts: impl IntoIterator<Item = &'a Verdict>) -> Self {
        let reasons: BTreeMap<(&str, &str), &Option<String>> = self
            .entries
            .iter()
            .map(|entry| ((entry.check.as_str(), entry.fingerprint.as_str()), &entry.reason))
            .collect();
        let mut entries: Vec<Entry> = verdicts
            .into_iter()
            .filter(|verdict| verdict.kind.is_failure() && verdict.level != Level::Open)
            .map(|verdict| {
                let fingerprint = verdict.fingerprint();
                let reason = reasons.get(&(verdict.check.as_str(), fingerprint.as_str()));
                Entry {
                    check: verdict.check.clone(),
                    reason: reason.and_then(|reason| (*reason).clone()),
                    fingerprint,
                }
            })
            .collect();
        entries.sort_by(|left, right| left.check.cmp(&right.check));
        Self { entries, source: None }
    }

    /// How many entries there are, and how many of them have no reason.
    pub fn sizes(&self) -> (usize, usize) {
        (self.entries.len(), self.entries.iter().filter(|entry| entry.reason.is_none()).count())
    }

    /// Writes it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let unwritable = |why: String| BaselineError::Unwritable { path: path.to_owned(), why };
        let text = serde_saphyr::to_string(&self.entries).map_err(|error| unwritable(error.to_string()))?;
        std::fs::write(path, text).map_err(|error| unwritable(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::judge::Finding;

    fn verdict(kind: Kind, trace: &str) -> Verdict {
        let finding =
            Finding { what: "exit".to_owned(), expected: json!(2), seen: json!(0), trace: trace.to_owned() };
        Verdict {
            check: "exit/two/refused".to_owned(),
            requirement: "critic.exit".to_owned(),
            source: Vec::new(),
            level: Level::Must,
            kind,
            findings: if kind == Kind::Fail { vec![finding] } else { Vec::new() },
            note: None,
            seconds: Duration::ZERO,
            peaks: std::collections::BTreeMap::new(),
        }
    }

    fn baseline(text: &str) -> Baseline {
        Baseline::parse(Source::new("b.yaml", text)).unwrap()
    }

    const KNOWN: &str = "- {check: exit/two/refused, fingerprint: 'exit: 0', reason: known}\n";

    #[test]
    fn a_known_failure_is_expected() {
        assert_eq!(baseline(KNOWN).apply(verdict(Kind::Fail, "exit: 0")).kind, Kind::ExpectedFail);
    }

    #[test]
    fn another_failure_of_the_same_check_fails() {
        let verdict = baseline(KNOWN).apply(verdict(Kind::Fail, "exit: 1"));
        assert_eq!(verdict.kind, Kind::Fail);
        assert!(verdict.note.unwrap().contains("exit: 1"));
    }

    #[test]
    fn a_pass_of_a_known_failure_is_unexpected() {
        for kind in [Kind::Pass, Kind::Observed, Kind::NotApplicable] {
            assert_eq!(baseline(KNOWN).apply(verdict(kind, "")).kind, Kind::UnexpectedPass);
        }
    }

    #[test]
    fn what_is_not_in_the_baseline_stays() {
        assert_eq!(baseline("[]").apply(verdict(Kind::Fail, "exit: 0")).kind, Kind::Fail);
    }

    #[test]
    fn entries_without_reason_unknown_and_double_ones_are_faults() {
        let text = "- {check: exit/two/refused, fingerprint: x}\n- {check: exit/two/refusd, fingerprint: x, reason: y}\n- {check: exit/two/refused, fingerprint: x, reason: y}\n";
        let faults = baseline(text).faults(&BTreeSet::from(["exit/two/refused".to_owned()]));
        let shown: Vec<String> =
            faults.iter().map(|fault| format!("{} {}", fault.line(), fault.message())).collect();
        assert_eq!(
            shown,
            [
                "1 baseline entry `exit/two/refused` has no reason",
                "2 unknown check `exit/two/refusd` in the baseline",
                "3 duplicate baseline entry `exit/two/refused`",
            ]
        );
    }

    #[test]
    fn a_renewed_baseline_keeps_the_reasons_of_unchanged_failures() {
        let same = baseline(KNOWN).renewed([&verdict(Kind::Fail, "exit: 0")]);
        assert_eq!(same.sizes(), (1, 0));
        let changed = baseline(KNOWN).renewed([&verdict(Kind::Fail, "exit: 1")]);
        assert_eq!(changed.sizes(), (1, 1));
        assert_eq!(baseline(KNOWN).renewed([&verdict(Kind::Pass, "")]).sizes(), (0, 0));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.yaml");
        let odd = verdict(Kind::Fail, "stdout: `a: #b {c}` \u{fffd}");
        Baseline::default().renewed([&odd]).write(&path).unwrap();
        assert_eq!(Baseline::read(&path).unwrap().entries[0].fingerprint, odd.fingerprint());
    }
}
