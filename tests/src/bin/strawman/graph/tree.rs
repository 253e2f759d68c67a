//! A YAML document with the place of every value. Main type: [`Tree`].
//!
//! It keeps scalars as they were written and says whether they were plain, so that `4.10`, `no` and `on` stay what
//! they are; what a value means is the business of whoever asks. All problems are collected, except that a file
//! that is no YAML has one only.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle, Span};

/// A place in a file, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    /// The line.
    pub(crate) line: usize,
    /// The column.
    pub(crate) column: usize,
}

impl Spot {
    /// The beginning of a file.
    pub(crate) const TOP: Self = Self { line: 1, column: 1 };
}

/// What is wrong at some place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    /// Where.
    pub(crate) spot: Spot,
    /// A sentence.
    pub(crate) text: String,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Where it begins.
    pub(crate) spot: Spot,
    /// The value.
    pub(crate) body: Body,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A scalar that was written without quotes.
    Plain(String),
    /// A scalar that was written with quotes, as a block, or tagged as text.
    Quoted(String),
    /// A list.
    List(Vec<Tree>),
    /// A mapping in the order of the file.
    Map(Vec<(Tree, Tree)>),
}

/// How deep values may stand in each other.
const DEEPEST: usize = 255;
/// How many values aliases may add.
const MOST_COPIES: usize = 200_000;
/// How long a file may be, in bytes.
const LONGEST: usize = 1024 * 1024;

impl Tree {
    /// Reads one document.
    pub(crate) fn read(text: &str) -> Result<(Self, Vec<Problem>), Vec<Problem>> {
        if text.len() > LONGEST {
            return Err(vec![Problem { spot: Spot::TOP, text: "the file is longer than 1 MiB".to_owned() }]);
        }
        let mut builder = Builder::default();
        for event in Parser::new_from_str(text) {
            let taken = match event {
                Ok((event, span)) => builder.take(event, spot(&span)),
                Err(error) => Err(Problem {
                    spot: Spot { line: error.marker().line(), column: error.marker().col() + 1 },
                    text: format!("no YAML: {}", error.info()),
                }),
            };
            taken.map_err(|problem| vec![problem])?;
        }
        match builder.whole {
            Some(tree) => Ok((tree, builder.problems)),
            None => Err(vec![Problem { spot: Spot::TOP, text: "the file is empty".to_owned() }]),
        }
    }

    /// Whether this is nothing at all: `null`, `~` or no word.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.body, Body::Plain(word) if ["", "~", "null", "Null", "NULL"].contains(&word.as_str()))
    }

    /// What it is, for a message.
    pub(crate) fn describe(&self) -> String {
        match &self.body {
            Body::List(_) => "a list".to_owned(),
            Body::Map(_) => "a mapping".to_owned(),
            _ if self.is_null() => "nothing".to_owned(),
            Body::Plain(word) => format!("`{word}`"),
            Body::Quoted(word) => format!("\"{}\"", word.escape_debug()),
        }
    }

    fn size(&self) -> usize {
        1 + match &self.body {
            Body::List(items) => items.iter().map(Self::size).sum::<usize>(),
            Body::Map(pairs) => pairs.iter().map(|(key, value)| key.size() + value.size()).sum(),
            _ => 0,
        }
    }

    fn depth(&self) -> usize {
        1 + match &self.body {
            Body::List(items) => items.iter().map(Self::depth).max().unwrap_or(0),
            Body::Map(pairs) => pairs.iter().map(|(_, value)| value.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }
}

fn spot(span: &Span) -> Spot {
    Spot { line: span.start.line(), column: span.start.col() + 1 }
}

/// A list or mapping that is still open.
struct Open {
    tree: Tree,
    anchor: usize,
    key: Option<Tree>,
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: BTreeMap<usize, Tree>,
    copies: usize,
    documents: usize,
    whole: Option<Tree>,
    problems: Vec<Problem>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, spot: Spot) -> Result<(), Problem> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Problem { spot, text: "a second document; one graph a file".to_owned() });
                }
            }
            Event::Scalar(word, style, anchor, tag) => {
                let text = tag.as_ref().is_some_and(|tag| self.is_text_tag(tag.suffix(), spot));
                let body = if style == ScalarStyle::Plain && !text {
                    Body::Plain(word.into_owned())
                } else {
                    Body::Quoted(word.into_owned())
                };
                self.put(Tree { spot, body }, anchor);
            }
            Event::SequenceStart(_, anchor, tag) => {
                tag.map(|tag| self.is_text_tag(tag.suffix(), spot));
                self.begin(Tree { spot, body: Body::List(Vec::new()) }, anchor)?;
            }
            Event::MappingStart(_, anchor, tag) => {
                tag.map(|tag| self.is_text_tag(tag.suffix(), spot));
                self.begin(Tree { spot, body: Body::Map(Vec::new()) }, anchor)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(done) = self.open.pop() {
                    self.put(done.tree, done.anchor);
                }
            }
            Event::Alias(anchor) => self.copy(anchor, spot)?,
            _ => {}
        }
        Ok(())
    }

    fn is_text_tag(&mut self, suffix: &str, spot: Spot) -> bool {
        if suffix != "str" {
            let text = "tags have no meaning here; write the value without one".to_owned();
            self.problems.push(Problem { spot, text });
        }
        suffix == "str"
    }

    fn begin(&mut self, tree: Tree, anchor: usize) -> Result<(), Problem> {
        if self.open.len() >= DEEPEST {
            return Err(Problem { spot: tree.spot, text: format!("more than {DEEPEST} levels deep") });
        }
        self.open.push(Open { tree, anchor, key: None });
        Ok(())
    }

    fn copy(&mut self, anchor: usize, spot: Spot) -> Result<(), Problem> {
        let Some(original) = self.anchors.get(&anchor) else {
            return Err(Problem { spot, text: "an alias inside what it stands for".to_owned() });
        };
        self.copies += original.size();
        if self.copies > MOST_COPIES || self.open.len() + original.depth() > DEEPEST {
            return Err(Problem { spot, text: "aliases add too much; write the values out".to_owned() });
        }
        let copy = original.clone();
        self.put(copy, 0);
        Ok(())
    }

    fn put(&mut self, tree: Tree, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, tree.clone());
        }
        let Some(parent) = self.open.last_mut() else {
            self.whole = Some(tree);
            return;
        };
        match &mut parent.tree.body {
            Body::List(items) => items.push(tree),
            Body::Map(pairs) => match parent.key.take() {
                Some(key) => pairs.push((key, tree)),
                None => parent.key = Some(tree),
            },
            _ => {}
        }
    }
}
