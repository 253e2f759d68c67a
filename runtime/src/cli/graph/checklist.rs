//! `graph checklist`: the comment by which a human chooses the phases of a work item.

use std::error::Error;

use clap::Args;

use super::item::{Desk, Named};
use crate::cli::Global;
use crate::graph::checklist;
use crate::graph::event::Event;
use crate::graph::token::Token;
use crate::graph::walk::Standing;

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop graph checklist issue-7
  the-loop graph checklist issue-7 | gh issue comment 7 --body-file -

Only the first comment with a token of the item is its checklist: post it once.";

/// The arguments of `graph checklist`.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    named: Named,
}

/// The text for standard output. The state keeps the hash of its token.
pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<String, Box<dyn Error>> {
    let Named { item, place } = &arguments.named;
    let desk = Desk::open(global, &place.root)?;
    let item = desk.item(item, place.spec_dir.as_deref())?;
    let lock = item.folder.lock()?;
    let mut loaded = desk.load(&item)?;
    let token = Token::random()?;
    loaded.state.checklist.tokens.push(token.hash());
    let printed = Event::checklist_printed(&loaded.scope, desk.act(), &token.hash());
    desk.write(&item, &lock, &loaded.state, &[printed])?;
    let standing = Standing { graph: &loaded.graph, state: &loaded.state, history: &loaded.history };
    Ok(checklist::text(&standing, &item.name, &token, &desk.routing.keywords.execute))
}
