//! `check`: where work items stand, node by node.
//!
//! [`run`] prints one report an item and gives the exit code: 0 nothing unmet, 1 something is, 2 an item cannot be judged.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::json;

use super::graph::{Desk, Loaded, Place};
use super::stdout::columns;
use super::{FAILED, Global, REFUSED, complain, print, refuse};
use crate::config::visible;
use crate::graph::check::{Case, NodeReport, Pointer, Report, Status};
use crate::graph::walk::Standing;

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop check issue-7
  the-loop check issue-7 --recompute --format json
  the-loop check --all --fail-on block

Statuses:
  pass          what it asks for is there
  block         something is missing
  wait          a human has to answer
  pending       the walk has not come to its end
  skipped       somebody declared it away
  not-selected  it is off unless ticked, and nobody ticked it
  unavailable   its review could not run

Exit codes: 0 nothing unmet up to where the walk stands, which need not be its end; 1 something is (block or wait); 2 an error.";

/// The arguments of `check`.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "the-loop check [OPTIONS] <ITEM>\n       the-loop check [OPTIONS] --all")]
pub(super) struct Arguments {
    /// The work item
    #[arg(value_name = "ITEM", required_unless_present = "all", conflicts_with = "all")]
    item: Option<OsString>,
    /// Every item below the spec root that has a graph state
    #[arg(long, conflicts_with = "spec_dir")]
    all: bool,
    #[command(flatten)]
    place: Place,
    /// How to show it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Ignore the stored pointer and walk from the start
    #[arg(long)]
    recompute: bool,
    /// What makes the exit code 1
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    fail_on: FailOn,
}

/// How reports are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns for people
    #[default]
    Table,
    /// One JSON object; with --all an array of them
    Json,
}

/// What makes the exit code 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A phase that blocks, or waits for a human
    #[default]
    Unmet,
    /// A phase that blocks
    Block,
}

/// Judges and prints.
pub(super) fn run(arguments: &Arguments, global: &Global) -> ExitCode {
    let pointer = if arguments.recompute { Pointer::Recomputed } else { Pointer::Stored };
    let desk = match Desk::open(global, &arguments.place.root) {
        Ok(desk) => desk,
        Err(error) => return refuse(error.as_ref()),
    };
    let names = match &arguments.item {
        Some(item) => vec![item.clone()],
        None => all(&desk),
    };
    let mut reports = Vec::new();
    let mut is_broken = false;
    for name in names {
        match judge(&desk, &name, arguments, pointer) {
            Ok(report) => reports.push(report),
            Err(error) if arguments.all => {
                complain(&format!("`{}`: {error}", visible(&name.to_string_lossy())));
                is_broken = true;
            }
            Err(error) => return refuse(error.as_ref()),
        }
    }
    let printed = print(&shown(&reports, arguments));
    let fails = |node: &NodeReport| match arguments.fail_on {
        FailOn::Unmet => node.status.is_unmet(),
        FailOn::Block => node.status == Status::Block,
    };
    if is_broken {
        ExitCode::from(REFUSED)
    } else if reports.iter().flat_map(|report| &report.nodes).any(fails) {
        ExitCode::from(FAILED)
    } else {
        printed
    }
}

/// The items below the spec root, in the order of their names.
fn all(desk: &Desk) -> Vec<OsString> {
    let Ok(entries) = fs::read_dir(&desk.spec_root) else { return Vec::new() };
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
    let mut names: Vec<OsString> =
        names.filter(|name| desk.item(name, None).is_ok_and(|item| item.folder.has_state())).collect();
    names.sort();
    names
}

fn judge(
    desk: &Desk,
    name: &OsString,
    arguments: &Arguments,
    pointer: Pointer,
) -> Result<Report, Box<dyn Error>> {
    let item = desk.item(name, arguments.place.spec_dir.as_deref())?;
    let Loaded { state, graph, history, .. } = desk.look_at(&item)?;
    let standing = Standing { graph: &graph, state: &state, history: &history };
    if standing.pointer(&standing.walk()).is_none() {
        tracing::warn!(
            "the state of `{}` has `{}` as `current`, which is no node of its walk; it is judged from the start",
            visible(&item.name),
            visible(&state.current)
        );
    }
    let case = Case { standing, artifacts: &item.folder, routing: &desk.routing, work_item: &item.name };
    for lost in case.losses() {
        tracing::warn!("{lost}");
    }
    if let Some(gate) = case.ahead().filter(|_| pointer == Pointer::Stored) {
        tracing::warn!(
            "the walk of `{}` has come to `{gate}`, and the pointer in its state is before it, so that nothing after the pointer is \
             judged; `--recompute` judges all of it",
            visible(&item.name)
        );
    }
    Ok(case.report(pointer))
}

fn shown(reports: &[Report], arguments: &Arguments) -> String {
    match (arguments.format, reports) {
        (Format::Json, [report]) if !arguments.all => format!("{}\n", json!(report)),
        (Format::Json, reports) => format!("{}\n", json!(reports)),
        (Format::Table, []) => {
            "No work item has a graph state; `the-loop graph start ITEM` makes one.\n".to_owned()
        }
        (Format::Table, reports) => {
            let width = columns();
            reports.iter().map(|report| table(report, width)).collect::<Vec<_>>().join("\n")
        }
    }
}

fn table(report: &Report, width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["NODE", "STATUS", "BY", "VIA", "AT", "NOTES"]);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 1));
    }
    for node in &report.nodes {
        let at = node.at.map(|at| at.to_string());
        let here = (node.node == report.current).then(|| "the walk is here".to_owned());
        let notes: Vec<String> = here.into_iter().chain(node.messages.iter().cloned()).collect();
        let cells = [
            node.node.as_str(),
            node.status.word(),
            node.by.as_deref().unwrap_or_default(),
            node.via.as_deref().unwrap_or_default(),
            at.as_deref().unwrap_or_default(),
            &notes.join("; "),
        ];
        table.add_row(cells.map(|cell| if cell.is_empty() { "-".into() } else { visible(cell) }));
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    format!("{}, by {}\n{}", visible(&report.work_item), report.loop_name, lines.concat())
}
