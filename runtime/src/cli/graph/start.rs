//! `graph start`: the folder and the state of a work item.

use std::error::Error;

use clap::Args;

use super::item::{Desk, Named};
use crate::cli::Global;
use crate::config::visible;
use crate::graph::event::Event;
use crate::graph::state::State;
use crate::graph::{DEFAULT_LOOP, FolderError};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop graph start issue-7
  the-loop graph start fix-9 --loop pdlc-pr-loop

Makes the item's folder and the graph-state.json in it; refuses a state that is there already.";

/// The arguments of `graph start`.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    named: Named,
    /// The loop that the item is walked by; `graph show` lists its phases
    #[arg(long = "loop", value_name = "NAME", default_value = DEFAULT_LOOP)]
    loop_name: String,
}

/// The text for standard output.
pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<String, Box<dyn Error>> {
    let Named { item, place } = &arguments.named;
    let desk = Desk::open(global, &place.root)?;
    let item = desk.item(item, place.spec_dir.as_deref())?;
    let graph = desk.loops.load(&arguments.loop_name)?;
    // Before anything is made: without the log no decision would ever count.
    desk.log.probe()?;
    item.folder.create()?;
    let lock = item.folder.lock()?;
    if item.folder.has_state() {
        return Err(FolderError::Started(item.folder.state_path()).into());
    }
    let act = desk.act();
    let start = graph.start().id().to_string();
    let state = State {
        loop_name: graph.name().to_string(),
        current: start.clone(),
        entered: [(start, act.at)].into(),
        ..State::default()
    };
    let started = Event::started(&desk.scope(&item, graph.name()), act);
    desk.write(&item, &lock, &state, &[started])?;
    let name = visible(&item.name);
    Ok(format!(
        "started `{name}` by {} at `{}`; post its checklist with `the-loop graph checklist {name}`\n",
        graph.name(),
        state.current
    ))
}
