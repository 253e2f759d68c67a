//! A problem: one thing that is wrong at one place of the operator's file, and what would be right.
//!
//! [`Problem`] only speaks; whether it breaks an entry or the file is decided by who found it.

use std::fmt;

use super::visible::visible;

/// A place in a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    at: Position,
    subject: String,
    what: String,
    remedy: String,
}

impl Problem {
    /// Something wrong at a place. Control characters are made visible.
    pub fn new(at: Position, what: impl AsRef<str>) -> Self {
        Self { at, subject: String::new(), what: visible(what.as_ref()).into_owned(), remedy: String::new() }
    }

    /// The same problem with what would be right. The first remedy stays, since it came from nearer.
    #[must_use]
    pub fn remedy(self, remedy: impl AsRef<str>) -> Self {
        if self.remedy.is_empty() {
            Self { remedy: visible(remedy.as_ref()).into_owned(), ..self }
        } else {
            self
        }
    }

    /// The same problem with whom it is about: a critic, a key.
    #[must_use]
    pub fn about(self, subject: impl AsRef<str>) -> Self {
        Self { subject: visible(subject.as_ref()).into_owned(), ..self }
    }

    /// Whom it is about and what is wrong, without the place.
    pub fn what(&self) -> String {
        if self.subject.is_empty() { self.what.clone() } else { format!("{}: {}", self.subject, self.what) }
    }

    /// What would be right; empty when nothing can be said.
    pub fn advice(&self) -> &str {
        &self.remedy
    }

    /// Where it is.
    pub const fn at(&self) -> Position {
        self.at
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.at, self.what())?;
        if !self.remedy.is_empty() {
            write!(formatter, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

/// Most problems that are told in full.
const MOST_TOLD: usize = 50;

/// Problems in words, in the order given, with the number of those that are too many to tell.
pub fn told(problems: &[Problem], separator: &str, tell: impl Fn(&Problem) -> String) -> String {
    let mut told: Vec<String> = problems.iter().take(MOST_TOLD).map(tell).collect();
    if let Some(more @ 1..) = problems.len().checked_sub(MOST_TOLD) {
        told.push(format!("and {more} more"));
    }
    told.join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_place_subject_fault_and_remedy() {
        let at = Position { line: 2, column: 5 };
        let problem = Problem::new(at, "bad \u{7}").about("critic `x`").remedy("near").remedy("far");
        assert_eq!(problem.to_string(), "line 2, column 5: critic `x`: bad \\u{7}; near");
        let many = vec![problem; MOST_TOLD + 2];
        assert!(told(&many, "; ", |_| "p".to_owned()).ends_with("p; and 2 more"));
    }
}
