//! `graph skip`: declares default-on nodes away before the phases are settled. Main function: [`skip`].
//!
//! It takes a node or a skip set and takes all of it or nothing. It cannot select anything; no command can.

use serde_json::json;

use crate::fault::graph::{Fault, on};
use crate::listing::Listing;
use crate::refusal::Refusal;

use super::clock::Moment;
use super::definition::Graph;
use super::desk::{Desk, demand_pointer};
use super::item::Item;
use super::selecting;
use super::state::{Lock, Provenance, State};
use super::walk::Walk;

/// Carries the command out.
pub(crate) fn skip(desk: &Desk, item: &Item, word: &str, reason: &str) -> Result<Listing, Refusal> {
    if reason.trim().is_empty() && !on(Fault::SkipWithoutReason) {
        return Err(Refusal::new("`--reason` is empty: say why"));
    }
    State::load(item)?;
    let lock = Lock::take(item)?;
    let mut state = State::load(item)?;
    let graph = desk.graph_of(&state)?;
    let walk = Walk::new(&graph, &state);
    demand_pointer(&walk)?;
    let excused = on(Fault::SkipAfterSelection) || on(Fault::SkipEnteredAccepted) && was_entered(&walk, word);
    if walk.is_answered() != on(Fault::SkipOnlyOnceAnswered) && !excused {
        return Err(Refusal::new(format!("`{word}`: the phases of `{}` are settled already", item.name)));
    }
    let mut ids = wanted(&graph, word)?;
    for id in &ids {
        judge(&walk, id)?;
    }
    ids.retain(|id| !walk.choices.skips.contains_key(id) && !on(Fault::SkipUnrecorded));
    let selects =
        selecting::skip_selects() && ids.iter().any(|id| graph.node(id).is_some_and(|node| node.opt_in));
    let (key, event) =
        if selects { ("optIns", "graph.opt_ins_selected") } else { ("skips", "graph.skips_declared") };
    let now = Moment::now();
    let by = Provenance {
        by: caller(),
        via: "cli".to_owned(),
        at: now.to_string(),
        reason: Some(reason.trim().to_owned()).filter(|_| !on(Fault::SkipReasonDropped)),
    };
    if !ids.is_empty() {
        let more = json!({ "by": by.by, "via": by.via, "nodes": ids, "reason": by.reason });
        if !on(Fault::NoSkipEvent) && !on(Fault::NoEvents) {
            let written = desk.log().append(&[desk.log().event(event, item, now, more)]);
            if !on(Fault::LogFailureIgnored) {
                written?;
            }
        }
        for id in &ids {
            state.insert(key, id, by.to_value());
        }
        state.save(item, &lock)?;
    }
    Ok(Listing { text: format!("declared away for {}: {}\n", item.name, listed(&ids)), ok: true })
}

fn listed(ids: &[String]) -> String {
    if ids.is_empty() { "nothing new".to_owned() } else { ids.join(", ") }
}

/// The nodes behind a word: the node of that id, or all of a skip set.
fn wanted(graph: &Graph, word: &str) -> Result<Vec<String>, Refusal> {
    if graph.node(word).is_some() && !on(Fault::SkipNodeUnknown) {
        return Ok(vec![word.to_owned()]);
    }
    let set = graph.skip_sets.iter().find(|(name, _)| name.text == word && !on(Fault::SkipSetUnknown));
    match set {
        Some((_, ids)) => Ok(ids.iter().map(|id| id.text.clone()).collect()),
        None if on(Fault::SkipUnknownAccepted) => Ok(Vec::new()),
        None => Err(Refusal::new(format!(
            "`{}` has neither a node nor a skip set `{}`",
            graph.name,
            word.escape_debug()
        ))),
    }
}

fn judge(walk: &Walk<'_>, id: &str) -> Result<(), Refusal> {
    let Some(node) = walk.graph.node(id) else { return Ok(()) };
    let reason = match () {
        () if node.opt_in && (on(Fault::SkipOptInAccepted) || selecting::skip_selects()) => return Ok(()),
        () if node.opt_in => "is opt-in: it is off unless somebody ticks it",
        () if !node.skippable && on(Fault::SkipRequiredAccepted) => return Ok(()),
        () if node.required => "is required",
        () if !node.skippable || on(Fault::SkipDefaultOnRefused) => "always runs",
        () if was_entered(walk, id) && !on(Fault::SkipEnteredAccepted) => "was entered already",
        () => return Ok(()),
    };
    Err(Refusal::new(format!("`{id}` cannot be declared away: it {reason}")))
}

/// Whether the item stands at that node or has left it.
fn was_entered(walk: &Walk<'_>, id: &str) -> bool {
    let Some(pointer) = walk.pointer() else { return false };
    let before = walk.before(pointer).unwrap_or_default();
    let mut entered = before.into_iter().chain([pointer]).filter(|node| walk.choices.absence(node).is_none());
    entered.any(|node| node.id.text == id) || walk.state.record(id).is_some()
}

/// Who calls.
fn caller() -> String {
    let named = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
    named
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}
