//! The rows of a checklist inside a comment. Main type: [`Row`].
//!
//! A row counts where a reader sees a box: not in a code fence, a quote or an HTML comment, and not as indented
//! code. Rows of anything that is no node are passed over. What a tick means is `selection`'s business.

use crate::fault::graph::{Fault, on};

use super::definition::Graph;
use super::markdown::{self, Hidden};

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The node it is about.
    pub(crate) id: String,
    /// Whether its box is ticked.
    pub(crate) ticked: bool,
}

/// Every row of a comment that names a node.
pub(crate) fn read(body: &str, graph: &Graph) -> Vec<Row> {
    let hidden =
        Hidden { fences: !on(Fault::TicksInFencesCount), comments: !on(Fault::TicksInHiddenCommentsCount) };
    let lines = markdown::visible(body, hidden);
    let rows = lines.iter().filter_map(|line| row(line));
    rows.filter(|row| graph.node(&row.id).is_some()).collect()
}

fn row(line: &str) -> Option<Row> {
    let unquoted = line.trim_start_matches(['>', ' ']);
    let line = if on(Fault::TicksInQuotesCount) { unquoted } else { line };
    let inner = line.trim_start_matches(' ');
    if line.len() - inner.len() > 3 {
        return None;
    }
    let mut letters = inner.chars();
    if !letters.next().is_some_and(|bullet| "-*+".contains(bullet)) {
        return None;
    }
    let inner = letters.as_str().trim_start().strip_prefix('[')?;
    let (mark, rest) = inner.split_once(']')?;
    let ticked = match mark {
        " " => false,
        "x" | "X" => true,
        _ => return None,
    };
    let rest = rest.strip_prefix(' ')?.trim_start();
    let word = rest.split_whitespace().next()?;
    Some(Row { id: word.trim_matches('`').to_owned(), ticked })
}
