//! A critic: one entry of the operator's `critics`, checked, ready to be invoked.
//!
//! [`Critic`] has private fields and comes from [`Roster::read`] alone; whoever holds one need not check it again.
//! Looking up the executable and starting it happens elsewhere.

mod adapter;
mod entry;
mod roster;
mod rule;
mod template;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use adapter::{Adapter, LONGEST_ARGUMENT, PromptRoute};
pub use roster::{Broken, Entry, Lookup, Roster};
pub use template::{Placeholder, Template, UnknownPlaceholder, Values};

/// A checked entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Critic {
    name: String,
    harness: String,
    model: String,
    program: Program,
    args: Vec<Template>,
    env: Vec<(String, Option<String>)>,
    cwd: Option<PathBuf>,
    output: Reading,
    timeout: Duration,
}

/// What is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// The entry's `command`: argv\[0\] as written, relative to the config's directory when it has a slash.
    Command(String),
    /// The adapter that the `harness` selects.
    BuiltIn(Adapter),
}

/// How standard output becomes the reviewer's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Verbatim (CR-3.3).
    Text,
    /// The first known text key of one JSON object, else verbatim (CR-3.2).
    Json,
    /// The adapter's own knowledge of its CLI.
    AdapterOwn(Adapter),
}

impl Program {
    /// argv\[0\], and what is looked up.
    pub fn name(&self) -> &str {
        match self {
            Self::Command(command) => command,
            Self::BuiltIn(adapter) => adapter.executable(),
        }
    }
}

impl Critic {
    /// Unique over the list, never blank.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The label, perhaps empty.
    pub fn harness(&self) -> &str {
        &self.harness
    }

    /// The model, perhaps empty.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// What is executed (CR-1.1, CR-1.2).
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// The entry's own arguments, after argv\[0\] or after the derived arguments.
    pub fn args(&self) -> &[Template] {
        &self.args
    }

    /// The overlay in file order; `None` removes the variable (CR-2.5).
    pub fn env(&self) -> &[(String, Option<String>)] {
        &self.env
    }

    /// The entry's working directory as written, relative to the root (CR-2.6).
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// How its output is read: an explicit `outputFormat` wins over the adapter's own reading.
    pub const fn output(&self) -> Reading {
        self.output
    }

    /// The limit of one round, between a second and a year (CR-N1).
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Whether an argument holds the placeholder.
    pub fn holds(&self, placeholder: Placeholder) -> bool {
        self.args.iter().any(|template| template.holds(placeholder))
    }

    /// The way `prompt` takes into this critic: exactly one.
    pub fn prompt_route(&self, prompt: &[u8]) -> PromptRoute {
        match self.program {
            Program::BuiltIn(adapter)
                if !self.holds(Placeholder::Prompt) && !self.holds(Placeholder::PromptFile) =>
            {
                adapter.route(prompt)
            }
            Program::BuiltIn(_) | Program::Command(_) => PromptRoute::OwnArguments,
        }
    }
}
