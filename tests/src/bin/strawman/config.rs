//! The operator's file. Main type: [`Config`].
//!
//! It finds and parses the file and hands out its parts as trees; what a critic or a policy is, it does not know.
//! Files inside the checkout are never read.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::fault::{self, Fault};
use crate::flags::Place;
use crate::refusal::Refusal;
use crate::yaml::Node;

/// A parsed config.
pub(crate) struct Config {
    body: Node,
    /// The folder that holds the file, absolute.
    pub(crate) folder: PathBuf,
    /// The root of the checkout, absolute.
    pub(crate) root: PathBuf,
    /// Whether there was a file at all.
    pub(crate) found: bool,
}

impl Config {
    /// Finds and reads the file.
    pub(crate) fn load(place: &Place) -> Result<Self, Refusal> {
        let root = std::path::absolute(&place.root)
            .map_err(|error| Refusal::new(format!("`--root {}`: {error}", place.root.display())))?;
        let variable = env::var_os("THE_LOOP_CLI_CONFIG")
            .filter(|value| !value.is_empty() || fault::on(Fault::EmptyVariableNames))
            .filter(|_| !fault::on(Fault::ConfigVariableIgnored));
        let in_checkout = root.join(".the-loop/cli-config.yaml");
        let (path, named) = match (&place.config, variable) {
            (None, _) if in_checkout.exists() && fault::on(Fault::CheckoutConfig) => {
                (Some(in_checkout), false)
            }
            (None, None) if root.join(".the-loop").is_dir() && fault::on(Fault::CheckoutFolderHides) => {
                (None, false)
            }
            (Some(path), _) => (Some(path.clone()), true),
            (None, Some(path)) => (Some(PathBuf::from(path)), true),
            (None, None) => (default_path(), false),
        };
        if fault::on(Fault::CheckoutAlwaysMentioned) {
            let _ = writeln!(
                io::stderr(),
                "strawman: `.the-loop/harness-config.yaml` declares no critics, it is not read"
            );
        }
        let mut config = Self { body: Node::Null, folder: root.clone(), root, found: false };
        if let Some(path) = path {
            config.folder = folder_of(&path)?;
            config.read(&path, named)?;
        }
        Ok(config)
    }

    fn read(&mut self, path: &Path, named: bool) -> Result<(), Refusal> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound && !named => return Ok(()),
            Err(_) if fault::on(Fault::MissingConfigAccepted) => return Ok(()),
            Err(error) => return Err(Refusal::new(format!("config `{}`: {error}", path.display()))),
        };
        if fault::on(Fault::CommentsUnparsable) && text.lines().any(|line| line.trim_start().starts_with('#'))
        {
            return Err(Refusal::new(format!("config `{}`: a line is no YAML", path.display())));
        }
        self.found = true;
        self.body = match Node::read(&text).and_then(top_level) {
            Ok(body) => match body.foreign_key().filter(|_| fault::on(Fault::ForeignKeysRefused)) {
                Some(key) => {
                    return Err(Refusal::new(format!("config `{}`: unknown key {key}", path.display())));
                }
                None => body,
            },
            Err(_) if fault::on(Fault::BrokenYamlAccepted) => Node::Null,
            Err(error) => return Err(Refusal::new(format!("config `{}`: {error}", path.display()))),
        };
        Ok(())
    }

    /// The list under `critics`; empty where there is none.
    pub(crate) fn critics(&self) -> Result<Vec<Node>, Refusal> {
        let mut critics = match self.body.at("critics") {
            None => Vec::new(),
            Some(Node::Null) if !fault::on(Fault::ListNullRefused) => Vec::new(),
            Some(Node::List(items)) => items.clone(),
            Some(_) if fault::on(Fault::CriticsShapeAccepted) => Vec::new(),
            Some(other) => return Err(Refusal::new(format!("`critics` is {other}, it must be a list"))),
        };
        let of_checkout = self.root.join(".the-loop/harness-config.yaml");
        if of_checkout.exists() && fault::on(Fault::CheckoutRoster) {
            let text = fs::read_to_string(of_checkout).unwrap_or_default();
            let body = Node::read(&text).unwrap_or(Node::Null);
            if let Some(Node::List(items)) = body.at("reviews").and_then(|reviews| reviews.at("critics")) {
                critics.extend(items.iter().cloned());
            }
        }
        Ok(critics)
    }

    /// The mapping under `reviews`, if there is one.
    pub(crate) fn reviews(&self) -> Option<&Node> {
        self.body.at("reviews").filter(|node| !matches!(node, Node::Null))
    }

    /// What stands under a key of the top level, if it is not null.
    pub(crate) fn under(&self, key: &str) -> Option<&Node> {
        self.body.at(key).filter(|node| !matches!(node, Node::Null))
    }

    /// The folder of all specs, absolute.
    pub(crate) fn spec_root(&self) -> PathBuf {
        let configured =
            self.body.at("routing").and_then(|node| node.at("graph")).and_then(|node| node.at("specDir"));
        match configured {
            Some(Node::Text(path)) => self.root.join(path),
            _ => self.root.join("docs/specs"),
        }
    }
}

/// A document that can be a config: a mapping or nothing, with each key of the upper levels once. Inside `critics`
/// a repeated key is the business of the entry it stands in.
fn top_level(body: Node) -> Result<Node, String> {
    let Node::Map(pairs, place) = &body else {
        return if body == Node::Null { Ok(body) } else { Err(format!("it is {body}, not a mapping")) };
    };
    let shallow = pairs.iter().map(|(key, value)| {
        let entries = matches!((key, value), (Node::Text(text), Node::List(_)) if text == "critics");
        (key.clone(), if entries { Node::Null } else { value.clone() })
    });
    match Node::Map(shallow.collect(), *place).repeated_key() {
        Some(key) => Err(format!("the key {key} stands twice")),
        None => Ok(body),
    }
}

fn default_path() -> Option<PathBuf> {
    let home: OsString = env::var_os("HOME").filter(|home| !home.is_empty())?;
    Some(PathBuf::from(home).join(".the-loop/cli-config.yaml"))
}

fn folder_of(path: &Path) -> Result<PathBuf, Refusal> {
    let absolute = std::path::absolute(path)
        .map_err(|error| Refusal::new(format!("config `{}`: {error}", path.display())))?;
    Ok(absolute.parent().map_or_else(|| PathBuf::from("/"), Path::to_path_buf))
}
