//! The assertions of the graph profile.
//!
//! [`GraphAssertion`] is the checked form, made from the keys of a check. Whether they hold is the judge's work.

use serde::Deserialize;

use super::check::{Pointer, pointers};
use super::entries::Entries;
use crate::matcher::Matcher;
use crate::text::Text;

/// Pointers into a value, each with its matcher.
pub type Pointers = Vec<(Pointer, Matcher)>;

/// One thing that must hold of a step of the graph profile.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphAssertion {
    /// Rows of the checklist on standard output, by phase.
    Checklist(Vec<(String, RowCheck)>),
    /// What standard output says of a node, by node: its lines of a table, or its object of JSON.
    Rows(Vec<(String, Matcher)>),
    /// The object of a node in the `nodes` of JSON on standard output, by node.
    Nodes(Vec<(String, Pointers)>),
    /// These edges are among the `edges` of JSON on standard output.
    Edges(Vec<EdgeCheck>),
    /// None of these is.
    NoEdges(Vec<EdgeCheck>),
    /// These nodes follow each other directly in the `nodes` of JSON on standard output.
    Adjacent(Vec<String>),
    /// The state of the item after the step.
    State(Pointers),
    /// The record of a node in the frozen graph of that state, by node.
    Frozen(Vec<(String, Pointers)>),
    /// Lines of the event log after the step, by event.
    Events(Vec<(String, EventCheck)>),
    /// Paths whose content, or all content below them, is the same before and after the step.
    Unchanged(Vec<Text>),
}

/// What a row of a checklist must be.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowCheck {
    /// Whether its box is ticked.
    pub ticked: Option<bool>,
    /// The heading above it and what is said there.
    pub under: Option<Matcher>,
    /// What stands beside it.
    pub description: Option<Matcher>,
    /// There is no such row.
    pub absent: Option<bool>,
}

/// An edge; a part that is left out may be anything.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeCheck {
    /// Where it begins.
    pub from: Option<String>,
    /// Where it leads.
    pub to: Option<String>,
    /// The outcome.
    pub on: Option<String>,
}

/// What must be in the event log.
#[derive(Clone, Debug, PartialEq)]
pub struct EventCheck {
    /// How many lines; at least one by default.
    pub count: Option<Matcher>,
    /// Only lines of which this holds are counted.
    pub pointers: Pointers,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventFile {
    count: Option<Matcher>,
    #[serde(default)]
    r#where: Entries<Matcher>,
}

/// The keys of a check that are about the graph.
#[derive(Default)]
pub(super) struct GraphCheckFile {
    pub(super) checklist: Option<Entries<RowCheck>>,
    pub(super) rows: Option<Entries<Matcher>>,
    pub(super) nodes: Option<Entries<Entries<Matcher>>>,
    pub(super) edges: Option<Vec<EdgeCheck>>,
    pub(super) no_edges: Option<Vec<EdgeCheck>>,
    pub(super) adjacent: Option<Vec<String>>,
    pub(super) state: Option<Entries<Matcher>>,
    pub(super) frozen: Option<Entries<Entries<Matcher>>>,
    pub(super) events: Option<Entries<EventFile>>,
    pub(super) unchanged: Option<Vec<Text>>,
}

impl GraphCheckFile {
    /// The checked assertions.
    pub(super) fn assertions(self) -> Result<Vec<GraphAssertion>, String> {
        let mut found = Vec::new();
        if let Some(rows) = self.checklist {
            let rows = rows.not_empty("checklist")?;
            rows.iter().try_for_each(|(id, row)| row.check(id))?;
            found.push(GraphAssertion::Checklist(rows));
        }
        if let Some(rows) = self.rows {
            found.push(GraphAssertion::Rows(rows.not_empty("rows")?));
        }
        found.extend(self.nodes.map(by_node).transpose()?.map(GraphAssertion::Nodes));
        found.extend(self.edges.map(GraphAssertion::Edges));
        found.extend(self.no_edges.map(GraphAssertion::NoEdges));
        found.extend(self.adjacent.map(GraphAssertion::Adjacent));
        found.extend(self.state.map(pointers).transpose()?.map(GraphAssertion::State));
        found.extend(self.frozen.map(by_node).transpose()?.map(GraphAssertion::Frozen));
        if let Some(events) = self.events {
            let events = events.not_empty("events")?.into_iter();
            let events = events.map(|(name, file)| Ok((name, file.check()?)));
            found.push(GraphAssertion::Events(events.collect::<Result<_, String>>()?));
        }
        found.extend(self.unchanged.map(GraphAssertion::Unchanged));
        for assertion in &found {
            let least = match assertion {
                GraphAssertion::Edges(edges) | GraphAssertion::NoEdges(edges) => edges.len(),
                GraphAssertion::Adjacent(nodes) => nodes.len() / 2,
                GraphAssertion::Unchanged(paths) => paths.len(),
                _ => 1,
            };
            if least == 0 {
                return Err("a list that asks for nothing holds always, say what must hold".to_owned());
            }
        }
        Ok(found)
    }
}

fn by_node(entries: Entries<Entries<Matcher>>) -> Result<Vec<(String, Pointers)>, String> {
    let entries = entries.not_empty("nodes")?.into_iter();
    entries.map(|(node, matchers)| Ok((node, pointers(matchers)?))).collect()
}

impl RowCheck {
    fn check(&self, id: &str) -> Result<(), String> {
        let asks = self.ticked.is_some() || self.under.is_some() || self.description.is_some();
        match (self.absent, asks) {
            (Some(true), false) | (None, true) => Ok(()),
            (Some(true), true) => Err(format!("row `{id}` is to be absent and to be something, keep one")),
            _ => Err(format!(
                "row `{id}` asks for nothing, expected ticked, under, description or `absent: true`"
            )),
        }
    }
}

impl EventFile {
    fn check(self) -> Result<EventCheck, String> {
        let pointers =
            if self.r#where.names().next().is_some() { pointers(self.r#where)? } else { Vec::new() };
        Ok(EventCheck { count: self.count, pointers })
    }
}
