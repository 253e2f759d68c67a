//! A work item and its folder. Main type: [`Item`].
//!
//! The name is one component of a path and nothing else, so that no name leads out of the folder of all items.
//! Nothing is created here.

use std::path::PathBuf;

use crate::config::Config;
use crate::fault::graph::{Fault, on};
use crate::refusal::Refusal;

/// A work item.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its name.
    pub(crate) name: String,
    /// Its folder, absolute.
    pub(crate) folder: PathBuf,
}

impl Item {
    /// The item of that name; `spec_dir` is its folder if given.
    pub(crate) fn new(name: &str, config: &Config, spec_dir: Option<&PathBuf>) -> Result<Self, Refusal> {
        let single = !name.is_empty() && name != "." && name != ".." && !name.contains('/');
        let odd = !single || name.chars().any(char::is_control);
        if odd && !on(Fault::ItemNameUnchecked) {
            let name = name.escape_debug();
            return Err(Refusal::new(format!(
                "`{name}` is no name of an item: it is one component of a path"
            )));
        }
        let folder = match spec_dir.filter(|_| !on(Fault::GraphSpecDirIgnored)) {
            None => config.spec_root().join(name),
            Some(folder) => std::path::absolute(folder)
                .map_err(|error| Refusal::new(format!("`--spec-dir {}`: {error}", folder.display())))?,
        };
        Ok(Self { name: name.to_owned(), folder })
    }

    /// Every item that has a state, by name.
    pub(crate) fn all(config: &Config) -> Vec<Self> {
        let Ok(entries) = std::fs::read_dir(config.spec_root()) else { return Vec::new() };
        let mut items: Vec<Self> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().join(super::state::FILE).exists())
            .filter_map(|entry| Self::new(entry.file_name().to_str()?, config, None).ok())
            .collect();
        items.sort_by(|left, right| left.name.cmp(&right.name));
        items
    }
}
