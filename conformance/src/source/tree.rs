//! A YAML text as a tree of its parts, and back as YAML that means the same: for taking parts away.
//!
//! Main type: [`Tree`]. Scalars keep how they were written, so that `4.10` stays `4.10`. Anchors, aliases, tags and
//! further documents have no place in it: a text with one of them is no tree.

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle};

/// A scalar or collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A scalar that was quoted, or a block.
    Text(String),
    /// A scalar without quotes, which may be read as a number, a boolean or nothing.
    Plain(String),
    /// A sequence.
    List(Vec<Tree>),
    /// A mapping whose keys are scalars.
    Map(Vec<(Tree, Tree)>),
}

/// The way to a part: keys, and numbers from 0.
pub type Way = Vec<String>;

impl Tree {
    /// A text of one document; nothing where that is no YAML, or more than a tree.
    pub fn read(text: &str) -> Option<Self> {
        let mut builder = Builder::default();
        for next in Parser::new_from_str(text) {
            match next.ok()?.0 {
                Event::Scalar(text, style, 0, None) => {
                    let text = text.into_owned();
                    builder.add(match style {
                        ScalarStyle::Plain => Self::Plain(text),
                        _ => Self::Text(text),
                    })?;
                }
                Event::MappingStart(_, 0, None) => builder.open.push(Open::Map(Vec::new(), None)),
                Event::SequenceStart(_, 0, None) => builder.open.push(Open::List(Vec::new())),
                Event::MappingEnd | Event::SequenceEnd => builder.close()?,
                Event::Scalar(..) | Event::MappingStart(..) | Event::SequenceStart(..) | Event::Alias(_) => {
                    return None;
                }
                Event::DocumentStart(..) if builder.whole.is_some() => return None,
                _ => {}
            }
        }
        builder.whole
    }

    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Plain(text) => Some(text),
            Self::List(_) | Self::Map(_) => None,
        }
    }

    /// Keys, or numbers, and what is there.
    pub fn parts(&self) -> Vec<(String, &Self)> {
        match self {
            Self::Text(_) | Self::Plain(_) => Vec::new(),
            Self::List(items) => {
                items.iter().enumerate().map(|(number, item)| (number.to_string(), item)).collect()
            }
            Self::Map(entries) => {
                entries.iter().filter_map(|(key, value)| Some((key.text()?.to_owned(), value))).collect()
            }
        }
    }

    /// What is at a key of a mapping, or a number of a sequence.
    pub fn part(&self, key: &str) -> Option<&Self> {
        self.parts().into_iter().find(|(known, _)| known == key).map(|(_, part)| part)
    }

    /// The same, to be changed.
    pub fn part_mut(&mut self, key: &str) -> Option<&mut Self> {
        match self {
            Self::Text(_) | Self::Plain(_) => None,
            Self::List(items) => items.get_mut(key.parse::<usize>().ok()?),
            Self::Map(entries) => {
                entries.iter_mut().find(|(known, _)| known.text() == Some(key)).map(|(_, value)| value)
            }
        }
    }

    /// What is at the end of a way, to be changed.
    pub fn at_mut(&mut self, way: &[String]) -> Option<&mut Self> {
        way.iter().try_fold(self, |tree, key| tree.part_mut(key))
    }

    /// Takes a part out of a collection; gives it.
    pub fn remove(&mut self, key: &str) -> Option<Self> {
        match self {
            Self::Text(_) | Self::Plain(_) => None,
            Self::List(items) => {
                let number = key.parse::<usize>().ok().filter(|number| *number < items.len())?;
                Some(items.remove(number))
            }
            Self::Map(entries) => {
                let number = entries.iter().position(|(known, _)| known.text() == Some(key))?;
                Some(entries.remove(number).1)
            }
        }
    }

    /// Puts a part into a mapping, in place of what was there.
    pub fn set(&mut self, key: &str, value: Self) {
        if let Some(part) = self.part_mut(key) {
            *part = value;
        } else if let Self::Map(entries) = self {
            entries.push((Self::Text(key.to_owned()), value));
        }
    }

    /// YAML on one line that means the same.
    pub fn written(&self) -> String {
        match self {
            Self::Plain(text) if text.is_empty() => "~".to_owned(),
            Self::Plain(text) if stands_alone(text) => text.clone(),
            Self::Text(text) | Self::Plain(text) => serde_json::Value::from(text.as_str()).to_string(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::written).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Map(entries) => {
                let entry = |(key, value): &(Self, Self)| format!("{}: {}", key.written(), value.written());
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Whether a plain scalar means the same wherever it stands; every other one is a text anyway.
fn stands_alone(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_.+-~".contains(c))
        && !text.starts_with("--")
        && text != "-"
}

enum Open {
    List(Vec<Tree>),
    Map(Vec<(Tree, Tree)>, Option<Tree>),
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    whole: Option<Tree>,
}

impl Builder {
    fn add(&mut self, tree: Tree) -> Option<()> {
        match self.open.last_mut() {
            None => self.whole = Some(tree),
            Some(Open::List(items)) => items.push(tree),
            Some(Open::Map(entries, key)) => match key.take() {
                Some(key) => entries.push((key, tree)),
                // A merged mapping has parts that do not stand there.
                None if tree.text()? == "<<" => return None,
                None => *key = Some(tree),
            },
        }
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        let tree = match self.open.pop()? {
            Open::List(items) => Tree::List(items),
            Open::Map(entries, _) => Tree::Map(entries),
        };
        self.add(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_means_what_was_read() {
        let text =
            "a: 4.10\nb: ['x, y', \"no\", no, -5, ~, a b]\n\"c d\":\n  - |\n    two\n    lines\n  -\ne: {}\n";
        let tree = Tree::read(text).unwrap();
        assert_eq!(
            tree.written(),
            r#"{a: 4.10, b: ["x, y", "no", no, -5, ~, "a b"], "c d": ["two\nlines\n", ~], e: {}}"#
        );
        assert_eq!(Tree::read(&tree.written()).unwrap().written(), tree.written());
    }

    #[test]
    fn a_text_with_anchors_or_tags_is_no_tree() {
        for text in [
            "a: &x 1\nb: *x\n",
            "a: !!str 1\n",
            "? [a, b]\n: c\n",
            "{a: [",
            "a: 1\n---\nb: 2\n",
            "<<: {a: 1}\n",
        ] {
            assert_eq!(Tree::read(text), None, "{text}");
        }
    }

    #[test]
    fn parts_are_taken_away_and_put_in() {
        let mut tree = Tree::read("{a: [x, y], b: 1}").unwrap();
        let list = tree.at_mut(&["a".to_owned()]).unwrap();
        assert_eq!(list.remove("0"), Some(Tree::Plain("x".to_owned())));
        assert_eq!(list.remove("1"), None);
        tree.set("b", Tree::Text("2".to_owned()));
        tree.set("c", Tree::List(Vec::new()));
        assert_eq!(tree.written(), r#"{a: [y], b: "2", "c": []}"#);
    }
}
