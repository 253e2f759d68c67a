//! A graph file as it is written: every key with its place, nothing yet said about how the parts fit together.
//!
//! [`Definition`] is the raw form. What has a wrong shape is told here and left out; `compile` looks at the rest.

mod fields;
mod node;

use fields::{Fields, line, meant};
pub(super) use node::{ExitDefinition, NodeDefinition, ValidateDefinition};

use super::{NodeId, Outcome};
use crate::config::{Content, Node as Yaml, Position, Problem, parse_yaml, shortened};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written<T> {
    pub(super) value: T,
    pub(super) at: Position,
}

/// A graph file as written. What could not be read is absent.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: Option<NodeId>,
    pub(super) start: Option<Written<String>>,
    pub(super) skip_sets: Vec<SkipSetDefinition>,
    pub(super) nodes: Vec<NodeDefinition>,
    pub(super) edges: Vec<EdgeDefinition>,
}

/// A named list of nodes.
#[derive(Debug)]
pub(super) struct SkipSetDefinition {
    pub(super) name: Written<NodeId>,
    pub(super) members: Vec<Written<String>>,
}

/// An edge. It is unclear where a part is absent.
#[derive(Debug)]
pub(super) struct EdgeDefinition {
    pub(super) at: Position,
    pub(super) from: Option<Written<String>>,
    pub(super) to: Option<Written<String>>,
    pub(super) on: Option<Written<Outcome>>,
}

const KEYS: [&str; 6] = ["version", "name", "start", "skipSets", "nodes", "edges"];
const EDGE_KEYS: [&str; 3] = ["from", "to", "on"];

impl Definition {
    /// Reads the text of a graph file. `None` when it holds no graph at all.
    pub(super) fn read(text: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        let root = match parse_yaml(text) {
            Ok(root) => root.filter(|root| !root.is_null()),
            Err(problem) => {
                problems.push(problem);
                return None;
            }
        };
        let Some(root) = root else {
            let at = Position { line: 1, column: 1 };
            problems.push(Problem::new(at, "the file is empty").remedy("start with `version: 1`"));
            return None;
        };
        let fields = Fields::read(&root, "graph", &KEYS, problems)?;
        if let Some(version) = fields.needed("version", "write `version: 1`", problems)
            && version.count() != Some(1)
        {
            fields.tell_of("version", version.wrong("the number 1").remedy("write `version: 1`"), problems);
        }
        fields.needed("name", "write `name:` and the name of the loop", problems);
        fields.needed("start", "write `start:` and the id of the first node", problems);
        let nodes = fields.needed("nodes", "write `nodes:` with one `- {id: …}` for each node", problems);
        if nodes.is_some_and(|nodes| nodes.sequence().is_ok_and(<[Yaml]>::is_empty)) {
            let empty = Problem::new(fields.at(), "no nodes").remedy("write one `- {id: …}` for each node");
            fields.tell_of("nodes", empty, problems);
        }
        Some(Self {
            name: fields.parsed("name", id, problems).map(|name| name.value),
            start: fields.parsed("start", line, problems),
            skip_sets: skip_sets(&fields, problems),
            nodes: entries(&fields, "nodes", node::read, problems),
            edges: entries(&fields, "edges", edge, problems),
        })
    }
}

/// The items of a list of mappings; each tells its own problems.
fn entries<T>(
    fields: &Fields<'_>,
    key: &str,
    read: impl Fn(&Yaml, usize, &mut Vec<Problem>) -> Option<T>,
    problems: &mut Vec<Problem>,
) -> Vec<T> {
    let items = fields.list(key, Ok, problems);
    items.iter().enumerate().filter_map(|(at, item)| read(item.value, at + 1, problems)).collect()
}

fn edge(value: &Yaml, number: usize, problems: &mut Vec<Problem>) -> Option<EdgeDefinition> {
    let end = |key| {
        let pairs = value.mapping().ok()?;
        let (_, end) = pairs.iter().find(|(written, _)| written.is_key(key))?;
        end.text().ok()
    };
    let subject = match (end("from"), end("to")) {
        (Some(from), Some(to)) => format!("edge from `{}` to `{}`", shortened(from), shortened(to)),
        _ => format!("edge {number}"),
    };
    let fields = Fields::read(value, subject, &EDGE_KEYS, problems)?;
    for key in EDGE_KEYS {
        fields.needed(key, "write `{from: ID, to: ID, on: OUTCOME}`", problems);
    }
    Some(EdgeDefinition {
        at: fields.at(),
        from: fields.parsed("from", line, problems),
        to: fields.parsed("to", line, problems),
        on: fields.parsed("on", outcome, problems),
    })
}

fn outcome(value: &Yaml) -> Result<Outcome, Problem> {
    let word = value.text()?;
    Outcome::of_word(word).ok_or_else(|| {
        Problem::new(value.at(), format!("unknown outcome `{}`", shortened(word))).remedy(meant(
            word,
            &Outcome::ALL.map(Outcome::word),
            "the outcomes are",
        ))
    })
}

fn skip_sets(fields: &Fields<'_>, problems: &mut Vec<Problem>) -> Vec<SkipSetDefinition> {
    const REMEDY: &str = "write `skipSets: {NAME: [ID, …]}`";
    let Some(value) = fields.value("skipSets") else { return Vec::new() };
    let pairs = match value.mapping() {
        Ok(pairs) => pairs,
        Err(wrong) => {
            fields.tell_of("skipSets", wrong.remedy(REMEDY), problems);
            return Vec::new();
        }
    };
    if let Some(duplicate) = value.own_duplicate() {
        fields.tell_of("skipSets", duplicate.problem(), problems);
    }
    let mut sets = Vec::new();
    for (key, members) in pairs {
        let name = match key.content() {
            Content::Scalar(..) => id(key),
            _ => Err(key.wrong("the name of a skip set").remedy(REMEDY)),
        };
        let name = match name {
            Ok(value) => Written { value, at: key.at() },
            Err(wrong) => {
                fields.tell_of("skipSets", wrong, problems);
                continue;
            }
        };
        let about = format!("skip set `{}`", name.value);
        let items = match members.sequence() {
            Ok([]) => {
                Err(Problem::new(members.at(), "no nodes").remedy("name at least one, or remove the set"))
            }
            read => read.map_err(|wrong| wrong.remedy(REMEDY)),
        };
        let items = items.unwrap_or_else(|wrong| {
            problems.push(wrong.about(&about));
            &[]
        });
        let mut read = Vec::new();
        for item in items {
            match line(item) {
                Ok(value) => read.push(Written { value, at: item.at() }),
                Err(wrong) => problems.push(wrong.about(&about)),
            }
        }
        sets.push(SkipSetDefinition { name, members: read });
    }
    sets
}

/// The id of a value.
fn id(value: &Yaml) -> Result<NodeId, Problem> {
    let text = value.text()?;
    NodeId::new(text).ok_or_else(|| {
        let what = format!("`{}` is no id", shortened(text));
        Problem::new(value.at(), what).remedy("write lower-case words (a-z, 0-9) joined by `-`")
    })
}

#[cfg(test)]
mod tests;
