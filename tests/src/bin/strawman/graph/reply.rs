//! The comment that answers a gate. Main type: [`Reply`].
//!
//! It is written by somebody authorised and not by this program, opens with a keyword, is as old as the gate at
//! most, unchanged and used for the first time; the latest such comment answers. What is ticked in it is
//! `selection`'s business.

use serde_json::Value;

use crate::fault::graph::{Fault, on};

use super::clock::Moment;
use super::comment::Comment;
use super::definition::{Hook, Outcome};
use super::settings::Settings;

/// The gate that waits for an answer.
pub(crate) struct Waiting<'a> {
    /// Which kind.
    pub(crate) hook: Hook,
    /// When it was reached; nothing if that is not known.
    pub(crate) entered: Option<Moment>,
    /// Ids of comments that answered something already.
    pub(crate) used: &'a [Value],
}

/// An answer.
pub(crate) struct Reply<'a> {
    /// The comment.
    pub(crate) comment: &'a Comment,
    /// What it decides.
    pub(crate) outcome: Outcome,
}

impl Waiting<'_> {
    /// The comment that answers the gate, if there is one.
    pub(crate) fn answer<'a>(&self, comments: &'a [Comment], settings: &Settings) -> Option<Reply<'a>> {
        let counted = comments.iter().filter(|comment| {
            settings.authorises(&comment.login)
                && (!comment.is_own() || on(Fault::OwnCommentsCount))
                && (!comment.is_edited() || on(Fault::EditedReplyCounts))
                && (self.entered.is_none_or(|entered| comment.created >= entered)
                    || on(Fault::OldReplyCounts))
                && (!self.used.contains(&comment.id) || on(Fault::UsedReplyCounts))
        });
        let mut replies: Vec<Reply> = counted
            .filter_map(|comment| Some(Reply { comment, outcome: self.decides(&comment.body, settings)? }))
            .collect();
        replies.sort_by_key(|reply| reply.comment.created);
        if on(Fault::FirstReplyWins) { replies.into_iter().next() } else { replies.pop() }
    }

    fn decides(&self, body: &str, settings: &Settings) -> Option<Outcome> {
        let keywords = match self.hook {
            Hook::PhaseSelection => vec![(&settings.execute, Outcome::Selected)],
            _ => vec![
                (&settings.approve, Outcome::Approved),
                (&settings.request_changes, Outcome::ChangesRequested),
            ],
        };
        let found = keywords.iter().filter(|(keyword, _)| opens(body, keyword));
        // Where one keyword begins another, the longer one is meant.
        let found = found.max_by_key(|(keyword, _)| keyword.len());
        let assumed = keywords.first().filter(|_| on(Fault::KeywordNotNeeded));
        found.or(assumed).map(|(_, outcome)| *outcome)
    }
}

/// Whether a comment opens with a keyword, in any case, and no letter or digit comes right after it.
fn opens(body: &str, keyword: &str) -> bool {
    if on(Fault::KeywordAnywhere) && body.to_lowercase().contains(&keyword.to_lowercase()) {
        return true;
    }
    let mut letters = body.trim_start().chars();
    for wanted in keyword.chars() {
        let same = letters.next().is_some_and(|letter| letter.to_lowercase().eq(wanted.to_lowercase()));
        if !same {
            return false;
        }
    }
    let after = letters.next();
    after.is_none_or(|letter| letter.is_whitespace() || letter.is_ascii_punctuation())
        || on(Fault::KeywordPrefixCounts)
}
