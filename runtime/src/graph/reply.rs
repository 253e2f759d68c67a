//! Replies: which comment answers a gate, and why the others do not.
//!
//! [`find`] is the one place that decides whom a gate listens to (OR-A1, OR-SEC). What a reply means is decided elsewhere.

use std::fmt;

use super::Moment;
use super::comment::{Comment, CommentId, Edit};
use crate::config::{Keywords, Routing, plain_name, visible};

/// What the-loop's own comments carry; a comment with it is never an answer.
pub const OWN_MARKER: &str = "<!-- the-loop:agent-comment -->";

/// What a reply says by its first words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Run what is ticked.
    Execute,
    /// Go on.
    Approve,
    /// Go back.
    RequestChanges,
}

/// A comment that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The comment.
    pub comment: &'a Comment,
    /// When it was written.
    pub written: Moment,
    /// What it says.
    pub answer: Answer,
}

/// Why a comment that opens like an answer does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is one of the-loop's own.
    Own,
    /// Its author may not answer.
    Unauthorized,
    /// Nobody may answer.
    NobodyAuthorized,
    /// Nothing tells when it was written.
    Undated,
    /// It was written before the gate was entered.
    TooOld,
    /// It was changed after it was written.
    Edited,
    /// It has decided something already.
    Used,
}

/// A comment that opens like an answer, and why it does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ignored<'a> {
    /// The comment.
    pub comment: &'a Comment,
    /// Why.
    pub reason: Reason,
}

/// A gate that waits for an answer.
pub struct Question<'a> {
    /// Who may answer, and by which words.
    pub routing: &'a Routing,
    /// The answers it takes.
    pub takes: &'a [Answer],
    /// When it was entered.
    pub entered: Moment,
    /// The comments that have decided something else.
    pub used: &'a dyn Fn(&CommentId) -> bool,
}

/// The latest comment that counts, and those that open like an answer and do not.
pub fn find<'a>(comments: &'a [Comment], question: &Question) -> (Option<Reply<'a>>, Vec<Ignored<'a>>) {
    let mut ignored = Vec::new();
    let mut latest: Option<Reply> = None;
    for comment in comments {
        let Some(answer) = answer(&comment.body, &question.routing.keywords) else { continue };
        if !question.takes.contains(&answer) {
            continue;
        }
        match judge(comment, question) {
            Ok(written) => {
                let reply = Reply { comment, written, answer };
                if latest.is_none_or(|known| known.comment.order() <= comment.order()) {
                    latest = Some(reply);
                }
            }
            Err(reason) => ignored.push(Ignored { comment, reason }),
        }
    }
    (latest, ignored)
}

fn judge(comment: &Comment, question: &Question) -> Result<Moment, Reason> {
    // Before anybody asks who wrote it: the-loop may post under an authorised account.
    if is_own(&comment.body) {
        return Err(Reason::Own);
    }
    let users = &question.routing.authorized_users;
    if users.is_empty() {
        return Err(Reason::NobodyAuthorized);
    }
    let author = plain_name(&comment.author);
    if !users.iter().any(|user| plain_name(user).eq_ignore_ascii_case(author)) {
        return Err(Reason::Unauthorized);
    }
    let written = comment.created.ok_or(Reason::Undated)?;
    if written < question.entered {
        return Err(Reason::TooOld);
    }
    if comment.edit != Edit::Never {
        return Err(Reason::Edited);
    }
    if (question.used)(&comment.id) {
        return Err(Reason::Used);
    }
    Ok(written)
}

/// Whether a comment is one of the-loop's own. White space and case in the marker do not matter.
pub fn is_own(body: &str) -> bool {
    let wanted = folded(OWN_MARKER);
    // Most comments do not even hold its name.
    body.to_ascii_lowercase().contains("the-loop:agent-comment") && folded(body).contains(&wanted)
}

fn folded(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// What the first words of a comment say; the longest keyword wins where one begins like another.
fn answer(body: &str, keywords: &Keywords) -> Option<Answer> {
    let all = [
        (&keywords.execute, Answer::Execute),
        (&keywords.approve, Answer::Approve),
        (&keywords.request_changes, Answer::RequestChanges),
    ];
    let said = all.into_iter().filter(|(keyword, _)| opens_with(body, keyword));
    said.max_by_key(|(keyword, _)| keyword.len()).map(|(_, answer)| answer)
}

/// Whether a text opens with a keyword, without case, and then ends or goes on with white space or punctuation. White space
/// in the keyword may be any of it.
fn opens_with(body: &str, keyword: &str) -> bool {
    let mut rest = body.trim_start();
    for (at, word) in keyword.split_whitespace().enumerate() {
        let trimmed = rest.trim_start();
        if at > 0 && trimmed.len() == rest.len() {
            return false;
        }
        match without_prefix(trimmed, word) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    let mut letters = rest.chars();
    match (letters.next(), letters.next()) {
        (None, _) => true,
        // A longer word, such as `approve-not`.
        (Some('-' | '_' | '\''), Some(letter)) if letter.is_alphanumeric() => false,
        (Some('_'), _) => false,
        (Some(letter), _) => !letter.is_alphanumeric() && !joins(letter),
    }
}

/// Whether a letter is shown as a part of the one before it.
const fn joins(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{200c}'..='\u{200d}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}')
}

/// What follows a prefix, compared without case.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let mut letters = text.chars();
    for wanted in prefix.chars() {
        let letter = letters.next()?;
        if !letter.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    Some(letters.as_str())
}

impl fmt::Display for Ignored<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comment { id, author, .. } = self.comment;
        let (id, author) = (visible(id.as_str()), visible(author));
        write!(formatter, "comment {id} of `{author}` does not count: ")?;
        formatter.write_str(match self.reason {
            Reason::Own => "it carries the marker of the-loop's own comments",
            Reason::Unauthorized => "its author is not in `routing.authorizedUsers`",
            Reason::NobodyAuthorized => "`routing.authorizedUsers` names nobody",
            Reason::Undated => "its `created_at` cannot be read",
            Reason::TooOld => "it was written before this gate was entered; reply again",
            Reason::Edited => "it was edited after it was written; write a new one instead",
            Reason::Used => "it has decided an earlier gate; reply again",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::comment::Comments;

    fn comments(text: &str) -> Vec<Comment> {
        Comments::read(text.as_bytes()).unwrap().readable
    }

    fn comment(id: u64, author: &str, body: &str, time: &str) -> String {
        format!(
            r#"{{"id": {id}, "user": {{"login": "{author}"}}, "body": "{body}", "created_at": "{time}"}}"#
        )
    }

    const TIME: &str = "2026-01-01T00:00:05Z";

    fn found(text: &str, takes: &[Answer]) -> (Option<u64>, Vec<Reason>) {
        let routing = Routing { authorized_users: vec!["Ada".to_owned()], ..Routing::default() };
        let entered = Moment::parse(TIME).unwrap();
        let used = |id: &CommentId| id.as_str() == "99";
        let question = Question { routing: &routing, takes, entered, used: &used };
        let comments = comments(text);
        let (reply, ignored) = find(&comments, &question);
        let id = reply.map(|reply| reply.comment.id.as_str().parse().unwrap());
        (id, ignored.iter().map(|ignored| ignored.reason).collect())
    }

    fn one(comment: &str) -> (Option<u64>, Vec<Reason>) {
        found(&format!("[{comment}]"), &[Answer::Approve, Answer::RequestChanges])
    }

    #[test]
    fn an_answer_opens_with_its_keyword() {
        for opening in [
            "the-loop approve",
            "\\n\\t The-Loop  APPROVE!",
            "the-loop approve\\nbut",
            "the-loop approve, x",
            "the-loop approve —",
            "the-loop approve- and go",
            "the-loop approve'",
        ] {
            assert_eq!(one(&comment(1, "ada", opening, TIME)), (Some(1), vec![]), "{opening}");
        }
        for other in [
            "the-loop approved",
            "the-loop approve-not",
            "I say the-loop approve",
            "> the-loop approve",
            "the-loop",
            "",
            "the-loopapprove",
            "the-loop approve_x",
            "the-loop approve\u{301}",
            "the-loop execute",
        ] {
            assert_eq!(one(&comment(1, "ada", other, TIME)), (None, vec![]), "{other}");
        }
    }

    #[test]
    fn only_the_authorised_are_heard() {
        let said = "the-loop approve";
        for author in ["ada", "ADA", "@Ada"] {
            assert_eq!(one(&comment(1, author, said, TIME)).0, Some(1), "{author}");
        }
        for author in ["adam", "", "@", "@@ada", "a da", "ädä"] {
            assert_eq!(one(&comment(1, author, said, TIME)), (None, vec![Reason::Unauthorized]), "{author}");
        }
    }

    #[test]
    fn own_old_changed_and_used_comments_do_not_count() {
        let said = "the-loop approve";
        let own = |marker: &str| one(&comment(1, "ada", &format!("{said} {marker}"), TIME));
        assert_eq!(own(OWN_MARKER), (None, vec![Reason::Own]));
        assert_eq!(own("<!--The-Loop:agent-comment-->"), (None, vec![Reason::Own]));
        assert_eq!(own("the-loop:agent-comment").0, Some(1));
        assert_eq!(one(&comment(1, "ada", said, "2026-01-01T00:00:04Z")), (None, vec![Reason::TooOld]));
        assert_eq!(one(&comment(1, "ada", said, "soon")), (None, vec![Reason::Undated]));
        assert_eq!(one(&comment(99, "ada", said, TIME)), (None, vec![Reason::Used]));
        let edited = comment(1, "ada", said, TIME)
            .replace("\"id\"", "\"updated_at\": \"2026-01-01T00:00:06Z\", \"id\"");
        assert_eq!(one(&edited), (None, vec![Reason::Edited]));
    }

    #[test]
    fn the_latest_wins_wherever_it_stands() {
        let (early, late) = ("2026-01-01T00:00:06Z", "2026-01-01T00:00:07Z");
        let approve = |id, time| comment(id, "ada", "the-loop approve", time);
        let both = [Answer::Approve, Answer::RequestChanges];
        assert_eq!(found(&format!("[{}, {}]", approve(2, late), approve(1, early)), &both).0, Some(2));
        assert_eq!(found(&format!("[{}, {}]", approve(9, early), approve(10, early)), &both).0, Some(10));
        assert_eq!(found(&format!("[{}, {}]", approve(10, early), approve(9, early)), &both).0, Some(10));
    }

    #[test]
    fn the_longer_keyword_wins() {
        let keywords = Keywords {
            approve: "ok".to_owned(),
            request_changes: "ok but".to_owned(),
            ..Keywords::default()
        };
        assert_eq!(answer("OK, but", &keywords), Some(Answer::Approve));
        assert_eq!(answer("Ok  but no", &keywords), Some(Answer::RequestChanges));
        assert_eq!(answer("okay", &keywords), None);
    }
}
