//! What the operator says about graphs. Main type: [`Settings`].
//!
//! It reads `routing`, `graphs` and `eventLog` of the config. Whatever is there in a wrong shape is refused: who may
//! answer a gate is nothing to guess.

use std::env;
use std::path::PathBuf;

use crate::config::Config;
use crate::fault::graph::{Fault, on};
use crate::refusal::Refusal;
use crate::yaml::Node;

/// The operator's word.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Who may answer gates: lower case, without `@`.
    pub(crate) users: Vec<String>,
    /// What opens a reply that answers a phase selection.
    pub(crate) execute: String,
    /// What opens a reply that approves.
    pub(crate) approve: String,
    /// What opens a reply that asks for changes.
    pub(crate) request_changes: String,
    /// Loops beside the shipped ones, by name and file.
    pub(crate) loops: Vec<(String, PathBuf)>,
    /// The event log.
    pub(crate) log: PathBuf,
}

impl Settings {
    /// What the config says.
    pub(crate) fn read(config: &Config) -> Result<Self, Refusal> {
        let routing = mapping(config.under("routing"), "routing")?;
        let control = mapping(below(routing, "control"), "routing.control")?;
        let keywords = mapping(below(control, "keywords"), "routing.control.keywords")?;
        let keywords = keywords.filter(|_| !on(Fault::KeywordConfigIgnored));
        let keyword = |key: &str, default: &str| match below(keywords, key) {
            None => Ok(default.to_owned()),
            Some(node) => text(node, &format!("routing.control.keywords.{key}")),
        };
        Ok(Self {
            users: users(routing)?,
            execute: keyword("execute", "the-loop execute")?,
            approve: keyword("approve", "the-loop approve")?,
            request_changes: keyword("requestChanges", "the-loop request changes")?,
            loops: loops(config)?,
            log: log(config)?,
        })
    }

    /// Whether that login may answer gates.
    pub(crate) fn authorises(&self, login: &str) -> bool {
        let login = bare(login);
        let anybody = on(Fault::NobodyMeansAnybody) && self.users.is_empty();
        !login.is_empty() && self.users.contains(&login) || anybody || on(Fault::AnyoneIsAuthorised)
    }
}

/// A login without case and `@`.
fn bare(login: &str) -> String {
    let login = login.trim();
    if on(Fault::LoginsCompareExactly) {
        return login.to_owned();
    }
    login.strip_prefix('@').unwrap_or(login).to_lowercase()
}

fn users(routing: Option<&Node>) -> Result<Vec<String>, Refusal> {
    let key = "routing.authorizedUsers";
    match below(routing, "authorizedUsers") {
        None => Ok(Vec::new()),
        Some(Node::List(items)) => items.iter().map(|item| text(item, key).map(|user| bare(&user))).collect(),
        Some(other) => Err(Refusal::new(format!("`{key}` is {other}, it must be a list of logins"))),
    }
}

fn loops(config: &Config) -> Result<Vec<(String, PathBuf)>, Refusal> {
    let items = match config.under("graphs") {
        None => return Ok(Vec::new()),
        Some(Node::List(items)) => items,
        Some(other) => {
            return Err(Refusal::new(format!("`graphs` is {other}, it must be a list of `{{name, path}}`")));
        }
    };
    let field = |item: &Node, key: &str| match item.at(key) {
        Some(node) => text(node, &format!("graphs.{key}")),
        None => Err(Refusal::new(format!("an entry of `graphs` has no `{key}`"))),
    };
    items.iter().map(|item| Ok((field(item, "name")?, config.folder.join(field(item, "path")?)))).collect()
}

fn log(config: &Config) -> Result<PathBuf, Refusal> {
    let home = || {
        let home = env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        home.ok_or_else(|| Refusal::new("there is no HOME to keep the event log in; set `eventLog.path`"))
    };
    let path = below(mapping(config.under("eventLog"), "eventLog")?, "path");
    match path.filter(|_| !on(Fault::EventLogPathIgnored)) {
        None => Ok(home()?.join(".the-loop/events.jsonl")),
        Some(node) => {
            let path = text(node, "eventLog.path")?;
            match path.strip_prefix("~/") {
                Some(below) => Ok(home()?.join(below)),
                None => Ok(config.folder.join(path)),
            }
        }
    }
}

/// What stands under a key, if it is not null.
fn below<'a>(node: Option<&'a Node>, key: &str) -> Option<&'a Node> {
    node.and_then(|node| node.at(key)).filter(|node| !matches!(node, Node::Null))
}

fn mapping<'a>(node: Option<&'a Node>, key: &str) -> Result<Option<&'a Node>, Refusal> {
    match node {
        None | Some(Node::Map(..)) => Ok(node),
        Some(other) => Err(Refusal::new(format!("`{key}` is {other}, it must be a mapping"))),
    }
}

fn text(node: &Node, key: &str) -> Result<String, Refusal> {
    // A login may look like a number.
    match node.text() {
        Some(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        _ => Err(Refusal::new(format!("`{key}` is {node}, it must be a text"))),
    }
}
