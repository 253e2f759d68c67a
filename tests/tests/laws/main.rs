//! Laws of the reference: what holds for any input, at least 2,000 random ones each.
//!
//! `PROPTEST_CASES` raises the number. A counterexample becomes a named test beside what it broke.

#![cfg(test)]

mod answer;
mod compile;
mod config;
mod delivery;
mod envelope;
mod forgery;
mod item;
mod material;
mod opt_in;
mod phases;
mod reading;
mod scene;
mod selection;
mod substitution;
mod walked;

use proptest::prelude::ProptestConfig;

/// How often each law is tried; never less than 2,000 times.
fn cases() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.max(2_000), failure_persistence: None, ..usual }
}
