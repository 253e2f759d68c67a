//! What a terminal program puts around its output and nobody reads: white space, a byte order mark, escape
//! sequences.
//!
//! [`strip`] takes them from the beginning. It never looks inside text.

/// The text without what is silent at its beginning.
pub(super) fn strip(text: &str) -> &str {
    let mut rest = text;
    loop {
        let shorter = match rest.strip_prefix('\u{1b}') {
            Some(after) => after_escape(after),
            None => rest.trim_start_matches(is_silent_character),
        };
        if shorter.len() == rest.len() {
            return rest;
        }
        rest = shorter;
    }
}

/// Whether nothing of it would be read.
pub(super) fn is_silent(bytes: &[u8]) -> bool {
    bytes.utf8_chunks().all(|chunk| chunk.invalid().is_empty() && strip(chunk.valid()).is_empty())
}

fn is_silent_character(letter: char) -> bool {
    letter != '\u{1b}'
        && (letter.is_whitespace()
            || letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}'))
}

/// What follows an escape sequence whose first character is taken already: a control sequence (`[`), a string
/// such as a window title (`]`, `P`, `X`, `^`, `_`), or a short one.
fn after_escape(text: &str) -> &str {
    let mut letters = text.chars();
    match letters.next() {
        Some('[') => {
            let inside = letters.as_str();
            let end = inside.find(|letter| !matches!(letter, ' '..='?')).unwrap_or(inside.len());
            let mut after = inside[end..].chars();
            // The final letter; anything else breaks the sequence off.
            if after.clone().next().is_some_and(|last| matches!(last, '@'..='~')) {
                after.next();
            }
            after.as_str()
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            let inside = letters.as_str();
            match inside.find(['\u{7}', '\u{1b}', '\u{9c}']) {
                // An escape stays: what it begins, be it the end of the string, is a sequence like any other.
                Some(end) => inside[end..].trim_start_matches(['\u{7}', '\u{9c}']),
                // A string that never ends hides nothing.
                None => inside,
            }
        }
        Some(' '..='/') => {
            letters.as_str().trim_start_matches(|letter| matches!(letter, ' '..='/')).get(1..).unwrap_or("")
        }
        Some('0'..='~') => letters.as_str(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_around_text_are_taken_away() {
        for around in [
            "\u{feff}",
            " \r\n\t",
            "\u{1b}[2K\u{1b}[1;31m",
            "\u{1b}]0;claude\u{7}",
            "\u{1b}]0;title\u{1b}\\",
            "\u{1b}(B\u{1b}=",
            "\0\u{7}",
        ] {
            assert_eq!(strip(&format!("{around}{{}}")), "{}", "{around:?}");
            assert!(is_silent(around.as_bytes()), "{around:?}");
        }
    }

    #[test]
    fn a_string_ends_where_another_sequence_begins() {
        for (text, left) in [
            ("\u{1b}]0;title\u{1b}[2K{}", "{}"),
            ("\u{1b}Pdata\u{1b}\\\u{1b}[m{}", "{}"),
            ("\u{1b}]0;title\u{9c}\u{9c}{}", "{}"),
            ("\u{1b}[12;", ""),
            ("\u{1b}[12;é", "é"),
        ] {
            assert_eq!(strip(text), left, "{text:?}");
        }
    }

    #[test]
    fn text_is_not_taken_for_a_sequence() {
        for text in ["a", "{", "[2K", "é", "\u{2588}"] {
            assert_eq!(strip(text), text);
        }
        assert!(!is_silent(b"\x1b]never ends, but says something"));
    }
}
