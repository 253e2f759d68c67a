//! `critic list` and `critic policy`. Main functions: [`list`] and [`policy`].
//!
//! Both only read the config and look at the disk; no critic is started.

use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::fault::{self, Fault};
use crate::flags::{Place, Shape};
use crate::locate::Search;
use crate::refusal::Refusal;
use crate::roster::{Program, Roster, Row};
use crate::yaml::Node;

/// What goes to standard output, and whether that is a success.
pub(crate) struct Listing {
    /// The text.
    pub(crate) text: String,
    /// Whether the exit code is 0.
    pub(crate) ok: bool,
}

const KEYS: [(&str, Fault); 6] = [
    ("name", Fault::ListWithoutName),
    ("harness", Fault::ListWithoutHarness),
    ("model", Fault::ListWithoutModel),
    ("binary", Fault::ListWithoutBinary),
    ("available", Fault::ListWithoutAvailable),
    ("enabled", Fault::ListWithoutEnabled),
];

/// Lists every entry of the config.
pub(crate) fn list(place: &Place, shape: Shape) -> Result<Listing, Refusal> {
    let config = Config::load(place)?;
    let roster = Roster::read(&config)?;
    if !fault::on(Fault::DuplicatesListed)
        && let Some(reason) = roster.duplicates()
    {
        return Err(Refusal::new(reason));
    }
    check_faulty_expectations(&roster)?;
    let mut rows = roster.rows;
    rows.retain(|row| row.enabled || !fault::on(Fault::DisabledHidden));
    rows.retain(|row| row.critic.is_ok() || !fault::on(Fault::BadEntryHidden));
    if fault::on(Fault::ListSorted) {
        rows.sort_by(|left, right| left.name.cmp(&right.name));
    }
    let rows: Vec<Map<String, Value>> = rows.iter().map(|row| describe(row, &config)).collect();
    let missing = rows.iter().any(|row| row.get("available") == Some(&Value::Bool(false)));
    let disabled = rows.iter().any(|row| row.get("enabled") == Some(&Value::Bool(false)));
    let empty = rows.is_empty();
    let ok = !(missing && fault::on(Fault::ListFailsOnUnavailable)
        || disabled && fault::on(Fault::ListFailsOnDisabled)
        || empty && fault::on(Fault::ListEmptyFails));
    let text = match shape {
        Shape::Json if !fault::on(Fault::ListIgnoresFormat) => {
            format!("{:#}\n", Value::Array(rows.into_iter().map(Value::Object).collect()))
        }
        _ if empty && fault::on(Fault::ListEmptySilent) => String::new(),
        _ if empty => "There are no critics configured.\n".to_owned(),
        _ => table(&rows),
    };
    Ok(Listing { text, ok })
}

/// Refusals that only a fault can bring about: `list` itself accepts every entry.
fn check_faulty_expectations(roster: &Roster) -> Result<(), Refusal> {
    for row in &roster.rows {
        let Some(reason) = row.critic.as_ref().err().and_then(|reasons| reasons.first()) else { continue };
        let command_alone = row.has_no_args && matches!(row.program, Some(Program::Command(_)));
        if fault::on(Fault::ListFailsOnBadEntry) || command_alone && fault::on(Fault::CommandAloneBreaksList)
        {
            return Err(Refusal::new(reason.as_str()));
        }
    }
    Ok(())
}

fn describe(row: &Row, config: &Config) -> Map<String, Value> {
    let search = Search { path: row.path.as_deref(), config };
    let executable = row.program.as_ref().map_or("", |program| program.executable());
    let found = match &row.program {
        Some(Program::Command(_)) if fault::on(Fault::PathNotSearched) => search.find_beside(executable),
        _ => search.find(executable),
    };
    if let Some(path) = &found
        && fault::on(Fault::ListRuns)
    {
        let asked =
            std::process::Command::new(path).arg("--version").stdin(std::process::Stdio::null()).output();
        drop(asked);
    }
    let available =
        found.is_some() && !fault::on(Fault::ListNeverAvailable) || fault::on(Fault::ListAlwaysAvailable);
    let binary = found.as_ref().map_or_else(|| executable.to_owned(), |path| path.display().to_string());
    let reason = match &row.critic {
        Err(reasons) if !fault::on(Fault::BadEntryWithoutReason) => reasons.join("; "),
        _ => String::new(),
    };
    let row = json!({
        "available": available,
        "enabled": row.enabled || fault::on(Fault::DisabledListedEnabled),
        "valid": row.critic.is_ok(),
        "name": row.name,
        "error": reason,
        "binary": binary,
        "model": row.model,
        "harness": row.harness,
    });
    let Value::Object(mut row) = row else { return Map::new() };
    for (key, left_out) in KEYS {
        if fault::on(left_out) {
            row.shift_remove(key);
        }
    }
    row
}

fn table(rows: &[Map<String, Value>]) -> String {
    let columns = ["name", "harness", "model", "binary", "available", "enabled", "error"];
    let mut lines: Vec<Vec<String>> = vec![columns.map(str::to_uppercase).to_vec()];
    lines.extend(rows.iter().map(|row| columns.map(|column| cell(row.get(column))).to_vec()));
    let widths: Vec<usize> = (0..columns.len())
        .map(|at| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::Bool(true)) => "yes".to_owned(),
        Some(Value::Bool(false)) => "no".to_owned(),
        Some(Value::String(text)) if text.is_empty() => "-".to_owned(),
        Some(Value::String(text)) if fault::on(Fault::ControlsRaw) => text.clone(),
        Some(Value::String(text)) => text
            .chars()
            .flat_map(
                |letter| if letter.is_control() { letter.escape_unicode().collect() } else { vec![letter] },
            )
            .collect(),
        Some(other) => other.to_string(),
    }
}

/// Prints the review policy that is in force.
pub(crate) fn policy(place: &Place, shape: Shape) -> Result<Listing, Refusal> {
    let config = Config::load(place)?;
    if !config.found && fault::on(Fault::PolicyNeedsConfig) {
        return Err(Refusal::new("there is no config"));
    }
    let reviews = config.reviews().filter(|_| !fault::on(Fault::PolicyIgnoresConfig));
    if let Some(node) = reviews.filter(|node| !matches!(node, Node::Map(..))) {
        return Err(Refusal::new(format!("`reviews` is {node}, it must be a mapping")));
    }
    let zeroed = reviews.is_some() && fault::on(Fault::PolicyBlockReplacesDefaults);
    let rounds = if zeroed { 0 } else { 3 };
    let critic_rounds = if fault::on(Fault::PolicyWrongDefault) { 1 } else { rounds };
    let mut policy = Map::new();
    policy.insert(
        "stopOnNoNewFindings".to_owned(),
        Value::Bool(switch(reviews, "stopOnNoNewFindings", !zeroed)?),
    );
    if !fault::on(Fault::PolicyKeyMissing) {
        let escalate = switch(reviews, "escalateOnRepeatFinding", !zeroed)?;
        policy.insert("escalateOnRepeatFinding".to_owned(), Value::Bool(escalate));
    }
    policy.insert("criticReviewCount".to_owned(), json!(count(reviews, "criticReviewCount", critic_rounds)?));
    policy.insert("selfReviewCount".to_owned(), json!(count(reviews, "selfReviewCount", rounds)?));
    if fault::on(Fault::PolicyExtraKey) {
        policy.insert("source".to_owned(), json!("config"));
    }
    let text = match shape {
        Shape::Json if !fault::on(Fault::PolicyText) => format!("{:#}\n", Value::Object(policy)),
        _ => {
            let lines: Vec<String> = policy.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
            lines.concat()
        }
    };
    Ok(Listing { text, ok: true })
}

fn count(reviews: Option<&Node>, key: &str, default: i64) -> Result<i64, Refusal> {
    match reviews.and_then(|reviews| reviews.at(key)) {
        None => Ok(default),
        Some(Node::Int(count, _)) if *count >= 0 || fault::on(Fault::PolicyNegativeAccepted) => Ok(*count),
        // A count below 0 is of the right type.
        Some(node) if !matches!(node, Node::Int(..)) && fault::on(Fault::PolicyWrongTypeAccepted) => {
            Ok(default)
        }
        Some(other) => {
            Err(Refusal::new(format!("`reviews.{key}` is {other}, it must be a whole number from 0")))
        }
    }
}

fn switch(reviews: Option<&Node>, key: &str, default: bool) -> Result<bool, Refusal> {
    match reviews.and_then(|reviews| reviews.at(key)) {
        None => Ok(default),
        Some(Node::Bool(value, _)) => Ok(*value),
        Some(_) if fault::on(Fault::PolicyWrongTypeAccepted) => Ok(default),
        Some(other) => Err(Refusal::new(format!("`reviews.{key}` is {other}, it must be true or false"))),
    }
}
