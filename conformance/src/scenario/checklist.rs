//! A checklist as a target prints it: its rows, and the same text with rows changed.
//!
//! [`Checklist`] knows Markdown as far as rows need it: headings, code fences, hidden comments. It does not know which
//! rows there should be.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A printed checklist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checklist<'a> {
    lines: Vec<&'a str>,
    rows: Vec<Row>,
}

/// One row with a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The phase.
    pub id: String,
    /// Whether its box is ticked.
    pub ticked: bool,
    /// What stands beside it.
    pub description: Option<String>,
    /// The heading above it and what is said below that heading, up to its first row.
    pub under: Option<String>,
    line: usize,
    mark: usize,
}

/// What somebody makes of a printed checklist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// What is kept of it.
    pub form: Form,
    /// Rows that are ticked.
    pub tick: Rows,
    /// Rows whose tick is taken away.
    pub untick: Rows,
    /// Rows that are left out.
    pub omit: Rows,
}

/// What is kept of a printed checklist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// What a reader sees: hidden comments are left out.
    #[default]
    Copied,
    /// Every byte.
    Posted,
}

/// Rows by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Every row.
    All,
    /// These.
    Named(Vec<String>),
}

impl Default for Rows {
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

impl Rows {
    fn holds(&self, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(ids) => ids.iter().any(|known| known == id),
        }
    }

    fn named(&self) -> &[String] {
        match self {
            Self::All => &[],
            Self::Named(ids) => ids,
        }
    }
}

impl<'a> Checklist<'a> {
    /// Reads what was printed.
    pub fn read(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut reader = Reader::default();
        for (number, line) in lines.iter().enumerate() {
            reader.line(number, line);
        }
        Self { rows: reader.rows, lines }
    }

    /// Its rows, in order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a phase.
    pub fn row(&self, id: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// The text with this change made.
    ///
    /// # Errors
    /// A row is named that was not printed.
    pub fn changed(&self, change: &Change) -> Result<String, String> {
        let named = [&change.tick, &change.untick, &change.omit];
        for id in named.into_iter().flat_map(Rows::named) {
            if self.row(id).is_none() {
                return Err(format!("the printed checklist has no row `{id}`"));
            }
        }
        if self.rows.is_empty() && named.contains(&&Rows::All) {
            return Err("the printed checklist has no rows".to_owned());
        }
        let mut text = String::new();
        for (number, line) in self.lines.iter().enumerate() {
            let row = self.rows.iter().find(|row| row.line == number);
            match row {
                Some(row) if change.omit.holds(&row.id) => continue,
                Some(row) if change.tick.holds(&row.id) => push_marked(&mut text, line, row.mark, "x"),
                Some(row) if change.untick.holds(&row.id) => push_marked(&mut text, line, row.mark, " "),
                _ => text.push_str(line),
            }
            text.push('\n');
        }
        Ok(match change.form {
            Form::Posted => text,
            Form::Copied => without_hidden(&text),
        })
    }
}

fn push_marked(text: &mut String, line: &str, mark: usize, with: &str) {
    text.push_str(&line[..mark]);
    text.push_str(with);
    text.push_str(&line[mark + 1..]);
}

fn without_hidden(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        kept.push_str(&rest[..start]);
        rest = rest[start..].find("-->").map_or("", |end| &rest[start + end + 3..]);
    }
    kept.push_str(rest);
    kept
}

#[derive(Default)]
struct Reader {
    rows: Vec<Row>,
    under: Option<String>,
    heading_is_over: bool,
    fence: Option<char>,
    hidden: bool,
}

impl Reader {
    fn line(&mut self, number: usize, line: &str) {
        let shown = line.trim_start();
        if let Some(mark) = ['`', '~'].into_iter().find(|mark| shown.starts_with(&mark.to_string().repeat(3)))
        {
            match self.fence {
                Some(open) if open == mark => self.fence = None,
                Some(_) => {}
                None => self.fence = Some(mark),
            }
            return;
        }
        if self.fence.is_some() || self.is_hidden(line) {
            return;
        }
        if let Some(mut row) = row(line) {
            row.line = number;
            row.under.clone_from(&self.under);
            self.rows.push(row);
            self.heading_is_over = true;
        } else if is_heading(shown) {
            self.under = Some(shown.trim_end().to_owned());
            self.heading_is_over = false;
        } else if let (Some(under), false) = (&mut self.under, self.heading_is_over) {
            under.push('\n');
            under.push_str(shown);
        }
    }

    /// Whether the line is, or begins within, a comment that is not shown.
    fn is_hidden(&mut self, line: &str) -> bool {
        let was = self.hidden;
        match (line.rfind("<!--"), line.rfind("-->")) {
            (Some(open), close) if close.is_none_or(|close| close < open) => self.hidden = true,
            (_, Some(_)) => self.hidden = false,
            _ => {}
        }
        was || line.trim_start().starts_with("<!--")
    }
}

fn is_heading(line: &str) -> bool {
    let level = line.chars().take_while(|c| *c == '#').count();
    let bold = line.trim_end();
    (level > 0 && line[level..].starts_with(' '))
        || (bold.len() > 4 && bold.starts_with("**") && (bold.ends_with("**") || bold.ends_with("**:")))
}

/// `- [x] id — description`; the id may stand in code or bold.
fn row(line: &str) -> Option<Row> {
    let item = line.trim_start();
    let after = item.strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?.trim_start();
    let mark = after.strip_prefix('[')?;
    let ticked = match mark.as_bytes().first()? {
        b' ' => false,
        b'x' | b'X' => true,
        _ => return None,
    };
    let rest = mark[1..].strip_prefix(']')?.strip_prefix(' ')?.trim();
    let (id, beside) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let id = id.trim_matches(['`', '*', ':']);
    let beside = beside.trim_start().trim_start_matches(['—', '–', '-', ':']).trim();
    (!id.is_empty()).then(|| Row {
        id: id.to_owned(),
        ticked,
        description: (!beside.is_empty()).then(|| beside.to_owned()),
        under: None,
        line: 0,
        mark: line.len() - mark.len(),
    })
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AllOrList;
        impl<'de> Visitor<'de> for AllOrList {
            type Value = Rows;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`all`, or a list of ids")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Rows, E> {
                if word == "all" {
                    Ok(Rows::All)
                } else {
                    Err(E::custom(format!("`{word}`, expected `all` or a list of ids")))
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Rows, A::Error> {
                let mut ids = Vec::new();
                while let Some(id) = items.next_element::<String>()? {
                    ids.push(id);
                }
                if ids.is_empty() {
                    return Err(A::Error::custom("an empty list changes nothing, leave it out"));
                }
                Ok(Rows::Named(ids))
            }
        }
        deserializer.deserialize_any(AllOrList)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
# Phases
Untick what is not needed.
- [x] build — the work
* [X] `ship`
```
- [ ] fenced
```
<!-- - [ ] hidden
- [ ] also-hidden
-->
## Off unless ticked
- [ ] deep-review - a second model
<!-- token -->
";

    #[test]
    fn rows_are_told_from_what_only_looks_like_them() {
        let checklist = Checklist::read(PRINTED);
        let ids: Vec<(&str, bool)> =
            checklist.rows().iter().map(|row| (row.id.as_str(), row.ticked)).collect();
        assert_eq!(ids, [("build", true), ("ship", true), ("deep-review", false)]);
        let build = checklist.row("build").unwrap();
        assert_eq!(build.description.as_deref(), Some("the work"));
        assert_eq!(build.under.as_deref(), Some("# Phases\nUntick what is not needed."));
        let review = checklist.row("deep-review").unwrap();
        assert_eq!(review.under.as_deref(), Some("## Off unless ticked"));
        assert_eq!(review.description.as_deref(), Some("a second model"));
    }

    #[test]
    fn a_posted_checklist_is_the_printed_one() {
        let posted = Change { form: Form::Posted, ..Change::default() };
        assert_eq!(Checklist::read(PRINTED).changed(&posted).unwrap(), PRINTED);
    }

    #[test]
    fn rows_are_ticked_unticked_and_left_out() {
        let change = Change {
            tick: Rows::Named(vec!["deep-review".to_owned()]),
            untick: Rows::Named(vec!["build".to_owned()]),
            omit: Rows::Named(vec!["ship".to_owned()]),
            ..Change::default()
        };
        let text = Checklist::read(PRINTED).changed(&change).unwrap();
        let changed = Checklist::read(&text);
        let rows: Vec<(&str, bool)> =
            changed.rows().iter().map(|row| (row.id.as_str(), row.ticked)).collect();
        assert_eq!(rows, [("build", false), ("deep-review", true)]);
        assert!(!text.contains("<!--") && !text.contains("also-hidden"), "{text}");
    }

    #[test]
    fn a_row_that_was_not_printed_cannot_be_changed() {
        let change = Change { tick: Rows::Named(vec!["fenced".to_owned()]), ..Change::default() };
        assert!(Checklist::read(PRINTED).changed(&change).is_err());
        let all = Change { untick: Rows::All, ..Change::default() };
        assert!(Checklist::read("nothing").changed(&all).is_err());
    }
}
