//! The record of a review: a table of rounds and what became of each finding. Main function: [`judge`].
//!
//! It holds that the record has its form and that its numbers agree; whether the critic was right is not its
//! business, and what the critic wrote is never taken for an instruction.

use crate::fault::graph::{Fault, on};

use super::gate::Verdict;
use super::markdown;
use super::section::is_nothing;

const COLUMNS: [&str; 5] = ["round", "critic", "outcome", "findings", "link"];

/// Judges the lines of a record.
pub(crate) fn judge(lines: &[String]) -> Verdict {
    let Some(table) = Table::find(lines) else {
        return Verdict::Fails(vec!["there is no table Round, Critic, Outcome, Findings, Link".to_owned()]);
    };
    let mut flaws = Vec::new();
    let mut causes = Vec::new();
    let mut findings = 0;
    for row in &table.rows {
        match Round::read(row) {
            Ok(Round::Ran(count)) => findings += count,
            Ok(Round::Unavailable(cause)) => causes.push(cause),
            Err(flaw) => flaws.push(flaw),
        }
    }
    let answered = table.below.iter().filter(|line| disposes(line)).count();
    if table.rows.is_empty() && !on(Fault::RecordWithoutRows) {
        flaws.push("the table has no round".to_owned());
    }
    if answered < findings && !on(Fault::FindingsUnanswered) {
        let text = "lines under the table that say `fixed`, `won't fix` and why, or `needs clarification`";
        flaws.push(format!("{findings} findings, but {answered} {text}"));
    }
    match () {
        () if !flaws.is_empty() => Verdict::Fails(flaws),
        () if !causes.is_empty() && causes.len() == table.rows.len() => match () {
            () if on(Fault::UnavailableHolds) => Verdict::Holds,
            () if on(Fault::UnavailableBlocks) => Verdict::Fails(causes),
            () => Verdict::Unavailable(causes.join("; ")),
        },
        () => Verdict::Holds,
    }
}

struct Table<'a> {
    rows: Vec<Vec<String>>,
    below: &'a [String],
}

impl<'a> Table<'a> {
    fn find(lines: &'a [String]) -> Option<Self> {
        let head = lines.iter().position(|line| {
            markdown::cells(line).is_some_and(|cells| {
                cells.iter().map(|cell| cell.to_lowercase()).eq(COLUMNS.iter().map(ToString::to_string))
            })
        })?;
        let rest = lines.get(head + 1..)?;
        markdown::cells(rest.first()?).filter(|cells| markdown::is_rule(cells))?;
        let rest = rest.get(1..)?;
        let rows: Vec<Vec<String>> = rest.iter().map_while(|line| markdown::cells(line)).collect();
        let below = rest.get(rows.len()..)?;
        Some(Self { rows, below })
    }
}

enum Round {
    Ran(usize),
    Unavailable(String),
}

impl Round {
    fn read(row: &[String]) -> Result<Self, String> {
        let [round, critic, outcome, findings, link] = row else {
            return Err(format!("a row has {} cells, it needs {}", row.len(), COLUMNS.len()));
        };
        if is_nothing(round) || is_nothing(critic) && !on(Fault::CriticUnnamedInRecord) {
            return Err("a row names no round or no critic".to_owned());
        }
        let count = || {
            let number = findings.parse::<usize>().ok().or(on(Fault::FindingsUncounted).then_some(0));
            number.ok_or_else(|| format!("round {round}: Findings is `{findings}`, it must be a number"))
        };
        match outcome.to_lowercase().as_str() {
            "unavailable" if is_nothing(findings) && !on(Fault::UnavailableWithoutCause) => {
                Err(format!("round {round} was unavailable; say why under Findings"))
            }
            "unavailable" => {
                Ok(Self::Unavailable(format!("round {round}: {critic} was unavailable: {findings}")))
            }
            "zero findings" if count()? > 0 => Err(format!("round {round}: zero findings, but {findings}")),
            "new findings" if count()? == 0 && !on(Fault::FindingsUncounted) => {
                Err(format!("round {round}: new findings, but none"))
            }
            "zero findings" | "new findings" | "escalated" if is_nothing(link) && link.contains('<') => {
                Err(format!("round {round} has no link yet"))
            }
            "zero findings" | "new findings" | "escalated" => Ok(Self::Ran(count()?)),
            _ if on(Fault::AnyReviewOutcome) => Ok(Self::Ran(0)),
            other => Err(format!(
                "round {round}: Outcome is `{other}`: new findings, zero findings, escalated or unavailable"
            )),
        }
    }
}

/// Whether a line says what became of a finding.
fn disposes(line: &str) -> bool {
    let line = line.to_lowercase().replace('’', "'");
    // The template's own lines are not filled in.
    if line.contains('<') && line.contains('>') {
        return false;
    }
    let why = |(_, rest): (&str, &str)| rest.chars().filter(|letter| letter.is_alphanumeric()).count() > 2;
    line.contains("needs clarification")
        || line.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "fixed")
        || line.split_once("won't fix").is_some_and(|split| why(split) || on(Fault::WontFixWithoutWhy))
}
