//! Placeholders in arguments. Main functions: [`unknown`] and [`Values::fill`].
//!
//! A placeholder is a word in braces; the word begins with a letter and goes on with letters, digits and `_`. Any
//! other use of braces is left alone. Values are bytes and are never looked into.

use crate::fault::{self, Fault};

/// The words that are known, without their braces.
pub(crate) const NAMES: [&str; 6] = ["prompt", "promptFile", "model", "workItem", "specDir", "cwd"];

/// The values of one round, in the order of [`NAMES`].
pub(crate) struct Values([Vec<u8>; 6]);

/// A piece of an argument.
enum Piece<'a> {
    /// Bytes that stand for themselves.
    Plain(&'a str),
    /// A word in braces.
    Word(&'a str),
}

/// The first word in braces that is not known.
pub(crate) fn unknown(arg: &str) -> Option<&str> {
    pieces(arg).into_iter().find_map(|piece| match piece {
        Piece::Word(word) if !NAMES.contains(&word) => Some(word),
        Piece::Word("specDir") if fault::on(Fault::SpecDirUnknown) => Some("specDir"),
        _ => None,
    })
}

/// What stands in braces and is all but a known word, with that word.
pub(crate) fn near_misses(arg: &str) -> Vec<(&str, &'static str)> {
    let bare = |word: &str| {
        word.chars().filter(|letter| !letter.is_whitespace() && !"-_".contains(*letter)).collect::<String>()
    };
    let inner = arg.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(word, _)| word);
    let known = |word: &str| {
        let near = NAMES.into_iter().find(|name| bare(word).eq_ignore_ascii_case(name));
        near.filter(|name| *name != word)
    };
    inner.filter_map(|word| Some((word, known(word)?))).collect()
}

/// Whether there are braces that belong to no placeholder.
pub(crate) fn has_other_braces(arg: &str) -> bool {
    pieces(arg).iter().any(|piece| matches!(piece, Piece::Plain(text) if text.contains(['{', '}'])))
}

/// Whether some argument carries the prompt or its file.
pub(crate) fn hands_over_prompt(args: &[String]) -> bool {
    let file = !fault::on(Fault::PromptFileNotEnough);
    args.iter().any(|arg| mentions(arg, "prompt") || file && mentions(arg, "promptFile"))
}

/// Whether an argument holds this placeholder.
pub(crate) fn mentions(arg: &str, name: &str) -> bool {
    pieces(arg).iter().any(|piece| matches!(piece, Piece::Word(word) if *word == name))
}

fn pieces(arg: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(open) = arg[at..].find('{').map(|found| at + found) {
        match word_in_braces(&arg[open..]) {
            Some(word) => {
                pieces.push(Piece::Plain(&arg[start..open]));
                pieces.push(Piece::Word(word));
                start = open + word.len() + 2;
                at = start;
            }
            None => at = open + 1,
        }
    }
    pieces.push(Piece::Plain(&arg[start..]));
    pieces
}

fn word_in_braces(text: &str) -> Option<&str> {
    let word = text.strip_prefix('{')?.split_once('}')?.0;
    let good = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    (word.starts_with(|first: char| first.is_ascii_alphabetic()) && word.chars().all(good)).then_some(word)
}

impl Values {
    /// The values of a round.
    pub(crate) fn new(values: [Vec<u8>; 6]) -> Self {
        if fault::on(Fault::PromptEscaped) {
            return Self(values.map(|value| escaped(&value)));
        }
        Self(values)
    }

    /// The arguments of the round: one for each declared one, in their order.
    pub(crate) fn fill(&self, args: &[String]) -> Vec<Vec<u8>> {
        let mut filled = Vec::new();
        for arg in args {
            let value = self.fill_one(arg);
            let touched = pieces(arg).iter().any(|piece| matches!(piece, Piece::Word(_)));
            if fault::on(Fault::SplitArgs) && touched {
                filled.extend(value.split(u8::is_ascii_whitespace).map(<[u8]>::to_vec));
            } else if fault::on(Fault::OtherArgsTrimmed) && !touched {
                filled.push(value.trim_ascii().to_vec());
            } else if !(fault::on(Fault::DropEmptyArgs) && value.is_empty()) {
                filled.push(value);
            }
        }
        filled
    }

    /// One text with its placeholders replaced, in one pass.
    pub(crate) fn fill_one(&self, arg: &str) -> Vec<u8> {
        if fault::on(Fault::WholeArgumentsOnly)
            && !matches!(pieces(arg).as_slice(), [Piece::Plain(""), _, Piece::Plain("")])
        {
            return arg.as_bytes().to_vec();
        }
        let mut filled = Vec::new();
        let mut replaced = 0;
        for piece in pieces(arg) {
            match piece {
                Piece::Plain(text) => filled.extend_from_slice(text.as_bytes()),
                Piece::Word(word) => match self.value(word) {
                    Some(value) if fault::on(Fault::ReplaceWholeArgument) => return value.to_vec(),
                    Some(value) if !(fault::on(Fault::FirstPlaceholderOnly) && replaced > 0) => {
                        filled.extend_from_slice(value);
                        replaced += 1;
                    }
                    _ => filled.extend_from_slice(format!("{{{word}}}").as_bytes()),
                },
            }
        }
        match std::str::from_utf8(&filled) {
            Ok(text) if fault::on(Fault::RescanValues) && replaced > 0 => self.fill_again(text),
            _ => filled,
        }
    }

    fn fill_again(&self, text: &str) -> Vec<u8> {
        let words = pieces(text).into_iter().flat_map(|piece| match piece {
            Piece::Plain(text) => text.as_bytes().to_vec(),
            Piece::Word(word) => {
                self.value(word).map_or_else(|| format!("{{{word}}}").into_bytes(), <[u8]>::to_vec)
            }
        });
        words.collect()
    }

    fn value(&self, word: &str) -> Option<&[u8]> {
        NAMES.iter().position(|name| *name == word).and_then(|at| self.0.get(at)).map(Vec::as_slice)
    }
}

fn escaped(value: &[u8]) -> Vec<u8> {
    let special = |byte: &u8| b"$`;&|<>()\"'\\*!".contains(byte);
    value.iter().flat_map(|byte| special(byte).then_some(b'\\').into_iter().chain([*byte])).collect()
}
