//! What of a seen value stays the same from run to run.
//!
//! [`trace`] makes the short text that a fingerprint is made of. The rules are a list that is only added to: a changed
//! rule changes the fingerprints in every baseline.

use serde_json::Value;

use crate::text::Names;

const LONGEST: usize = 72;

/// `what: seen`, with sandbox paths as names, digits of texts and fractions left out, one line, at most 72 characters.
pub(super) fn trace(what: &str, seen: &Value, names: &Names) -> String {
    format!("{what}: {}", stable(seen, names))
}

fn stable(seen: &Value, names: &Names) -> String {
    match seen {
        Value::Null => "none".to_owned(),
        Value::Number(number) if number.is_f64() => "fraction".to_owned(),
        Value::String(text) => format!("`{}`", clip(&without_noise(text, names))),
        Value::Array(items) => format!("{} elements", items.len()),
        Value::Object(map) => {
            format!("object with {}", clip(&map.keys().cloned().collect::<Vec<_>>().join(", ")))
        }
        other => other.to_string(),
    }
}

fn without_noise(text: &str, names: &Names) -> String {
    let first = text.trim().lines().next().unwrap_or("");
    let mut line = first.to_owned();
    for (name, value) in [
        ("bin", &names.bin),
        ("root", &names.root),
        ("home", &names.home),
        ("tmp", &names.tmp),
        ("canary", &names.canary),
    ] {
        if !value.is_empty() {
            line = line.replace(value.as_str(), &format!("%{{{name}}}"));
        }
    }
    let mut stable = String::new();
    for character in line.chars() {
        match character {
            '0'..='9' if stable.ends_with('#') => {}
            '0'..='9' => stable.push('#'),
            other if other.is_control() => stable.push(' '),
            other => stable.push(other),
        }
    }
    stable
}

fn clip(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_times_and_process_ids_leave_no_trace() {
        let names = Names { tmp: "/x/t9".into(), ..Names::default() };
        let first = trace("stderr", &json!("pid 812 took 1.52s in /x/t9/a\nmore"), &names);
        let second = trace("stderr", &json!("pid 7 took 0.9s in /x/t9/a"), &names);
        assert_eq!(first, second);
        assert_eq!(first, "stderr: `pid # took #.#s in %{tmp}/a`");
    }

    #[test]
    fn small_differences_that_matter_stay() {
        let names = Names::default();
        assert_ne!(trace("exit", &json!(1), &names), trace("exit", &json!(2), &names));
        assert_ne!(trace("envelope /ok", &json!(null), &names), trace("envelope /ok", &json!(true), &names));
    }
}
