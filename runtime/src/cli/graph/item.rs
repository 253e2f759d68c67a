//! A work item as a command names it, and everything that is known of it.
//!
//! [`Named`] is what was typed, [`Item`] what it means. Only warnings are printed here.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::{Global, operator};
use crate::config::{Routing, notices, visible};
use crate::graph::event::{Act, Event, Scope};
use crate::graph::history::History;
use crate::graph::state::State;
use crate::graph::{CompiledGraph, DEFAULT_LOOP, EventLog, ItemFolder, Lock, Loops, Moment, NodeId};
use crate::invocation::{WorkItem, absolute};

/// Where work items live.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Place {
    /// The checkout
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(in crate::cli) root: PathBuf,
    /// The item's folder, instead of the one below `routing.graph.specDir` or docs/specs
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) spec_dir: Option<PathBuf>,
}

/// One work item, as typed.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Named {
    /// The work item: one plain name such as issue-7
    #[arg(value_name = "ITEM")]
    pub(in crate::cli) item: OsString,
    #[command(flatten)]
    pub(in crate::cli) place: Place,
}

/// What refuses an item before its folder is looked at.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("the work item has no name; give a plain one such as `add-login`")]
    Nameless,
    #[error("the work item `{}` is not UTF-8; give a plain name such as `add-login`", visible(.0))]
    NotText(String),
    #[error("the checkout `{}` cannot be used: {source}; name one with `--root`", visible(&path.to_string_lossy()))]
    Root { path: PathBuf, source: std::io::Error },
}

/// The operator's side of walks.
#[derive(Debug)]
pub(in crate::cli) struct Desk {
    pub(in crate::cli) routing: Routing,
    pub(in crate::cli) loops: Loops,
    pub(in crate::cli) log: EventLog,
    /// Absolute.
    pub(in crate::cli) spec_root: PathBuf,
    /// Absolute, links kept.
    root: PathBuf,
    /// The same with its links resolved, as events name it.
    true_root: String,
    here: PathBuf,
    /// Who runs the command.
    pub(in crate::cli) operator: String,
}

/// One work item.
#[derive(Debug)]
pub(in crate::cli) struct Item {
    pub(in crate::cli) name: String,
    pub(in crate::cli) folder: ItemFolder,
}

/// A state with the graph and the history it is read through.
#[derive(Debug)]
pub(in crate::cli) struct Loaded {
    pub(in crate::cli) state: State,
    pub(in crate::cli) graph: CompiledGraph,
    pub(in crate::cli) history: History,
    pub(in crate::cli) scope: Scope,
}

impl Desk {
    /// Reads the config for walks in the checkout at `root`, and tells what there is to warn of.
    pub(in crate::cli) fn open(global: &Global, root: &Path) -> Result<Self, Box<dyn Error>> {
        let here = env::current_dir()?;
        let config = operator::load(global)?;
        for notice in notices(&config, root) {
            tracing::warn!("{notice}");
        }
        for slip in config.slips() {
            tracing::warn!("{}", config.located(&slip));
        }
        let root = absolute(&here, root);
        let true_root = root.canonicalize().map_err(|source| Refusal::Root { path: root.clone(), source })?;
        let home = env::var_os("HOME");
        let log = EventLog::locate(config.event_log()?, home.as_deref().map(Path::new))?;
        warn_of_log(&log, &true_root);
        Ok(Self {
            routing: config.routing()?,
            loops: Loops::read(&config)?,
            spec_root: absolute(&root, &config.spec_root()?),
            true_root: true_root.to_string_lossy().into_owned(),
            operator: whoever_runs_this(),
            log,
            root,
            here,
        })
    }

    /// The item of that name, in the folder of the flag or below the spec root.
    pub(in crate::cli) fn item(
        &self,
        name: &OsString,
        spec_dir: Option<&Path>,
    ) -> Result<Item, Box<dyn Error>> {
        let work_item = WorkItem::parse(name.clone())?;
        let name = work_item.name();
        let text = name.to_str().ok_or_else(|| Refusal::NotText(name.to_string_lossy().into_owned()))?;
        if text.is_empty() {
            return Err(Refusal::Nameless.into());
        }
        let folder = match spec_dir {
            Some(flag) => ItemFolder::given(absolute(&self.here, flag), text),
            None => ItemFolder::below(&self.root, &self.spec_root, text)?,
        };
        Ok(Item { name: text.to_owned(), folder })
    }

    /// The item in a folder, named as the folder is.
    pub(in crate::cli) fn given(&self, folder: &Path) -> Item {
        let path = absolute(&self.here, folder);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Item { folder: ItemFolder::given(path, &name), name }
    }

    /// The state of an item, with its graph and its history, for whoever moves it.
    pub(in crate::cli) fn load(&self, item: &Item) -> Result<Loaded, Box<dyn Error>> {
        let log = self.log.read()?;
        let state = item.folder.load()?;
        // Nothing is decided by another loop than the one that was chosen, whatever the state names.
        let logged = self.logged_loop(item, &log).filter(|name| self.loops.contains(name));
        if let Some(name) = logged.as_deref().filter(|name| *name != state.loop_name) {
            warn_of_loop(item, name, &state);
        }
        let name = logged.unwrap_or_else(|| self.stated_loop(item, &state).to_owned());
        self.loaded(item, state, &name, &log)
    }

    /// The same for whoever only looks: without the log nothing is verified, and it can be seen.
    pub(in crate::cli) fn look_at(&self, item: &Item) -> Result<Loaded, Box<dyn Error>> {
        let log = self.log.read().unwrap_or_else(|error| {
            tracing::warn!("{error}");
            Vec::new()
        });
        let state = item.folder.load()?;
        let stated = self.stated_loop(item, &state);
        match self.logged_loop(item, &log).filter(|name| self.loops.contains(name)) {
            Some(name) if self.loops.contains(&state.loop_name) && name != stated => {
                warn_of_loop(item, &name, &state);
                self.loaded(item, state, &name, &log)
            }
            _ => {
                let name = stated.to_owned();
                self.loaded(item, state, &name, &log)
            }
        }
    }

    fn loaded(&self, item: &Item, state: State, name: &str, log: &[u8]) -> Result<Loaded, Box<dyn Error>> {
        let graph = self.loops.load(name)?;
        let scope = self.scope(item, graph.name());
        let history = History::read(log, &scope, &graph);
        Ok(Loaded { state, graph, history, scope })
    }

    fn logged_loop(&self, item: &Item, log: &[u8]) -> Option<String> {
        History::loop_of(log, &self.true_root, &item.name)
    }

    /// The loop that a state names, if it is one of those that the operator has (8.4); else the default.
    fn stated_loop<'a>(&self, item: &Item, state: &'a State) -> &'a str {
        if self.loops.contains(&state.loop_name) {
            return &state.loop_name;
        }
        tracing::warn!(
            "the state of `{}` names the loop `{}`, which is neither shipped nor declared; it is judged by `{DEFAULT_LOOP}`",
            visible(&item.name),
            visible(&state.loop_name)
        );
        DEFAULT_LOOP
    }

    /// The walk of an item by a graph.
    pub(in crate::cli) fn scope(&self, item: &Item, graph: &NodeId) -> Scope {
        Scope { root: self.true_root.clone(), work_item: item.name.clone(), loop_name: graph.to_string() }
    }

    /// Logs, and only then replaces the state; what cannot be written is not logged.
    pub(in crate::cli) fn write(
        &self,
        item: &Item,
        lock: &Lock,
        state: &State,
        events: &[Event],
    ) -> Result<(), Box<dyn Error>> {
        let draft = item.folder.draft(lock, state)?;
        self.log.append(events)?;
        Ok(draft.commit()?)
    }

    /// The current second and who runs the command.
    pub(in crate::cli) fn act(&self) -> Act<'_> {
        Act { by: &self.operator, via: "cli", at: Moment::now() }
    }
}

fn warn_of_loop(item: &Item, logged: &str, state: &State) {
    tracing::warn!(
        "the state of `{}` names the loop `{}`, and it was started by `{logged}`, which counts; restore it",
        visible(&item.name),
        visible(&state.loop_name)
    );
}

/// Whoever can change a checkout could write decisions of humans.
fn warn_of_log(log: &EventLog, root: &Path) {
    let place = log.place();
    let around = if place.starts_with(root) {
        Some(root)
    } else {
        place.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
    };
    if let Some(checkout) = around {
        tracing::warn!(
            "the event log `{}` lies inside the checkout `{}`: whoever can change the checkout can forge decisions; keep it outside",
            visible(&log.path().to_string_lossy()),
            visible(&checkout.to_string_lossy())
        );
    }
}

fn whoever_runs_this() -> String {
    let named = ["USER", "LOGNAME"].into_iter().find_map(|name| env::var(name).ok());
    let named = named.filter(|name| !name.trim().is_empty());
    named.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}
