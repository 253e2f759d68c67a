//! Text of a scenario in which `%{name}` stands for a fact of the sandbox.
//!
//! [`Text`] is checked when it is read, so that putting the values in cannot fail. It reads no files and
//! knows nothing about where the sandbox lies: [`Names`] says that.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What may stand between `%{` and `}`.
pub const NAMES: [&str; 12] = [
    "bin", "root", "home", "tmp", "canary", "prompt", "copy", "specs", "state", "record", "section", "events",
];

/// A text whose `%{…}` are all known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Text(String);

/// The values of one sandbox, for one copy of one step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// Folder of the fakes.
    pub bin: String,
    /// The checkout, working directory of the target.
    pub root: String,
    /// HOME.
    pub home: String,
    /// TMPDIR.
    pub tmp: String,
    /// A path that does not exist and that nothing should create.
    pub canary: String,
    /// Prompt text of the step that is judged, empty where it has none; bad UTF-8 is replaced.
    pub prompt: String,
    /// Number of the copy, from 0.
    pub copy: u32,
    /// Where the target keeps what belongs to a work item.
    pub graph: GraphPlaces,
}

/// Where a target keeps what belongs to a work item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphPlaces {
    /// Folder of all items' folders, below the checkout.
    pub specs: String,
    /// File of the state, in the item's folder.
    pub state: String,
    /// File of the design critic review's record, in the item's folder.
    pub record: String,
    /// Section of that file.
    pub section: String,
    /// The event log.
    pub events: String,
}

/// A `%{…}` that cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// The word is none of [`NAMES`].
    #[error(
        "unknown name `%{{{0}}}`, expected one of bin, root, home, tmp, canary, prompt, copy, specs, state, record, section, events; write `%{{{{` for a literal `%{{`"
    )]
    Unknown(String),
    /// No closing brace on the same line.
    #[error("`%{{` without `}}` at `{0}`, close it or write `%{{{{` for a literal `%{{`")]
    Unclosed(String),
}

enum Piece<'a> {
    Literal(&'a str),
    Name(&'a str),
}

impl Text {
    /// Accepts `source` when every `%{…}` in it is known.
    ///
    /// # Errors
    /// The first name that is not.
    pub fn new(source: impl Into<String>) -> Result<Self, NameError> {
        let source = source.into();
        check(&source)?;
        Ok(Self(source))
    }

    /// The text as written.
    pub fn source(&self) -> &str {
        &self.0
    }

    /// The text with the values put in. One pass: values are not scanned again.
    pub fn expand(&self, names: &Names) -> String {
        expand(&self.0, names)
    }
}

impl TryFrom<String> for Text {
    type Error = NameError;

    fn try_from(source: String) -> Result<Self, NameError> {
        Self::new(source)
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.0
    }
}

/// Whether every `%{…}` in `source` is known.
///
/// # Errors
/// The first that is not.
pub fn check(source: &str) -> Result<(), NameError> {
    split(source, |piece| match piece {
        Piece::Name(name) if !NAMES.contains(&name) => Err(NameError::Unknown(name.to_owned())),
        _ => Ok(()),
    })
}

/// `source` with the values put in; what is no known name stays as it is.
pub fn expand(source: &str, names: &Names) -> String {
    let mut expanded = String::with_capacity(source.len());
    let result = split(source, |piece| {
        match piece {
            Piece::Literal(text) => expanded.push_str(text),
            Piece::Name(name) => expanded.push_str(&names.value(name)),
        }
        Ok(())
    });
    if result.is_ok() { expanded } else { source.to_owned() }
}

/// `value` with the values put into every string in it, keys of objects included: for fake scripts and matchers.
pub fn expand_json(value: &serde_json::Value, names: &Names) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(expand(text, names)),
        Value::Array(items) => items.iter().map(|item| expand_json(item, names)).collect(),
        Value::Object(map) => Value::Object(
            map.iter().map(|(key, item)| (expand(key, names), expand_json(item, names))).collect(),
        ),
        other => other.clone(),
    }
}

impl Names {
    fn value(&self, name: &str) -> Cow<'_, str> {
        match name {
            "bin" => Cow::Borrowed(&self.bin),
            "root" => Cow::Borrowed(&self.root),
            "home" => Cow::Borrowed(&self.home),
            "tmp" => Cow::Borrowed(&self.tmp),
            "canary" => Cow::Borrowed(&self.canary),
            "prompt" => Cow::Borrowed(&self.prompt),
            "copy" => Cow::Owned(self.copy.to_string()),
            "specs" => Cow::Borrowed(&self.graph.specs),
            "state" => Cow::Borrowed(&self.graph.state),
            "record" => Cow::Borrowed(&self.graph.record),
            "section" => Cow::Borrowed(&self.graph.section),
            "events" => Cow::Borrowed(&self.graph.events),
            other => Cow::Owned(format!("%{{{other}}}")),
        }
    }
}

fn split<'a>(
    source: &'a str,
    mut take: impl FnMut(Piece<'a>) -> Result<(), NameError>,
) -> Result<(), NameError> {
    let mut rest = source;
    while let Some(start) = rest.find("%{") {
        take(Piece::Literal(&rest[..start]))?;
        let inner = &rest[start + 2..];
        if let Some(after) = inner.strip_prefix('{') {
            take(Piece::Literal("%{"))?;
            rest = after;
            continue;
        }
        let end = inner.find(['}', '\n']).filter(|&end| inner.as_bytes()[end] == b'}').ok_or_else(|| {
            NameError::Unclosed(rest[start..].chars().take(20).take_while(|c| *c != '\n').collect())
        })?;
        take(Piece::Name(&inner[..end]))?;
        rest = &inner[end + 1..];
    }
    take(Piece::Literal(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names { bin: "/b".into(), prompt: "%{bin}".into(), copy: 3, ..Names::default() }
    }

    #[test]
    fn values_are_put_in_once() {
        let text = Text::new("%{bin}/x %{prompt} %{copy} %{{bin} 100%").unwrap();
        assert_eq!(text.expand(&names()), "/b/x %{bin} 3 %{bin} 100%");
    }

    #[test]
    fn unknown_and_unclosed_names_are_refused() {
        assert_eq!(Text::new("%{bim}"), Err(NameError::Unknown("bim".into())));
        assert_eq!(Text::new("a %{bin\n}"), Err(NameError::Unclosed("%{bin".into())));
    }
}
