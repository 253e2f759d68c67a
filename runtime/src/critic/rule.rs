//! Rules: what each key of an entry has to hold, and what to say when it holds something else.
//!
//! Functions from one [`Node`] to the value or a [`Problem`]. They know no other key and no entry.

use std::time::Duration;

use super::{Adapter, Placeholder, Reading, UnknownPlaceholder};
use crate::config::{Content, Node, Position, Problem, nearest, shortened};

/// Every key an entry may have.
pub(super) const KEYS: [&str; 10] = [
    "name",
    "harness",
    "model",
    "command",
    "args",
    "env",
    "cwd",
    "outputFormat",
    "timeoutSeconds",
    "enabled",
];
const LONGEST_TIMEOUT_SECONDS: f64 = 365.0 * 86_400.0;

pub(super) fn unknown_key(key: &Node) -> Problem {
    match key.content() {
        Content::Scalar(word, _) if word == "<<" => {
            Problem::new(key.at(), "merge keys (`<<`) are not allowed in a critic")
                .remedy("write the keys out")
        }
        Content::Scalar(word, _) if key.tag().is_none() => {
            let hint =
                nearest(word, KEYS).map(|near| format!(", the nearest is `{near}`")).unwrap_or_default();
            Problem::new(key.at(), format!("unknown key `{}`{hint}", shortened(word)))
                .remedy(format!("the keys are {}", KEYS.join(", ")))
        }
        _ => key.wrong("a key"),
    }
}

pub(super) fn unknown_placeholder(at: Position, unknown: &UnknownPlaceholder) -> Problem {
    let what = format!("unknown placeholder `{}`", shortened(&unknown.written));
    let remedy = match unknown.meant {
        Some(meant) => format!("write `{meant}`"),
        None => format!("use one of {}", Placeholder::ALL.map(|each| format!("`{each}`")).join(", ")),
    };
    Problem::new(at, what).remedy(remedy)
}

pub(super) fn no_program(at: Position, harness: &str) -> Problem {
    let built_in = Adapter::ALL.map(|adapter| format!("`{adapter}`")).join(" or ");
    let what = if harness.is_empty() {
        "neither `command` nor `harness` says what to run".to_owned()
    } else {
        format!("`command` is not set and `{}` is no built-in harness", shortened(harness))
    };
    Problem::new(at, what).remedy(format!("set `command` to the executable, or `harness` to {built_in}"))
}

pub(super) fn text_without_nul(value: &Node) -> Result<&str, Problem> {
    let text = value.text()?;
    match text.find('\0') {
        Some(offset) => Err(Problem::new(value.at(), format!("a NUL at offset {offset}"))
            .remedy("remove it, no program can be given one")),
        None => Ok(text),
    }
}

pub(super) fn executable_text(value: &Node) -> Result<&str, Problem> {
    let text = text_without_nul(value)?;
    if !text.is_empty() && text.trim().is_empty() {
        return Err(
            Problem::new(value.at(), "the command is blank").remedy("name an executable, or remove the key")
        );
    }
    Ok(text)
}

pub(super) fn output_format(value: &Node) -> Result<Reading, Problem> {
    match value.text()? {
        "text" => Ok(Reading::Text),
        "json" => Ok(Reading::Json),
        _ => Err(value.wrong("`text` or `json`")),
    }
}

pub(super) fn timeout(value: &Node) -> Result<Duration, Problem> {
    let seconds = value.number().filter(|seconds| (1.0..=LONGEST_TIMEOUT_SECONDS).contains(seconds));
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| {
        value
            .wrong(&format!("a number of seconds from 1 to {LONGEST_TIMEOUT_SECONDS}"))
            .remedy("write it without quotes, such as `timeoutSeconds: 900`")
    })
}

/// One variable of the overlay. Messages never show the value, which may be a secret.
pub(super) fn variable<'a>(key: &'a Node, value: &'a Node) -> Result<(&'a str, Option<&'a str>), Problem> {
    if key.is_key("<<") {
        return Err(unknown_key(key));
    }
    let name = key.text().map_err(|wrong| wrong.remedy("write the variable's name as text"))?;
    if name.is_empty() || name.contains(['=', '\0']) {
        let what = format!("`{}` cannot be the name of a variable", shortened(name));
        return Err(Problem::new(key.at(), what).remedy("use a name that is not empty and has no `=` or NUL"));
    }
    if value.is_null() {
        return Ok((name, None));
    }
    let fail = |what: String| Problem::new(value.at(), what);
    match value.text() {
        Ok(text) if text.contains('\0') => {
            Err(fail(format!("the value of `{}` holds a NUL", shortened(name))))
        }
        Ok(text) => Ok((name, Some(text))),
        Err(_) => {
            let found = match value.content() {
                Content::Scalar(..) => {
                    value.tag().map_or_else(|| "a boolean".to_owned(), |_| value.describe())
                }
                _ => value.describe(),
            };
            Err(fail(format!("the value of `{}` is {found}", shortened(name)))
                .remedy("write text, in quotes where in doubt, or null to remove the variable"))
        }
    }
}

pub(super) fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["TOKEN", "SECRET", "PASSWORD", "KEY"].iter().any(|word| name.contains(word))
}
