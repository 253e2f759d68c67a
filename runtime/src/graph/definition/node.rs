//! A node of a graph file as it is written, and the gates of its exit.
//!
//! [`NodeDefinition`] holds what could be read of one entry of `nodes`. Defaults are not applied here.

use super::fields::{Fields, line, meant};
use super::{Written, id};
use crate::config::{Content, Node as Yaml, Position, Problem, shortened};
use crate::graph::{Actor, ArtifactPath, Gate, NodeId};

/// One entry of `nodes`.
#[derive(Debug)]
pub(in crate::graph) struct NodeDefinition {
    pub(in crate::graph) at: Position,
    pub(in crate::graph) id: Option<Written<NodeId>>,
    /// What stands where a usable id should.
    pub(in crate::graph) unusable_id: Option<String>,
    pub(in crate::graph) phase: Option<String>,
    pub(in crate::graph) actor: Option<Written<Actor>>,
    pub(in crate::graph) required: Option<Written<bool>>,
    pub(in crate::graph) skippable: Option<Written<bool>>,
    pub(in crate::graph) opt_in: Option<Written<bool>>,
    pub(in crate::graph) terminal: Option<Written<bool>>,
    pub(in crate::graph) description: Option<String>,
    pub(in crate::graph) stage: Option<String>,
    pub(in crate::graph) produces: Vec<Written<ArtifactPath>>,
    pub(in crate::graph) entry: Vec<String>,
    pub(in crate::graph) exit: Vec<Written<ExitDefinition>>,
    /// Something about its gates, its actor or its markers could not be read, so its outcomes are not known.
    pub(in crate::graph) unclear: bool,
}

/// One gate as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::graph) enum ExitDefinition {
    /// `classify-phase-selection`.
    PhaseSelection,
    /// `classify-feedback`.
    Feedback,
    /// `validate-artifacts`.
    Artifacts(ValidateDefinition),
    /// `validate-review-record`.
    ReviewRecord(ValidateDefinition),
}

impl ExitDefinition {
    /// Whether a human's answer decides.
    pub(in crate::graph) const fn is_answer(&self) -> bool {
        matches!(self, Self::PhaseSelection | Self::Feedback)
    }
}

/// What a gate on files says about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::graph) struct ValidateDefinition {
    /// Absent when the node's own files are meant.
    pub(in crate::graph) validates: Option<Vec<ArtifactPath>>,
    pub(in crate::graph) sections: Vec<String>,
}

const KEYS: [&str; 12] = [
    "id",
    "phase",
    "actor",
    "required",
    "skippable",
    "optIn",
    "description",
    "stage",
    "produces",
    "entry",
    "exit",
    "terminal",
];
const GATE_KEYS: [&str; 2] = ["hook", "with"];
const WITH_KEYS: [&str; 2] = ["validates", "sections"];

/// Reads entry `number` of `nodes`; `None` when it is no mapping.
pub(super) fn read(value: &Yaml, number: usize, problems: &mut Vec<Problem>) -> Option<NodeDefinition> {
    let named = value.mapping().ok().and_then(|pairs| {
        let (_, id) = pairs.iter().find(|(key, _)| key.is_key("id"))?;
        id.text().ok()
    });
    let subject = named.map_or_else(|| format!("node {number}"), |id| format!("node `{}`", shortened(id)));
    let fields = Fields::read(value, subject, &KEYS, problems)?;
    fields.needed("id", "write `id:` and a name for the node", problems);
    let told_before = problems.len();
    let actor = fields.parsed("actor", actor, problems);
    let produces = fields.list("produces", artifact, problems);
    let exit = exit(&fields, problems);
    let [required, skippable, opt_in, terminal] =
        ["required", "skippable", "optIn", "terminal"].map(|key| marker(&fields, key, problems));
    let unclear = problems.len() > told_before;
    let known = fields.parsed("id", id, problems);
    Some(NodeDefinition {
        at: fields.at(),
        unusable_id: named.filter(|_| known.is_none()).map(str::to_owned),
        id: known,
        phase: fields.parsed("phase", line, problems).map(|phase| phase.value),
        actor,
        required,
        skippable,
        opt_in,
        terminal,
        description: fields.parsed("description", line, problems).map(|description| description.value),
        stage: fields.parsed("stage", line, problems).map(|stage| stage.value),
        produces,
        entry: fields.list("entry", hook_name, problems).into_iter().map(|name| name.value).collect(),
        exit,
        unclear,
    })
}

/// A boolean. One that is none was meant to be true by somebody, so that the rest is looked at as if it were.
fn marker(fields: &Fields<'_>, key: &str, problems: &mut Vec<Problem>) -> Option<Written<bool>> {
    let value = fields.value(key)?;
    let read = value.boolean().map_err(|wrong| fields.tell_of(key, wrong, problems));
    Some(Written { value: read.unwrap_or(true), at: value.at() })
}

fn actor(value: &Yaml) -> Result<Actor, Problem> {
    let word = value.text()?;
    Actor::ALL.into_iter().find(|actor| actor.word() == word).ok_or_else(|| {
        Problem::new(value.at(), format!("unknown actor `{}`", shortened(word))).remedy(meant(
            word,
            &Actor::ALL.map(Actor::word),
            "the actors are",
        ))
    })
}

fn artifact(value: &Yaml) -> Result<ArtifactPath, Problem> {
    let text = line(value)?;
    ArtifactPath::new(&text).ok_or_else(|| {
        let what = format!("`{}` is no file inside the item's folder", shortened(&text));
        Problem::new(value.at(), what).remedy(
            "write a path relative to that folder, without `.` and `..`, such as `evidence/review.md`",
        )
    })
}

/// The name of a hook, alone or as `{hook: NAME, …}`.
fn hook_name(value: &Yaml) -> Result<String, Problem> {
    match value.content() {
        Content::Mapping(pairs) => match pairs.iter().find(|(key, _)| key.is_key("hook")) {
            Some((_, name)) => line(name),
            None => Err(Problem::new(value.at(), "`hook` is missing").remedy("write the name of the hook")),
        },
        _ => line(value),
    }
}

fn exit(fields: &Fields<'_>, problems: &mut Vec<Problem>) -> Vec<Written<ExitDefinition>> {
    let mut gates = Vec::new();
    for Written { value, at } in fields.list("exit", Ok, problems) {
        let subject = format!("{}: `exit`", fields.subject());
        gates.extend(gate(value, subject, problems).map(|value| Written { value, at }));
    }
    gates
}

fn gate(value: &Yaml, subject: String, problems: &mut Vec<Problem>) -> Option<ExitDefinition> {
    if !matches!(value.content(), Content::Mapping(_)) {
        return kind(value, None, &subject, problems);
    }
    let fields = Fields::read(value, subject, &GATE_KEYS, problems)?;
    let hook = fields.needed("hook", "write `{hook: GATE, with: {…}}`", problems)?;
    kind(hook, fields.value("with"), fields.subject(), problems)
}

/// The gate that `hook` names, with what `with` says.
fn kind(
    hook: &Yaml,
    with: Option<&Yaml>,
    subject: &str,
    problems: &mut Vec<Problem>,
) -> Option<ExitDefinition> {
    let name = hook.text().map_err(|wrong| problems.push(wrong.about(subject))).ok()?;
    let classify = |definition, problems: &mut Vec<Problem>| match with {
        None => Some(definition),
        Some(with) => {
            let superfluous = Problem::new(with.at(), format!("`{name}` takes no `with`")).about(subject);
            problems.push(superfluous.remedy("remove it"));
            None
        }
    };
    match name {
        "classify-phase-selection" => classify(ExitDefinition::PhaseSelection, problems),
        "classify-feedback" => classify(ExitDefinition::Feedback, problems),
        "validate-artifacts" => validate(with, name, subject, problems).map(ExitDefinition::Artifacts),
        "validate-review-record" => validate(with, name, subject, problems).map(ExitDefinition::ReviewRecord),
        _ => {
            let unknown = Problem::new(hook.at(), format!("unknown gate `{}`", shortened(name)));
            problems.push(unknown.about(subject).remedy(meant(name, &Gate::NAMES, "the gates are")));
            None
        }
    }
}

fn validate(
    with: Option<&Yaml>,
    name: &str,
    subject: &str,
    problems: &mut Vec<Problem>,
) -> Option<ValidateDefinition> {
    let Some(with) = with else { return Some(ValidateDefinition::default()) };
    let fields = Fields::read(with, format!("{subject}: `{name}`"), &WITH_KEYS, problems)?;
    let validates = fields.value("validates").map(|value| match value.content() {
        Content::Sequence(_) => fields.list("validates", artifact, problems),
        _ => fields.parsed("validates", artifact, problems).into_iter().collect(),
    });
    let sections = fields.list("sections", section, problems);
    Some(ValidateDefinition {
        validates: validates.map(|files| files.into_iter().map(|file| file.value).collect()),
        sections: sections.into_iter().map(|section| section.value).collect(),
    })
}

fn section(value: &Yaml) -> Result<String, Problem> {
    let text = line(value)?;
    if text.starts_with('#') {
        let what = format!("`{}` starts with `#`", shortened(&text));
        return Err(Problem::new(value.at(), what).remedy("write the text of the heading only"));
    }
    Ok(text)
}
