//! Ways to select an opt-in phase by a command. Main functions: [`is_verb`], [`without_flags`], [`obey`].
//!
//! There are none; each of these is a fault.

use std::env;
use std::ffi::OsString;

use crate::fault::graph::{Fault, on};
use crate::listing::Listing;
use crate::refusal::Refusal;

use super::clock::Moment;
use super::item::Item;
use super::state::{Lock, Provenance, State};

/// Flags that select, with the fault that knows each and how many words it takes.
const FLAGS: [(&str, &str, Fault, usize); 3] = [
    ("skip", "--opt-in", Fault::SkipOptInFlag, 1),
    ("advance", "--select", Fault::AdvanceSelects, 2),
    ("start", "--opt-in", Fault::StartSelects, 2),
];

/// Whether this is a verb that selects.
pub(crate) fn is_verb(word: &str) -> bool {
    word == "select" && on(Fault::SelectVerb) || word == "opt-in" && on(Fault::OptInVerb)
}

/// Whether this call, by `graph skip` or a verb that stands for it, selects opt-in nodes.
pub(crate) fn skip_selects() -> bool {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    let verb = words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    let flag = || words.iter().any(|word| word == "--opt-in");
    is_verb(verb) || verb == "skip" && (on(Fault::VerbSelects) || on(Fault::SkipOptInFlag) && flag())
}

/// Words without flags that select.
pub(crate) fn without_flags(words: &[OsString]) -> Vec<OsString> {
    let mut words = words.to_vec();
    if let Some((at, taken)) = found(&words) {
        words.drain(at..words.len().min(at + taken));
    }
    words
}

fn found(words: &[OsString]) -> Option<(usize, usize)> {
    let verb = words.get(1)?;
    let (_, flag, _, taken) = FLAGS.into_iter().find(|(known, _, fault, _)| verb == known && on(*fault))?;
    words.iter().position(|word| word == flag).map(|at| (at, taken))
}

/// Selects what a flag of `graph start` or `graph advance` names.
pub(crate) fn obey(listing: Listing, item: &Item) -> Result<Listing, Refusal> {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    let named = found(&words).filter(|(_, taken)| *taken == 2);
    let Some(id) = named.and_then(|(at, _)| words.get(at + 1)?.to_str().map(str::to_owned)) else {
        return Ok(listing);
    };
    let lock = Lock::take(item)?;
    let mut state = State::load(item)?;
    let at = Moment::now().to_string();
    let by = Provenance { by: "caller".to_owned(), via: "cli".to_owned(), at, reason: None };
    state.insert("optIns", &id, by.to_value());
    state.save(item, &lock)?;
    Ok(Listing { ok: true, ..listing })
}
