//! The report for people: failures as they come, then each requirement that is not kept, then the counts.
//!
//! Main type: [`Text`]. Colours are always written; the stream strips them where they have no place.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::{Table, presets};

use super::Report;
use super::words::{Change, Shown, difference, journal, printable, quoted};
use crate::campaign::{Conclusion, Ending, Event, Header, Outcome, Row};
use crate::judge::{Kind, Verdict};
use crate::ledger::{Ledger, Level};

/// How much is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// What is not kept.
    #[default]
    Failures,
    /// Every check and every requirement.
    Everything,
}

/// The report.
#[derive(Debug)]
pub struct Text<'a, W> {
    stream: W,
    ledger: &'a Ledger,
    detail: Detail,
}

const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const DOUBT: Style = AnsiColor::Yellow.on_default();
const FAINT: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();

impl<'a, W: Write> Text<'a, W> {
    /// A report to this stream.
    pub fn new(stream: W, ledger: &'a Ledger, detail: Detail) -> Self {
        Self { stream, ledger, detail }
    }

    fn begun(&mut self, header: &Header) -> io::Result<()> {
        let version = header.target_version.as_deref().unwrap_or("version unknown");
        let startup = header.startup.map_or_else(
            || "start-up not measured".to_owned(),
            |startup| format!("start-up {} ms", startup.as_millis()),
        );
        writeln!(self.stream, "kit      {}, suite {}", header.kit, header.suite)?;
        writeln!(self.stream, "target   {} ({version}, {startup})", header.target)?;
        writeln!(self.stream, "expected {} checks of {} scenarios\n", header.expected, header.scenarios)
    }

    fn judged(&mut self, outcome: &Outcome<'_>) -> io::Result<()> {
        let place = Shown::new(outcome);
        let mut shown = false;
        for verdict in &outcome.verdicts {
            if is_told(verdict) {
                self.failure(outcome, verdict, &place)?;
                shown = true;
            } else if self.detail == Detail::Everything {
                let style = style(verdict.kind);
                writeln!(self.stream, "{style}{}{style:#} {}", verdict.kind.name(), verdict.check)?;
                self.findings(verdict, &place)?;
            }
        }
        if shown { self.circumstances(outcome, &place) } else { Ok(()) }
    }

    fn failure(&mut self, outcome: &Outcome<'_>, verdict: &Verdict, place: &Shown) -> io::Result<()> {
        let style = style(verdict.kind);
        writeln!(self.stream, "{style}{}{style:#} {STRONG}{}{STRONG:#}", verdict.kind.name(), verdict.check)?;
        writeln!(
            self.stream,
            "  {} ({}; {})",
            verdict.requirement,
            verdict.level,
            verdict.source.join(", ")
        )?;
        if let Some(row) = self.ledger.row(&verdict.requirement) {
            writeln!(self.stream, "  {}", row.ears())?;
        }
        writeln!(self.stream, "  {FAINT}scenario: {}{FAINT:#}", outcome.scenario.title())?;
        if let Some(note) = &verdict.note {
            writeln!(self.stream, "  {note}")?;
        }
        // Where nothing is proved, what did not hold says nothing either.
        if verdict.kind == Kind::Vacuous { Ok(()) } else { self.findings(verdict, place) }
    }

    fn findings(&mut self, verdict: &Verdict, place: &Shown) -> io::Result<()> {
        for finding in &verdict.findings {
            writeln!(self.stream, "    {}: expected (-) and seen (+)", finding.what)?;
            for change in difference(&place.value(&finding.expected), &place.value(&finding.seen)) {
                match change {
                    Change::Missing(line) => writeln!(self.stream, "      {BAD}- {line}{BAD:#}")?,
                    Change::Found(line) => writeln!(self.stream, "      {GOOD}+ {line}{GOOD:#}")?,
                    Change::Same(line) => writeln!(self.stream, "        {line}")?,
                }
            }
        }
        Ok(())
    }

    /// What was called, what the fakes saw, how to repeat it.
    fn circumstances(&mut self, outcome: &Outcome<'_>, place: &Shown) -> io::Result<()> {
        if let Some(observation) = &outcome.observation {
            for step in &observation.subject.steps {
                for copy in step.copies.iter().take(1) {
                    let words: Vec<String> =
                        copy.command.iter().map(|word| quoted(place.text(word).as_bytes())).collect();
                    writeln!(self.stream, "  {FAINT}step {}:{FAINT:#} {}", step.id, words.join(" "))?;
                    for line in said(&copy.stderr.lossy(), place) {
                        writeln!(self.stream, "  {FAINT}  stderr:{FAINT:#} {line}")?;
                    }
                }
            }
            for (fake, entries) in &observation.subject.journals {
                let lines = journal(entries, place);
                let none = if lines.is_empty() { " (never started)" } else { "" };
                writeln!(self.stream, "  {FAINT}journal of {fake}{none}{FAINT:#}")?;
                for line in lines {
                    writeln!(self.stream, "    {line}")?;
                }
            }
        }
        if let Some(replay) = &outcome.replay {
            writeln!(self.stream, "  repeat:  {}", replay.display())?;
        }
        writeln!(self.stream)
    }

    fn ended(&mut self, ending: &Ending) -> io::Result<()> {
        self.rows(ending)?;
        let mut counts = Vec::new();
        for kind in Kind::ALL {
            let count = ending.tally.count(kind);
            if count > 0 {
                let style = style(kind);
                let otherwise = match (kind, ending.tally.otherwise()) {
                    (Kind::Observed, 1..) => format!(" ({} chosen otherwise)", ending.tally.otherwise()),
                    _ => String::new(),
                };
                counts.push(format!("{style}{count} {}{style:#}{otherwise}", kind.name()));
            }
        }
        let (total, expected) = (ending.tally.total(), ending.expected);
        let seconds = ending.seconds.as_secs_f64();
        writeln!(self.stream, "{total} of {expected} checks in {seconds:.1} s: {}", counts.join(", "))?;
        if let Some(results) = &ending.results {
            writeln!(self.stream, "sandboxes kept in {}", results.display())?;
        }
        let gate = ending.gate.name();
        let (style, sentence) = match ending.conclusion {
            Conclusion::Conforms => (GOOD, format!("conforms (gate {gate})")),
            Conclusion::DoesNot => (BAD, format!("does not conform (gate {gate})")),
            Conclusion::NothingExecuted => (BAD, "nothing was executed, which proves nothing".to_owned()),
            Conclusion::KitFailed => (BAD, "the kit failed, so that nothing can be said".to_owned()),
            Conclusion::Interrupted => (BAD, "interrupted, so that nothing can be said".to_owned()),
        };
        writeln!(self.stream, "{style}{sentence}{style:#}")
    }

    /// The requirements: those not kept in a table, the others counted.
    fn rows(&mut self, ending: &Ending) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        for (id, row) in ending.tally.rows() {
            let told = row
                .counts
                .keys()
                .any(|kind| !matches!(kind, Kind::Pass | Kind::NotApplicable | Kind::Observed));
            if told || self.detail == Detail::Everything {
                table.add_row([id.clone(), row.level.to_string(), counts(row)]);
            }
        }
        for line in table.lines() {
            writeln!(self.stream, "{}", line.trim_end())?;
        }
        for level in [Level::Must, Level::Should] {
            let judged = || ending.tally.rows().values().filter(|row| row.level == level && row.is_judged());
            if judged().next().is_some() {
                let kept = judged().filter(|row| row.is_kept()).count();
                writeln!(self.stream, "{level}: {kept} of {} requirements kept", judged().count())?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Report for Text<'_, W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Begun(header) => self.begun(header)?,
            Event::Judged(outcome) => self.judged(outcome)?,
            Event::Ended(ending) => self.ended(ending)?,
        }
        self.stream.flush()
    }
}

/// The first line and the last: what was wrong is often at the end of a long report of where.
fn said(stderr: &str, place: &Shown) -> Vec<String> {
    let mut lines = stderr.lines().filter(|line| !line.trim().is_empty()).map(|line| printable(line, place));
    lines.next().into_iter().chain(lines.next_back()).collect()
}

fn is_told(verdict: &Verdict) -> bool {
    matches!(verdict.kind, Kind::Fail | Kind::UnexpectedPass | Kind::Blocked | Kind::Vacuous | Kind::KitError)
}

fn style(kind: Kind) -> Style {
    match kind {
        Kind::Pass => GOOD,
        Kind::Fail | Kind::UnexpectedPass | Kind::KitError => BAD,
        Kind::Blocked | Kind::Vacuous => DOUBT,
        Kind::ExpectedFail | Kind::NotApplicable | Kind::Observed => FAINT,
    }
}

fn counts(row: &Row) -> String {
    let counts: Vec<String> =
        row.counts.iter().map(|(kind, count)| format!("{count} {}", kind.name())).collect();
    counts.join(", ")
}
