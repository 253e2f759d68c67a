//! `graph skip`: declares a phase away before the phase selection is answered.

use std::error::Error;

use clap::Args;

use super::item::{Desk, Named};
use crate::cli::Global;
use crate::config::visible;
use crate::graph::skip::declare;
use crate::graph::walk::Standing;

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop graph skip issue-7 --node brainstorming --reason 'the ticket says it all'
  the-loop graph skip issue-7 --node quick --reason 'a typo'

Refuses opt-in phases (they are off already), phases that always run, and phases that the walk has come to.";

/// The arguments of `graph skip`.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    named: Named,
    /// The phase, or a skip set of the loop
    #[arg(long, value_name = "NODE|SET")]
    node: String,
    /// Why this item does not need it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: String,
}

/// The text for standard output.
pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<String, Box<dyn Error>> {
    let Named { item, place } = &arguments.named;
    let desk = Desk::open(global, &place.root)?;
    let item = desk.item(item, place.spec_dir.as_deref())?;
    let lock = item.folder.lock()?;
    let loaded = desk.load(&item)?;
    let standing = Standing { graph: &loaded.graph, state: &loaded.state, history: &loaded.history };
    let declared = declare(&standing, &loaded.scope, &arguments.node, &arguments.reason, desk.act())?;
    let (name, node) = (visible(&item.name), visible(&arguments.node));
    let Some((state, event)) = declared else {
        return Ok(format!("`{node}` was declared away for `{name}` already\n"));
    };
    desk.write(&item, &lock, &state, &[event])?;
    Ok(format!("declared `{node}` away for `{name}`, as `{}`\n", visible(&desk.operator)))
}
