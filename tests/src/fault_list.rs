//! `tests/faults.yaml`: every fault of the strawman, what it breaks and exactly which checks notice it. Main type: [`FaultList`].
//!
//! `fails` and `sometimes` are measured, `breaks`, `collateral` and `unseen` are said by people, the rest is what the strawman says.
//! Runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tempfile::Builder;

use crate::bench::Planted;
use crate::workspace::root;

/// What stands above the list.
const HEADER: &str = "\
# The faults that can be planted in the strawman, and exactly which checks turn red for each.
# By hand: `breaks`, the requirements that the fault is about; `collateral`, further requirements whose checks turn red, each with the
# reason; `unseen`, why no check can notice it and what holds it instead; `stricter`, why checks turn red that bind more. The rest is written by `cargo kill-matrix`, which also
# renews docs/proof.md. `sometimes`: checks that turn red in some runs and not in others; they count for nothing.
";

/// The list as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FaultList(pub Vec<Entry>);

/// One fault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What `STRAWMAN_FAULT` calls it.
    pub name: String,
    /// What goes wrong.
    pub does: String,
    /// `must`, `should` or `open`: how much what it breaks binds; or `harmless`, or `crash`.
    pub level: String,
    /// Source tag, or paragraph of the contract.
    pub source: String,
    /// The requirements that it is about.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub breaks: BTreeSet<String>,
    /// Further requirements whose checks turn red, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub collateral: BTreeMap<String, String>,
    /// Why no check can notice it, and what holds it instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen: Option<String>,
    /// Why checks turn red that bind more than what it breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stricter: Option<String>,
    /// The checks that turn red, all of them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub fails: BTreeSet<String>,
    /// The checks that turn red in some runs only.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sometimes: BTreeSet<String>,
}

/// Why there is no list.
#[derive(Debug, thiserror::Error)]
pub enum FaultListError {
    /// The file cannot be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The file is no list of faults.
    #[error("{}: {cause}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl FaultList {
    /// Where it is stored.
    pub fn path() -> PathBuf {
        root().join("tests/faults.yaml")
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`FaultListError`].
    pub fn read() -> Result<Self, FaultListError> {
        let path = Self::path();
        let text = std::fs::read_to_string(&path)
            .map_err(|cause| FaultListError::File { path: path.clone(), cause })?;
        serde_saphyr::from_str(&text).map_err(|cause| FaultListError::Malformed { path, cause: cause.into() })
    }

    /// Writes it.
    ///
    /// # Errors
    /// [`FaultListError`].
    pub fn write(&self) -> Result<(), FaultListError> {
        let path = Self::path();
        let text = serde_saphyr::to_string(self)
            .map_err(|cause| FaultListError::Malformed { path: path.clone(), cause: cause.into() })?;
        // In one step: whoever reads or breaks off meanwhile has a whole list.
        let folder = path.parent().unwrap_or(&path);
        let readable = Permissions::from_mode(0o644);
        let written = Builder::new().permissions(readable).tempfile_in(folder).and_then(|mut file| {
            file.write_all(format!("{HEADER}{text}").as_bytes())?;
            file.persist(&path).map(drop).map_err(|error| error.error)
        });
        written.map_err(|cause| FaultListError::File { path, cause })
    }

    /// The list in the order in which the strawman offers its faults, with its words; entries of faults that are gone are left out.
    #[must_use]
    pub fn told_by(mut self, planted: &[Planted]) -> Self {
        let mut entry = |fault: &Planted| {
            let known = self.0.iter().position(|entry| entry.name == fault.slug);
            let known = known.map(|at| self.0.swap_remove(at)).unwrap_or_default();
            let Planted { slug: name, level, source, sentence: does } = fault.clone();
            Entry { name, does, level, source, ..known }
        };
        Self(planted.iter().map(&mut entry).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_said_of_a_fault_outlives_a_renewal_and_lost_faults_do_not() {
        let said = Entry { name: "kept".into(), unseen: Some("why".into()), ..Entry::default() };
        let gone = Entry { name: "gone".into(), ..Entry::default() };
        let planted = |slug: &str| Planted {
            slug: slug.into(),
            level: "must".into(),
            source: "CR-1.1".into(),
            sentence: "wrong".into(),
        };
        let list = FaultList(vec![gone, said]).told_by(&[planted("new"), planted("kept")]);
        let names: Vec<&str> = list.0.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["new", "kept"]);
        assert_eq!(list.0[1].unseen.as_deref(), Some("why"));
        assert_eq!(list.0[1].does, "wrong");
    }
}
