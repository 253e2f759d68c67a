//! `critic list`: every configured critic, and whether it could run here.
//!
//! [`run`] gives the text for standard output, made of one [`Row`] an entry. Nothing is started.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;
use serde_json::json;

use super::operator::Operator;
use super::stdout::columns;
use crate::config::{OperatorConfig, visible};
use crate::critic::{Entry, Roster};
use crate::executable::Search;

/// The flags of `critic list`.
#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The checkout; it is only looked at for configuration that is not used
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// How to show the list
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How the list is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Aligned columns for people
    #[default]
    Table,
    /// One JSON array for programs
    Json,
}

/// One entry as it is listed (CR-4.1). Serialised, its keys are the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Row {
    /// Empty when it cannot be read.
    name: String,
    /// Empty when there is none.
    harness: String,
    /// Empty when there is none.
    model: String,
    /// The executable's name as configured or derived; empty when there is none.
    binary: String,
    /// The executable itself, absolute; `None` when it was not found.
    path: Option<String>,
    /// Whether the executable was found.
    available: bool,
    /// Whether the entry says that it may run.
    enabled: bool,
    /// Why the entry cannot be used.
    error: Option<String>,
}

/// The text for standard output.
pub(super) fn run(arguments: &Arguments, operator: &Operator) -> String {
    let rows = listing(&operator.roster, &operator.config, operator.path().as_deref());
    if let (Format::Table, []) = (arguments.format, rows.as_slice()) {
        return format!("{}\n", capitalised(operator.config.nothing()));
    }
    show(&rows, arguments.format, columns())
}

/// A row for every entry in file order. Each executable is looked up once, over the PATH its critic would have.
fn listing(roster: &Roster, config: &OperatorConfig, inherited: Option<&OsStr>) -> Vec<Row> {
    let mut found: HashMap<(Search, &str), Option<PathBuf>> = HashMap::new();
    let row = |entry| {
        let program = Entry::program(entry);
        let path = program.and_then(|program| {
            let search = Search::new(inherited, entry.env(), config.directory());
            let place = found.entry((search, program));
            place.or_insert_with_key(|(search, program)| search.find(program).ok()).clone()
        });
        Row {
            name: entry.name().unwrap_or_default().to_owned(),
            harness: entry.harness().to_owned(),
            model: entry.model().to_owned(),
            binary: program.unwrap_or_default().to_owned(),
            available: path.is_some(),
            path: path.map(|path| path.to_string_lossy().into_owned()),
            enabled: entry.is_enabled(),
            error: entry.reason(),
        }
    };
    roster.entries().iter().map(row).collect()
}

/// The text for standard output; `width` is the terminal's, in columns, if it goes to one.
fn show(rows: &[Row], format: Format, width: Option<u16>) -> String {
    match format {
        Format::Json => format!("{}\n", json!(rows)),
        Format::Table => table(rows, width),
    }
}

/// A sentence from what continues one.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).chain(['.']).collect()
}

fn table(rows: &[Row], width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        "NAME",
        "HARNESS",
        "MODEL",
        "EXECUTABLE",
        "AVAILABLE",
        "STATE",
    ]);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 1));
    }
    for (index, row) in rows.iter().enumerate() {
        let name = if row.name.is_empty() { format!("critics[{index}]") } else { row.name.clone() };
        let executable = row.path.as_deref().unwrap_or(&row.binary);
        let available = if row.available { "yes" } else { "no" };
        let state = match (&row.error, row.enabled) {
            (None, true) => "enabled".to_owned(),
            (None, false) => "disabled".to_owned(),
            (Some(error), true) => format!("invalid: {error}"),
            (Some(error), false) => format!("disabled, invalid: {error}"),
        };
        let cells = [&name, &row.harness, &row.model, executable, available, &state];
        table.add_row(cells.map(|cell| if cell.is_empty() { "-".into() } else { visible(cell) }));
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn rows(text: &str) -> Vec<Row> {
        let config = OperatorConfig::parse(Path::new("/nowhere/c.yaml"), text).unwrap();
        listing(&Roster::read(&config).unwrap(), &config, Some(OsStr::new("/nowhere")))
    }

    const MIXED: &str = "critics:
- {name: found, command: /bin/sh, args: ['{prompt}'], model: 4.10}
- {name: off, harness: claude, enabled: false}
- {name: \"esc\\e[31m\", command: tool, args: 5, enabled: 'false'}
- 5
";

    #[test]
    fn the_table_shows_every_entry_with_its_reason() {
        insta::assert_snapshot!(show(&rows(MIXED), Format::Table, None), @r#"
        NAME           HARNESS  MODEL  EXECUTABLE  AVAILABLE  STATE
        found          -        4.10   /bin/sh     yes        enabled
        off            claude   -      claude      no         disabled
        esc\u{1b}[31m  -        -      tool        no         disabled, invalid: line 4, column 44: critic `esc\u{1b}[31m`, `args`: expected a list, found `5`; write a list of texts such as `["--file", "{promptFile}"]`; line 4, column 56: critic `esc\u{1b}[31m`, `enabled`: expected `true` or `false`, found the text `false`; write the plain word, without quotes
        critics[3]     -        -      -           no         invalid: line 5, column 3: critics[3]: expected a mapping, found `5`; write `- name: …` with the other keys below it
        "#);
    }

    #[test]
    fn the_json_keeps_the_protocol() {
        insta::assert_snapshot!(serde_json::to_string(&rows(MIXED)[1..3]).unwrap(), @r#"[{"name":"off","harness":"claude","model":"","binary":"claude","path":null,"available":false,"enabled":false,"error":null},{"name":"esc\u001b[31m","harness":"","model":"","binary":"tool","path":null,"available":false,"enabled":false,"error":"line 4, column 44: critic `esc\\u{1b}[31m`, `args`: expected a list, found `5`; write a list of texts such as `[\"--file\", \"{promptFile}\"]`; line 4, column 56: critic `esc\\u{1b}[31m`, `enabled`: expected `true` or `false`, found the text `false`; write the plain word, without quotes"}]"#);
    }

    #[test]
    fn no_critics_is_an_empty_array() {
        assert_eq!(show(&[], Format::Json, None), "[]\n");
    }

    #[test]
    fn the_overlay_decides_what_is_found() {
        let rows = rows(
            "critics:
- {name: a, command: sh, args: ['{prompt}'], env: {PATH: /bin}}
- {name: b, command: sh, args: ['{prompt}']}
- {name: c, command: sh, args: ['{prompt}'], env: {PATH: null}}
",
        );
        assert_eq!(rows[0].path.as_deref(), Some("/bin/sh"));
        assert!(!rows[1].available && !rows[2].available);
    }
}
