//! Verdicts of several runs of one scenario: they agree, or the check is flaky, which is a failure.
//!
//! [`agreed`] compares kinds and fingerprints, not times.

use crate::judge::{Kind, Verdict};

/// One verdict per check out of those of each round. At least one round is needed.
pub(super) fn agreed(mut rounds: Vec<Vec<Verdict>>) -> Vec<Verdict> {
    if rounds.len() <= 1 {
        return rounds.pop().unwrap_or_default();
    }
    let later = rounds.split_off(1);
    let first = rounds.pop().unwrap_or_default();
    first
        .into_iter()
        .map(|verdict| {
            let others = later.iter().flatten().filter(|other| other.check == verdict.check).collect();
            one(verdict, others)
        })
        .collect()
}

fn one(first: Verdict, others: Vec<&Verdict>) -> Verdict {
    let same = |other: &&Verdict| other.kind == first.kind && other.fingerprint() == first.fingerprint();
    if others.iter().all(same) || first.kind == Kind::Observed {
        return first;
    }
    if let Some(error) = others.iter().find(|other| other.kind == Kind::KitError) {
        return (*error).clone();
    }
    if first.kind == Kind::KitError {
        return first;
    }
    let kinds: Vec<&str> =
        std::iter::once(first.kind.name()).chain(others.iter().map(|other| other.kind.name())).collect();
    let note = format!("flaky: {} in {} runs", kinds.join(", "), kinds.len());
    let shown = if first.kind.is_failure() {
        first
    } else {
        others.into_iter().find(|other| other.kind.is_failure()).cloned().unwrap_or(first)
    };
    Verdict { kind: Kind::Fail, note: Some(note), ..shown }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ledger::Level;

    fn verdict(kind: Kind) -> Verdict {
        Verdict {
            check: "a/b/c".to_owned(),
            requirement: "a.b".to_owned(),
            source: Vec::new(),
            level: Level::Must,
            kind,
            findings: Vec::new(),
            note: None,
            seconds: Duration::ZERO,
            peaks: std::collections::BTreeMap::new(),
        }
    }

    fn agreed_kind(kinds: &[Kind]) -> Kind {
        agreed(kinds.iter().map(|kind| vec![verdict(*kind)]).collect())[0].kind
    }

    #[test]
    fn verdicts_that_differ_are_a_failure() {
        assert_eq!(agreed_kind(&[Kind::Pass, Kind::Pass]), Kind::Pass);
        assert_eq!(agreed_kind(&[Kind::Pass, Kind::Fail]), Kind::Fail);
        assert_eq!(agreed_kind(&[Kind::Vacuous, Kind::Pass]), Kind::Fail);
        assert_eq!(agreed_kind(&[Kind::Pass, Kind::KitError]), Kind::KitError);
        let flaky = agreed(vec![vec![verdict(Kind::Pass)], vec![verdict(Kind::Fail)]]);
        assert_eq!(flaky[0].note.as_deref(), Some("flaky: pass, fail in 2 runs"));
    }
}
