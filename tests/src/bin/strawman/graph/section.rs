//! Level-two sections of a Markdown text, and whether they say anything. Main functions: [`find`], [`says_something`].
//!
//! Fences and comments are no part of a section. What a line says it need not say well: only what is plainly nothing
//! counts as nothing.

use crate::fault::graph::{Fault, on};

use super::markdown::{self, Hidden};

/// The lines under the heading of that name; nothing if there is no such heading.
pub(crate) fn find(text: &str, name: &str) -> Option<Vec<String>> {
    let hidden =
        Hidden { fences: !on(Fault::FencedSectionCounts), comments: !on(Fault::CommentsFillSection) };
    let (mut found, mut inside) = (None, false);
    for line in markdown::visible(text, hidden) {
        match heading(&line) {
            Some((2, title)) => inside = title == name.trim() || on(Fault::AnySectionCounts),
            Some((1, _)) => inside = on(Fault::AnySectionCounts),
            _ => {}
        }
        if inside {
            // The heading is the first line, so that an empty section is still a section.
            found.get_or_insert_with(Vec::new).push(line);
        }
    }
    found
}

/// The level and title of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|letter| *letter == '#').count();
    let title = line.get(level..)?;
    if !(1..=6).contains(&level) || !(title.is_empty() || title.starts_with([' ', '\t'])) {
        return None;
    }
    Some((level, title.trim().trim_end_matches('#').trim_end()))
}

/// Whether any of these lines says something.
pub(crate) fn says_something(lines: &[String]) -> bool {
    if on(Fault::HeadingIsEnough) {
        return true;
    }
    let mut lines = lines.iter().peekable();
    while let Some(line) = lines.next() {
        let ruled =
            lines.peek().and_then(|next| markdown::cells(next)).is_some_and(|next| markdown::is_rule(&next));
        if markdown::cells(line).is_some() && ruled && !on(Fault::TableHeadFillsSection) {
            let rows = std::iter::from_fn(|| lines.next_if(|line| markdown::cells(line).is_some()));
            let rows: Vec<Vec<String>> = rows.filter_map(|line| markdown::cells(line)).skip(1).collect();
            if rows.iter().flatten().any(|cell| !is_nothing(cell)) {
                return true;
            }
            continue;
        }
        let counted = match heading(line) {
            None => true,
            Some((level, _)) => level > 2 && on(Fault::SubHeadingFillsSection),
        };
        let lone_dash = on(Fault::DashFillsSection) && matches!(line.trim(), "-" | "–" | "—");
        if counted && (lone_dash || !is_nothing(line)) {
            return true;
        }
    }
    false
}

/// Words that stand for something that is still to come.
const PLACEHOLDERS: [&str; 9] =
    ["tbd", "tba", "tbc", "todo", "wip", "placeholder", "fill in", "to be done", "to be defined"];

/// Whether a line or a cell says nothing: no letter or digit, or only something to be filled in.
pub(crate) fn is_nothing(line: &str) -> bool {
    let before: &[char] = &['-', '*', '+', '>', ' ', '_', '`', '~', '#', '\t'];
    let after: &[char] = &['*', ' ', '_', '`', '~', '\t'];
    let mut inner = line.trim_start_matches(before);
    for mark in ["[ ]", "[x]", "[X]"] {
        inner = inner.strip_prefix(mark).unwrap_or(inner);
    }
    let inner = inner.trim_start_matches(before).trim_end_matches(after);
    if !inner.chars().any(char::is_alphanumeric) {
        return true;
    }
    if on(Fault::PlaceholderFillsSection) {
        return false;
    }
    let enclosed = [('<', '>'), ('{', '}')]
        .iter()
        .any(|(open, close)| inner.starts_with(*open) && inner.ends_with(*close) && !inner.contains("://"));
    let words = inner.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let waits = PLACEHOLDERS
        .iter()
        .any(|word| words.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(':')));
    enclosed || waits
}
