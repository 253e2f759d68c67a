//! The calls of the graph profile, as typed verbs of a step.
//!
//! [`GraphCall`] is the checked form. The command line it becomes is the supervisor's work.

use serde::Deserialize;

use super::step::{Call, Environment, Manner, Stdin, Stdout};
use super::thread::{Comment, Earlier, Layout, Thread, Through};
use super::verb::Verb;
use crate::text::Text;

/// A call of the graph profile.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphCall {
    /// What is called.
    pub verb: GraphVerb,
    /// Further arguments at the end.
    pub args: Vec<Text>,
}

/// The verbs with their own arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphVerb {
    /// `graph compile`.
    Compile {
        /// The files.
        files: Vec<Text>,
    },
    /// `graph show`.
    Show {
        /// The loop, else the default one.
        name: Option<Text>,
        /// `--format`.
        format: Option<Text>,
    },
    /// `graph start`.
    Start {
        /// The work item.
        item: Text,
        /// `--loop`.
        graph: Option<Text>,
    },
    /// `graph checklist`.
    Checklist {
        /// The work item.
        item: Text,
    },
    /// `graph advance`.
    Advance {
        /// The work item.
        item: Text,
        /// `--comments`.
        thread: Option<Thread>,
    },
    /// `graph skip`.
    Skip {
        /// The work item.
        item: Text,
        /// `--node`.
        node: Option<Text>,
        /// `--reason`.
        reason: Option<Text>,
    },
    /// `graph template`.
    Template {
        /// The node whose form is printed.
        node: Text,
    },
    /// `check`.
    Check {
        /// The work item; every one where it is left out.
        item: Option<Text>,
        /// `--format`.
        format: Option<Text>,
        /// `--recompute`.
        recompute: bool,
        /// `--fail-on`.
        fail_on: Option<Text>,
    },
}

impl GraphVerb {
    /// Its word.
    pub(super) fn word(&self) -> Verb {
        match self {
            Self::Compile { .. } => Verb::Compile,
            Self::Show { .. } => Verb::Show,
            Self::Start { .. } => Verb::Start,
            Self::Checklist { .. } => Verb::Checklist,
            Self::Advance { .. } => Verb::Advance,
            Self::Skip { .. } => Verb::Skip,
            Self::Template { .. } => Verb::Template,
            Self::Check { .. } => Verb::Check,
        }
    }
}

impl GraphCall {
    /// The work item it is about.
    pub fn item(&self) -> Option<&Text> {
        match &self.verb {
            GraphVerb::Start { item, .. }
            | GraphVerb::Checklist { item }
            | GraphVerb::Advance { item, .. }
            | GraphVerb::Skip { item, .. } => Some(item),
            GraphVerb::Check { item, .. } => item.as_ref(),
            GraphVerb::Compile { .. } | GraphVerb::Show { .. } | GraphVerb::Template { .. } => None,
        }
    }

    /// The comments that it is given.
    pub fn thread(&self) -> Option<&Thread> {
        match &self.verb {
            GraphVerb::Advance { thread, .. } => thread.as_ref(),
            _ => None,
        }
    }
}

/// A verb as written: its own keys, and those of every verb.
macro_rules! verbs {
    ($($name:ident { $($key:ident: $type:ty),* } => $verb:expr;)+) => {$(
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub(super) struct $name {
            $($key: $type,)*
            #[serde(default)]
            args: Vec<Text>,
            #[serde(default)]
            env: Environment,
            directory: Option<Text>,
            #[serde(default)]
            stdin: Stdin,
            #[serde(default)]
            stdout: Stdout,
            copies: Option<u32>,
        }

        impl $name {
            pub(super) fn split(self) -> Result<(Call, Manner), String> {
                let manner = Manner {
                    env: self.env,
                    directory: self.directory,
                    stdin: self.stdin,
                    stdout: self.stdout,
                    copies: self.copies.unwrap_or(1),
                };
                let verb: fn($($type),*) -> Result<GraphVerb, String> = $verb;
                let verb = verb($(self.$key),*)?;
                Ok((Call::Graph(GraphCall { verb, args: self.args }), manner))
            }
        }
    )+};
}

verbs! {
    CompileFile { files: Vec<Text> } => |files| Ok(GraphVerb::Compile { files });
    ShowFile { name: Option<Text>, format: Option<Text> } => |name, format| Ok(GraphVerb::Show { name, format });
    StartFile { item: Text, r#loop: Option<Text> } => |item, graph| Ok(GraphVerb::Start { item, graph });
    ChecklistFile { item: Text } => |item| Ok(GraphVerb::Checklist { item });
    AdvanceFile {
        item: Text, comments: Option<Vec<Comment>>, earlier: Option<Earlier>, layout: Option<Layout>, through: Option<Through>
    } => |item, comments, earlier, layout, through| {
        let given = earlier.is_some() || layout.is_some() || through.is_some();
        let thread = comments.map(|comments| Thread {
            comments,
            earlier: earlier.unwrap_or_default(),
            layout: layout.unwrap_or_default(),
            through: through.unwrap_or_default(),
        });
        if thread.is_none() && given {
            return Err("`earlier`, `layout` or `through` without `comments`, add `comments: []`".to_owned());
        }
        Ok(GraphVerb::Advance { item, thread })
    };
    SkipFile { item: Text, node: Option<Text>, reason: Option<Text> } => |item, node, reason| {
        Ok(GraphVerb::Skip { item, node, reason })
    };
    TemplateFile { node: Text } => |node| Ok(GraphVerb::Template { node });
    CheckStepFile { item: Option<Text>, format: Option<Text>, recompute: Option<bool>, fail_on: Option<Text> }
        => |item, format, recompute, fail_on| {
            Ok(GraphVerb::Check { item, format, recompute: recompute.unwrap_or_default(), fail_on })
        };
}
