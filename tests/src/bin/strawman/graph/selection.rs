//! What a reply to the phase selection says. Main type: [`Selection`].
//!
//! A box changes something only if it says so: a ticked opt-in row selects, an unticked default-on row declares
//! away, and whatever is left out, contradicted or unknown leaves the default.

use std::collections::BTreeSet;

use crate::fault::graph::{Fault, on};

use super::comment::Comment;
use super::definition::{Graph, Node};
use super::rows::{self, Row};

/// What was selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Opt-in nodes that run, in the order of the graph.
    pub(crate) opt_ins: Vec<String>,
    /// Default-on nodes that do not run, in the order of the graph.
    pub(crate) skips: Vec<String>,
    /// Nodes that somebody wanted away although they always run.
    pub(crate) refused: Vec<String>,
    /// What a reader should know besides.
    pub(crate) notes: Vec<String>,
}

impl Selection {
    /// What `reply` says, or else our checklist, if it did not change after the reply.
    pub(crate) fn read(graph: &Graph, reply: &Comment, ours: Option<&Comment>) -> Self {
        let mut notes = Vec::new();
        let mut listed = rows::read(&reply.body, graph);
        if on(Fault::ReplyRowsIgnored) {
            listed.clear();
        }
        if let Some(ours) = ours.filter(|_| listed.is_empty() || on(Fault::OurChecklistWins)) {
            let late = ours.updated.is_none_or(|updated| updated > reply.created);
            if late && !on(Fault::LateChecklistCounts) {
                notes.push(
                    "The checklist was changed after the answer, so its boxes do not count.".to_owned(),
                );
            } else if !on(Fault::OurChecklistIgnored) {
                listed = rows::read(&ours.body, graph);
            }
        }
        Self { notes, ..Self::of_rows(graph, &listed) }
    }

    fn of_rows(graph: &Graph, rows: &[Row]) -> Self {
        let marks = |ticked: bool| -> BTreeSet<&str> {
            rows.iter().filter(|row| row.ticked == ticked).map(|row| row.id.as_str()).collect()
        };
        let (ticked, unticked) = (marks(true), marks(false));
        let says = |marks: &BTreeSet<&str>, other: &BTreeSet<&str>, node: &Node| {
            let id = node.id.text.as_str();
            marks.contains(id) && (!other.contains(id) || on(Fault::ContradictionSelects))
        };
        let ignored =
            on(if unticked.is_empty() { Fault::TickIgnored } else { Fault::TickBesideUntickIgnored });
        let mut selection = Self::default();
        for node in &graph.nodes {
            let id = || node.id.text.clone();
            let absent = !ticked.contains(node.id.text.as_str()) && !unticked.contains(node.id.text.as_str());
            if node.opt_in {
                let by_omission = on(Fault::OmissionSelects) && absent && !rows.is_empty()
                    || on(Fault::SilenceSelects) && rows.is_empty();
                let selected = says(&ticked, &unticked, node) && !ignored
                    || says(&unticked, &ticked, node) && on(Fault::UntickedSelects);
                if selected || by_omission {
                    selection.opt_ins.push(id());
                }
                if selected && on(Fault::SelectionIsSkipToo)
                    || !selected && !by_omission && on(Fault::UnselectedIsDeclared)
                {
                    selection.skips.push(id());
                }
            } else if node.skippable {
                let omitted = on(Fault::OmissionSkips) && absent && !rows.is_empty();
                let unticked = says(&unticked, &ticked, node) && !on(Fault::UntickIgnored);
                if unticked || omitted {
                    selection.skips.push(id());
                }
            } else if says(&unticked, &ticked, node) && !node.terminal {
                if !on(Fault::RefusalSilent) {
                    selection.refused.push(id());
                }
                if on(Fault::RequiredUntickSkips) {
                    selection.skips.push(id());
                }
            }
        }
        selection
    }
}
