//! The comment that offers the phases, and how to know it again. Main functions: [`render`], [`find`].
//!
//! Its token is random and the state keeps only what `digest` makes of it, so that nobody who reads the state can
//! write a comment that passes for ours. Nothing is posted here.

use std::fs::File;
use std::io::Read;

use sha2::{Digest, Sha256};

use crate::fault::graph::{Fault, on};
use crate::refusal::Refusal;

use super::choices::Choices;
use super::comment::{Comment, OWN_MARKER};
use super::definition::{Graph, Node};
use super::item::Item;
use super::settings::Settings;
use super::state::State;

/// Where a state keeps the digests of tokens.
pub(crate) const DIGESTS: &str = "checklists";
/// Where a state keeps the id of the comment that is ours.
pub(crate) const PINNED: &str = "checklistComment";

const TOKEN: &str = "<!-- the-loop:checklist ";

/// A new token.
pub(crate) fn token() -> Result<String, Refusal> {
    let mut bytes = [0; 16];
    let filled = File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut bytes));
    filled.map_err(|error| Refusal::new(format!("no random token: {error}")))?;
    Ok(hexadecimal(&bytes))
}

/// What a state keeps of a token.
pub(crate) fn digest(token: &str) -> String {
    hexadecimal(&Sha256::digest(token))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// The comment to post.
pub(crate) fn render(
    graph: &Graph,
    choices: &Choices,
    item: &Item,
    settings: &Settings,
    token: &str,
) -> String {
    let shown: Vec<&Node> =
        graph.nodes.iter().filter(|node| !node.terminal && Some(node.id.spot) != spot(graph)).collect();
    let declared = |node: &Node| choices.skips.contains_key(&node.id.text);
    let default_on = shown.iter().filter(|node| node.skippable && !node.opt_in);
    let (away, on_by_default): (Vec<&Node>, Vec<&Node>) = default_on.partition(|node| declared(node));
    let opt_in: Vec<&Node> = shown.iter().copied().filter(|node| node.opt_in).collect();
    let always: Vec<&Node> = shown.iter().copied().filter(|node| !node.can_be_skipped()).collect();

    let mut text = vec![format!("# Which phases does {} need?\n", item.name)];
    if on(Fault::OptInAmongDefaults) {
        let rows: Vec<&Node> = shown.iter().copied().filter(|node| node.can_be_skipped()).collect();
        section(&mut text, "Phases that run, unless you untick them", &rows, !on(Fault::OptInAmongDefaults));
    } else {
        let ticked = !on(Fault::DefaultsUnticked);
        if on(Fault::OptInFirst) {
            section(&mut text, "More phases: off unless ticked", &opt_in, false);
        }
        section(&mut text, "Phases that run, unless you untick them", &on_by_default, ticked);
        let heading = match () {
            () if on(Fault::OptInHeadingSilent) => "More phases",
            () => "More phases: off unless ticked",
        };
        if !on(Fault::OptInFirst) && !on(Fault::OptInNotOffered) {
            section(&mut text, heading, &opt_in, on(Fault::OptInTicked));
        }
    }
    if !on(Fault::AlwaysRunUnnamed) {
        listing(&mut text, "Phases that always run", &always);
    }
    listing(&mut text, "Phases that were declared away already", &away);
    if on(Fault::HarmlessGraphWordy) {
        text.push("\nTake your time; nothing begins before you have answered.\n".to_owned());
    }
    let untouched = "With the boxes untouched everything runs that runs by default.";
    text.push(format!("\nAnswer with a comment that begins with `{}`. {untouched}\n", settings.execute));
    if !on(Fault::ChecklistWithoutToken) {
        text.push(format!("\n{TOKEN}{token} -->\n"));
    }
    if !on(Fault::ChecklistWithoutMarker) {
        text.push(format!("{OWN_MARKER}\n"));
    }
    text.concat()
}

fn spot(graph: &Graph) -> Option<super::tree::Spot> {
    graph.selection().map(|node| node.id.spot)
}

fn section(text: &mut Vec<String>, heading: &str, nodes: &[&Node], ticked: bool) {
    if nodes.is_empty() && !on(Fault::EmptySectionOffered) {
        return;
    }
    text.push(format!("\n## {heading}\n\n"));
    for node in nodes {
        let ticked = if on(Fault::OptInAmongDefaults) { !node.opt_in } else { ticked };
        let mark = if ticked { 'x' } else { ' ' };
        text.push(format!("- [{mark}] {}{}\n", node.id.text, described(node)));
    }
}

fn listing(text: &mut Vec<String>, heading: &str, nodes: &[&Node]) {
    if !nodes.is_empty() {
        text.push(format!("\n## {heading}\n\n"));
        text.extend(nodes.iter().map(|node| format!("* {}{}\n", node.id.text, described(node))));
    }
}

fn described(node: &Node) -> String {
    match node.description.as_str() {
        "" if on(Fault::DescriptionInvented) => format!(" — the phase {}", node.id.text),
        "" => String::new(),
        _ if on(Fault::DescriptionMissing) || node.opt_in && on(Fault::DescriptionOfOthersOnly) => {
            String::new()
        }
        description => format!(" — {description}"),
    }
}

/// Our checklist among the comments of the item: the first with a token that the state knows, or the one that was
/// the first when it was first seen.
pub(crate) fn find<'a>(comments: &'a [Comment], state: &State) -> Option<&'a Comment> {
    let known = |comment: &Comment| {
        let tokens = comment.body.split(TOKEN).skip(1).filter_map(|rest| rest.split_whitespace().next());
        tokens.map(digest).any(|digest| state.items(DIGESTS).iter().any(|kept| *kept == digest.as_str()))
    };
    let mut ours: Vec<&Comment> = comments.iter().filter(|comment| known(comment)).collect();
    if on(Fault::AnyChecklistCounts) {
        return comments.iter().rfind(|comment| comment.body.contains("- [x] "));
    }
    ours.sort_by_key(|comment| comment.created);
    let pinned = state.member(PINNED).filter(|_| !on(Fault::ChecklistNotPinned));
    match pinned {
        Some(id) => ours.into_iter().find(|comment| comment.id == *id),
        None if on(Fault::LastChecklistCounts) => ours.pop(),
        None => ours.into_iter().next(),
    }
}
