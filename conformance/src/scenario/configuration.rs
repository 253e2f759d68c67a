//! The configuration that a scenario's target finds, and the graphs it declares.
//!
//! [`Configuration`] is the checked form. Putting it into a target's dialect is the supervisor's work.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::content::{Content, FileContent, FileKind, standard_graph};
use super::entries::Entries;
use crate::text::Text;

/// The configuration that the target finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// Verbatim YAML of its parts, put into the target's dialect.
    Parts(Box<Parts>),
    /// Verbatim text of the whole file.
    Whole(Text),
    /// No file at all.
    Missing,
}

/// Parts of a configuration, each as it is to stand there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The list of critics.
    pub critics: Option<Text>,
    /// The policy mapping.
    pub reviews: Option<Text>,
    /// The mapping that says who decides.
    pub routing: Option<Text>,
    /// The mapping that says where events go.
    pub event_log: Option<Text>,
    /// Names and texts of the declared graphs.
    pub graphs: Vec<(String, Text)>,
}

/// The keys that say what the configuration is, as written.
#[derive(Clone, Default)]
pub(super) struct ConfigurationFile {
    pub(super) critics: Option<Text>,
    pub(super) reviews: Option<Text>,
    pub(super) routing: Option<Text>,
    pub(super) event_log: Option<Text>,
    pub(super) graphs: Option<Graphs>,
    pub(super) config: Option<Text>,
    pub(super) no_config: Option<bool>,
}

/// Declared graphs, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Graphs(Vec<(String, Text)>);

impl ConfigurationFile {
    /// What a control gives, over what the scenario says.
    pub(super) fn over(self, written: Self) -> Self {
        if self.config.is_some() || self.no_config.is_some() {
            return self;
        }
        if !self.has_parts() {
            return written;
        }
        Self {
            critics: self.critics.or(written.critics),
            reviews: self.reviews.or(written.reviews),
            routing: self.routing.or(written.routing),
            event_log: self.event_log.or(written.event_log),
            graphs: self.graphs.or(written.graphs),
            config: None,
            no_config: None,
        }
    }

    fn has_parts(&self) -> bool {
        self.critics.is_some()
            || self.reviews.is_some()
            || self.routing.is_some()
            || self.event_log.is_some()
            || self.graphs.is_some()
    }

    /// The checked configuration, or the key that stands beside another description.
    pub(super) fn check(self) -> Result<Configuration, &'static str> {
        let has_parts = self.has_parts();
        match (self.config, self.no_config) {
            (Some(whole), None) if !has_parts => Ok(Configuration::Whole(whole)),
            (None, Some(true)) if !has_parts => Ok(Configuration::Missing),
            (None, None) => Ok(Configuration::Parts(Box::new(Parts {
                critics: self.critics,
                reviews: self.reviews,
                routing: self.routing,
                event_log: self.event_log,
                graphs: self.graphs.unwrap_or_default().0,
            }))),
            (Some(_), _) => Err("config"),
            (None, Some(_)) => Err("no-config"),
        }
    }
}

impl<'de> Deserialize<'de> for Graphs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NamesOrTexts;
        impl<'de> Visitor<'de> for NamesOrTexts {
            type Value = Graphs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of standard graphs, or a mapping of name to graph")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Graphs, A::Error> {
                let mut graphs = Vec::new();
                while let Some(name) = names.next_element::<String>()? {
                    let text = standard_graph(&name).map_err(A::Error::custom)?;
                    graphs.push((name, text));
                }
                Ok(Graphs(graphs))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Graphs, A::Error> {
                let entries = Entries::<FileContent>::deserialize(MapAccessDeserializer::new(map))?;
                let graphs = entries.into_inner().into_iter().map(|(name, content)| match content.kind() {
                    FileKind::Regular(Content::Text(text)) => Ok((name, text.clone())),
                    _ => Err(format!(
                        "graph `{name}` is no text, expected one or `{{graph: NAME, replace: …}}`"
                    )),
                });
                graphs.collect::<Result<_, _>>().map(Graphs).map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_any(NamesOrTexts)
    }
}
