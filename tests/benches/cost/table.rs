//! The table that is printed: what was measured, the figure, the bound it has to keep.
//!
//! A [`Row`] without a bound only informs.

use std::fmt;

/// All figures in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    what: String,
    figure: String,
    bound: String,
    verdict: Verdict,
}

/// Whether a figure keeps its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    None,
    Holds,
    Broken,
}

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Holds => "holds",
            Self::Broken => "BROKEN",
        }
    }
}

impl Table {
    pub(crate) const fn new() -> Self {
        Self { rows: Vec::new() }
    }

    /// A figure that has no bound.
    pub(crate) fn tell(&mut self, what: impl Into<String>, figure: impl Into<String>) {
        let (what, figure) = (what.into(), figure.into());
        self.rows.push(Row { what, figure, bound: String::new(), verdict: Verdict::None });
    }

    /// A figure and the most it may be.
    pub(crate) fn bound(&mut self, what: impl Into<String>, found: f64, most: f64, unit: &str) {
        let verdict = if found <= most { Verdict::Holds } else { Verdict::Broken };
        let shown = |number: f64| match number {
            number if number < 0.1 => format!("{number:.5}{unit}"),
            number => format!("{number:.2}{unit}"),
        };
        let bound = format!("at most {}", shown(most));
        self.rows.push(Row { what: what.into(), figure: shown(found), bound, verdict });
    }

    /// Something counted that must be what it was before.
    pub(crate) fn same(&mut self, what: impl Into<String>, before: usize, after: usize) {
        let verdict = if before == after { Verdict::Holds } else { Verdict::Broken };
        let figure = format!("{before}, then {after}");
        self.rows.push(Row { what: what.into(), figure, bound: "the same".to_owned(), verdict });
    }

    /// Whether every bound is kept.
    pub(crate) fn holds(&self) -> bool {
        self.rows.iter().all(|row| row.verdict != Verdict::Broken)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |cell: fn(&Row) -> &str| {
            self.rows.iter().map(|row| cell(row).chars().count()).max().unwrap_or_default()
        };
        let (what, figure, bound) =
            (width(|row| &row.what), width(|row| &row.figure), width(|row| &row.bound));
        for row in &self.rows {
            let line = format!(
                "{:what$}  {:>figure$}  {:bound$}  {}",
                row.what,
                row.figure,
                row.bound,
                row.verdict.word()
            );
            writeln!(formatter, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
