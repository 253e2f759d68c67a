//! The judgement of one check.
//!
//! Main type: [`Verdict`]. A verdict is data: how it is shown is the report's matter, whether it is expected is the
//! baseline's.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::ledger::Level;

/// What became of one check.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// `<area>/<slug>/<name>`.
    pub check: String,
    /// The ledger row it is about.
    pub requirement: String,
    /// Tags of the source documents.
    pub source: Vec<String>,
    /// How much the row binds.
    pub level: Level,
    /// The judgement.
    pub kind: Kind,
    /// What did not hold.
    pub findings: Vec<Finding>,
    /// What there is to say beside the findings: why it is vacuous, blocked, a fault of the kit.
    pub note: Option<String>,
    /// Wall time of the judged step; zero where it did not run.
    pub seconds: Duration,
    /// Peaks that the check asks about, also where it holds: `memory` in MiB, `disk` in bytes; the highest of all copies.
    pub peaks: BTreeMap<&'static str, u64>,
}

/// The kinds of judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It does not, and the baseline says so.
    ExpectedFail,
    /// It holds, and the baseline says that it does not.
    UnexpectedPass,
    /// The target does not claim this profile, or has another dialect.
    NotApplicable,
    /// An earlier step failed.
    Blocked,
    /// The trigger did not happen, so that nothing is proved.
    Vacuous,
    /// The kit or the machine failed.
    KitError,
    /// A choice: seen, not judged.
    Observed,
}

impl Kind {
    /// Every kind, in the order of reports.
    pub const ALL: [Self; 9] = [
        Self::Pass,
        Self::Fail,
        Self::ExpectedFail,
        Self::UnexpectedPass,
        Self::NotApplicable,
        Self::Blocked,
        Self::Vacuous,
        Self::KitError,
        Self::Observed,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::ExpectedFail => "expected-fail",
            Self::UnexpectedPass => "unexpected-pass",
            Self::NotApplicable => "not-applicable",
            Self::Blocked => "blocked",
            Self::Vacuous => "vacuous",
            Self::KitError => "kit-error",
            Self::Observed => "observed",
        }
    }

    /// Whether something was asked for and not shown: what a baseline can excuse.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Fail | Self::Blocked | Self::Vacuous)
    }

    /// Whether the target was asked at all.
    pub fn is_executed(self) -> bool {
        !matches!(self, Self::NotApplicable | Self::KitError)
    }
}

/// One assertion that did not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which: `exit`, `envelope /ok`, `received claude args`.
    pub what: String,
    /// The matcher, with names put in.
    pub expected: Value,
    /// What was there.
    pub seen: Value,
    /// The same without what differs from run to run; for the fingerprint.
    pub trace: String,
}

impl Verdict {
    /// Whether everything that the check asks was there; an observed check may be kept otherwise and breaks nothing.
    pub fn holds(&self) -> bool {
        self.findings.is_empty() && self.note.is_none()
    }

    /// What was expected, by assertion.
    pub fn expected(&self) -> Value {
        self.by_assertion(|finding| &finding.expected)
    }

    /// What was seen, by assertion.
    pub fn seen(&self) -> Value {
        self.by_assertion(|finding| &finding.seen)
    }

    fn by_assertion(&self, pick: impl Fn(&Finding) -> &Value) -> Value {
        let pairs = self.findings.iter().map(|finding| (finding.what.clone(), pick(finding).clone()));
        Value::Object(pairs.collect())
    }

    /// How it failed, stable over runs: no times, process ids, temporary paths. Empty where nothing failed.
    pub fn fingerprint(&self) -> String {
        match self.kind {
            Kind::Vacuous => "vacuous".to_owned(),
            Kind::Blocked => "blocked".to_owned(),
            _ => {
                // A slow machine adds a missed time bound to a failure of another kind: the other kind identifies it.
                let is_time = |finding: &&Finding| finding.what.starts_with("seconds");
                let mut traces: Vec<&str> = self
                    .findings
                    .iter()
                    .filter(|finding| !is_time(finding))
                    .map(|finding| finding.trace.as_str())
                    .collect();
                if traces.is_empty() {
                    traces = self.findings.iter().map(|finding| finding.trace.as_str()).collect();
                }
                traces.dedup();
                traces.join("; ")
            }
        }
    }
}
