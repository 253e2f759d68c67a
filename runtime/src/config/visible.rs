//! Visible text: text from a file or a critic, made safe to show on a terminal.
//!
//! [`visible`] escapes what a terminal would obey or hide. It does not shorten and does not quote.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with control characters, and those that reorder or hide what is shown, as escapes such as `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            letter if is_unsafe(letter) => {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
            }
            letter => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// Control characters, line and paragraph separators, bidirectional controls, zero-width characters.
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_controls_become_escapes() {
        assert_eq!(visible("a\u{1b}[31m\u{9b}\u{7}\r\n\t\0"), "a\\u{1b}[31m\\u{9b}\\u{7}\\r\\n\\t\\u{0}");
        assert_eq!(visible("abc\u{202e}"), "abc\\u{202e}");
        assert!(matches!(visible("größe ✓"), Cow::Borrowed(_)));
    }
}
