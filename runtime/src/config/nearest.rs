//! The nearest word: what somebody probably meant who misspelt a name or a key.
//!
//! [`nearest`] only suggests; nothing is ever done with its answer but saying it.

/// The known word most like `written`, ignoring case, `-` and `_`; `None` only when there is none to choose from.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = plain(written);
    let likeness = |word: &str| strsim::jaro_winkler(&written, &plain(word));
    known.into_iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
}

fn plain(word: &str) -> String {
    // Likeness costs the product of both lengths; nobody misspells more than this.
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).take(64).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_finds_its_neighbour() {
        let keys = ["name", "harness", "timeoutSeconds", "outputFormat", "env", "enabled"];
        for (written, meant) in
            [("timeout", "timeoutSeconds"), ("output_format", "outputFormat"), ("enable", "enabled")]
        {
            assert_eq!(nearest(written, keys), Some(meant));
        }
        assert_eq!(nearest("x", []), None);
    }
}
