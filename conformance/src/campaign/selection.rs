//! Which checks of the suite are asked.
//!
//! [`Selection`] is what the caller chose. Whether a target claims them is asked by the plan.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::ledger::{Level, Profile, Requirement};
use crate::scenario::Scenario;
use crate::scenario::check::Check;
use crate::suite::Suite;

/// What the caller chose; everything by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Ids of scenarios, checks or requirements; one has to fit.
    pub only: Vec<Pattern>,
    /// Levels of requirements.
    pub levels: Vec<Level>,
    /// Profiles of requirements.
    pub profiles: Vec<Profile>,
    /// Words of scenarios; one has to be there.
    pub tags: Vec<String>,
    /// A part of the scenarios.
    pub shard: Option<Shard>,
}

/// A prefix of an id, or an id in which `*` stands for anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<String>);

/// One part of several, by number from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

/// Why this is no shard.
#[derive(Debug, Error)]
#[error("`{0}` is no part of the suite, expected I/N with I from 1 to N, for example 2/3")]
pub struct ShardError(String);

impl Selection {
    /// Whether everything is asked.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }

    /// What the caller named and the suite does not have, as it was typed.
    pub fn unmatched(&self, suite: &Suite) -> Vec<String> {
        let fits = |pattern: &Pattern| {
            suite
                .scenarios()
                .iter()
                .any(|scenario| scenario.checks().iter().any(|check| pattern.fits_check(scenario, check)))
        };
        let only =
            self.only.iter().filter(|pattern| !fits(pattern)).map(|pattern| format!("--only {pattern}"));
        let has = |tag: &String| suite.scenarios().iter().any(|scenario| scenario.tags().contains(tag));
        let tags = self.tags.iter().filter(|tag| !has(tag)).map(|tag| format!("--tag {tag}"));
        only.chain(tags).collect()
    }

    /// Whether the scenario of this number belongs to the shard.
    pub(super) fn holds_number(&self, number: usize) -> bool {
        self.shard.is_none_or(|shard| number % shard.count == shard.index - 1)
    }

    /// Whether this check is asked, apart from shards.
    pub fn holds(&self, scenario: &Scenario, check: &Check, row: Option<&Requirement>) -> bool {
        let has_level = |row: &Requirement| self.levels.is_empty() || self.levels.contains(&row.level());
        let has_profile =
            |row: &Requirement| self.profiles.is_empty() || self.profiles.contains(&row.profile());
        (self.only.is_empty() || self.only.iter().any(|pattern| pattern.fits_check(scenario, check)))
            && row.is_none_or(|row| has_level(row) && has_profile(row))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| scenario.tags().contains(tag)))
    }
}

impl Pattern {
    /// Whether the id of the check, of its scenario or of its requirement fits.
    fn fits_check(&self, scenario: &Scenario, check: &Check) -> bool {
        self.fits(scenario.id())
            || self.fits(scenario.requirement_of(check))
            || self.fits(&scenario.check_id(check))
    }

    /// Whether `id` fits: by prefix, or as a whole where there is a `*`.
    pub fn fits(&self, id: &str) -> bool {
        let Some((first, rest)) = self.0.split_first() else { return true };
        let Some(mut left) = id.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else { return true };
        for part in middle {
            match left.find(part.as_str()) {
                Some(at) => left = &left[at + part.len()..],
                None => return false,
            }
        }
        left.ends_with(last.as_str())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("*"))
    }
}

impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Self(text.split('*').map(str::to_owned).collect())
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, count)| Some(Self { index: index.parse().ok()?, count: count.parse().ok()? }));
        numbers
            .filter(|shard| shard.index >= 1 && shard.index <= shard.count)
            .ok_or_else(|| ShardError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_prefix_or_has_stars() {
        let fits = |pattern: &str, id: &str| Pattern::from(pattern).fits(id);
        assert!(fits("timeout/", "timeout/tree/gone"));
        assert!(!fits("tree", "timeout/tree/gone"));
        assert!(fits("*/gone", "timeout/tree/gone"));
        assert!(fits("time*tree*", "timeout/tree/gone"));
        assert!(!fits("*/tree", "timeout/tree/gone"));
        assert!(fits("timeout/tree/gone", "timeout/tree/gone"));
    }

    #[test]
    fn shards_cut_the_suite_without_rest() {
        let shards: Vec<Selection> = ["1/3", "2/3", "3/3"]
            .map(|text| Selection { shard: Some(text.parse().unwrap()), ..Selection::default() })
            .into();
        for number in 0..20 {
            assert_eq!(shards.iter().filter(|shard| shard.holds_number(number)).count(), 1);
        }
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
