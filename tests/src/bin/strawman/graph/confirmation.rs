//! What is said once the phases are selected. Main function: [`text`].
//!
//! It is a comment to post. It speaks of every opt-in phase that was offered, so that silence answers nothing.

use crate::fault::graph::{Fault, on};

use super::comment::OWN_MARKER;
use super::definition::Graph;
use super::selection::Selection;

/// The comment.
pub(crate) fn text(graph: &Graph, selection: &Selection, by: &str) -> String {
    let mut text = vec![format!("The phases are settled, by {by}.\n\n")];
    let chosen = |id: &str| selection.opt_ins.iter().any(|selected| selected == id);
    let left: Vec<String> =
        graph.opt_ins().map(|node| node.id.text.clone()).filter(|id| !chosen(id)).collect();
    if !selection.opt_ins.is_empty() && !on(Fault::ConfirmationHidesSelected) {
        line(&mut text, "In addition these will run", &selection.opt_ins);
    }
    if !left.is_empty() && !on(Fault::ConfirmationHidesUnselected) {
        line(&mut text, "Offered, but not selected", &left);
    }
    if !selection.skips.is_empty() {
        line(&mut text, "Declared away", &selection.skips);
    }
    if !selection.refused.is_empty() {
        line(&mut text, "Refused, since they always run", &selection.refused);
    }
    if on(Fault::HarmlessGraphLate) {
        let runs = |id: &String| !selection.skips.contains(id);
        let ids = graph.nodes.iter().filter(|node| node.skippable).map(|node| node.id.text.clone());
        line(&mut text, "As always", &ids.filter(runs).collect::<Vec<_>>());
    }
    for note in &selection.notes {
        text.push(format!("* {note}\n"));
    }
    text.push(format!("\n{OWN_MARKER}\n"));
    text.concat()
}

fn line(text: &mut Vec<String>, what: &str, ids: &[String]) {
    let ids = ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    text.push(format!("* {what}: {ids}\n"));
}
