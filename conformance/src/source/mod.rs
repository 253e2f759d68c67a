//! A YAML file of the suite: its text, and where each value stands in it.
//!
//! [`Source`] lets typed values stay free of positions: a fault names a JSON pointer and the position is looked up
//! here. It does not decode into types, apart from [`Source::read`], which hands the text to serde.

pub mod fault;
pub mod tree;

use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_saphyr::granit_parser::{Event, Parser};

use self::fault::Fault;

/// A file by its path, as shown to people, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    path: Arc<str>,
    text: Arc<str>,
}

/// A scalar or collection of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// JSON pointer; that of a key is that of its value.
    pub pointer: String,
    /// Where the key stands, else the value.
    pub span: Range<usize>,
    /// Text of the key, for an entry of a mapping.
    pub key: Option<String>,
    /// Text of the value, for a scalar.
    pub scalar: Option<String>,
}

impl Source {
    /// A file that was read already.
    pub fn new(path: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// The path, as shown to people.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as a typed value. Double keys are refused.
    ///
    /// # Errors
    /// The first thing that does not fit, located.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        let options = serde_saphyr::options! { with_snippet: false };
        serde_saphyr::from_str_with_options(&self.text, options).map_err(|error| self.unreadable(&error))
    }

    /// A fault at the value that `pointer` names, or at the nearest one above it.
    pub fn fault(&self, pointer: &str, message: impl Into<String>) -> Fault {
        let nodes = self.nodes();
        let mut wanted = pointer;
        let span = loop {
            if let Some(node) = nodes.iter().find(|node| node.pointer == wanted) {
                break node.span.clone();
            }
            match wanted.rfind('/') {
                Some(cut) => wanted = &wanted[..cut],
                None => break 0..0,
            }
        };
        Fault::new(self.clone(), span, message)
    }

    /// A fault where `needle` first stands, else at the start.
    pub fn fault_at_text(&self, needle: &str, message: impl Into<String>) -> Fault {
        let span = self.text.find(needle).map_or(0..0, |start| start..start + needle.len());
        Fault::new(self.clone(), span, message)
    }

    /// Every value of the first document, in order. Empty where the text is no YAML.
    pub fn nodes(&self) -> Vec<Node> {
        let mut walk = Walk::default();
        for next in Parser::new_from_str(&self.text) {
            let Ok((event, span)) = next else { break };
            let range = span.byte_range().unwrap_or(0..0);
            match event {
                Event::Scalar(text, ..) => walk.scalar(&text, range),
                Event::MappingStart(..) => walk.open(Level::Mapping(None), range),
                Event::SequenceStart(..) => walk.open(Level::Sequence(0), range),
                Event::MappingEnd | Event::SequenceEnd => walk.close(),
                Event::Alias(_) => walk.scalar("", range),
                Event::DocumentEnd => break,
                _ => {}
            }
        }
        walk.nodes
    }

    fn unreadable(&self, error: &serde_saphyr::Error) -> Fault {
        let offset = error
            .location()
            .and_then(|location| location.span().byte_offset())
            .and_then(|offset| usize::try_from(offset).ok())
            .unwrap_or(0)
            .min(self.text.len());
        let message = fault::plain(&error.without_snippet().to_string());
        let remedy = fault::remedy_of(&message);
        let span = self.named_in(&message, offset).unwrap_or_else(|| {
            let length = self.text[offset..].find([':', '\n', ' ', ',', '}', ']']).unwrap_or(0);
            offset..offset + length
        });
        Fault::new(self.clone(), span, message).remedy(remedy)
    }

    /// Where the unknown `%{…}` of a message stands: the reader knows only where the text around it begins.
    fn named_in(&self, message: &str, offset: usize) -> Option<Range<usize>> {
        let name = message.strip_prefix("unknown name `")?.split('`').next()?;
        let start = offset + self.text[offset..].find(name)?;
        Some(start..start + name.len())
    }
}

enum Level {
    Mapping(Option<(String, Range<usize>)>),
    Sequence(usize),
}

#[derive(Default)]
struct Walk {
    levels: Vec<Level>,
    nodes: Vec<Node>,
}

impl Walk {
    fn scalar(&mut self, text: &str, range: Range<usize>) {
        if let Some(Level::Mapping(key @ None)) = self.levels.last_mut() {
            *key = Some((text.to_owned(), range));
            return;
        }
        self.push(range, Some(text.to_owned()));
        self.done();
    }

    fn open(&mut self, level: Level, range: Range<usize>) {
        if let Some(Level::Mapping(key @ None)) = self.levels.last_mut() {
            *key = Some((String::new(), range.clone()));
        }
        self.push(range, None);
        self.levels.push(level);
    }

    fn close(&mut self) {
        self.levels.pop();
        self.done();
    }

    fn push(&mut self, range: Range<usize>, scalar: Option<String>) {
        let (key, span) = match self.levels.last() {
            Some(Level::Mapping(Some((key, span)))) => (Some(key.clone()), span.clone()),
            _ => (None, range),
        };
        self.nodes.push(Node { pointer: self.pointer(), span, key, scalar });
    }

    /// The value that was open is over: forget its key, or count it.
    fn done(&mut self) {
        match self.levels.last_mut() {
            Some(Level::Mapping(key)) => *key = None,
            Some(Level::Sequence(index)) => *index += 1,
            None => {}
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for level in &self.levels {
            pointer.push('/');
            match level {
                Level::Mapping(key) => {
                    let key = key.as_ref().map_or("", |(key, _)| key.as_str());
                    pointer.push_str(&escape(key));
                }
                Level::Sequence(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }
}

/// A key as it stands in a JSON pointer.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_pointer() {
        let source = Source::new("x.yaml", "a: 1\nb:\n  - {c/d: 2}\n  - e\n");
        let found: Vec<(String, Option<String>)> =
            source.nodes().into_iter().map(|node| (node.pointer, node.scalar)).collect();
        let expected = [
            ("", None),
            ("/a", Some("1")),
            ("/b", None),
            ("/b/0", None),
            ("/b/0/c~1d", Some("2")),
            ("/b/1", Some("e")),
        ];
        let expected: Vec<(String, Option<String>)> =
            expected.map(|(pointer, scalar)| (pointer.to_owned(), scalar.map(str::to_owned))).into();
        assert_eq!(found, expected);
    }
}
