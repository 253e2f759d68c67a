//! A template: one element of `args`, parsed once into literal pieces and placeholders.
//!
//! [`Template::render`] is one infallible pass. It never looks into a value again and never adds, splits or
//! drops an element. It does not know where the values come from.

use std::ffi::{OsStr, OsString};
use std::fmt;

/// The six values a round can put into an argument (CR-2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// `{prompt}`: the prompt's bytes.
    Prompt,
    /// `{promptFile}`: absolute path of a file that holds the prompt.
    PromptFile,
    /// `{model}`: the entry's model, perhaps empty.
    Model,
    /// `{workItem}`: the work item, perhaps empty.
    WorkItem,
    /// `{specDir}`: absolute path of the item's specification.
    SpecDir,
    /// `{cwd}`: absolute path of the critic's working directory.
    Cwd,
}

impl Placeholder {
    /// Every placeholder, in the order of the documentation.
    pub const ALL: [Self; 6] =
        [Self::Prompt, Self::PromptFile, Self::Model, Self::WorkItem, Self::SpecDir, Self::Cwd];

    /// The word between the braces.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::PromptFile => "promptFile",
            Self::Model => "model",
            Self::WorkItem => "workItem",
            Self::SpecDir => "specDir",
            Self::Cwd => "cwd",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|placeholder| placeholder.word() == word)
    }

    /// The placeholder somebody meant who wrote `inside`, once white space, `-`, `_` and case are ignored.
    fn meant_by(inside: &str) -> Option<Self> {
        let plain: String = inside
            .chars()
            .filter(|letter| !letter.is_whitespace() && !matches!(letter, '-' | '_'))
            .flat_map(char::to_lowercase)
            .collect();
        Self::ALL.into_iter().find(|placeholder| placeholder.word().to_lowercase() == plain)
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{{{}}}", self.word())
    }
}

/// What the placeholders of one round stand for. A value that no template holds may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// For `{prompt}`.
    pub prompt: &'a OsStr,
    /// For `{promptFile}`.
    pub prompt_file: &'a OsStr,
    /// For `{model}`.
    pub model: &'a OsStr,
    /// For `{workItem}`.
    pub work_item: &'a OsStr,
    /// For `{specDir}`.
    pub spec_dir: &'a OsStr,
    /// For `{cwd}`.
    pub cwd: &'a OsStr,
}

impl<'a> Values<'a> {
    const fn of(&self, placeholder: Placeholder) -> &'a OsStr {
        match placeholder {
            Placeholder::Prompt => self.prompt,
            Placeholder::PromptFile => self.prompt_file,
            Placeholder::Model => self.model,
            Placeholder::WorkItem => self.work_item,
            Placeholder::SpecDir => self.spec_dir,
            Placeholder::Cwd => self.cwd,
        }
    }
}

/// One element of `args`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Hole(Placeholder),
}

/// A placeholder outside the six (CR-2.3), or one that is misspelt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPlaceholder {
    /// As written, with its braces.
    pub written: String,
    /// The one that was perhaps meant.
    pub meant: Option<Placeholder>,
}

impl Template {
    /// Reads one element. `{word}` is a placeholder, with a word of one letter and then letters, digits and `_`;
    /// so is anything in braces that differs from one of the six in white space, `-`, `_` and case alone. Other
    /// braces stay as they are.
    ///
    /// # Errors
    /// Every placeholder that is not one of the six, in the order of the text.
    pub fn parse(text: &str) -> Result<Self, Vec<UnknownPlaceholder>> {
        let mut pieces = Vec::new();
        let mut unknown = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let (before, braced) = rest.split_at(open);
            literal.push_str(before);
            match inside_braces(braced) {
                Some(inside) if let Some(placeholder) = Placeholder::from_word(inside) => {
                    if !literal.is_empty() {
                        pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                    }
                    pieces.push(Piece::Hole(placeholder));
                    rest = &braced[inside.len() + 2..];
                }
                Some(inside) if is_word(inside) || Placeholder::meant_by(inside).is_some() => {
                    let meant = Placeholder::meant_by(inside);
                    unknown.push(UnknownPlaceholder { written: format!("{{{inside}}}"), meant });
                    rest = &braced[inside.len() + 2..];
                }
                _ => {
                    literal.push('{');
                    rest = &braced[1..];
                }
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        if unknown.is_empty() { Ok(Self { pieces }) } else { Err(unknown) }
    }

    /// Whether the element holds this placeholder.
    pub fn holds(&self, placeholder: Placeholder) -> bool {
        self.pieces.contains(&Piece::Hole(placeholder))
    }

    /// The argument for one round. Values travel as they are and are not scanned (CR-2.1, CR-A1).
    pub fn render(&self, values: &Values<'_>) -> OsString {
        let mut argument = OsString::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => argument.push(text),
                Piece::Hole(placeholder) => argument.push(values.of(*placeholder)),
            }
        }
        argument
    }
}

/// What stands between a leading `{` and the brace that closes it, if no other one opens before.
fn inside_braces(braced: &str) -> Option<&str> {
    let after = braced.strip_prefix('{')?;
    let end = after.find(['{', '}'])?;
    after[end..].starts_with('}').then_some(&after[..end])
}

fn is_word(inside: &str) -> bool {
    inside.starts_with(char::is_alphabetic) && inside.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn rendered(text: &str) -> OsString {
        let values = Values {
            prompt: OsStr::from_bytes(b"\xff{model}"),
            prompt_file: OsStr::new("/p"),
            model: OsStr::new("{prompt}"),
            work_item: OsStr::new(""),
            spec_dir: OsStr::new("/s"),
            cwd: OsStr::new("/c"),
        };
        Template::parse(text).unwrap().render(&values)
    }

    fn refused(text: &str) -> Vec<(String, Option<Placeholder>)> {
        let unknown = Template::parse(text).unwrap_err();
        unknown.into_iter().map(|each| (each.written, each.meant)).collect()
    }

    #[test]
    fn a_placeholder_of_one_letter_is_unknown_like_any_other() {
        assert_eq!(
            refused("{x}{prompt}{y}").into_iter().map(|(written, _)| written).collect::<Vec<_>>(),
            ["{x}", "{y}"]
        );
    }

    #[test]
    fn values_are_replaced_in_one_pass_and_never_scanned() {
        assert_eq!(rendered("{prompt}{model}"), OsStr::from_bytes(b"\xff{model}{prompt}"));
        assert_eq!(rendered("--m={model}, {cwd}{specDir}"), "--m={prompt}, /c/s");
        assert_eq!(rendered("{workItem}"), "");
        assert_eq!(rendered(""), "");
    }

    #[test]
    fn other_braces_stay_as_they_are() {
        for text in ["{}", "{\"a\":1}", "{", "}", "a{b", "{ }", "{1}", "{a b}", "{-}", "{a,b}", "}{"] {
            assert_eq!(rendered(text), text);
        }
        assert_eq!(rendered("{{cwd}}"), "{/c}");
        assert_eq!(rendered("{cwd{cwd}"), "{cwd/c");
        assert_eq!(rendered("{\"w\":\"{cwd}\"}"), "{\"w\":\"/c\"}");
    }

    #[test]
    fn unknown_words_and_near_misses_are_refused() {
        assert_eq!(refused("{diff} {größe}"), [("{diff}".into(), None), ("{größe}".into(), None)]);
        assert_eq!(refused("{ model }"), [("{ model }".into(), Some(Placeholder::Model))]);
        assert_eq!(refused("{prompt-file}"), [("{prompt-file}".into(), Some(Placeholder::PromptFile))]);
        assert_eq!(refused("x{PROMPT_FILE}"), [("{PROMPT_FILE}".into(), Some(Placeholder::PromptFile))]);
        assert_eq!(refused("{-cwd}"), [("{-cwd}".into(), Some(Placeholder::Cwd))]);
    }
}
