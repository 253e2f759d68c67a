//! What has to hold before a node is left, as a graph declares it.
//!
//! [`Gate`] is one declared condition with the files and sections it is about. Whether it holds is not judged here.

use std::fmt;
use std::path::{Component, Path};

use super::Outcome;

/// A file inside the item's folder, by its relative path of ordinary names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArtifactPath(String);

impl ArtifactPath {
    /// The path of `text`; `None` when it is empty, absolute, leads out (`..`), or is not written plainly (`a//b`, `./a`).
    pub fn new(text: &str) -> Option<Self> {
        let ordinary = |part| matches!(part, Component::Normal(name) if !name.is_empty());
        let plain = text.split('/').all(|name| !matches!(name, "" | "." | ".."));
        let one_line = !text.contains(char::is_control);
        let whole = plain && one_line && Path::new(text).components().all(ordinary);
        whole.then(|| Self(text.to_owned()))
    }

    /// As written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As a path relative to the item's folder.
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl fmt::Display for ArtifactPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One condition of a node's exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// A human ticks what runs.
    ClassifyPhaseSelection,
    /// A human approves or requests changes.
    ClassifyFeedback,
    /// Files hold what they should.
    ValidateArtifacts {
        /// The files to read, at least one: what `validates` names, else what the node produces.
        files: Vec<ArtifactPath>,
        /// Level-two headings that each of the files holds with content; empty when the files only have to be there.
        sections: Vec<String>,
    },
    /// A record tells of review rounds.
    ValidateReviewRecord {
        /// The record.
        file: ArtifactPath,
        /// The level-two heading below which the rounds stand.
        section: String,
    },
}

impl Gate {
    /// The names of all gates, in the order in which they are told.
    pub const NAMES: [&'static str; 4] =
        ["classify-phase-selection", "classify-feedback", "validate-artifacts", "validate-review-record"];

    /// Its name in a graph.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ClassifyPhaseSelection => Self::NAMES[0],
            Self::ClassifyFeedback => Self::NAMES[1],
            Self::ValidateArtifacts { .. } => Self::NAMES[2],
            Self::ValidateReviewRecord { .. } => Self::NAMES[3],
        }
    }

    /// The outcomes it gives by itself: those of a human's answer, none for a gate on files.
    pub const fn answers(&self) -> &'static [Outcome] {
        match self {
            Self::ClassifyPhaseSelection => &[Outcome::Selected],
            Self::ClassifyFeedback => &[Outcome::Approved, Outcome::ChangesRequested],
            Self::ValidateArtifacts { .. } | Self::ValidateReviewRecord { .. } => &[],
        }
    }

    /// The files it reads.
    pub fn files(&self) -> &[ArtifactPath] {
        match self {
            Self::ClassifyPhaseSelection | Self::ClassifyFeedback => &[],
            Self::ValidateArtifacts { files, .. } => files,
            Self::ValidateReviewRecord { file, .. } => std::slice::from_ref(file),
        }
    }

    /// The sections it reads in each of its files.
    pub fn sections(&self) -> &[String] {
        match self {
            Self::ClassifyPhaseSelection | Self::ClassifyFeedback => &[],
            Self::ValidateArtifacts { sections, .. } => sections,
            Self::ValidateReviewRecord { section, .. } => std::slice::from_ref(section),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_paths_inside_the_folder_are_artifacts() {
        for inside in ["a.md", "evidence/a.md", "a..b/.c", "ä ö.md"] {
            assert_eq!(ArtifactPath::new(inside).map(|path| path.to_string()).as_deref(), Some(inside));
        }
        for outside in
            ["", "/a", "..", "../a", "a/../../b", "a/..", ".", "./a", "a/./b", "a//b", "a/", "a\0", "a\nb"]
        {
            assert_eq!(ArtifactPath::new(outside), None, "{outside:?}");
        }
    }
}
