//! What is wrong with a file of the suite, and how it is shown.
//!
//! [`Fault`] has file, line, snippet, message and remedy. It knows no rules: whoever finds a fault says what it is.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::source::Source;

/// One fault, located.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    source: Source,
    span: Range<usize>,
    message: String,
    remedy: Option<String>,
}

impl Fault {
    /// A fault at `span` (bytes) of `source`.
    pub fn new(source: Source, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { source, span, message: message.into(), remedy: None }
    }

    /// The same fault with what to do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The file, as shown to people.
    pub fn path(&self) -> &str {
        self.source.path()
    }

    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.source.text()[..self.span.start].matches('\n').count() + 1
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let snippet = Snippet::source(self.source.text())
            .path(self.source.path())
            .annotation(AnnotationKind::Primary.span(self.span.clone()));
        let mut group = Level::ERROR.primary_title(self.message.as_str()).element(snippet);
        if let Some(remedy) = &self.remedy {
            group = group.element(Level::HELP.message(remedy.as_str()));
        }
        f.write_str(&Renderer::plain().render(&[group]))
    }
}

/// The nearest of `known` to `wanted`, if it is near enough to be what was meant.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(wanted, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, candidate)| candidate)
}

/// What to do about a message of the YAML reader.
pub(super) fn remedy_of(message: &str) -> String {
    let wanted = message.split('`').nth(1).unwrap_or_default();
    if message.contains("unknown field") || message.contains("unknown variant") {
        let known = message.split("expected").nth(1).unwrap_or_default();
        let known =
            known.split([',', ' ']).map(|word| word.trim_matches('`')).filter(|word| !word.is_empty());
        return nearest(wanted, known.filter(|word| !["one", "of", "or"].contains(word))).map_or_else(
            || "use one of these, or remove it".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
    }
    if message.contains("duplicate key") {
        return "rename one of the two, or remove it".to_owned();
    }
    "docs/writing-scenarios.md describes what may stand here".to_owned()
}

/// A message of the YAML reader in our words, without the position, which is shown beside the snippet.
pub(super) fn plain(message: &str) -> String {
    let message = message.rfind(" at line ").map_or(message, |cut| &message[..cut]);
    match message.strip_prefix("duplicate mapping key: ").and_then(|rest| rest.split(',').next()) {
        Some(key) => format!("duplicate key `{key}`"),
        None => message.to_owned(),
    }
}
