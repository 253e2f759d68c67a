//! `graph compile`: graph files, checked one by one.
//!
//! [`run`] prints a line for each file that compiles, and every fault of the others with its place, the line it
//! stands in, and what to write instead.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::Args;

use crate::cli::{REFUSED, complain, print};
use crate::config::{Problem, visible};
use crate::graph::{CompiledGraph, LoopError, read_graph};

pub(super) const EXAMPLES: &str = "\
Examples:
  the-loop graph compile my-loop.yaml
  the-loop graph compile loops/*.yaml

Exit codes: 0 every graph compiles; 2 some do not, everything that is wrong is on standard error.";

/// What can be typed after `graph compile`.
#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct Arguments {
    /// The graph files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Compiles every file, also after one that does not.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let mut compiled = String::new();
    let mut faults = String::new();
    for file in &arguments.files {
        let told = match read_graph(file) {
            Ok(graph) => writeln!(compiled, "{}: {}", shown(file), summary(&graph)),
            Err(LoopError::Faulty { text, problems, .. }) => {
                faults.write_str(&faulty(file, &text, &problems))
            }
            Err(other) => writeln!(faults, "error: {other}"),
        };
        // Writing to a string cannot fail.
        let _ = told;
    }
    let printed = print(&compiled);
    if faults.is_empty() {
        return printed;
    }
    if io::stderr().write_all(faults.as_bytes()).is_err() {
        complain("not everything could be said here");
    }
    ExitCode::from(REFUSED)
}

fn shown(file: &Path) -> String {
    visible(&file.to_string_lossy()).into_owned()
}

/// One line about a graph.
fn summary(graph: &CompiledGraph) -> String {
    let opt_in: Vec<&str> =
        graph.nodes().iter().filter(|node| node.is_opt_in()).map(|node| node.id().as_str()).collect();
    let offered = if opt_in.is_empty() { String::new() } else { format!(", opt-in: {}", opt_in.join(", ")) };
    format!("{}, {} nodes, {} edges{offered}", graph.name(), graph.nodes().len(), graph.edges().count())
}

/// Every fault of a file, each with the line it stands in.
fn faulty(file: &Path, text: &str, problems: &[Problem]) -> String {
    // As YAML counts them: a carriage return ends a line as well.
    let ended = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let lines: Vec<&str> = ended.flat_map(|line| line.split('\r')).collect();
    let name = shown(file);
    let faults: Vec<String> = problems
        .iter()
        .map(|problem| fault(&name, lines.get(problem.at().line - 1).copied().unwrap_or_default(), problem))
        .collect();
    faults.concat()
}

fn fault(file: &str, line: &str, problem: &Problem) -> String {
    let at = problem.at();
    let start = line.char_indices().nth(at.column - 1).map_or(line.len(), |(start, _)| start);
    let end = line[start..].find([' ', ',', ']', '}', '\t']).map_or(line.len(), |length| start + length);
    let title = problem.what();
    let snippet = Snippet::source(line)
        .path(file)
        .line_start(at.line)
        .annotation(AnnotationKind::Primary.span(start..end));
    let mut group = Level::ERROR.primary_title(title.as_str()).element(snippet);
    if !problem.advice().is_empty() {
        group = group.element(Level::HELP.message(problem.advice()));
    }
    Renderer::plain().render(&[group]) + "\n\n"
}
