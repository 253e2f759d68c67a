//! The nearest word: what somebody probably meant who misspelt a name or a key.
//!
//! [`nearest`] only suggests; nothing is ever done with its answer but saying it.

/// How like two words have to be, from 0 to 1: a slip or two, or an ending left away.
const NEAR: f64 = 0.85;

/// The known word most like `written`, ignoring case, `-` and `_`; `None` when none is so like it that it may be meant.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = plain(written);
    let likeness = |word: &'a str| (strsim::jaro_winkler(&written, &plain(word)), word);
    let near = known.into_iter().map(likeness).filter(|(likeness, _)| *likeness >= NEAR);
    near.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, word)| word)
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

    #[test]
    fn a_word_like_none_finds_none() {
        let names = ["opus", "model", "cursor-gpt", "name", "env", "args"];
        for written in ["nobody", "shell", "reviewer", "x", "", "timeout", "42"] {
            assert_eq!(nearest(written, names), None, "{written}");
        }
    }
}
