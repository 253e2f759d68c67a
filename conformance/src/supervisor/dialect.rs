//! A scenario's configuration in the dialect of a target. Main type: [`Placed`].
//!
//! The verbatim YAML of a scenario is only indented, never parsed and written again, so that `4.10` stays `4.10`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::observation::Places;
use crate::scenario::{Configuration, Dialect};
use crate::target::{Channel, Target};
use crate::text::Names;

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
        Configuration::Parts { critics, reviews } => {
            let critics = critics.as_ref().map(|text| text.expand(names));
            let reviews = reviews.as_ref().map(|text| text.expand(names));
            parts(target.dialect(), critics.as_deref(), reviews.as_deref())?
        }
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

fn parts(dialect: Dialect, critics: Option<&str>, reviews: Option<&str>) -> Result<String, String> {
    let key = |key: &str, value: &str| format!("{key}:\n{}", indented(value, "  "));
    match (dialect, critics, reviews) {
        (_, None, None) => Ok("{}\n".to_owned()),
        (Dialect::Operator, critics, reviews) => {
            let critics = critics.map(|critics| key("critics", critics));
            let reviews = reviews.map(|reviews| key("reviews", reviews));
            Ok(critics.into_iter().chain(reviews).collect())
        }
        (Dialect::Repository, None, Some(reviews)) => Ok(key("reviews", reviews)),
        (Dialect::Repository, Some(_), Some(reviews)) if reviews.trim_start().starts_with('{') => {
            Err("`reviews` in braces cannot take `critics` in the repository dialect, write it as lines"
                .to_owned())
        }
        (Dialect::Repository, Some(critics), reviews) => {
            let reviews = key("reviews", reviews.unwrap_or_default());
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
        let text =
            parts(Dialect::Operator, Some("- {name: a,\n   model: 4.10}\n"), Some("selfReviewCount: 2\n"));
        assert_eq!(
            text.unwrap(),
            "critics:\n  - {name: a,\n     model: 4.10}\nreviews:\n  selfReviewCount: 2\n"
        );
    }

    #[test]
    fn critics_stand_inside_the_policy_for_the_repository() {
        let text = parts(Dialect::Repository, Some("- name: a\n"), Some("selfReviewCount: 2\n"));
        assert_eq!(text.unwrap(), "reviews:\n  selfReviewCount: 2\n  critics:\n    - name: a\n");
    }

    #[test]
    fn a_policy_in_braces_cannot_take_critics_of_the_repository() {
        assert!(parts(Dialect::Repository, Some("- name: a\n"), Some("{selfReviewCount: 2}")).is_err());
    }
}
