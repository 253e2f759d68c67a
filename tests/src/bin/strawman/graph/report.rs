//! How `check` is printed. Main function: [`print`].
//!
//! Table and JSON say the same. Whether a row is good enough is decided by the caller's threshold.

use serde_json::{Value, json};

use crate::fault::graph::{Fault, on};
use crate::flags::Shape;
use crate::listing::Listing;

use super::check::{Report, Row, Status};

/// What makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threshold {
    /// Anything that is missing or waited for.
    Unmet,
    /// What is missing only.
    Block,
}

impl Threshold {
    fn is_reached(self, row: &Row) -> bool {
        match row.status {
            Status::Block => true,
            Status::Wait => self == Self::Unmet || on(Fault::FailOnIgnored),
            Status::NotSelected => on(Fault::UnselectedFailsCheck),
            _ => false,
        }
    }
}

/// Several items are a list in JSON, one is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    /// The item that was named.
    One,
    /// All there are.
    All,
}

/// Prints reports.
pub(crate) fn print(reports: &[Report], amount: Amount, shape: Shape, threshold: Threshold) -> Listing {
    let met = |report: &Report| !report.rows.iter().any(|row| threshold.is_reached(row));
    let ok = reports.iter().all(met) || on(Fault::CheckNeverFails);
    let text = match shape {
        Shape::Json => {
            let mut values: Vec<Value> = reports.iter().map(|report| to_value(report, met(report))).collect();
            let value = match amount {
                Amount::One if values.len() == 1 => values.remove(0),
                _ => Value::Array(values),
            };
            format!("{value:#}\n")
        }
        Shape::Words if reports.is_empty() => "There are no items.\n".to_owned(),
        Shape::Words => {
            reports.iter().map(|report| table(report, met(report))).collect::<Vec<_>>().join("\n")
        }
    };
    Listing { text, ok }
}

fn to_value(report: &Report, ok: bool) -> Value {
    let rows: Vec<Value> = report
        .rows
        .iter()
        .map(|row| {
            let decided = row.decided.as_ref();
            let hidden = row.status == Status::NotSelected && on(Fault::NotSelectedInTableOnly);
            let word = if hidden { Status::Pending.name() } else { row.status.name() };
            json!({
                "status": word,
                "node": row.id,
                "by": decided.map(|by| &by.by),
                "via": decided.map(|by| &by.via),
                "at": decided.map(|by| &by.at),
                "messages": if hidden { &[] } else { row.messages.as_slice() },
            })
        })
        .collect();
    json!({
        "ok": ok, "workItem": report.item, "loop": report.loop_name, "current": report.current, "nodes": rows,
    })
}

fn table(report: &Report, ok: bool) -> String {
    let word = if ok { "nothing is unmet" } else { "something is unmet" };
    let head = format!("{}, loop {}, at {}: {word}", plain(&report.item), report.loop_name, report.current);
    let mut lines = vec![head];
    let width = report.rows.iter().map(|row| row.id.len()).max().unwrap_or(0);
    for row in &report.rows {
        let mut status = row.status.name().replace('-', " ");
        let mut notes = row.messages.clone();
        if row.status == Status::NotSelected && on(Fault::NotSelectedInJsonOnly) {
            Status::Pending.name().clone_into(&mut status);
            notes.clear();
        }
        if let Some(by) = &row.decided {
            notes.push(format!("by {} via {} at {}", by.by, by.via, by.at));
        }
        let line = format!("{:width$}  {status:12}  {}", row.id, plain(&notes.join("; ")));
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n") + "\n"
}

/// What an agent wrote must not steer a terminal.
fn plain(text: &str) -> String {
    text.chars()
        .flat_map(|letter| if letter.is_control() { letter.escape_unicode().collect() } else { vec![letter] })
        .collect()
}
