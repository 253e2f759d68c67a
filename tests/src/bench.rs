//! The kit on one side, the strawman with its faults on the other. Main type: [`Bench`].
//!
//! Runs and reads reports; what a fault ought to turn red is said in `fault_list`, and held against it in `kill_matrix`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use tempfile::TempDir;

use crate::binaries::{Binary, NotBuilt, Profile};
use crate::scratch::scratch;

/// Kits that run side by side: most scenarios wait.
const KITS: usize = 6;

/// After so many seconds a step is cut off: some faults hang, and no step of a target without one takes a third as long.
const HANGS: &str = "12";

/// How often a difference has to be seen before it is one: a slow moment of the machine turns a check red, too.
const TRIES: usize = 3;

/// A fault as the strawman offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// What `STRAWMAN_FAULT` calls it.
    pub slug: String,
    /// `must`, `should`, `open`, `harmless` or `crash`.
    pub level: String,
    /// The source tag, or the paragraph of the contract.
    pub source: String,
    /// What goes wrong.
    pub sentence: String,
}

/// A check of the suite.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Check {
    /// `<scenario>/<name>`.
    #[serde(rename = "check")]
    pub id: String,
    /// The requirement that it is about.
    pub requirement: String,
    /// `must`, `should` or `open`.
    pub level: String,
}

/// What the strawman does without a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clean {
    /// The checks that hold; for level `open`, those in which it chooses as the reference does.
    pub held: BTreeSet<String>,
    /// Fault to the scenarios in which the strawman came to the place of the fault. No other scenario can notice it.
    pub reached: BTreeMap<String, BTreeSet<String>>,
}

/// Why a run says nothing.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Kit or strawman could not be built.
    #[error(transparent)]
    NotBuilt(#[from] NotBuilt),
    /// A program could not be started, or its folder not be made.
    #[error("cannot start `{program}`: {cause}")]
    NotStarted {
        /// The program.
        program: String,
        /// What the system said.
        cause: io::Error,
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

/// The kit and the strawman, both built, and where they run.
#[derive(Debug)]
pub struct Bench {
    kit: PathBuf,
    strawman: PathBuf,
    scratch: TempDir,
    scenarios: Option<PathBuf>,
}

impl Bench {
    /// Builds both.
    ///
    /// # Errors
    /// [`BenchError::NotBuilt`], or [`BenchError::NotStarted`] when there is no folder to run them in.
    pub fn build() -> Result<Self, BenchError> {
        let (kit, strawman) =
            (Binary::Kit.build(Profile::Release)?, Binary::Strawman.build(Profile::Release)?);
        let scratch = scratch().map_err(|cause| not_started(&kit, cause))?;
        Ok(Self { kit, strawman, scratch, scenarios: None })
    }

    /// The same with the scenarios of `folder` on top of the suite.
    #[must_use]
    pub fn with_scenarios(self, folder: PathBuf) -> Self {
        Self { scenarios: Some(folder), ..self }
    }

    /// Every fault that the strawman offers.
    ///
    /// # Errors
    /// [`BenchError::NotStarted`] when the strawman does not start.
    pub fn planted(&self) -> Result<Vec<Planted>, BenchError> {
        let printed = output(Command::new(&self.strawman).arg("faults"), &self.strawman)?;
        let text = String::from_utf8_lossy(&printed.stdout).into_owned();
        Ok(text.lines().filter_map(Planted::read).collect())
    }

    /// Every check of the suite.
    ///
    /// # Errors
    /// [`BenchError::NotStarted`] when the kit does not start.
    pub fn checks(&self) -> Result<Vec<Check>, BenchError> {
        let mut command = Command::new(&self.kit);
        command.args(["list", "--format", "jsonl"]).args(self.added());
        let printed = output(&mut command, &self.kit)?;
        let text = String::from_utf8_lossy(&printed.stdout).into_owned();
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Runs every scenario by itself without a fault.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn clean(&self) -> Result<Clean, BenchError> {
        let scenarios: BTreeSet<String> =
            self.checks()?.iter().map(|check| scenario(&check.id).to_owned()).collect();
        let alone = side_by_side(scenarios.into_iter().collect(), |id: &String| {
            let folder =
                tempfile::tempdir_in(self.scratch.path()).map_err(|cause| not_started(&self.kit, cause))?;
            let asked = folder.path().join("asked");
            let variable = format!("STRAWMAN_ASKED={}", asked.display());
            let held = self.judged("", &["--no-preflight", "--env", &variable], [id.as_str()])?;
            // A target that was never started asked for nothing.
            let asked = std::fs::read_to_string(asked).unwrap_or_default();
            Ok::<_, BenchError>((id.clone(), held, asked))
        })?;
        let mut clean = Clean::default();
        for (id, held, asked) in alone {
            clean.held.extend(held.into_iter().filter_map(|(check, held)| held.then_some(check)));
            for slug in asked.lines() {
                clean.reached.entry(slug.to_owned()).or_default().insert(id.clone());
            }
        }
        Ok(clean)
    }

    /// The checks of `scenarios` with whether each held, with `fault` switched on (empty: none).
    ///
    /// # Errors
    /// [`BenchError`] when the kit does not start or its report has no last line.
    pub fn run<'a>(
        &self,
        fault: &str,
        scenarios: impl IntoIterator<Item = &'a str>,
    ) -> Result<BTreeMap<String, bool>, BenchError> {
        // Bounds grow by the start-up of a target that is slow without being wrong; faults get no such help.
        let options: &[&str] = if fault.starts_with("harmless") {
            &["--jobs", "32"]
        } else {
            &["--no-preflight", "--hang-after", HANGS]
        };
        self.judged(fault, options, scenarios)
    }

    /// The checks that hold without a fault and do not with `fault`.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn failing(&self, clean: &Clean, fault: &str) -> Result<BTreeSet<String>, BenchError> {
        let Some(reached) = clean.reached.get(fault) else { return Ok(BTreeSet::new()) };
        let seen = self.run(fault, reached.iter().map(String::as_str))?;
        Ok(lost(clean, reached, &seen))
    }

    /// What of `pinned` did not fail with `fault`, and what else did; each seen some times over.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn difference(
        &self,
        clean: &Clean,
        fault: &str,
        pinned: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, BenchError> {
        let seen = self.failing(clean, fault)?;
        let mut differs: BTreeSet<String> = seen.symmetric_difference(pinned).cloned().collect();
        for _ in 1..TRIES {
            // A check that no run can turn red differs without asking again.
            let again: BTreeSet<String> = differs
                .iter()
                .map(|check| scenario(check).to_owned())
                .filter(|id| clean.reached.get(fault).is_some_and(|reached| reached.contains(id)))
                .collect();
            if again.is_empty() {
                break;
            }
            let seen = lost(clean, &again, &self.run(fault, again.iter().map(String::as_str))?);
            differs.retain(|check| {
                !again.contains(scenario(check)) || seen.contains(check) != pinned.contains(check)
            });
        }
        Ok(differs)
    }

    fn judged<'a>(
        &self,
        fault: &str,
        options: &[&str],
        scenarios: impl IntoIterator<Item = &'a str>,
    ) -> Result<BTreeMap<String, bool>, BenchError> {
        // What the kit keeps of failures goes with this folder.
        let folder =
            tempfile::tempdir_in(self.scratch.path()).map_err(|cause| not_started(&self.kit, cause))?;
        let mut command = Command::new(&self.kit);
        command
            .env("TMPDIR", folder.path())
            .args(["run", "--format", "jsonl"])
            .args(options)
            .args(self.added());
        command.arg("--env").arg(format!("STRAWMAN_FAULT={fault}"));
        command.args(scenarios.into_iter().map(|id| format!("--only={id}/")));
        let printed = output(command.arg("--").arg(&self.strawman), &self.kit)?;
        read_report(&String::from_utf8_lossy(&printed.stdout)).ok_or_else(|| BenchError::CutShort {
            fault: fault.to_owned(),
            said: end(&String::from_utf8_lossy(&printed.stderr)).to_owned(),
        })
    }

    fn added(&self) -> Vec<PathBuf> {
        self.scenarios.iter().flat_map(|folder| [PathBuf::from("--scenarios"), folder.clone()]).collect()
    }
}

impl Planted {
    /// A line of what the strawman offers.
    fn read(line: &str) -> Option<Self> {
        let mut columns = line.split('\t').map(str::to_owned);
        let mut next = || columns.next();
        Some(Self { slug: next()?, level: next()?, source: next()?, sentence: next()? })
    }
}

/// The scenario of a check.
pub fn scenario(check: &str) -> &str {
    check.rsplit_once('/').map_or(check, |(scenario, _)| scenario)
}

/// What `work` makes of each of `all`, a few of them at once, in no particular order.
///
/// # Errors
/// The first error of `work`.
pub fn side_by_side<I: Send, T: Send, E: Send>(
    all: Vec<I>,
    work: impl Fn(&I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let waiting = Mutex::new(all);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let one = || std::iter::from_fn(next).map(|item| work(&item)).collect::<Result<Vec<T>, E>>();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..KITS).map(|_| scope.spawn(one)).collect();
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

/// What of the scenarios that were asked held before and does not now, or was not judged.
fn lost(clean: &Clean, asked: &BTreeSet<String>, seen: &BTreeMap<String, bool>) -> BTreeSet<String> {
    let asked = clean.held.iter().filter(|check| asked.contains(scenario(check)));
    asked.filter(|check| seen.get(*check) != Some(&true)).cloned().collect()
}

fn output(command: &mut Command, program: &Path) -> Result<Output, BenchError> {
    command.output().map_err(|cause| not_started(program, cause))
}

fn not_started(program: &Path, cause: io::Error) -> BenchError {
    BenchError::NotStarted { program: program.display().to_string(), cause }
}

/// The last few hundred characters.
fn end(text: &str) -> &str {
    let start = text.char_indices().rev().nth(400).map_or(0, |(at, _)| at);
    &text[start..]
}

/// The checks of a report in JSON lines with whether each held; `None` when its last line is missing.
fn read_report(report: &str) -> Option<BTreeMap<String, bool>> {
    let lines: Vec<serde_json::Value> =
        report.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    lines.last()?.get("counts")?;
    let check = |line: &serde_json::Value| {
        let held = match line.get("verdict")?.as_str()? {
            "pass" => true,
            "observed" => line.get("fingerprint").is_none(),
            _ => false,
        };
        Some((line.get("check")?.as_str()?.to_owned(), held))
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
        assert_eq!(read_report(&whole), Some(BTreeMap::from([("a/b/c".into(), true)])));
    }

    #[test]
    fn an_observation_that_differs_does_not_hold() {
        let report = "{\"check\":\"a\",\"verdict\":\"observed\",\"fingerprint\":\"x\"}\n{\"counts\":{}}";
        assert!(!read_report(report).expect("whole")["a"]);
    }

    #[test]
    fn what_was_not_judged_is_lost_and_what_was_not_asked_is_not() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        let clean = Clean { held: set(&["a/b/one", "a/b/two", "c/d/one"]), reached: BTreeMap::new() };
        let seen = BTreeMap::from([("a/b/one".to_owned(), true)]);
        assert_eq!(lost(&clean, &set(&["a/b"]), &seen), set(&["a/b/two"]));
    }
}
