//! The kill matrix: which checks notice which fault that is planted in the strawman.
//!
//! Main types: [`Fault`] and [`Matrix`]. Runs the kit and compares with a run without a fault; decides nothing about the contract.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// How many checks a row names: enough to see what notices a fault, few enough to read.
const NAMED: usize = 12;

/// Kits that run side by side: most scenarios wait.
const SIDE_BY_SIDE: usize = 3;

/// A fault of the strawman.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What `STRAWMAN_FAULT` calls it.
    pub slug: String,
    /// `must`, `should`, `open`, `harmless` or `crash`.
    pub level: String,
    /// The profiles whose checks can notice it.
    pub profiles: &'static [&'static str],
}

impl Fault {
    /// A line of what the strawman offers: slug, level, source. A source in section 8 is about graphs, any other is not.
    fn read(line: &str) -> Option<Self> {
        let mut columns = line.split('\t');
        let (slug, level, source) = (columns.next()?, columns.next()?, columns.next()?);
        let of_graphs = source.starts_with("OR-") || source == "8" || source.starts_with("8.");
        let profiles: &[_] = if of_graphs { &["graph"] } else { &["critic", "policy"] };
        Some(Self { slug: slug.to_owned(), level: level.to_owned(), profiles })
    }
}

/// What notices one fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// How many checks notice it.
    pub kills: usize,
    /// The first few of them, those of the highest level first.
    pub checks: Vec<String>,
}

/// The matrix as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Slug of the fault to what notices it.
    pub faults: BTreeMap<String, Row>,
    /// Check to the fault that turns it red and the fewest others. A check without one is noticed by nobody.
    pub checks: BTreeMap<String, String>,
}

/// Why there is no matrix.
#[derive(Debug, thiserror::Error)]
pub enum NoMatrix {
    /// A program could not be started.
    #[error("cannot start `{program}`: {cause}")]
    NotStarted {
        /// The program.
        program: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The kit's report could not be read to its end.
    #[error("the kit's report on fault `{fault}` is cut short: {said}")]
    CutShort {
        /// The fault, empty for none.
        fault: String,
        /// The end of what the kit said on standard error.
        said: String,
    },
}

/// What part of the suite is run.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// All of it.
    Whole,
    /// What belongs to some profiles.
    Profiles(&'a [&'a str]),
    /// Some checks, or whatever else `--only` takes.
    Checks(&'a [String]),
}

/// The kit and the strawman, both built.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The kit's binary.
    pub kit: PathBuf,
    /// The strawman's binary.
    pub strawman: PathBuf,
    /// Scenarios at once.
    pub jobs: usize,
}

/// One check as the kit reported it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// Level of its requirement.
    pub level: String,
    /// Whether it held; for `open`, whether the target chose as the reference does.
    pub held: bool,
}

impl Bench {
    /// Every fault that the strawman offers.
    ///
    /// # Errors
    /// [`NoMatrix::NotStarted`] when the strawman does not start.
    pub fn faults(&self) -> Result<Vec<Fault>, NoMatrix> {
        let printed = output(Command::new(&self.strawman).arg("faults"), &self.strawman)?;
        let text = String::from_utf8_lossy(&printed.stdout).into_owned();
        Ok(text.lines().filter_map(Fault::read).collect())
    }

    /// Runs the kit with `fault` switched on (`None`: none).
    ///
    /// # Errors
    /// [`NoMatrix`] when the kit does not start or its report has no last line.
    pub fn run(&self, fault: Option<&str>, part: Part) -> Result<BTreeMap<String, Reported>, NoMatrix> {
        let slug = fault.unwrap_or_default();
        // What the kit keeps of failures goes with this folder.
        let scratch = tempfile::tempdir()
            .map_err(|cause| NoMatrix::NotStarted { program: self.kit.display().to_string(), cause })?;
        let mut command = Command::new(&self.kit);
        command.env("TMPDIR", scratch.path());
        command.args(["run", "--format", "jsonl", "--no-preflight", "--jobs", &self.jobs.to_string()]);
        command.args(["--env", &format!("STRAWMAN_FAULT={slug}")]);
        match part {
            Part::Whole => {}
            Part::Profiles(names) => {
                command.args(names.iter().flat_map(|name| ["--profile", name]));
            }
            Part::Checks(names) => {
                command.args(names.iter().flat_map(|name| ["--only", name]));
            }
        }
        let printed = output(command.arg("--").arg(&self.strawman), &self.kit)?;
        read_report(&String::from_utf8_lossy(&printed.stdout)).ok_or_else(|| NoMatrix::CutShort {
            fault: slug.to_owned(),
            said: String::from_utf8_lossy(&printed.stderr)
                .chars()
                .rev()
                .take(400)
                .collect::<Vec<_>>()
                .iter()
                .rev()
                .collect(),
        })
    }

    /// The checks that held without a fault and do not with `fault`, those of the highest level first. Where they are few
    /// they have to fail twice, so that no slow moment of the machine counts as one of them.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn kills(&self, clean: &BTreeMap<String, Reported>, fault: &Fault) -> Result<Vec<String>, NoMatrix> {
        let mut killed = lost(clean, &self.run(Some(&fault.slug), Part::Profiles(fault.profiles))?);
        if !killed.is_empty() && killed.len() <= NAMED {
            let again = lost(clean, &self.run(Some(&fault.slug), Part::Checks(&killed))?);
            killed.retain(|check| again.contains(check));
        }
        Ok(killed)
    }

    /// Runs the profiles of each of `faults` with it, some side by side, and tells `progress` of each.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn matrix(
        &self,
        faults: Vec<Fault>,
        progress: impl Fn(&Fault, &Row) + Sync,
    ) -> Result<Matrix, NoMatrix> {
        let mut clean = BTreeMap::new();
        for profiles in faults.iter().map(|fault| fault.profiles).collect::<BTreeSet<_>>() {
            clean.insert(profiles, self.run(None, Part::Profiles(profiles))?);
        }
        let killed = side_by_side(faults, |fault| {
            let killed = self.kills(&clean[fault.profiles], fault)?;
            progress(fault, &Row::of(&killed));
            Ok((fault.slug.clone(), killed))
        })?;
        let mut matrix = Matrix::default();
        for (slug, killed) in killed {
            matrix.add(&slug, &killed);
        }
        Ok(matrix)
    }

    /// Level of every check of the suite.
    ///
    /// # Errors
    /// [`NoMatrix::NotStarted`] when the kit does not start.
    pub fn levels(&self) -> Result<BTreeMap<String, String>, NoMatrix> {
        let printed = output(Command::new(&self.kit).args(["list", "--format", "jsonl"]), &self.kit)?;
        let text = String::from_utf8_lossy(&printed.stdout).into_owned();
        let level = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            Some((line.get("check")?.as_str()?.to_owned(), line.get("level")?.as_str()?.to_owned()))
        };
        Ok(text.lines().filter_map(level).collect())
    }
}

impl Matrix {
    /// What is known after some faults were run anew.
    #[must_use]
    pub fn renewed(mut self, anew: Self) -> Self {
        self.checks.retain(|_, slug| !anew.faults.contains_key(slug));
        self.faults.extend(anew.faults);
        for (check, slug) in anew.checks {
            self.name(check, slug);
        }
        // A check whose fault was run anew may be among the few that another row names.
        let named: Vec<(String, String)> = self
            .faults
            .iter()
            .flat_map(|(slug, row)| row.checks.iter().map(|check| (check.clone(), slug.clone())))
            .collect();
        for (check, slug) in named {
            self.name(check, slug);
        }
        self
    }

    fn add(&mut self, slug: &str, killed: &[String]) {
        self.faults.insert(slug.to_owned(), Row::of(killed));
        for check in killed {
            self.name(check.clone(), slug.to_owned());
        }
    }

    /// Keeps the fault of a check that turns the fewest others red, of several the first by name.
    fn name(&mut self, check: String, slug: String) {
        let weight =
            |slug: &String| (self.faults.get(slug).map_or(usize::MAX, |row| row.kills), slug.clone());
        if self.checks.get(&check).is_none_or(|known| weight(&slug) < weight(known)) {
            self.checks.insert(check, slug);
        }
    }
}

impl Row {
    fn of(killed: &[String]) -> Self {
        Self { kills: killed.len(), checks: killed.iter().take(NAMED).cloned().collect() }
    }
}

/// What `work` makes of each of `faults`, a few of them at once, in no particular order.
///
/// # Errors
/// The first error of `work`.
pub fn side_by_side<T: Send, E: Send>(
    faults: Vec<Fault>,
    work: impl Fn(&Fault) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let waiting = Mutex::new(faults);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let one = || std::iter::from_fn(next).map(|fault| work(&fault)).collect::<Result<Vec<T>, E>>();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..SIDE_BY_SIDE).map(|_| scope.spawn(one)).collect();
        let mut made = Vec::new();
        for thread in threads {
            match thread.join() {
                Ok(part) => made.extend(part?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(made)
    })
}

/// What held before and does not after, or was not asked; those of the highest level first.
fn lost(clean: &BTreeMap<String, Reported>, seen: &BTreeMap<String, Reported>) -> Vec<String> {
    let ranked = clean
        .iter()
        .filter(|(check, before)| before.held && !seen.get(*check).is_some_and(|after| after.held));
    let rank = |level: &str| ["must", "should", "open"].iter().position(|known| *known == level);
    let ranked: BTreeSet<_> = ranked.map(|(check, before)| (rank(&before.level), check)).collect();
    ranked.into_iter().map(|(_, check)| check.clone()).collect()
}

fn output(command: &mut Command, program: &Path) -> Result<std::process::Output, NoMatrix> {
    command.output().map_err(|cause| NoMatrix::NotStarted { program: program.display().to_string(), cause })
}

/// The checks of a report in JSON lines; `None` when its last line is missing.
fn read_report(report: &str) -> Option<BTreeMap<String, Reported>> {
    let lines: Vec<serde_json::Value> =
        report.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    lines.last()?.get("counts")?;
    let check = |line: &serde_json::Value| {
        let name = line.get("check")?.as_str()?.to_owned();
        let level = line.get("level")?.as_str()?.to_owned();
        let held = match line.get("verdict")?.as_str()? {
            "pass" => true,
            "observed" => line.get("fingerprint").is_none(),
            _ => false,
        };
        Some((name, Reported { level, held }))
    };
    Some(lines.iter().filter_map(check).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_without_its_last_line_is_cut_short() {
        let line = r#"{"check":"a/b/c","level":"must","verdict":"pass"}"#;
        assert_eq!(read_report(line), None);
        let whole = format!("{line}\n{{\"counts\":{{}},\"exit\":0}}\n");
        let expected = Reported { level: "must".into(), held: true };
        assert_eq!(read_report(&whole), Some(BTreeMap::from([("a/b/c".into(), expected)])));
    }

    #[test]
    fn an_observation_that_differs_does_not_hold() {
        let report = "{\"check\":\"a\",\"level\":\"open\",\"verdict\":\"observed\",\"fingerprint\":\"x\"}\n{\"counts\":{}}";
        assert!(!read_report(report).expect("whole")["a"].held);
    }

    #[test]
    fn a_check_is_named_with_its_most_exact_fault_also_after_some_were_renewed() {
        let killed = |checks: &[&str]| checks.iter().map(|check| (*check).to_owned()).collect::<Vec<_>>();
        let mut matrix = Matrix::default();
        matrix.add("broad", &killed(&["a", "b", "c"]));
        matrix.add("exact", &killed(&["a"]));
        assert_eq!(matrix.checks["a"], "exact");
        assert_eq!(matrix.checks["b"], "broad");
        let mut anew = Matrix::default();
        anew.add("exact", &killed(&["d"]));
        let renewed = matrix.renewed(anew);
        assert_eq!(renewed.checks["a"], "broad");
        assert_eq!(renewed.checks["d"], "exact");
        assert_eq!(renewed.faults["exact"].kills, 1);
    }
}
