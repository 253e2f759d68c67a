//! The dotenv file that `env.file` names: `KEY=VALUE` lines that join the inherited environment.
//!
//! [`EnvFile`] holds them in file order, the last of one name only. Values are never expanded, since a `$` in a
//! secret is a dollar sign, and never appear in a message.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::visible;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// The variables of a dotenv file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct EnvFile {
    path: Option<PathBuf>,
    variables: Vec<(String, String)>,
    warning: Option<String>,
}

/// Why a dotenv file is refused. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum EnvFileError {
    /// It cannot be read.
    #[error("cannot read `{}`, which `env.file` names: {source}; name a readable file", visible(&path.to_string_lossy()))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line that is no assignment.
    #[error("{}: line {line}: {what}; expected `KEY=VALUE`, values with white space or `#` in quotes", visible(&path.to_string_lossy()))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong there.
        what: &'static str,
    },
}

impl EnvFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, is over 1 MiB, or has a malformed line.
    pub fn read(path: &Path) -> Result<Self, EnvFileError> {
        let unreadable = |source| EnvFileError::Unreadable { path: path.to_owned(), source };
        // A pipe would be waited for, and is empty the second time.
        let found = fs::metadata(path).map_err(unreadable)?;
        if !found.is_file() {
            return Err(unreadable(io::Error::other("not a regular file")));
        }
        let mode = found.permissions().mode();
        let file = File::open(path).map_err(unreadable)?;
        let mut text = String::new();
        file.take(LARGEST + 1).read_to_string(&mut text).map_err(unreadable)?;
        if text.len() as u64 > LARGEST {
            return Err(unreadable(io::Error::other("larger than 1 MiB")));
        }
        let variables = parse(&text).map_err(|(line, what)| {
            let path = path.to_owned();
            EnvFileError::Malformed { path, line, what }
        })?;
        let shown = path.to_string_lossy();
        let warning = (mode & 0o077 != 0).then(|| {
            format!("`{}` holds secrets and others may read it; run `chmod 600` on it", visible(&shown))
        });
        Ok(Self { path: Some(path.to_owned()), variables, warning })
    }

    /// The file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The variables; they count where the inherited environment does not set them.
    pub fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    /// What to tell the operator, if anything.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}

type Malformed = (usize, &'static str);

fn parse(text: &str) -> Result<Vec<(String, String)>, Malformed> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut variables: Vec<(String, String)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut rest = text;
    let mut number = 1;
    while !rest.is_empty() {
        let fail = |what| (number, what);
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            rest = after;
            number += 1;
            continue;
        }
        let start = rest.trim_start();
        let assignment = match start.strip_prefix("export") {
            Some(exported) if exported.starts_with([' ', '\t']) => exported.trim_start_matches([' ', '\t']),
            _ => start,
        };
        let end = assignment.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '-'));
        let (key, value) = assignment.split_at(end.unwrap_or(assignment.len()));
        if key.is_empty() || key.starts_with(|c: char| !c.is_ascii_alphabetic() && c != '_') {
            return Err(fail("a name that does not start with a letter or `_`"));
        }
        let Some(value) = value.trim_start_matches([' ', '\t']).strip_prefix('=') else {
            return Err(fail("no `=` after the name"));
        };
        let (value, after) = parse_value(value.trim_start_matches([' ', '\t'])).map_err(fail)?;
        if value.contains('\0') {
            return Err(fail("a NUL in the value"));
        }
        if let Some(place) = places.get(key) {
            variables[*place].1 = value;
        } else {
            places.insert(key.to_owned(), variables.len());
            variables.push((key.to_owned(), value));
        }
        number += rest[..rest.len() - after.len()].matches('\n').count();
        rest = after;
    }
    Ok(variables)
}

/// A value and what follows its line.
fn parse_value(text: &str) -> Result<(String, &str), &'static str> {
    let (value, rest) = match text.chars().next() {
        Some('\'') => {
            let (value, rest) = text[1..].split_once('\'').ok_or("a quote that is not closed")?;
            (value.to_owned(), rest)
        }
        Some('"') => double_quoted(&text[1..])?,
        _ => {
            let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
            let comment = line.char_indices().zip(line.chars().skip(1));
            let comment = comment.into_iter().find(|((_, one), next)| one.is_whitespace() && *next == '#');
            let end = if line.starts_with('#') { 0 } else { comment.map_or(line.len(), |((at, _), _)| at) };
            return Ok((line[..end].trim_end().to_owned(), rest));
        }
    };
    let (tail, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let tail = tail.trim_start();
    if tail.is_empty() || tail.starts_with('#') {
        Ok((value, rest))
    } else {
        Err("text after the closing quote")
    }
}

fn double_quoted(text: &str) -> Result<(String, &str), &'static str> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((value, &text[at + 1..])),
            '\\' => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, 't')) => value.push('\t'),
                Some((_, escaped @ ('"' | '\\' | '$' | '\'' | '`'))) => value.push(escaped),
                Some((_, other)) => value.extend(['\\', other]),
                None => break,
            },
            letter => value.push(letter),
        }
    }
    Err("a quote that is not closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        match parse(text) {
            Ok(variables) => {
                let told: Vec<String> =
                    variables.iter().map(|(key, value)| format!("{key}={value:?}")).collect();
                told.join(" ")
            }
            Err((line, what)) => format!("line {line}: {what}"),
        }
    }

    #[test]
    fn the_usual_forms_are_read_without_expansion() {
        let text = "\u{feff}# note\r\nA=1\r\n  export B = two words # note\nC='$A \"x\" #'\nD=\"a\\n\\\"$A\\\" \\d\" # note\nE=\nF=#\nG=a#b\nA=last";
        insta::assert_snapshot!(told(text), @r#"A="last" B="two words" C="$A \"x\" #" D="a\n\"$A\" \\d" E="" F="" G="a#b""#);
        insta::assert_snapshot!(told("KEY=\"-----BEGIN\nabc\n-----END\"\nexport=1\nB=2"), @r#"KEY="-----BEGIN\nabc\n-----END" export="1" B="2""#);
    }

    #[test]
    fn a_malformed_line_is_named() {
        insta::assert_snapshot!(told("A=1\n\nB"), @"line 3: no `=` after the name");
        insta::assert_snapshot!(told("A='1\n2'\n1B=2"), @"line 3: a name that does not start with a letter or `_`");
        insta::assert_snapshot!(told("A=\"1"), @"line 1: a quote that is not closed");
        insta::assert_snapshot!(told("A='1'x"), @"line 1: text after the closing quote");
        insta::assert_snapshot!(told("=1"), @"line 1: a name that does not start with a letter or `_`");
        insta::assert_snapshot!(told("export A"), @"line 1: no `=` after the name");
        insta::assert_snapshot!(told("A=a\0b"), @"line 1: a NUL in the value");
    }

    #[test]
    fn a_file_that_others_may_read_is_a_warning() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "A=1\n").unwrap();
        assert_eq!(EnvFile::read(file.path()).unwrap().warning(), None);
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(EnvFile::read(file.path()).unwrap().warning().is_some());
    }

    #[test]
    fn a_mebibyte_is_read_and_one_byte_more_is_not() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let largest = 1_usize << 20;
        std::fs::write(file.path(), format!("A={}", "x".repeat(largest - 2))).unwrap();
        assert_eq!(EnvFile::read(file.path()).unwrap().variables()[0].1.len(), largest - 2);
        std::fs::write(file.path(), format!("A={}", "x".repeat(largest - 1))).unwrap();
        assert!(EnvFile::read(file.path()).unwrap_err().to_string().contains("larger than 1 MiB"));
    }
}
