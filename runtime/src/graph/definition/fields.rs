//! The keys of one mapping of a graph file.
//!
//! [`Fields`] finds values by key and tells what does not belong there. What the values mean is not decided here.

use super::Written;
use crate::config::{Content, Node, Position, Problem, nearest, shortened, visible};

/// A mapping whose keys are known.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    at: Position,
    subject: String,
    pairs: &'a [(Node, Node)],
}

impl<'a> Fields<'a> {
    /// The mapping `value` with its unknown and repeated keys told. `None` when it is no mapping.
    pub(super) fn read(
        value: &'a Node,
        subject: impl Into<String>,
        keys: &[&str],
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let subject = subject.into();
        let pairs = value.mapping().map_err(|wrong| {
            problems.push(wrong.about(&subject).remedy(format!("the keys are {}", keys.join(", "))));
        });
        let fields = Self { at: value.at(), subject, pairs: pairs.ok()? };
        if let Some(duplicate) = value.own_duplicate() {
            fields.tell(duplicate.problem(), problems);
        }
        for (key, _) in fields.pairs {
            if !keys.iter().any(|known| key.is_key(known)) {
                fields.tell(unknown_key(key, keys), problems);
            }
        }
        Some(fields)
    }

    /// Where the mapping starts.
    pub(super) const fn at(&self) -> Position {
        self.at
    }

    /// What the mapping is, in messages.
    pub(super) fn subject(&self) -> &str {
        &self.subject
    }

    /// The value of a key.
    pub(super) fn value(&self, key: &str) -> Option<&'a Node> {
        self.pairs.iter().find(|(written, _)| written.is_key(key)).map(|(_, value)| value)
    }

    /// The value of a key that has to be there.
    pub(super) fn needed(&self, key: &str, remedy: &str, problems: &mut Vec<Problem>) -> Option<&'a Node> {
        let value = self.value(key);
        if value.is_none() {
            let missing = Problem::new(self.at, format!("`{key}` is missing")).remedy(remedy);
            self.tell(missing, problems);
        }
        value
    }

    /// What a key's value means; `None` when the key is not there, or its value means nothing, which is told.
    pub(super) fn parsed<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&'a Node) -> Result<T, Problem>,
        problems: &mut Vec<Problem>,
    ) -> Option<Written<T>> {
        let value = self.value(key)?;
        match parse(value) {
            Ok(parsed) => Some(Written { value: parsed, at: value.at() }),
            Err(wrong) => {
                self.tell_of(key, wrong, problems);
                None
            }
        }
    }

    /// What the items of a key's list mean; empty when the key is not there. Items that mean nothing are told.
    pub(super) fn list<T>(
        &self,
        key: &str,
        mut parse: impl FnMut(&'a Node) -> Result<T, Problem>,
        problems: &mut Vec<Problem>,
    ) -> Vec<Written<T>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let items = match value.sequence() {
            Ok(items) => items,
            Err(wrong) => {
                self.tell_of(key, wrong.remedy(format!("write `{key}: […]`")), problems);
                &[]
            }
        };
        let mut parsed = Vec::with_capacity(items.len());
        for item in items {
            match parse(item) {
                Ok(value) => parsed.push(Written { value, at: item.at() }),
                Err(wrong) => self.tell_of(key, wrong, problems),
            }
        }
        parsed
    }

    fn tell(&self, problem: Problem, problems: &mut Vec<Problem>) {
        problems.push(problem.about(&self.subject));
    }

    /// Tells what is wrong with the value of a key.
    pub(super) fn tell_of(&self, key: &str, problem: Problem, problems: &mut Vec<Problem>) {
        problems.push(problem.about(format!("{}: `{key}`", self.subject)));
    }
}

/// The problem of a key that has no meaning where it stands.
fn unknown_key(key: &Node, keys: &[&str]) -> Problem {
    match key.content() {
        Content::Scalar(word, _) if word == "<<" => {
            Problem::new(key.at(), "merge keys (`<<`) are not allowed here").remedy("write the keys out")
        }
        Content::Scalar(word, _) if key.tag().is_none() => Problem::new(
            key.at(),
            format!("unknown key `{}`", shortened(word)),
        )
        .remedy(meant(word, keys, "the keys are")),
        _ => key.wrong("a key").remedy(format!("the keys are {}", keys.join(", "))),
    }
}

/// The nearest of the known words as a question, else all of them.
pub(super) fn meant(written: &str, known: &[&str], otherwise: &str) -> String {
    match nearest(written, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("{otherwise} {}", known.join(", ")),
    }
}

/// The text of a value that people read in one line.
pub(super) fn line(value: &Node) -> Result<String, Problem> {
    let text = value.text()?;
    if text.trim().is_empty() {
        return Err(Problem::new(value.at(), "the text is blank").remedy("write it, or remove the key"));
    }
    if visible(text) != text {
        let what = format!("`{}` holds line breaks or characters that nobody sees", shortened(text));
        return Err(Problem::new(value.at(), what).remedy("write one line of plain text"));
    }
    Ok(text.trim().to_owned())
}
