//! Tokens: by which the-loop knows its own checklist again.
//!
//! A [`Token`] is printed once and only its hash is kept, so that whoever reads the state cannot make a checklist of its own.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// What stands before the token in a checklist.
const LABEL: &str = "the-loop:checklist ";
/// Random bytes of a token.
const BYTES: usize = 32;

/// A new token, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token(String);

/// The system gives no randomness. Exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random numbers, so that no checklist can be made: {0}")]
pub struct TokenError(#[from] getrandom::Error);

impl Token {
    /// A random one.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn random() -> Result<Self, TokenError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(hexadecimal(&bytes)))
    }

    /// What the state keeps of it.
    pub fn hash(&self) -> String {
        hash(&self.0)
    }

    /// The comment that carries it, invisible where it is shown.
    pub fn comment(&self) -> String {
        format!("<!-- {LABEL}{} -->", self.0)
    }
}

/// The hashes of all tokens that a comment carries.
pub fn hashes(body: &str) -> impl Iterator<Item = String> {
    body.split(LABEL).skip(1).filter_map(|rest| {
        let token = rest.get(..2 * BYTES)?;
        let ended = !rest[2 * BYTES..].starts_with(|letter: char| letter.is_alphanumeric());
        (ended && token.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| hash(token))
    })
}

fn hash(token: &str) -> String {
    hexadecimal(&Sha256::digest(token))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut digits, byte| {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_again_by_its_hash_alone() {
        let (token, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_ne!(token, other);
        let body = format!("text\n{}\n{} and the-loop:checklist short", token.comment(), other.comment());
        assert_eq!(hashes(&body).collect::<Vec<_>>(), [token.hash(), other.hash()]);
        assert!(!body.contains(&token.hash()));
    }

    #[test]
    fn what_is_no_token_has_no_hash() {
        for body in
            ["", "the-loop:checklist ", "the-loop:checklist äää", &format!("{LABEL}{}", "a".repeat(65))]
        {
            assert_eq!(hashes(body).count(), 0, "{body}");
        }
    }

    #[test]
    fn the_hash_is_sha_256() {
        assert_eq!(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
