//! The roster: every entry of `critics` in file order, the broken ones with their reason.
//!
//! [`Roster::find`] is the one place that decides which entry a name means. It does not decode entries.

use std::collections::HashMap;

use super::{Critic, entry};
use crate::config::{ConfigError, Node, OperatorConfig, Problem, nearest, shortened, told};

/// All entries.
#[derive(Debug)]
pub struct Roster {
    entries: Vec<Entry>,
    warnings: Vec<Problem>,
}

/// One entry of the list.
#[derive(Debug)]
pub enum Entry {
    /// May run.
    Valid(Critic),
    /// Well-formed, but `enabled: false` (CR-1.4).
    Disabled(Critic),
    /// Never runs (CR-FC).
    Broken(Broken),
}

/// What can be read of an entry that is not usable, and all that is wrong with it.
#[derive(Debug)]
pub struct Broken {
    pub(super) name: Option<String>,
    pub(super) harness: String,
    pub(super) model: String,
    pub(super) program: Option<String>,
    pub(super) env: Vec<(String, Option<String>)>,
    pub(super) enabled: bool,
    pub(super) problems: Vec<Problem>,
}

/// What a name means.
#[derive(Debug)]
pub enum Lookup<'a> {
    /// The critic to run.
    Valid(&'a Critic),
    /// Switched off by `enabled: false` (CR-1.4).
    Disabled(&'a Critic),
    /// An entry that cannot be used.
    Broken(&'a Broken),
    /// No entry has that name.
    Unknown {
        /// The names there are, in file order.
        known: Vec<&'a str>,
        /// The one that may be meant.
        nearest: Option<&'a str>,
    },
}

impl Broken {
    /// All that is wrong, in one line.
    pub fn reason(&self) -> String {
        told(&self.problems, "; ", ToString::to_string)
    }

    /// Each thing that is wrong, at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl Entry {
    /// The name, if it can be read.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => Some(critic.name()),
            Self::Broken(broken) => broken.name.as_deref(),
        }
    }

    /// The harness; empty when there is none or it cannot be read.
    pub fn harness(&self) -> &str {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => critic.harness(),
            Self::Broken(broken) => &broken.harness,
        }
    }

    /// The model; empty when there is none or it cannot be read.
    pub fn model(&self) -> &str {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => critic.model(),
            Self::Broken(broken) => &broken.model,
        }
    }

    /// The executable it names, if that much can be read.
    pub fn program(&self) -> Option<&str> {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => Some(critic.program().name()),
            Self::Broken(broken) => broken.program.as_deref(),
        }
    }

    /// The overlay, as far as it can be read; its PATH is where the executable is looked up.
    pub fn env(&self) -> &[(String, Option<String>)] {
        match self {
            Self::Valid(critic) | Self::Disabled(critic) => critic.env(),
            Self::Broken(broken) => &broken.env,
        }
    }

    /// False when it says so, and when what it says is no boolean.
    pub const fn is_enabled(&self) -> bool {
        match self {
            Self::Valid(_) => true,
            Self::Disabled(_) => false,
            Self::Broken(broken) => broken.enabled,
        }
    }

    /// Why it cannot be used.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Valid(_) | Self::Disabled(_) => None,
            Self::Broken(broken) => Some(broken.reason()),
        }
    }
}

impl Roster {
    /// Decodes every entry. One that is wrong is listed with its reason and hides no other (CR-4.3).
    ///
    /// # Errors
    /// Two entries of one name (CR-1.5), with the line of each.
    pub fn read(config: &OperatorConfig) -> Result<Self, ConfigError> {
        let mut warnings = Vec::new();
        let entries: Vec<Entry> = config
            .critics()
            .iter()
            .enumerate()
            .map(|(index, node)| entry::decode(node, index, &mut warnings))
            .collect();
        let problems = shared_names(config.critics(), &entries);
        if problems.is_empty() { Ok(Self { entries, warnings }) } else { Err(config.refuse_all(problems)) }
    }

    /// Every entry in file order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the operator should hear about entries that may run: values in `env` that look like secrets.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// The entry of that name, compared exactly.
    pub fn find(&self, name: &str) -> Lookup<'_> {
        match self.entries.iter().find(|entry| entry.name() == Some(name)) {
            Some(Entry::Valid(critic)) => Lookup::Valid(critic),
            Some(Entry::Disabled(critic)) => Lookup::Disabled(critic),
            Some(Entry::Broken(broken)) => Lookup::Broken(broken),
            None => {
                let known: Vec<&str> = self.entries.iter().filter_map(Entry::name).collect();
                let nearest = nearest(name, known.iter().copied());
                Lookup::Unknown { known, nearest }
            }
        }
    }
}

/// A problem for each entry whose name another one before it has.
fn shared_names(nodes: &[Node], entries: &[Entry]) -> Vec<Problem> {
    let mut first_lines = HashMap::new();
    let mut problems = Vec::new();
    for (node, entry) in nodes.iter().zip(entries) {
        let Some(name) = entry.name() else { continue };
        let line = node.at().line;
        if let Some(first) = first_lines.get(name) {
            let name = shortened(name);
            let what = format!("two critics are named `{name}`, in line {first} and in line {line}");
            problems.push(
                Problem::new(node.at(), what).remedy("give each its own name; nothing runs until then"),
            );
        } else {
            first_lines.insert(name, line);
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn roster(text: &str) -> Result<Roster, String> {
        let config = OperatorConfig::parse(Path::new("/c.yaml"), text).map_err(|error| error.to_string())?;
        Roster::read(&config).map_err(|error| error.to_string())
    }

    #[test]
    fn one_bad_entry_hides_no_other() {
        let shapes = [
            "5",
            "[a]",
            "text",
            "~",
            "{name: bad, args: 5}",
            "{name: bad, args: \"x\"}",
            "{name: bad, args: [[a]]}",
            "{name: bad, env: [a]}",
            "*nobody",
            "{name: bad, model: *nobody}",
            "{*nobody : 1}",
            "&x [*x]",
            "!t {a: 1}",
            "{<<: {name: x}}",
            "{name: bad, name: bad}",
            "{name: ~}",
            "{? [a] : b}",
            "{}",
            "{name: bad, env: {A: {B: 1, B: 2}}}",
        ];
        for shape in shapes {
            let roster =
                roster(&format!("critics:\n- {shape}\n- {{name: good, harness: claude}}\n")).unwrap();
            assert!(matches!(roster.entries(), [Entry::Broken(_), Entry::Valid(_)]), "{shape}: {roster:?}");
            assert!(matches!(roster.find("good"), Lookup::Valid(_)));
        }
    }

    #[test]
    fn a_shared_name_refuses_the_file_with_both_lines() {
        let text = "critics:\n- {name: a, harness: claude}\n- {name: b, harness: claude}\n- {name: a, enabled: no}\n";
        insta::assert_snapshot!(roster(text).unwrap_err(), @"/c.yaml: line 4, column 3: two critics are named `a`, in line 2 and in line 4; give each its own name; nothing runs until then");
        assert!(roster("critics:\n- {name: a, harness: claude}\n- {name: A, harness: claude}\n").is_ok());
    }

    #[test]
    fn a_name_finds_its_entry_or_its_neighbour() {
        let text = "critics:\n- {name: aider-review, harness: claude}\n- {name: off, harness: claude, enabled: false}\n- {name: bad}\n";
        let roster = roster(text).unwrap();
        assert!(matches!(roster.find("off"), Lookup::Disabled(_)));
        assert!(matches!(roster.find("bad"), Lookup::Broken(_)));
        let Lookup::Unknown { known, nearest } = roster.find("aider") else { panic!("found") };
        assert_eq!((known.len(), nearest), (3, Some("aider-review")));
    }

    #[test]
    fn literal_secrets_are_a_warning_that_does_not_show_them() {
        let text = "critics:\n- name: a\n  harness: claude\n  env: {API_TOKEN: hunter2, MODE: fast, MY_KEY: null, EMPTY_KEY: ''}\n";
        let roster = roster(text).unwrap();
        let [warning] = roster.warnings() else { panic!("{:?}", roster.warnings()) };
        insta::assert_snapshot!(warning, @"line 4, column 9: critic `a`: the value of `API_TOKEN` looks like a secret; keep it in the file that `env.file` names, or in the environment");
    }
}
