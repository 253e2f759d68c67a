//! A scenario as written, and the way from there to the checked one.
//!
//! [`ScenarioFile`] has the keys of the format, nothing else. Rules that need the ledger or other scenarios are not
//! here but in `lint`.

use std::collections::BTreeMap;

use fake_critics::journal::EventName;
use fake_critics::script::Script;
use serde::Deserialize;

use super::check::{Assertion, CheckFile};
use super::configuration::{Configuration, ConfigurationFile, Graphs};
use super::content::{FileContent, FileKind};
use super::entries::Entries;
use super::step::{Environment, Step, StepFile};
use super::walk;
use super::{Dialect, Scenario, Setup, Trigger};
use crate::source::fault::{Fault, nearest};
use crate::source::{Source, escape};
use crate::text::{self, Text};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ScenarioFile {
    title: String,
    requirement: String,
    trigger: Trigger,
    #[serde(default)]
    tags: Vec<String>,
    dialect: Option<Dialect>,
    critics: Option<Text>,
    reviews: Option<Text>,
    routing: Option<Text>,
    event_log: Option<Text>,
    graphs: Option<Graphs>,
    config: Option<Text>,
    no_config: Option<bool>,
    files: Option<Entries<FileContent>>,
    env: Option<Environment>,
    fakes: Option<BTreeMap<String, Script>>,
    #[serde(default)]
    bystanders: Vec<String>,
    steps: Vec<StepFile>,
    control: Option<ControlFile>,
    #[serde(default)]
    evidence: Entries<Vec<EventName>>,
    checks: Entries<CheckFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ControlFile {
    critics: Option<Text>,
    reviews: Option<Text>,
    routing: Option<Text>,
    event_log: Option<Text>,
    graphs: Option<Graphs>,
    config: Option<Text>,
    no_config: Option<bool>,
    files: Option<Entries<FileContent>>,
    env: Option<Environment>,
    fakes: Option<BTreeMap<String, Script>>,
    steps: Option<Vec<StepFile>>,
}

struct Reader {
    source: Source,
    faults: Vec<Fault>,
}

pub(super) fn parse(id: &str, source: Source) -> Result<Scenario, Vec<Fault>> {
    let mut file: ScenarioFile = source.read().map_err(|fault| vec![fault])?;
    let mut reader = Reader { source: source.clone(), faults: Vec::new() };
    reader.titles(&file);
    let control = file.control.take();
    let checks = std::mem::take(&mut file.checks);
    let evidence = std::mem::take(&mut file.evidence).into_inner();
    let written = ConfigurationFile {
        critics: file.critics.take(),
        reviews: file.reviews.take(),
        routing: file.routing.take(),
        event_log: file.event_log.take(),
        graphs: file.graphs.take(),
        config: file.config.take(),
        no_config: file.no_config,
    };
    let setup = Setup {
        configuration: reader.configuration(written.clone(), ""),
        files: reader.files(file.files.take().unwrap_or_default(), ""),
        env: file.env.take().unwrap_or_default(),
        fakes: file.fakes.take().unwrap_or_default(),
        bystanders: file.bystanders,
        steps: reader.steps(file.steps, ""),
    };
    reader.setup(&setup, "");
    let control = control.map(|control| reader.control(control, &setup, written));
    let checks = reader.checks(checks, &setup);
    reader.evidence(&evidence, &setup);
    reader.fakes_are_used(&setup, control.as_ref());
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    Ok(Scenario {
        id: id.to_owned(),
        source,
        title: file.title,
        requirement: file.requirement,
        trigger: file.trigger,
        tags: file.tags,
        dialect: file.dialect,
        setup,
        control,
        evidence,
        checks,
    })
}

impl Reader {
    fn fault(&mut self, pointer: &str, message: impl Into<String>, remedy: impl Into<String>) {
        self.faults.push(self.source.fault(pointer, message).remedy(remedy));
    }

    fn titles(&mut self, file: &ScenarioFile) {
        if file.title.trim().is_empty() {
            self.fault("/title", "empty title", "say in one sentence what is proved");
        }
        for name in file.checks.names() {
            if !is_slug(name) {
                self.fault(
                    &format!("/checks/{}", escape(name)),
                    format!("check name `{name}` is no id"),
                    "use lower-case letters, digits and single hyphens",
                );
            }
        }
    }

    fn configuration(&mut self, file: ConfigurationFile, place: &str) -> Configuration {
        file.check().unwrap_or_else(|key| {
            self.fault(
                &format!("{place}/{key}"),
                format!("`{key}` beside another description of the configuration, or false"),
                "keep one: parts such as critics and reviews, or config, or `no-config: true`",
            );
            Configuration::Missing
        })
    }

    fn files(&mut self, files: Entries<FileContent>, place: &str) -> Vec<(Text, FileContent)> {
        let mut found = Vec::new();
        for (path, content) in files.into_inner() {
            match Text::new(path.as_str()) {
                Ok(text) => found.push((text, content)),
                Err(error) => self.fault(
                    &format!("{place}/files/{}", escape(&path)),
                    error.to_string(),
                    "correct the path",
                ),
            }
        }
        found
    }

    fn steps(&mut self, files: Vec<StepFile>, place: &str) -> Vec<Step> {
        if files.is_empty() {
            self.fault(&format!("{place}/steps"), "no steps", "add at least one, for example `- list: {}`");
        }
        let mut steps: Vec<Step> = Vec::new();
        for (number, file) in files.into_iter().enumerate() {
            let pointer = format!("{place}/steps/{number}");
            match file.check(number) {
                Ok(step) if steps.iter().any(|known| known.id() == step.id()) => {
                    let message = format!("duplicate step id `{}`", step.id());
                    self.fault(&pointer, message, "give each step an id of its own");
                }
                Ok(step) => steps.push(step),
                Err(message) => {
                    self.fault(&pointer, message, "see the table of steps in writing-scenarios.md");
                }
            }
        }
        steps
    }

    /// Names inside the sandbox that must exist.
    fn setup(&mut self, setup: &Setup, place: &str) {
        for (pointer, message, remedy) in walk::step_faults(&setup.steps, place) {
            self.fault(&pointer, message, remedy);
        }
        for name in setup.fakes.keys() {
            if name.is_empty() || name.contains('/') || name.starts_with('.') {
                self.fault(
                    &format!("{place}/fakes/{}", escape(name)),
                    format!("`{name}` is no name of a fake"),
                    "use a plain file name",
                );
            }
        }
        for (number, name) in setup.bystanders.iter().enumerate() {
            self.known_fake(name, setup, &format!("{place}/bystanders/{number}"));
        }
        for (path, content) in &setup.files {
            if let FileKind::Fake(name) = content.kind() {
                self.known_fake(name, setup, &format!("{place}/files/{}", escape(path.source())));
            }
        }
        for (number, step) in setup.steps.iter().enumerate() {
            let pointer = format!("{place}/steps/{number}/signal");
            match step.signal().map(|signal| &signal.of) {
                Some(Some(name)) => self.known_fake(name, setup, &pointer),
                Some(None) if setup.fakes.len() != 1 => self.fault(
                    &pointer,
                    format!("`of` is left out and there are {} fakes", setup.fakes.len()),
                    "name the fake that is waited for: `of: NAME`",
                ),
                _ => {}
            }
        }
        for (name, script) in &setup.fakes {
            if let Err(error) = serde_json::to_value(script).map_or(Ok(()), |value| unknown_name(&value)) {
                self.fault(
                    &format!("{place}/fakes/{}", escape(name)),
                    error.to_string(),
                    "correct the name in this script",
                );
            }
        }
    }

    fn known_fake(&mut self, name: &str, setup: &Setup, pointer: &str) {
        if setup.fakes.contains_key(name) {
            return;
        }
        let near = nearest(name, setup.fakes.keys().map(String::as_str));
        let remedy = near.map_or_else(
            || format!("add it under fakes: `{name}: []`"),
            |near| format!("did you mean `{near}`?"),
        );
        self.fault(pointer, format!("unknown fake `{name}`"), remedy);
    }

    fn control(&mut self, control: ControlFile, setup: &Setup, written: ConfigurationFile) -> Setup {
        let place = "/control";
        let given = ConfigurationFile {
            critics: control.critics,
            reviews: control.reviews,
            routing: control.routing,
            event_log: control.event_log,
            graphs: control.graphs,
            config: control.config,
            no_config: control.no_config,
        };
        let merged = given.over(written);
        let files = control.files.map(|files| self.files(files, place));
        let steps = control.steps.map(|steps| self.steps(steps, place));
        let control = Setup {
            configuration: self.configuration(merged, place),
            files: files.unwrap_or_else(|| setup.files.clone()),
            env: control.env.unwrap_or_else(|| setup.env.clone()),
            fakes: control.fakes.unwrap_or_else(|| setup.fakes.clone()),
            bystanders: setup.bystanders.clone(),
            steps: steps.unwrap_or_else(|| setup.steps.clone()),
        };
        self.setup(&control, place);
        if control.configuration == setup.configuration
            && control.files == setup.files
            && control.env == setup.env
            && control.fakes == setup.fakes
            && control.steps == setup.steps
        {
            self.fault(
                place,
                "the control is the scenario itself",
                "replace what makes the scenario illegal",
            );
        }
        control
    }

    fn checks(&mut self, checks: Entries<CheckFile>, setup: &Setup) -> Vec<super::Check> {
        let checks = checks.into_inner();
        if checks.is_empty() {
            self.fault(
                "/checks",
                "no checks: the scenario would prove nothing",
                "add one, for example `ok: {exit: 0}`",
            );
        }
        let mut found = Vec::new();
        for (name, file) in checks {
            let pointer = format!("/checks/{}", escape(&name));
            match file.check(name, &setup.steps) {
                Ok(check) => {
                    self.fakes_of_check(&check, setup, &pointer);
                    found.push(check);
                }
                Err(message) => {
                    self.fault(&pointer, message, "see the table of checks in writing-scenarios.md");
                }
            }
        }
        for (pointer, message, remedy) in walk::check_faults(&found, &setup.steps) {
            self.fault(&pointer, message, remedy);
        }
        found
    }

    fn fakes_of_check(&mut self, check: &super::Check, setup: &Setup, pointer: &str) {
        for assertion in check.assertions() {
            let (key, names): (&str, Vec<&String>) = match assertion {
                Assertion::Started(started) => ("started", started.iter().map(|(name, _)| name).collect()),
                Assertion::Received(received) => {
                    ("received", received.iter().map(|(name, _)| name).collect())
                }
                Assertion::Alive(alive) => {
                    for name in alive.iter().filter(|name| !setup.bystanders.contains(name)) {
                        self.fault(
                            &format!("{pointer}/alive/{}", escape(name)),
                            format!("`{name}` is no bystander"),
                            format!("add it: `bystanders: [{name}]`"),
                        );
                    }
                    continue;
                }
                _ => continue,
            };
            for name in names {
                self.known_fake(name, setup, &format!("{pointer}/{key}/{}", escape(name)));
            }
        }
    }

    fn evidence(&mut self, evidence: &[(String, Vec<EventName>)], setup: &Setup) {
        for (name, events) in evidence {
            let pointer = format!("/evidence/{}", escape(name));
            self.known_fake(name, setup, &pointer);
            if events.is_empty() {
                self.fault(&pointer, format!("no events of `{name}`"), "name one, for example [started]");
            }
        }
    }

    fn fakes_are_used(&mut self, setup: &Setup, control: Option<&Setup>) {
        let nodes = self.source.nodes();
        let mut texts: Vec<&str> = Vec::new();
        for node in &nodes {
            let in_script = ["/fakes", "/control/fakes"].iter().any(|place| node.pointer.starts_with(place));
            if !in_script {
                texts.extend(node.key.as_deref());
                texts.extend(node.scalar.as_deref());
            }
        }
        let control_fakes = control.into_iter().flat_map(|control| control.fakes.keys());
        let mut names: Vec<&String> = setup.fakes.keys().chain(control_fakes).collect();
        names.sort();
        names.dedup();
        for name in names {
            if !texts.iter().any(|text| has_word(text, name)) {
                let place = if setup.fakes.contains_key(name) { "/fakes" } else { "/control/fakes" };
                self.fault(
                    &format!("{place}/{}", escape(name)),
                    format!("fake `{name}` is used nowhere"),
                    format!("use it, for example as `%{{bin}}/{name}`, or remove it"),
                );
            }
        }
    }
}

fn unknown_name(value: &serde_json::Value) -> Result<(), text::NameError> {
    match value {
        serde_json::Value::String(text) => text::check(text),
        serde_json::Value::Array(items) => items.iter().try_for_each(unknown_name),
        serde_json::Value::Object(map) => map.values().try_for_each(unknown_name),
        _ => Ok(()),
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Whether `name` is lower-case words and digits joined by single hyphens.
pub(crate) fn is_slug(name: &str) -> bool {
    !name.is_empty()
        && name.split('-').all(|part| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        })
}
