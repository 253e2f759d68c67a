//! What every command needs: the operator's word and the loops. Main type: [`Desk`].
//!
//! It finds the loop of a state. A state may be forged, so a loop that it names counts only if there is one of that
//! name.

use crate::config::Config;
use crate::fault::graph::{Fault, on};
use crate::flags::Place;
use crate::refusal::Refusal;
use crate::say;

use super::catalogue::{Catalogue, DEFAULT};
use super::definition::Graph;
use super::log::Log;
use super::settings::Settings;
use super::state::State;
use super::walk::Walk;

/// The operator's word and the loops.
pub(crate) struct Desk {
    /// The config.
    pub(crate) config: Config,
    /// What it says about graphs.
    pub(crate) settings: Settings,
}

impl Desk {
    /// Reads the config.
    pub(crate) fn new(place: &Place) -> Result<Self, Refusal> {
        let config = Config::load(place)?;
        let settings = Settings::read(&config)?;
        Ok(Self { config, settings })
    }

    /// The loops.
    pub(crate) fn catalogue(&self) -> Catalogue<'_> {
        Catalogue::new(&self.settings, &self.config)
    }

    /// The event log.
    pub(crate) fn log(&self) -> Log {
        Log::new(&self.settings.log, &self.config.root)
    }

    /// The loop of a state, compiled now.
    pub(crate) fn graph_of(&self, state: &State) -> Result<Graph, Refusal> {
        let name = state.text("loop").unwrap_or_default();
        if on(Fault::LoopOfStateIsPath) && !name.is_empty() {
            let text = std::fs::read_to_string(self.config.root.join(name)).unwrap_or_default();
            if let Ok(graph) = super::compile::compile(&text) {
                return Ok(graph);
            }
        }
        match self.catalogue().find(name) {
            Some(graph) => graph,
            None if on(Fault::UnknownLoopRefused) => Err(Refusal::new(format!("no loop `{name}`"))),
            None => {
                if !on(Fault::UnknownLoopSilent) {
                    let name = name.escape_debug();
                    say(&format!("warning: the state names no loop there is (`{name}`); taking `{DEFAULT}`"));
                }
                self.catalogue().demand(DEFAULT)
            }
        }
    }
}

/// A refusal of calls that would write about an item whose pointer means nothing.
pub(crate) fn demand_pointer(walk: &Walk<'_>) -> Result<(), Refusal> {
    if walk.pointer().is_some() {
        return Ok(());
    }
    let pointer = walk.state.text("current").unwrap_or_default().escape_debug();
    let name = &walk.graph.name;
    Err(Refusal::new(format!("`current` is `{pointer}`, which is no node of `{name}`; nothing was changed")))
}
