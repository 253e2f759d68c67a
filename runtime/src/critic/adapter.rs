//! Built-in adapters: what the runtime knows about the command lines of `claude` and `cursor`.
//!
//! An [`Adapter`] owns its executable's name, its derived arguments and how it takes the prompt. How its output
//! is read belongs to `reading`. Nothing here starts a process.

use std::ffi::OsString;
use std::fmt;

/// Longest argument that Linux passes, in bytes without the closing NUL.
pub const LONGEST_ARGUMENT: usize = 131_071;

/// A harness whose invocation is derived (CR-1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapter {
    /// Claude Code, `claude`.
    Claude,
    /// Cursor's agent, `cursor-agent`.
    Cursor,
}

/// The way a prompt takes into the critic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptRoute {
    /// The entry's own `args` hold `{prompt}` or `{promptFile}`; nothing else delivers it.
    OwnArguments,
    /// Standard input is the prompt file itself, opened.
    StandardInput,
    /// The prompt is the last derived argument, before the entry's `args`.
    LastArgument,
}

impl Adapter {
    /// Every adapter.
    pub const ALL: [Self; 2] = [Self::Claude, Self::Cursor];

    /// The adapter of a `harness`, compared exactly.
    pub fn of_harness(harness: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|adapter| adapter.harness() == harness)
    }

    /// The word that selects it.
    pub const fn harness(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Cursor => "cursor",
        }
    }

    /// The executable that is looked up on PATH.
    pub const fn executable(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Cursor => "cursor-agent",
        }
    }

    /// The derived arguments after the executable: one shot, not interactive, JSON on standard output, the model
    /// flag only when there is a model. The prompt is not among them.
    pub fn arguments(self, model: &str) -> Vec<OsString> {
        let fixed = match self {
            Self::Claude | Self::Cursor => ["-p", "--output-format", "json"],
        };
        let mut arguments: Vec<OsString> = fixed.into_iter().map(OsString::from).collect();
        if !model.is_empty() {
            arguments.push("--model".into());
            arguments.push(model.into());
        }
        arguments
    }

    /// How this command line takes `prompt`. Cursor documents the last argument; a prompt that cannot be one
    /// (too long, with a NUL, or mistaken for an option) goes to standard input.
    pub fn route(self, prompt: &[u8]) -> PromptRoute {
        match self {
            Self::Claude => PromptRoute::StandardInput,
            Self::Cursor if prompt.starts_with(b"-") => PromptRoute::StandardInput,
            Self::Cursor if prompt.len() > LONGEST_ARGUMENT => PromptRoute::StandardInput,
            Self::Cursor if prompt.contains(&0) => PromptRoute::StandardInput,
            Self::Cursor => PromptRoute::LastArgument,
        }
    }
}

impl fmt::Display for Adapter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.harness())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_flag_appears_only_with_a_model() {
        assert_eq!(Adapter::Claude.arguments(""), ["-p", "--output-format", "json"]);
        assert_eq!(Adapter::Cursor.arguments("m"), ["-p", "--output-format", "json", "--model", "m"]);
    }

    #[test]
    fn a_prompt_that_cannot_be_an_argument_goes_to_standard_input() {
        assert_eq!(Adapter::Claude.route(b"x"), PromptRoute::StandardInput);
        assert_eq!(Adapter::Cursor.route(b"x"), PromptRoute::LastArgument);
        assert_eq!(Adapter::Cursor.route(&vec![b'x'; LONGEST_ARGUMENT]), PromptRoute::LastArgument);
        assert_eq!(Adapter::Cursor.route(&vec![b'x'; LONGEST_ARGUMENT + 1]), PromptRoute::StandardInput);
        assert_eq!(Adapter::Cursor.route(b"--help"), PromptRoute::StandardInput);
        assert_eq!(Adapter::Cursor.route(b"a\0b"), PromptRoute::StandardInput);
    }

    #[test]
    fn harnesses_are_compared_exactly() {
        assert_eq!(Adapter::of_harness("claude"), Some(Adapter::Claude));
        assert_eq!(Adapter::of_harness("Claude"), None);
        assert_eq!(Adapter::of_harness(""), None);
    }
}
