//! Which nodes are left out. Main type: [`Choices`].
//!
//! It is what remains of a state's `skips` and `optIns` once the graph has been asked: a skip counts for a node that
//! is on by default and can be declared away, a selection for a node that is opt-in. No selection means that an
//! opt-in node is left out.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::fault::graph::{Fault, on};

use super::definition::{Graph, Node, Outcome};
use super::state::{Provenance, State};

/// Where a fault keeps which nodes were unticked although they always run.
pub(crate) const UNTICKED: &str = "untickedAnyway";

/// What counts of the choices in a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    /// Default-on nodes that were declared away.
    pub(crate) skips: BTreeMap<String, Provenance>,
    /// Opt-in nodes that were selected.
    pub(crate) opt_ins: BTreeMap<String, Provenance>,
}

/// Why a node is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// Somebody declared it away.
    Declared,
    /// Nobody selected it.
    NotSelected,
}

impl Choices {
    /// What counts.
    pub(crate) fn of(state: &State, graph: &Graph) -> Self {
        let mut skips = state.provenances("skips");
        skips.retain(|id, _| match graph.node(id) {
            None => false,
            Some(node) if node.opt_in => on(Fault::SkipOfOptInCounts),
            Some(node) => {
                let unticked = state.items(UNTICKED).iter().any(|kept| kept == id.as_str());
                node.skippable || on(Fault::ForgedSkipCounts) || unticked && on(Fault::RequiredUntickSkips)
            }
        });
        let mut opt_ins = state.provenances("optIns");
        opt_ins.retain(|id, _| {
            graph.node(id).is_some_and(|node| node.opt_in || on(Fault::ForgedSelectionCounts))
        });
        if on(Fault::SelectionNotRead) {
            opt_ins.clear();
        }
        if on(Fault::InFlightBlocks) && state.member("optIns").is_none() {
            opt_ins.extend(graph.opt_ins().map(|node| (node.id.text.clone(), Provenance::unknown())));
        }
        if on(Fault::FrozenIsTheSource) {
            opt_ins.extend(frozen_as_running(state, graph));
        }
        Self { skips, opt_ins }
    }

    /// Why this node is left out; nothing if it runs.
    pub(crate) fn absence(&self, node: &Node) -> Option<Absence> {
        let id = node.id.text.as_str();
        if node.opt_in {
            let selected = self.opt_ins.contains_key(id) || on(Fault::OptInRunsByDefault);
            // Only a fault lets the skip of an opt-in node get here.
            let declared = self.skips.contains_key(id).then_some(Absence::Declared);
            return declared.or((!selected).then_some(Absence::NotSelected));
        }
        // Only a fault lets the selection of another node get here.
        let declared = self.skips.contains_key(id) && !self.opt_ins.contains_key(id);
        declared.then_some(Absence::Declared)
    }

    fn next<'a>(&self, graph: &'a Graph, node: &Node) -> Option<&'a Node> {
        let absent = self.absence(node).is_some() || node.opt_in && on(Fault::SelectedNotWalked);
        graph.next(&node.id.text, Outcome::Skipped).filter(|_| absent)
    }

    /// The node at which the walk stands when it reaches this one.
    pub(crate) fn route<'a>(&self, graph: &'a Graph, node: &'a Node) -> &'a Node {
        let mut node = node;
        while let Some(next) = self.next(graph, node) {
            node = next;
        }
        node
    }
}

/// Opt-in nodes that the frozen record says run.
pub(crate) fn frozen_as_running(state: &State, graph: &Graph) -> Vec<(String, Provenance)> {
    let nodes =
        state.members("frozen").find(|(key, _)| *key == "nodes").and_then(|(_, nodes)| nodes.as_array());
    let running = nodes.into_iter().flatten().filter(|node| node.get("skipped") == Some(&Value::Bool(false)));
    running
        .filter_map(|node| node.get("id")?.as_str())
        .filter(|id| graph.node(id).is_some_and(|node| node.opt_in))
        .map(|id| (id.to_owned(), Provenance::unknown()))
        .collect()
}

/// Choices as they are printed.
pub(crate) fn to_value(choices: &BTreeMap<String, Provenance>) -> Value {
    Value::Object(choices.iter().map(|(id, by)| (id.clone(), by.to_value())).collect::<Map<_, _>>())
}
