//! The checklist: the comment by which a human chooses the phases of a work item.
//!
//! [`text`] is what is posted, [`find`] knows it again among comments. What ticks mean is decided in `selection`.

use std::fmt::Write as _;

use super::comment::{Comment, Edit};
use super::history::Printed;
use super::reply::{OWN_MARKER, is_own};
use super::token::{Token, hashes};
use super::walk::{Absence, Standing};
use super::{Moment, Node};

/// The checklist of a work item, as Markdown. `keyword` opens the reply to it (OR-2.1, OR-2.2).
pub fn text(standing: &Standing, work_item: &str, token: &Token, keyword: &str) -> String {
    let nodes = standing.graph.nodes();
    let declared = |node: &&Node| matches!(standing.absence(node), Some(Absence::Declared(_)));
    let offered: Vec<&Node> = nodes.iter().filter(|node| node.is_default_on() && !declared(node)).collect();
    let opt_ins: Vec<&Node> = nodes.iter().filter(|node| node.is_opt_in()).collect();
    let mut text = format!("{OWN_MARKER}\n{}\n## Phases of `{work_item}`\n", token.comment());
    if !offered.is_empty() {
        text.push_str("\nThese phases run. Untick what this item does not need.\n\n");
        rows(&mut text, &offered, "[x]");
    }
    if !opt_ins.is_empty() {
        text.push_str("\n## Opt-in phases: off unless ticked\n\nTick what this item needs besides.\n\n");
        rows(&mut text, &opt_ins, "[ ]");
    }
    list(&mut text, "Always run", nodes.iter().filter(|node| !node.is_skippable()));
    list(&mut text, "Already declared away", nodes.iter().filter(declared));
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\nTick the boxes here, or copy them into the reply. Then reply with a comment that opens with `{keyword}`. With the \
         boxes as they are, the reply runs what is ticked above and nothing else."
    );
    text
}

fn rows(text: &mut String, nodes: &[&Node], mark: &str) {
    for node in nodes {
        let _ = match node.description() {
            Some(description) => writeln!(text, "- {mark} {} — {description}", node.id()),
            None => writeln!(text, "- {mark} {}", node.id()),
        };
    }
}

fn list<'a>(text: &mut String, title: &str, nodes: impl Iterator<Item = &'a Node>) {
    let names: Vec<String> = nodes.map(|node| format!("`{}`", node.id())).collect();
    if !names.is_empty() {
        let _ = writeln!(text, "\n{title}: {}.", names.join(", "));
    }
}

/// Which comment is the item's checklist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// This one.
    One(&'a Comment),
    /// None.
    Nothing,
    /// None, and one carries a token although it was written before the token was printed.
    TooOld,
    /// Several could be it, and which of them is a copy cannot be told.
    Doubtful,
}

/// Finds the item's checklist: the comment that was pinned, else the first of the-loop's own with a token of the item.
///
/// A copy can only be made of what was posted. So it comes later, or it is an older comment of a stranger that was edited: one
/// from before the token was printed is none, and an edited one is in doubt as soon as somebody else's carries a token as well.
pub fn find<'a>(comments: &'a [Comment], known: &Printed) -> Found<'a> {
    if let Some(pinned) = &known.comment {
        return comments.iter().find(|comment| comment.id == *pinned).map_or(Found::Nothing, Found::One);
    }
    let printed = |comment: &Comment| hashes(&comment.body).filter_map(|hash| known.tokens.get(&hash)).min();
    let own = comments.iter().filter(|comment| is_own(&comment.body));
    // One that does not say when it was written cannot have been first.
    let carriers = own.filter_map(|comment| Some((comment, comment.created?, *printed(comment)?)));
    let (new, old): (Vec<_>, Vec<_>) = carriers.partition(|(_, created, printed)| created >= printed);
    let first = new.iter().map(|(comment, ..)| *comment).min_by(|one, other| one.order().cmp(&other.order()));
    match first {
        None if known.is_doubtful => Found::Doubtful,
        None if old.is_empty() => Found::Nothing,
        None => Found::TooOld,
        Some(first) => {
            let is_shared = new.iter().any(|(other, ..)| other.author != first.author);
            if is_shared && first.edit != Edit::Never { Found::Doubtful } else { Found::One(first) }
        }
    }
}

/// Whether the checklist stood at that moment as it stands now, so that its ticks are what was answered.
pub fn is_settled(checklist: &Comment, answered: Moment) -> bool {
    checklist.is_unchanged_since(answered)
}
