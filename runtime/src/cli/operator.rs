//! The operator's side of a command: the config that counts, and the environment it adds to.
//!
//! [`Operator`] is what a round needs of it. Warnings go to the log, errors to the caller.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::Global;
use crate::config::{ConfigError, EnvFile, OperatorConfig, locate, notices};
use crate::critic::Roster;

/// Loads the config that the flag, the environment or the home directory names.
pub(super) fn load(global: &Global) -> Result<OperatorConfig, ConfigError> {
    let variable = env::var_os("THE_LOOP_CLI_CONFIG");
    let home = env::var_os("HOME");
    let location = locate(global.config.as_deref(), variable.as_deref(), home.as_deref().map(Path::new));
    OperatorConfig::load(&location)
}

/// A loaded config, its critics, and the variables that join the environment.
#[derive(Debug)]
pub(super) struct Operator {
    pub(super) config: OperatorConfig,
    pub(super) roster: Roster,
    env_file: EnvFile,
}

impl Operator {
    /// Loads everything for a round on the checkout at `root`, and tells what there is to warn of.
    pub(super) fn load(global: &Global, root: &Path) -> Result<Self, ConfigError> {
        let config = load(global)?;
        for notice in notices(&config, root) {
            tracing::warn!("{notice}");
        }
        let roster = Roster::read(&config)?;
        for warning in roster.warnings() {
            tracing::warn!("{}", config.located(warning));
        }
        let env_file = config.env_file()?;
        if let Some(warning) = env_file.warning() {
            tracing::warn!("{warning}");
        }
        Ok(Self { config, roster, env_file })
    }

    /// The file that `env.file` names.
    pub(super) fn env_file(&self) -> Option<&Path> {
        self.env_file.path()
    }

    /// The PATH that critics inherit.
    pub(super) fn path(&self) -> Option<OsString> {
        env::var_os("PATH").or_else(|| {
            let added = self.env_file.variables().iter().find(|(name, _)| name == "PATH");
            added.map(|(_, value)| value.into())
        })
    }

    /// The variables of `env.file` that the environment does not set itself.
    pub(super) fn added_variables(&self) -> impl Iterator<Item = (OsString, Option<OsString>)> {
        let missing =
            self.env_file.variables().iter().filter(|(name, _)| env::var_os(OsStr::new(name)).is_none());
        missing.map(|(name, value)| (name.into(), Some(value.into())))
    }
}
