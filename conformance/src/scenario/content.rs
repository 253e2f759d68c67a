//! Content in a scenario: a text, bytes, or something that is no plain file.
//!
//! [`Content`] is for prompts and standard input, [`FileContent`] for `files`. Neither touches the disk.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use include_dir::{Dir, include_dir};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::entries::Entries;
use crate::source::fault::nearest;
use crate::text::{Names, Text};

static GRAPHS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/graphs");

/// Bytes, as a scenario gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A text, with names.
    Text(Text),
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// A text many times over.
    Repeat {
        /// What is repeated.
        text: Text,
        /// How often.
        times: usize,
    },
}

impl Content {
    /// The bytes, with names put in.
    pub fn bytes(&self, names: &Names) -> Vec<u8> {
        match self {
            Self::Text(text) => text.expand(names).into_bytes(),
            Self::Bytes(bytes) => bytes.clone(),
            Self::Repeat { text, times } => text.expand(names).repeat(*times).into_bytes(),
        }
    }

    /// The texts in which a name may stand.
    pub fn text(&self) -> Option<&Text> {
        match self {
            Self::Text(text) | Self::Repeat { text, .. } => Some(text),
            Self::Bytes(_) => None,
        }
    }
}

/// What lies at a path of the sandbox before the first step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent {
    kind: FileKind,
    mode: Option<u32>,
}

/// The kinds of things that lie in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular(Content),
    /// A directory.
    Directory,
    /// A symbolic link to this.
    Link(Text),
    /// A further hard link to that fake.
    Fake(String),
    /// A named pipe that a writer feeds once.
    Pipe(Text),
}

impl FileContent {
    /// What it is.
    pub fn kind(&self) -> &FileKind {
        &self.kind
    }

    /// Permission bits, where the scenario sets them.
    pub fn mode(&self) -> Option<u32> {
        self.mode
    }
}

/// The mapping form of both, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContentFile {
    text: Option<Text>,
    base64: Option<String>,
    repeat: Option<RepeatFile>,
    directory: Option<bool>,
    link: Option<Text>,
    fake: Option<String>,
    pipe: Option<Text>,
    graph: Option<String>,
    #[serde(default)]
    replace: Entries<String>,
    mode: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RepeatFile {
    text: Text,
    times: usize,
}

const KINDS: &str = "text, base64, repeat, directory, link, fake, pipe, graph";

/// The text of a graph that is inside the kit.
///
/// # Errors
/// There is none of that name.
pub(super) fn standard_graph(name: &str) -> Result<Text, String> {
    let file = GRAPHS.get_file(format!("{name}.yaml")).and_then(include_dir::File::contents_utf8);
    let text = file.ok_or_else(|| {
        let known = || GRAPHS.files().filter_map(|file| file.path().file_stem()?.to_str());
        match nearest(name, known()) {
            Some(near) => format!("unknown graph `{name}`, did you mean `{near}`?"),
            None => {
                format!("unknown graph `{name}`, expected one of {}", known().collect::<Vec<_>>().join(", "))
            }
        }
    })?;
    Text::new(text).map_err(|error| error.to_string())
}

/// A standard graph in which each of some pieces, which stand in it once, is replaced.
fn changed_graph(name: &str, replace: Entries<String>) -> Result<Text, String> {
    let mut text = standard_graph(name)?.source().to_owned();
    for (old, new) in replace.into_inner() {
        match text.matches(old.as_str()).count() {
            1 => text = text.replacen(old.as_str(), &new, 1),
            found => return Err(format!("`{old}` stands {found} times in graph `{name}`, expected once")),
        }
    }
    Text::new(text).map_err(|error| error.to_string())
}

impl ContentFile {
    fn kind(self) -> Result<FileKind, String> {
        let mut kinds = Vec::new();
        kinds.extend(self.text.map(|text| FileKind::Regular(Content::Text(text))));
        if let Some(base64) = self.base64 {
            let bytes = STANDARD
                .decode(&base64)
                .map_err(|error| format!("`{base64}` is no base64 ({error}), encode the bytes anew"))?;
            kinds.push(FileKind::Regular(Content::Bytes(bytes)));
        }
        kinds.extend(
            self.repeat.map(|RepeatFile { text, times }| FileKind::Regular(Content::Repeat { text, times })),
        );
        match self.directory {
            Some(true) => kinds.push(FileKind::Directory),
            Some(false) => return Err("`directory: false` says nothing, leave it out".to_owned()),
            None => {}
        }
        kinds.extend(self.link.map(FileKind::Link));
        kinds.extend(self.fake.map(FileKind::Fake));
        kinds.extend(self.pipe.map(FileKind::Pipe));
        if let Some(name) = &self.graph {
            kinds.push(FileKind::Regular(Content::Text(changed_graph(name, self.replace)?)));
        } else if self.replace.names().next().is_some() {
            return Err("`replace` without `graph`, name the graph in which it is done".to_owned());
        }
        match kinds.len() {
            1 => Ok(kinds.remove(0)),
            found => Err(format!("found {found} of {KINDS}, expected exactly one")),
        }
    }

    fn permissions(&self) -> Result<Option<u32>, String> {
        self.mode
            .as_deref()
            .map(|mode| {
                u32::from_str_radix(mode, 8)
                    .ok()
                    .filter(|bits| *bits <= 0o7777)
                    .ok_or_else(|| format!("mode `{mode}` is no octal number, write for example \"0644\""))
            })
            .transpose()
    }
}

impl<'de> Deserialize<'de> for FileContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = FileContent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a text (quote numbers), or a mapping with one of {KINDS}")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<FileContent, E> {
                let text = Text::new(text).map_err(E::custom)?;
                Ok(FileContent { kind: FileKind::Regular(Content::Text(text)), mode: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FileContent, A::Error> {
                let file = ContentFile::deserialize(MapAccessDeserializer::new(map))?;
                let mode = file.permissions().map_err(A::Error::custom)?;
                Ok(FileContent { kind: file.kind().map_err(A::Error::custom)?, mode })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match FileContent::deserialize(deserializer)? {
            FileContent { kind: FileKind::Regular(content), mode: None } => Ok(content),
            FileContent { .. } => {
                Err(D::Error::custom("only text, base64 and repeat make a prompt or standard input"))
            }
        }
    }
}

/// The text of a prompt, for `%{prompt}`; bad UTF-8 is replaced.
pub fn lossy(content: &Content, names: &Names) -> String {
    match String::from_utf8_lossy(&content.bytes(names)) {
        Cow::Borrowed(text) => text.to_owned(),
        Cow::Owned(text) => text,
    }
}
