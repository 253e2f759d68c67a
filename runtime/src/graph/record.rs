//! A review record: the table of rounds in one section of an artifact, and what became of the findings.
//!
//! [`read`] judges the section. It never takes a round that did not run for one that found nothing (OR-3.3, OR-3.5).

use pulldown_cmark::{Event, Tag, TagEnd};

use super::markdown::{is_substance, parser, prose};

/// The columns of the table; others may stand beside them.
pub const COLUMNS: [&str; 5] = ["Round", "Critic", "Outcome", "Findings", "Link"];
/// What a round can come to.
pub const OUTCOMES: [&str; 4] = ["new findings", "zero findings", "escalated", "unavailable"];

/// What a record tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Review {
    /// At least one round ran, and every finding has its answer.
    Ran,
    /// No round could run, for these causes.
    Unavailable(String),
}

/// One row, cells in the order of [`COLUMNS`].
type Round = [String; 5];

/// Reads the section of a record.
///
/// # Errors
/// Everything that is missing in it, one sentence each.
pub fn read(section: &str) -> Result<Review, Vec<String>> {
    let Some((rounds, after)) = table(section) else {
        return Err(vec![format!("there is no table with the columns {}", COLUMNS.join(", "))]);
    };
    if rounds.is_empty() {
        return Err(vec!["the table has no row; record each round, also one that could not run".to_owned()]);
    }
    let mut missing = Vec::new();
    let mut findings = 0_u64;
    let mut causes = Vec::new();
    for (at, round) in rounds.iter().enumerate() {
        match judge(round) {
            Ok(Ran::Found(count)) => findings = findings.saturating_add(count),
            Ok(Ran::Unavailable(cause)) => causes.push(cause),
            Err(faults) => missing.extend(faults.iter().map(|fault| format!("row {}: {fault}", at + 1))),
        }
    }
    let answered = prose(&section[after..]).iter().filter(|line| is_answered(line)).count();
    if findings > answered as u64 {
        missing.push(format!(
            "{findings} findings and {answered} lines below the table that say `fixed`, `won't fix` and why, or `needs \
             clarification`; write one for each finding"
        ));
    }
    match (missing.is_empty(), causes.len() == rounds.len()) {
        (false, _) => Err(missing),
        (true, true) => Ok(Review::Unavailable(causes.join("; "))),
        (true, false) => Ok(Review::Ran),
    }
}

enum Ran {
    Found(u64),
    Unavailable(String),
}

fn judge([round, critic, outcome, findings, _]: &Round) -> Result<Ran, Vec<String>> {
    let mut faults = Vec::new();
    let outcome = outcome.to_lowercase();
    if !is_substance(round) {
        faults.push("`Round` is empty; number the round".to_owned());
    }
    if outcome == "unavailable" {
        if is_substance(findings) && !findings.chars().all(|letter| letter.is_ascii_digit()) {
            return if faults.is_empty() { Ok(Ran::Unavailable(findings.clone())) } else { Err(faults) };
        }
        faults.push("an unavailable round has its cause under `Findings`".to_owned());
        return Err(faults);
    }
    // An attribution stands in brackets.
    if !is_substance(critic.trim_matches(['[', ']'])) {
        faults.push("`Critic` is empty; name who reviewed".to_owned());
    }
    if !OUTCOMES.contains(&outcome.as_str()) {
        faults.push(format!("`Outcome` is `{outcome}`, expected one of `{}`", OUTCOMES.join("`, `")));
    }
    let count = findings.parse::<u64>().ok();
    match (count, outcome.as_str()) {
        (None, _) => faults.push(format!("`Findings` is `{findings}`, expected a number")),
        (Some(0), "new findings") => faults.push("`new findings` with 0 of them".to_owned()),
        (Some(1..), "zero findings") => faults.push(format!("`zero findings` with {findings} of them")),
        (Some(_), _) => {}
    }
    match count {
        Some(count) if faults.is_empty() => Ok(Ran::Found(count)),
        _ => Err(faults),
    }
}

/// Whether a line says what became of a finding.
fn is_answered(line: &str) -> bool {
    let line = line.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = line
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .filter(|word| word.contains(char::is_alphanumeric))
        .collect();
    let fixed = words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).map(|before| words[before]);
        *word == "fixed" && !matches!(before, Some("not" | "never" | "isn't" | "be"))
    });
    // Whoever will not fix says why.
    let wont_fix = words.windows(3).any(|words| matches!(words, ["won't" | "wont", "fix", _]));
    fixed || wont_fix || words.windows(2).any(|words| words == ["needs", "clarification"])
}

/// The rounds of the table with those columns, and where it ends.
fn table(section: &str) -> Option<(Vec<Round>, usize)> {
    let mut columns: Option<[usize; 5]> = None;
    let mut row: Vec<String> = Vec::new();
    let mut rounds = Vec::new();
    for (event, range) in parser(section).into_offset_iter() {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => row.clear(),
            Event::Start(Tag::TableCell) => row.push(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(cell) = row.last_mut() {
                    cell.push_str(&text);
                }
            }
            Event::End(TagEnd::TableHead) => columns = positions(&row),
            Event::End(TagEnd::TableRow) => {
                if let Some(columns) = &columns {
                    let cell =
                        |at: usize| row.get(at).map_or_else(String::new, |cell| cell.trim().to_owned());
                    rounds.push(columns.map(cell));
                }
            }
            Event::End(TagEnd::Table) if columns.is_some() => return Some((rounds, range.end)),
            _ => {}
        }
    }
    None
}

/// Where the columns stand in a head.
fn positions(head: &[String]) -> Option<[usize; 5]> {
    let mut found = [0; 5];
    for (slot, column) in found.iter_mut().zip(COLUMNS) {
        *slot = head.iter().position(|cell| cell.trim().eq_ignore_ascii_case(column))?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "| Round | Critic | Outcome | Findings | Link |\n|---|---|---|---|---|\n";

    fn judged(rest: &str) -> Result<Review, String> {
        read(&format!("{HEAD}{rest}")).map_err(|missing| missing.join("; "))
    }

    #[test]
    fn rounds_that_ran_with_every_finding_answered_pass() {
        for fine in [
            "| 1 | [a/b] | zero findings | 0 | |\n",
            "| 1 | a | New findings | 2 | x |\n| 2 | a | zero findings | 0 | y |\n\n- F1: fixed in abc\n- F2: won’t fix because it is meant\n",
            "| 1 | a | escalated | 1 | x |\n\nF1 needs clarification\n",
            "| 1 | a | new findings | 1 | x |\n| 2 | - | unavailable | timed out | |\n\n### Findings\n1. F: **Fixed**.\n",
        ] {
            assert_eq!(judged(fine), Ok(Review::Ran), "{fine}");
        }
        let more = "text\n\n| Link | Critic | Round | Findings | Outcome | Cost |\n|-|-|-|-|-|-|\n| x | a | 1 | 0 | zero findings | 2 |\n";
        assert_eq!(read(more), Ok(Review::Ran));
    }

    #[test]
    fn nothing_passes_on_nothing() {
        for nothing in [
            "",
            "text",
            "```\n| Round | Critic | Outcome | Findings | Link |\n|-|-|-|-|-|\n| 1 | a | zero findings | 0 | |\n```\n",
        ] {
            assert!(read(nothing).is_err(), "{nothing}");
        }
        let told = |rest: &str| judged(rest).unwrap_err();
        insta::assert_snapshot!(told(""), @"the table has no row; record each round, also one that could not run");
        insta::assert_snapshot!(told("| | | | | |\n"), @"row 1: `Round` is empty; number the round; row 1: `Critic` is empty; name who reviewed; row 1: `Outcome` is ``, expected one of `new findings`, `zero findings`, `escalated`, `unavailable`; row 1: `Findings` is ``, expected a number");
        insta::assert_snapshot!(told("| 1 | a | fine | none | |\n"), @"row 1: `Outcome` is `fine`, expected one of `new findings`, `zero findings`, `escalated`, `unavailable`; row 1: `Findings` is `none`, expected a number");
        insta::assert_snapshot!(told("| 1 | a | new findings | -1 | |\n"), @"row 1: `Findings` is `-1`, expected a number");
        insta::assert_snapshot!(told("| 1 | a | zero findings | 3 | |\n"), @"row 1: `zero findings` with 3 of them");
        insta::assert_snapshot!(told("| 1 | a | new findings | 2 | |\n\n- F1: fixed\n- F2: won't fix\n- not fixed\n<!-- fixed -->\n"), @"2 findings and 1 lines below the table that say `fixed`, `won't fix` and why, or `needs clarification`; write one for each finding");
        insta::assert_snapshot!(told("| 1 | a | unavailable | - | |\n"), @"row 1: an unavailable round has its cause under `Findings`");
        insta::assert_snapshot!(told("| 1 | a | unavailable | 0 | |\n"), @"row 1: an unavailable round has its cause under `Findings`");
    }

    #[test]
    fn rounds_that_could_not_run_are_told_with_their_causes() {
        let all = "| 1 | a | unavailable | not installed | |\n| 2 | none | unavailable | timed out | - |\n";
        assert_eq!(judged(all), Ok(Review::Unavailable("not installed; timed out".to_owned())));
    }

    #[test]
    fn the_table_of_rounds_need_not_be_the_first() {
        let other = "| Part | Who |\n|---|---|\n| storage | b |\n\n";
        assert_eq!(read(&format!("{other}{HEAD}| 1 | a | zero findings | 0 | |\n")), Ok(Review::Ran));
        let after = "| 1 | a | new findings | 1 | |\n\n| Finding | State |\n|---|---|\n| F1 | fixed |\n";
        assert!(judged(after).is_err());
        assert_eq!(judged(&format!("{after}\nF1: fixed\n")), Ok(Review::Ran));
    }
}
