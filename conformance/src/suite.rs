//! The suite: ledger and scenarios, from inside the binary and from folders.
//!
//! [`Suite`] is a suite that can be run; [`Draft`] is what was found, with its faults, for `lint`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use serde::Deserialize;
use thiserror::Error;

use crate::ledger::{Ledger, Requirement};
use crate::scenario::check::Check;
use crate::scenario::{Scenario, is_slug};
use crate::source::Source;
use crate::source::fault::Fault;

/// Version of the suite: rows say since which one they are asked.
pub const VERSION: u32 = 1;

const TAGS: &str = "tags";

static SCENARIOS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");
static SPECS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../specs");

/// A suite without faults of its files.
#[derive(Clone, Debug)]
pub struct Suite {
    ledger: Ledger,
    tags: Vec<Tag>,
    scenarios: Vec<Scenario>,
}

/// A suite as found.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The rows that could be read.
    pub ledger: Ledger,
    /// The tags of the source documents.
    pub tags: Vec<Tag>,
    /// The scenarios that could be read, by id.
    pub scenarios: Vec<Scenario>,
    /// What is wrong with the files.
    pub faults: Vec<Fault>,
    specs: Vec<String>,
    tag_source: Option<Source>,
}

/// One tag of the source documents.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    /// The tag.
    pub tag: String,
    /// What the statement asks.
    pub asks: String,
    /// The file of the ledger (its name without ending) without which it is not asked for yet.
    pub with: Option<String>,
}

/// Why a folder of scenarios cannot be read.
#[derive(Debug, Error)]
#[error("cannot read `{path}` ({source}), expected a folder of scenarios `<area>/<slug>.yaml`")]
pub struct FolderError {
    path: PathBuf,
    source: std::io::Error,
}

impl Draft {
    /// The embedded suite, over it the scenarios of one folder, and in place of its ledger that of another.
    ///
    /// # Errors
    /// A folder cannot be read. Faulty files are no error here: they are in `faults`.
    pub fn load(scenarios: Option<&Path>, specs: Option<&Path>) -> Result<Self, FolderError> {
        let mut files = embedded(&SCENARIOS, "conformance/scenarios");
        if let Some(folder) = scenarios {
            files.extend(read_folder(folder)?);
        }
        let specs = match specs {
            Some(folder) => read_folder(folder)?,
            None => embedded(&SPECS, "specs"),
        };
        Ok(Self::read(specs, files))
    }

    /// A suite from texts: files of the ledger and `tags` by name without ending, and scenarios by id.
    pub fn read(mut specs: BTreeMap<String, Source>, files: BTreeMap<String, Source>) -> Self {
        let mut draft = Self::default();
        if let Some(tags) = specs.remove(TAGS) {
            match tags.read() {
                Ok(read) => draft.tags = read,
                Err(fault) => draft.faults.push(fault),
            }
            draft.tag_source = Some(tags);
        }
        draft.specs = specs.keys().cloned().collect();
        match Ledger::parse(&specs.into_values().collect::<Vec<_>>()) {
            Ok(ledger) => draft.ledger = ledger,
            Err(faults) => draft.faults.extend(faults),
        }
        for (id, source) in files {
            if id.split('/').count() != 2 || !id.split('/').all(is_slug) {
                let message = format!("`{id}` is no scenario id");
                let remedy = "name the file <area>/<slug>.yaml in lower-case words joined by hyphens";
                draft.faults.push(source.fault("", message).remedy(remedy));
            }
            match Scenario::parse(&id, source) {
                Ok(scenario) => draft.scenarios.push(scenario),
                Err(faults) => draft.faults.extend(faults),
            }
        }
        draft
    }

    /// Whether this tag is asked for already: the file of the ledger that it waits for is there.
    pub fn asks_for(&self, tag: &Tag) -> bool {
        tag.with.as_ref().is_none_or(|file| self.specs.contains(file))
    }

    /// A fault at this tag.
    pub fn tag_fault(&self, tag: &Tag, message: impl Into<String>) -> Fault {
        let source = self.tag_source.clone().unwrap_or_else(|| Source::new("specs/tags.yaml", ""));
        source.fault_at_text(&tag.tag, message)
    }
}

impl Suite {
    /// The suite of a draft in which nothing was found wrong.
    ///
    /// # Errors
    /// What was, by `lint` as well.
    pub fn new(draft: Draft) -> Result<Self, Vec<Fault>> {
        if draft.faults.is_empty() {
            Ok(Self { ledger: draft.ledger, tags: draft.tags, scenarios: draft.scenarios })
        } else {
            Err(draft.faults)
        }
    }

    /// The ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The tags of the source documents.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// The scenarios, by id.
    pub fn scenarios(&self) -> &[Scenario] {
        &self.scenarios
    }

    /// Scenario and check of each check that proves this row.
    pub fn checks_of<'a>(
        &'a self,
        requirement: &'a Requirement,
    ) -> impl Iterator<Item = (&'a Scenario, &'a Check)> {
        self.scenarios.iter().flat_map(move |scenario| {
            scenario
                .checks()
                .iter()
                .filter(move |check| scenario.requirement_of(check) == requirement.id())
                .map(move |check| (scenario, check))
        })
    }

    /// The ids of all checks.
    pub fn check_ids(&self) -> Vec<String> {
        self.scenarios.iter().flat_map(Scenario::check_ids).collect()
    }
}

fn embedded(folder: &Dir<'static>, shown: &str) -> BTreeMap<String, Source> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        for file in folder.files() {
            if let (Some(id), Some(text)) = (scenario_id(file.path()), file.contents_utf8()) {
                found.insert(id, Source::new(format!("{shown}/{}", file.path().display()), text));
            }
        }
    }
    found
}

fn read_folder(folder: &Path) -> Result<BTreeMap<String, Source>, FolderError> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(path) = folders.pop() {
        let failed = |source| FolderError { path: path.clone(), source };
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?.path();
            if entry.is_dir() {
                folders.push(entry);
            } else if let Some(id) = entry.strip_prefix(folder).ok().and_then(scenario_id) {
                let text = std::fs::read_to_string(&entry)
                    .map_err(|source| FolderError { path: entry.clone(), source })?;
                found.insert(id, Source::new(entry.display().to_string(), text));
            }
        }
    }
    Ok(found)
}

/// The path without its ending, for YAML files.
fn scenario_id(path: &Path) -> Option<String> {
    let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    is_yaml.then(|| path.with_extension("").display().to_string())
}
