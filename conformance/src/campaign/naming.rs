//! Names for sandboxes that say nothing. Main function: [`opaque`].
//!
//! A target quotes paths in its messages; a path that held the words of a scenario, or digits, would answer for it.
//! Where a kept sandbox is found by its scenario is the pool's work.

/// Neither a vowel nor a digit, so that no word and no number comes about.
const LETTERS: &[u8; 16] = b"bcdfghjklmnpqrsv";

/// A name for a number, other numbers have other names; at least four letters, none of which makes a word.
#[must_use]
pub fn opaque(number: u64) -> String {
    let length = (number.checked_ilog2().unwrap_or_default() / 4 + 1).max(4);
    (0..length)
        .rev()
        .map(|place| char::from(LETTERS[usize::try_from(number >> (4 * place) & 15).unwrap_or_default()]))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn numbers_have_names_of_their_own_without_words_or_digits() {
        assert_eq!(opaque(0), "bbbb");
        assert_eq!(opaque(0x1_0f23), "cbvdf");
        let names: BTreeSet<String> = (0..70_000).map(opaque).collect();
        assert_eq!(names.len(), 70_000);
        assert!(names.iter().flat_map(|name| name.chars()).all(|letter| !"aeiou0123456789".contains(letter)));
        assert_eq!(opaque(u64::MAX), "v".repeat(16));
    }
}
