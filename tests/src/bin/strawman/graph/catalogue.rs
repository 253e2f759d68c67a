//! The loops there are: shipped with the program, or declared by the operator. Main type: [`Catalogue`].
//!
//! Files of the checkout are no loops, whatever they are called. A loop is compiled each time it is asked for.

use std::fs;

use crate::config::Config;
use crate::fault::graph::{Fault, on};
use crate::refusal::Refusal;

use super::compile::compile;
use super::definition::Graph;
use super::settings::Settings;
use super::tampered;

/// The loop of items that name none.
pub(crate) const DEFAULT: &str = "pdlc-work-item-loop";

const SHIPPED: [(&str, &str); 3] = [
    (DEFAULT, include_str!("loops/pdlc-work-item-loop.yaml")),
    ("pdlc-pr-loop", include_str!("loops/pdlc-pr-loop.yaml")),
    ("pdlc-contribution-loop", include_str!("loops/pdlc-contribution-loop.yaml")),
];

/// Every loop that can be named.
pub(crate) struct Catalogue<'a> {
    settings: &'a Settings,
    config: &'a Config,
}

impl<'a> Catalogue<'a> {
    /// The shipped loops and those that `settings` declares.
    pub(crate) fn new(settings: &'a Settings, config: &'a Config) -> Self {
        Self { settings, config }
    }

    /// The loop of that name; nothing if there is none.
    pub(crate) fn find(&self, name: &str) -> Option<Result<Graph, Refusal>> {
        if on(Fault::CheckoutGraphRead) {
            for folder in [".the-loop/graphs", ".the-loop", "."] {
                let path = self.config.root.join(folder).join(name);
                let path = if path.is_file() { path } else { path.with_extension("yaml") };
                if path.is_file() {
                    return Some(load(name, &path));
                }
            }
        }
        if let Some((_, path)) = self.settings.loops.iter().find(|(declared, _)| declared == name) {
            return Some(load(name, path));
        }
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Some(compiled(name, name, text).map(tampered::with_faults))
    }

    /// The loop of that name, or a refusal that names all there are.
    pub(crate) fn demand(&self, name: &str) -> Result<Graph, Refusal> {
        self.find(name).unwrap_or_else(|| {
            let known = self.names().join(", ");
            Err(Refusal::new(format!("no loop `{name}`; there are {known}, and what `graphs:` declares")))
        })
    }

    /// The first loop that has a node of that id, else the default.
    pub(crate) fn with_node(&self, id: &str) -> Result<Graph, Refusal> {
        let loops = self.names().into_iter().filter_map(|name| self.find(name)?.ok());
        loops.into_iter().find(|graph| graph.node(id).is_some()).map_or_else(|| self.demand(DEFAULT), Ok)
    }

    /// The names of all loops, the default first.
    pub(crate) fn names(&self) -> Vec<&str> {
        let shipped = SHIPPED.iter().map(|(name, _)| *name);
        shipped.chain(self.settings.loops.iter().map(|(name, _)| name.as_str())).collect()
    }
}

fn load(name: &str, path: &std::path::Path) -> Result<Graph, Refusal> {
    let text = fs::read_to_string(path)
        .map_err(|error| Refusal::new(format!("loop `{name}`, `{}`: {error}", path.display())))?;
    compiled(name, &path.display().to_string(), &text)
}

fn compiled(name: &str, place: &str, text: &str) -> Result<Graph, Refusal> {
    let graph = compile(text).map_err(|problems| {
        let lines = problems.iter().map(|problem| {
            format!("\n  {place}:{}:{}: {}", problem.spot.line, problem.spot.column, problem.text)
        });
        Refusal::new(format!("loop `{name}` does not compile:{}", lines.collect::<String>()))
    })?;
    Ok(Graph { name: name.to_owned(), ..graph })
}
