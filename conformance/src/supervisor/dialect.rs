//! A scenario's configuration in the dialect of a target. Main type: [`Placed`].
//!
//! The verbatim YAML of a scenario is only indented, never parsed and written again, so that `4.10` stays `4.10`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::observation::Places;
use crate::scenario::configuration::Parts;
use crate::scenario::{Configuration, Dialect};
use crate::target::{Channel, Target};
use crate::text::{Names, Text};

/// A configuration file and how the target is told about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    /// Where it lies and what it holds; `None` for no file at all.
    pub(super) file: Option<(PathBuf, String)>,
    /// The channel, where a file has to be named.
    pub(super) told: Told,
}

/// How a target is told where its configuration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// It looks there by itself.
    Nothing,
    /// By a variable.
    Variable,
    /// By a flag before the subcommand.
    Flag,
}

/// The variable that names the operator's file.
const VARIABLE: &str = "THE_LOOP_CLI_CONFIG";

/// Tells the target of its configuration by the variable, where that is its channel.
pub(super) fn tell(environment: &mut BTreeMap<String, OsString>, told: Told, config: Option<&Path>) {
    if let (Told::Variable, Some(config)) = (told, config) {
        environment.insert(VARIABLE.to_owned(), config.into());
    }
}

/// Puts a configuration into the dialect of a target.
///
/// # Errors
/// When the parts cannot be put together without parsing them.
pub(super) fn place(
    configuration: &Configuration,
    target: &Target,
    places: &Places,
    names: &Names,
) -> Result<Placed, String> {
    let text = match configuration {
        Configuration::Missing => return Ok(Placed { file: None, told: Told::Nothing }),
        Configuration::Whole(text) => text.expand(names),
        Configuration::Parts(written) => parts(target.dialect(), written, places, names)?,
    };
    let elsewhere = places.home.with_file_name("config").join("cli-config.yaml");
    let (path, told) = match (target.dialect(), target.channel()) {
        (Dialect::Repository, _) => (places.root.join(".the-loop/harness-config.yaml"), Told::Nothing),
        (Dialect::Operator, Channel::Home) => (places.home.join(".the-loop/cli-config.yaml"), Told::Nothing),
        (Dialect::Operator, Channel::Env) => (elsewhere, Told::Variable),
        (Dialect::Operator, Channel::Flag) => (elsewhere, Told::Flag),
    };
    Ok(Placed { file: Some((path, text)), told })
}

/// The file of a declared graph, outside the checkout.
pub(super) fn graph_file(places: &Places, name: &str) -> PathBuf {
    places.home.join("graphs").join(format!("{name}.yaml"))
}

fn parts(dialect: Dialect, parts: &Parts, places: &Places, names: &Names) -> Result<String, String> {
    let text = |part: &Option<Text>| part.as_ref().map(|text| text.expand(names));
    let (critics, reviews) = (text(&parts.critics), text(&parts.reviews));
    let mut file = reviewers(dialect, critics.as_deref(), reviews.as_deref())?;
    for (key, part) in [("routing", &parts.routing), ("eventLog", &parts.event_log)] {
        if let Some(part) = text(part) {
            file.push_str(&mapping(key, &part));
        }
    }
    if !parts.graphs.is_empty() {
        let declared = parts.graphs.iter().map(|(name, _)| {
            // A JSON string is a YAML scalar, whatever is in it.
            let path = serde_json::Value::from(graph_file(places, name).display().to_string());
            format!("- {{name: {name}, path: {path}}}\n")
        });
        file.push_str(&mapping("graphs", &declared.collect::<String>()));
    }
    Ok(if file.is_empty() { "{}\n".to_owned() } else { file })
}

fn mapping(key: &str, value: &str) -> String {
    format!("{key}:\n{}", indented(value, "  "))
}

fn reviewers(dialect: Dialect, critics: Option<&str>, reviews: Option<&str>) -> Result<String, String> {
    match (dialect, critics, reviews) {
        (_, None, None) => Ok(String::new()),
        (Dialect::Operator, critics, reviews) => {
            let critics = critics.map(|critics| mapping("critics", critics));
            let reviews = reviews.map(|reviews| mapping("reviews", reviews));
            Ok(critics.into_iter().chain(reviews).collect())
        }
        (Dialect::Repository, None, Some(reviews)) => Ok(mapping("reviews", reviews)),
        (Dialect::Repository, Some(_), Some(reviews)) if reviews.trim_start().starts_with('{') => {
            Err("`reviews` in braces cannot take `critics` in the repository dialect, write it as lines"
                .to_owned())
        }
        (Dialect::Repository, Some(critics), reviews) => {
            let reviews = mapping("reviews", reviews.unwrap_or_default());
            Ok(format!("{reviews}  critics:\n{}", indented(critics, "    ")))
        }
    }
}

fn indented(text: &str, indent: &str) -> String {
    text.lines()
        .map(|line| if line.trim().is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critics_and_policy_stand_at_the_top_for_the_operator() {
        let text = reviewers(
            Dialect::Operator,
            Some("- {name: a,\n   model: 4.10}\n"),
            Some("selfReviewCount: 2\n"),
        );
        assert_eq!(
            text.unwrap(),
            "critics:\n  - {name: a,\n     model: 4.10}\nreviews:\n  selfReviewCount: 2\n"
        );
    }

    #[test]
    fn critics_stand_inside_the_policy_for_the_repository() {
        let text = reviewers(Dialect::Repository, Some("- name: a\n"), Some("selfReviewCount: 2\n"));
        assert_eq!(text.unwrap(), "reviews:\n  selfReviewCount: 2\n  critics:\n    - name: a\n");
    }

    #[test]
    fn a_policy_in_braces_cannot_take_critics_of_the_repository() {
        assert!(reviewers(Dialect::Repository, Some("- name: a\n"), Some("{selfReviewCount: 2}")).is_err());
    }
}
