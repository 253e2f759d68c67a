//! The graph: section 8 of the contract. Main function: [`answer`].
//!
//! Each command is a function of the desk, which is the operator's word, and of an item. What a graph file says is
//! in `definition`, what counts of a state in `choices`, where an item stands in `walk`.

mod advance;
mod artifact;
mod call;
mod catalogue;
mod check;
mod checklist;
mod choices;
mod clock;
mod comment;
mod compile;
mod confirmation;
mod decide;
mod decode;
mod definition;
mod desk;
mod gate;
mod item;
mod log;
mod markdown;
mod record;
mod reply;
mod report;
mod rows;
mod section;
mod selecting;
mod selection;
mod settings;
mod show;
mod skip;
mod state;
mod tampered;
mod tree;
mod verify;
mod walk;

use std::fs;
use std::path::PathBuf;

use crate::fault::graph::{Fault, on};
use crate::flags::Place;
use crate::listing::Listing;
use crate::refusal::Refusal;

pub(crate) use call::{Command, FLAGS, SWITCHES, read};
pub(crate) use selecting::without_flags;

use catalogue::DEFAULT;
use clock::Moment;
use desk::{Desk, demand_pointer};
use item::Item;
use report::Amount;
use state::{FILE, Lock, State};
use walk::Walk;

/// Carries a command out.
pub(crate) fn answer(
    place: &Place,
    spec_dir: Option<&PathBuf>,
    command: &Command,
) -> Result<Listing, Refusal> {
    if let Command::Compile(files) = command {
        return compile_files(files);
    }
    let desk = Desk::new(place)?;
    let item = |name: &str| Item::new(name, &desk.config, spec_dir);
    let demand = |name: &Option<String>| desk.catalogue().demand(name.as_deref().unwrap_or(DEFAULT));
    match command {
        Command::Compile(files) => compile_files(files),
        Command::Show(name, view) => demand(name).map(|graph| show::show(&graph, *view)),
        Command::Template(node, Some(name)) => {
            desk.catalogue().demand(name).and_then(|graph| show::template(&graph, node))
        }
        Command::Template(node, None) => {
            desk.catalogue().with_node(node).and_then(|graph| show::template(&graph, node))
        }
        Command::Start(name, loop_name) => {
            let graph = demand(loop_name)?;
            let item = item(name)?;
            start(&item, &graph).and_then(|listing| selecting::obey(listing, &item))
        }
        Command::Checklist(name) => checklist(&desk, &item(name)?),
        Command::Advance(name, comments) => {
            let item = item(name)?;
            let listing = advance_item(&desk, &item, comments.as_ref())?;
            selecting::obey(listing, &item)
        }
        Command::Skip(name, node, reason) => skip::skip(&desk, &item(name)?, node, reason),
        Command::Check(name, shape, pointer, threshold) => {
            let (items, amount) = match name {
                Some(name) => (vec![item(name)?], Amount::One),
                None => (Item::all(&desk.config), Amount::All),
            };
            if on(Fault::CheckWrites) {
                // What cannot be moved is left to the report, which says why.
                for item in &items {
                    drop(advance::advance(&desk, item, None));
                }
            }
            let reports: Result<Vec<_>, _> =
                items.iter().map(|item| check::check(&desk, item, *pointer)).collect();
            Ok(report::print(&reports?, amount, *shape, *threshold))
        }
    }
}

fn compile_files(files: &[PathBuf]) -> Result<Listing, Refusal> {
    let (mut lines, mut problems) = (Vec::new(), Vec::new());
    let most = if on(Fault::FirstFileOnly) { 1 } else { files.len() };
    for file in files.iter().take(most) {
        let place = file.display();
        let text = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) => {
                problems.push(format!("{place}:1:1: cannot be read: {error}"));
                continue;
            }
        };
        match compile::compile(&String::from_utf8_lossy(&text)) {
            Ok(graph) => {
                let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
                lines.push(format!("{place}: graph {} with {nodes} nodes and {edges} edges\n", graph.name));
            }
            Err(found) => {
                let located = found.iter().map(|problem| {
                    let spot = if on(Fault::ProblemsUnlocated) {
                        String::new()
                    } else {
                        format!(":{}:{}", problem.spot.line, problem.spot.column)
                    };
                    format!("{place}{spot}: {}", problem.text)
                });
                problems.extend(located);
            }
        }
    }
    if problems.is_empty() || on(Fault::CompileAcceptsAll) {
        return Ok(Listing { text: lines.concat(), ok: true });
    }
    Err(Refusal::new(format!("{} problems\n{}", problems.len(), problems.join("\n"))))
}

fn advance_item(desk: &Desk, item: &Item, comments: Option<&PathBuf>) -> Result<Listing, Refusal> {
    let mut last = advance::advance(desk, item, comments)?;
    while last.ok && on(Fault::AdvanceRunsOn) {
        let next = advance::advance(desk, item, comments)?;
        if !next.ok {
            break;
        }
        last = next;
    }
    Ok(last)
}

fn start(item: &Item, graph: &definition::Graph) -> Result<Listing, Refusal> {
    let refuse = |error: std::io::Error| Refusal::new(format!("`{}`: {error}", item.folder.display()));
    fs::create_dir_all(&item.folder).map_err(refuse)?;
    let lock = Lock::take(item)?;
    let there = fs::symlink_metadata(item.folder.join(FILE)).is_ok();
    if there && !on(Fault::StartOverwrites) {
        return Err(Refusal::new(format!("item `{}` has a state already; nothing was changed", item.name)));
    }
    let now = Moment::now();
    let bare = State::fresh(&graph.name, &graph.start.text, now);
    let first = Walk::new(graph, &bare).first().map_or_else(String::new, |node| node.id.text.clone());
    State::fresh(&graph.name, &first, now).save(item, &lock)?;
    Ok(Listing { text: format!("item {} starts in loop {} at {first}\n", item.name, graph.name), ok: true })
}

fn checklist(desk: &Desk, item: &Item) -> Result<Listing, Refusal> {
    State::load(item)?;
    let lock = Lock::take(item)?;
    let mut state = State::load(item)?;
    let graph = desk.graph_of(&state)?;
    let walk = Walk::new(&graph, &state);
    demand_pointer(&walk)?;
    if graph.selection().is_none() {
        return Err(Refusal::new(format!("loop `{}` has no phase selection", graph.name)));
    }
    let token = checklist::token()?;
    let text = checklist::render(&graph, &walk.choices, item, &desk.settings, &token);
    state.push(checklist::DIGESTS, checklist::digest(&token).into());
    state.save(item, &lock)?;
    Ok(Listing { text, ok: true })
}
