//! A YAML document as a tree that loses nothing an operator may need to hear about.
//!
//! A [`Node`] keeps its position, the source text of scalars and whether they were plain, explicit tags and keys
//! that were written twice. Aliases share their target, so an alias costs nothing however often it is used. What is
//! wrong in one place only (an alias without an anchor) stays in that place as [`Content::Unusable`]. What the
//! values mean is not decided here.

use std::collections::HashMap;
use std::rc::Rc;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::problem::{Position, Problem};
use super::scalar::shortened;

/// Most values that all aliases of a document may stand for.
const ALIAS_VALUES: usize = 200_000;
/// Most levels of nesting, counted through aliases.
const LEVELS: usize = 255;

/// A value at a place. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Node {
    at: Position,
    shared: Rc<Shared>,
}

#[derive(Debug)]
struct Shared {
    content: Content,
    tag: Option<String>,
    values: usize,
    levels: usize,
    duplicate: Option<Duplicate>,
}

/// What a node holds.
#[derive(Debug)]
pub enum Content {
    /// Text after unquoting; `plain` scalars may mean something else than text.
    Scalar(String, Notation),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values in file order, keys written twice included.
    Mapping(Vec<(Node, Node)>),
    /// An alias that stands for nothing, with the reason.
    Unusable(String),
}

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Without quotes; an empty value is plain and empty.
    Plain,
    /// In quotes, or as a block.
    Quoted,
}

/// A key that stands twice in one mapping.
#[derive(Clone, Debug)]
pub struct Duplicate {
    /// The key's text.
    pub key: String,
    /// Where it stands first.
    pub first: Position,
    /// Where it stands again.
    pub second: Position,
}

impl Duplicate {
    /// What to say about it.
    pub fn problem(&self) -> Problem {
        let key = shortened(&self.key);
        Problem::new(self.second, format!("the key `{key}` stands here and in line {}", self.first.line))
            .remedy("keep one of them")
    }
}

impl Node {
    /// Where the value stands; for an alias, where the alias stands.
    pub const fn at(&self) -> Position {
        self.at
    }

    /// What it holds.
    pub fn content(&self) -> &Content {
        &self.shared.content
    }

    /// The explicit tag as written, if it is any other than `!!str`, which [`Content::Scalar`] already reflects.
    pub fn tag(&self) -> Option<&str> {
        self.shared.tag.as_deref()
    }

    /// The first key written twice in this value or below.
    pub fn duplicate(&self) -> Option<&Duplicate> {
        self.shared.duplicate.as_ref()
    }

    /// The first key written twice in this mapping itself.
    pub fn own_duplicate(&self) -> Option<Duplicate> {
        match self.content() {
            Content::Mapping(pairs) => duplicate_key(pairs),
            Content::Scalar(..) | Content::Sequence(_) | Content::Unusable(_) => None,
        }
    }

    /// Whether it is this word, standing as a key.
    pub fn is_key(&self, word: &str) -> bool {
        self.tag().is_none() && self.key_text() == Some(word)
    }

    fn key_text(&self) -> Option<&str> {
        match self.content() {
            Content::Scalar(text, _) => Some(text),
            Content::Sequence(_) | Content::Mapping(_) | Content::Unusable(_) => None,
        }
    }
}

/// Reads one document; `None` when there is none.
///
/// # Errors
/// What makes the whole text unusable: bad syntax, a second document, nesting or aliases past their limits.
pub fn parse(text: &str) -> Result<Option<Node>, Problem> {
    let options = granit_parser::options! { emit_unresolved_aliases: true, emit_comments: false };
    let mut builder = Builder::default();
    for next in Parser::<StrInput<'_>>::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| syntax_problem(&error))?;
        builder.take(event, span)?;
    }
    Ok(builder.root)
}

fn syntax_problem(error: &ScanError) -> Problem {
    let at = Position { line: error.marker().line(), column: error.marker().col() + 1 };
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => too_deep(at),
        _ => Problem::new(at, format!("not YAML: {}", error.info())),
    }
}

fn position(span: Span) -> Position {
    Position { line: span.start.line(), column: span.start.col() + 1 }
}

#[derive(Default)]
struct Builder {
    open: Vec<Frame>,
    anchors: HashMap<usize, Node>,
    root: Option<Node>,
    documents: usize,
    alias_values: usize,
}

struct Frame {
    at: Position,
    anchor: usize,
    tag: Option<String>,
    kind: Kind,
}

enum Kind {
    Sequence(Vec<Node>),
    Mapping { pairs: Vec<(Node, Node)>, key: Option<Node> },
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let at = position(span);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Problem::new(at, "a second document")
                        .remedy("keep one document, without another `---`"));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let (tag, notation) = match tag {
                    Some(tag) if tag.is_yaml_core_schema_tag("str") => (None, Notation::Quoted),
                    Some(tag) => (Some(tag.original()), Notation::Quoted),
                    None if style == ScalarStyle::Plain => (None, Notation::Plain),
                    None => (None, Notation::Quoted),
                };
                let node = new_node(at, Content::Scalar(text.into_owned(), notation), tag);
                self.place(node, anchor);
            }
            Event::SequenceStart(_, anchor, tag) => {
                let tag = tag.map(|tag| tag.original());
                self.open(Frame { at, anchor, tag, kind: Kind::Sequence(Vec::new()) })?;
            }
            Event::MappingStart(_, anchor, tag) => {
                let tag = tag.map(|tag| tag.original());
                let kind = Kind::Mapping { pairs: Vec::new(), key: None };
                self.open(Frame { at, anchor, tag, kind })?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(at, anchor)?,
            Event::UnresolvedAlias(name) => {
                let reason = format!("the alias `*{name}` has no anchor before it");
                self.place(new_node(at, Content::Unusable(reason), None), 0);
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, frame: Frame) -> Result<(), Problem> {
        if self.open.len() >= LEVELS {
            return Err(too_deep(frame.at));
        }
        self.open.push(frame);
        Ok(())
    }

    fn close(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        let content = match frame.kind {
            Kind::Sequence(items) => Content::Sequence(items),
            Kind::Mapping { pairs, .. } => Content::Mapping(pairs),
        };
        self.place(new_node(frame.at, content, frame.tag), frame.anchor);
    }

    fn alias(&mut self, at: Position, anchor: usize) -> Result<(), Problem> {
        let Some(target) = self.anchors.get(&anchor) else {
            let reason = "the alias stands inside the value it names".to_owned();
            self.place(new_node(at, Content::Unusable(reason), None), 0);
            return Ok(());
        };
        self.alias_values = self.alias_values.saturating_add(target.shared.values);
        if self.alias_values > ALIAS_VALUES {
            return Err(Problem::new(at, format!("aliases stand for more than {ALIAS_VALUES} values"))
                .remedy("write the values out, or use fewer aliases"));
        }
        if self.open.len() + target.shared.levels > LEVELS {
            return Err(too_deep(at));
        }
        let node = Node { at, shared: Rc::clone(&target.shared) };
        self.place(node, 0);
        Ok(())
    }

    /// Hands a finished value to whatever is open.
    fn place(&mut self, node: Node, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|frame| &mut frame.kind) {
            None => self.root = Some(node),
            Some(Kind::Sequence(items)) => items.push(node),
            Some(Kind::Mapping { pairs, key }) => match key.take() {
                None => *key = Some(node),
                Some(key) => pairs.push((key, node)),
            },
        }
    }
}

fn new_node(at: Position, content: Content, tag: Option<String>) -> Node {
    let mut values = 1_usize;
    let mut levels = 0;
    let mut duplicate = None;
    let mut count = |child: &Node| {
        values = values.saturating_add(child.shared.values);
        levels = levels.max(child.shared.levels);
        if duplicate.is_none() {
            duplicate.clone_from(&child.shared.duplicate);
        }
    };
    match &content {
        Content::Scalar(..) | Content::Unusable(_) => {}
        Content::Sequence(items) => items.iter().for_each(&mut count),
        Content::Mapping(pairs) => {
            for (key, value) in pairs {
                count(key);
                count(value);
            }
            duplicate = duplicate_key(pairs).or(duplicate);
        }
    }
    let levels = if matches!(content, Content::Scalar(..) | Content::Unusable(_)) { 0 } else { levels + 1 };
    Node { at, shared: Rc::new(Shared { content, tag, values, levels, duplicate }) }
}

fn duplicate_key(pairs: &[(Node, Node)]) -> Option<Duplicate> {
    let mut seen = HashMap::with_capacity(pairs.len());
    pairs.iter().find_map(|(key, _)| {
        let text = key.key_text()?;
        let first = seen.insert(text, key.at)?;
        Some(Duplicate { key: text.to_owned(), first, second: key.at })
    })
}

fn too_deep(at: Position) -> Problem {
    Problem::new(at, format!("nested deeper than {LEVELS} levels")).remedy("flatten the value")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_spoils_the_whole_text_is_located() {
        insta::assert_snapshot!(refusal("a: 1\n---\nb: 2\n"), @"line 2, column 1: a second document; keep one document, without another `---`");
        insta::assert_snapshot!(refusal("a:\n\t- b"), @"line 2, column 2: not YAML: tabs disallowed within this context (block indentation)");
        insta::assert_snapshot!(refusal("a: [b"), @"line 1, column 4: not YAML: unclosed bracket '['");
    }

    #[test]
    fn bombs_and_deep_nesting_are_refused_quickly() {
        let grown = |times: usize| {
            let level = |level: usize| {
                let below = vec![format!("*a{}", level - 1); times].join(",");
                format!("a{level}: &a{level} [{below}]\n")
            };
            format!("a0: &a0 [x]\n{}", (1..400).map(level).collect::<String>())
        };
        let (bomb, chain) = (grown(10), grown(1));
        insta::assert_snapshot!(refusal(&bomb), @"line 6, column 42: aliases stand for more than 200000 values; write the values out, or use fewer aliases");
        insta::assert_snapshot!(refusal(&chain), @"line 255, column 14: nested deeper than 255 levels; flatten the value");
        insta::assert_snapshot!(refusal(&"[".repeat(100_000)), @"line 1, column 256: nested deeper than 255 levels; flatten the value");
        insta::assert_snapshot!(refusal(&"- ".repeat(100_000)), @"line 1, column 511: nested deeper than 255 levels; flatten the value");
        assert!(parse(&format!("{}x{}", "[".repeat(200), "]".repeat(200))).is_ok());
    }

    #[test]
    fn aliases_stand_for_so_many_values_and_not_one_more() {
        let text = |times: usize| format!("- &a x\n- [{}]\n", vec!["*a"; times].join(","));
        assert!(parse(&text(ALIAS_VALUES)).is_ok());
        assert!(parse(&text(ALIAS_VALUES + 1)).is_err());
    }

    #[test]
    fn an_alias_adds_its_levels_to_those_around_it() {
        let text =
            |around: usize| format!("- &a [[[x]]]\n- {}*a{}\n", "[".repeat(around), "]".repeat(around));
        let most = (1..LEVELS).rev().find(|around| parse(&text(*around)).is_ok()).unwrap();
        let written = |around: usize| format!("- {}[[[x]]]{}\n", "[".repeat(around), "]".repeat(around));
        assert!(parse(&written(most)).is_ok() && parse(&written(most + 1)).is_err(), "{most}");
    }

    #[test]
    fn an_alias_without_a_target_stays_in_its_place() {
        let root = parse("- *nobody\n- &self [*self]\n- fine\n").unwrap().unwrap();
        let items = root.sequence().unwrap();
        insta::assert_snapshot!(items[0].text().unwrap_err(), @"line 1, column 3: the alias `*nobody` has no anchor before it; write text here");
        insta::assert_snapshot!(items[1].sequence().unwrap()[0].text().unwrap_err(), @"line 2, column 10: the alias stands inside the value it names; write text here");
        assert_eq!(items[2].text().unwrap(), "fine");
    }

    #[test]
    fn an_alias_has_its_own_place() {
        let root = parse("- &a x\n- *a\n").unwrap().unwrap();
        let items = root.sequence().unwrap();
        assert_eq!((items[1].text().unwrap(), items[1].at().line), ("x", 2));
    }
}
