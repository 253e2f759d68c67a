//! The operator's `routing` and `eventLog`: who may answer a gate, by which words, and where decisions are logged.
//!
//! [`Routing`] is decoded from the config; keys that belong to other parts of the-loop are left alone.

use std::path::PathBuf;

use super::{ConfigError, Node, OperatorConfig, Problem, nearest, shortened};

/// Who answers gates, and how an answer begins (OR-SEC).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routing {
    /// Who may answer, as written but for an `@`; nobody may when it is empty.
    pub authorized_users: Vec<String>,
    /// How answers begin.
    pub keywords: Keywords,
}

/// The words that open an answer. Compared without case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keywords {
    /// Opens an answer to the phase selection.
    pub execute: String,
    /// Opens an approval.
    pub approve: String,
    /// Opens a request for changes.
    pub request_changes: String,
}

impl Default for Keywords {
    fn default() -> Self {
        Self {
            execute: "the-loop execute".to_owned(),
            approve: "the-loop approve".to_owned(),
            request_changes: "the-loop request changes".to_owned(),
        }
    }
}

impl OperatorConfig {
    /// `routing.authorizedUsers` and `routing.control.keywords`.
    ///
    /// # Errors
    /// Every value of a wrong type, a blank name or keyword, two keywords that are the same.
    pub fn routing(&self) -> Result<Routing, ConfigError> {
        let mut routing = Routing::default();
        let mut problems = Vec::new();
        let users = self.child(self.routing.as_ref(), "routing", "authorizedUsers")?;
        match users.filter(|users| !users.is_null()).map(Node::sequence) {
            None => {}
            Some(Ok(users)) => {
                let named = users.iter().map(|user| filled(user, "routing.authorizedUsers"));
                let taken = named.filter_map(|user| user.map_err(|problem| problems.push(problem)).ok());
                routing.authorized_users = taken.map(|user| plain_name(user).to_owned()).collect();
            }
            Some(Err(wrong)) => {
                problems.push(
                    wrong.about("`routing.authorizedUsers`").remedy("write a list such as `[octocat]`"),
                );
            }
        }
        let control = self.child(self.routing.as_ref(), "routing", "control")?;
        let keywords = self.child(control, "routing.control", "keywords")?;
        let Keywords { execute, approve, request_changes } = &mut routing.keywords;
        for (key, slot) in [("execute", execute), ("approve", approve), ("requestChanges", request_changes)] {
            let Some(word) = self.child(keywords, "routing.control.keywords", key)? else { continue };
            match filled(word, &format!("routing.control.keywords.{key}")) {
                Ok(word) => word.clone_into(slot),
                Err(problem) => problems.push(problem),
            }
        }
        if let (Some(keywords), Some(twice)) = (keywords, routing.keywords.said_twice()) {
            let problem = Problem::new(keywords.at(), format!("two keywords are `{twice}`"));
            problems.push(
                problem
                    .about("`routing.control.keywords`")
                    .remedy("choose words that differ in more than case"),
            );
        }
        if problems.is_empty() { Ok(routing) } else { Err(self.refuse_all(problems)) }
    }

    /// Keys that look like misspelt ones of [`OperatorConfig::routing`]. All others may belong to somebody else.
    pub fn slips(&self) -> Vec<Problem> {
        let inner = |of: Option<&'_ Node>, key| self.child(of, "", key).ok().flatten().cloned();
        let routing = self.routing.clone();
        let control = inner(routing.as_ref(), "control");
        let keywords = inner(control.as_ref(), "keywords");
        let graph = inner(routing.as_ref(), "graph");
        let parts: [(&str, Option<Node>, &[&str]); 5] = [
            ("routing", routing, &["authorizedUsers", "control", "graph"]),
            ("routing.control", control, &["keywords"]),
            ("routing.control.keywords", keywords, &["execute", "approve", "requestChanges"]),
            ("routing.graph", graph, &["specDir"]),
            ("eventLog", self.event_log.clone(), &["path"]),
        ];
        let mut slips = Vec::new();
        for (name, part, known) in parts {
            let pairs = part.as_ref().and_then(|part| part.mapping().ok()).unwrap_or_default();
            for (key, _) in pairs {
                let Ok(word) = key.text() else { continue };
                if let Some(near) = nearest(word, known.iter().copied()).filter(|_| !known.contains(&word)) {
                    let what =
                        format!("unknown key `{}` is ignored, the nearest is `{near}`", shortened(word));
                    slips.push(
                        Problem::new(key.at(), what)
                            .about(format!("`{name}`"))
                            .remedy("correct or remove it"),
                    );
                }
            }
        }
        slips
    }

    /// `eventLog.path`, absolute; `None` when it is not named.
    ///
    /// # Errors
    /// When it, or what holds it, has the wrong type.
    pub fn event_log(&self) -> Result<Option<PathBuf>, ConfigError> {
        let Some(path) = self.child(self.event_log.as_ref(), "eventLog", "path")? else { return Ok(None) };
        let name = filled(path, "eventLog.path").map_err(|problem| self.refuse(problem))?;
        if name == "~" || name.starts_with("~/") {
            let problem = Problem::new(path.at(), "`~` is not expanded here").about("`eventLog.path`");
            return Err(self.refuse(
                problem.remedy("write the home directory in full, or a path relative to this file"),
            ));
        }
        Ok(Some(self.directory().join(name)))
    }
}

impl Keywords {
    fn said_twice(&self) -> Option<&str> {
        let all = [&self.execute, &self.approve, &self.request_changes];
        let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
        let pairs = [(all[0], all[1]), (all[0], all[2]), (all[1], all[2])];
        pairs.into_iter().find(|(one, other)| words(one) == words(other)).map(|(one, _)| one.as_str())
    }
}

/// A user's name without the `@` that people put before it.
pub fn plain_name(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix('@').unwrap_or(name)
}

fn filled<'a>(node: &'a Node, key: &str) -> Result<&'a str, Problem> {
    let about = format!("`{key}`");
    let text = node.text().map_err(|wrong| wrong.about(&about))?;
    if plain_name(text).is_empty() || text.contains('\0') {
        let problem = Problem::new(node.at(), "expected a text that is not blank");
        return Err(problem.about(about).remedy("write one, or remove it"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn config(text: &str) -> OperatorConfig {
        OperatorConfig::parse(Path::new("/o/c.yaml"), text).unwrap()
    }

    #[test]
    fn what_is_not_said_is_the_default() {
        for text in
            ["", "routing:", "routing: {control: {keywords: }, authorizedUsers: }", "routing: {other: 1}"]
        {
            assert_eq!(config(text).routing().unwrap(), Routing::default(), "{text}");
            assert_eq!(config(text).event_log().unwrap(), None);
        }
    }

    #[test]
    fn names_lose_their_at_and_paths_start_at_the_config() {
        let config = config(
            "routing:\n  authorizedUsers: ['@Ada', bob]\n  control: {keywords: {approve: ship it}}\neventLog: {path: log/e.jsonl}",
        );
        let routing = config.routing().unwrap();
        assert_eq!(routing.authorized_users, ["Ada", "bob"]);
        assert_eq!(routing.keywords, Keywords { approve: "ship it".to_owned(), ..Keywords::default() });
        assert_eq!(config.event_log().unwrap().as_deref(), Some(Path::new("/o/log/e.jsonl")));
    }

    #[test]
    fn a_misspelt_key_is_told_and_those_of_others_are_left_alone() {
        let config = config(
            "routing: {authorisedUsers: [ada], other: 1, control: {keywords: {aprove: x}}, graph: {specdir: y}}\neventLog: {paths: z}",
        );
        let told: Vec<String> = config.slips().iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        line 1, column 11: `routing`: unknown key `authorisedUsers` is ignored, the nearest is `authorizedUsers`; correct or remove it
        line 1, column 66: `routing.control.keywords`: unknown key `aprove` is ignored, the nearest is `approve`; correct or remove it
        line 1, column 87: `routing.graph`: unknown key `specdir` is ignored, the nearest is `specDir`; correct or remove it
        line 2, column 12: `eventLog`: unknown key `paths` is ignored, the nearest is `path`; correct or remove it
        ");
    }

    #[test]
    fn a_home_is_not_guessed() {
        insta::assert_snapshot!(config("eventLog: {path: ~/e.jsonl}").event_log().unwrap_err(), @"/o/c.yaml: line 1, column 18: `eventLog.path`: `~` is not expanded here; write the home directory in full, or a path relative to this file");
    }

    #[test]
    fn wrong_values_are_located_all_at_once() {
        let wrong = config(
            "routing:\n  authorizedUsers: [5, true, '@', [a]]\n  control:\n    keywords: {execute: no, approve: ' ', requestChanges: NO}\n",
        );
        insta::assert_snapshot!(wrong.routing().unwrap_err(), @r#"
        /o/c.yaml: line 2, column 24: `routing.authorizedUsers`: expected text, found `true`; quote it (`"true"`) if that text is meant
        /o/c.yaml: line 2, column 30: `routing.authorizedUsers`: expected a text that is not blank; write one, or remove it
        /o/c.yaml: line 2, column 35: `routing.authorizedUsers`: expected text, found a list; write one value
        /o/c.yaml: line 4, column 38: `routing.control.keywords.approve`: expected a text that is not blank; write one, or remove it
        /o/c.yaml: line 4, column 15: `routing.control.keywords`: two keywords are `no`; choose words that differ in more than case
        "#);
        insta::assert_snapshot!(config("routing: {authorizedUsers: me}").routing().unwrap_err(), @"/o/c.yaml: line 1, column 28: `routing.authorizedUsers`: expected a list, found `me`; write a list such as `[octocat]`");
        insta::assert_snapshot!(config("routing: {control: 5}").routing().unwrap_err(), @"/o/c.yaml: line 1, column 20: `routing.control`: expected a mapping, found `5`");
        insta::assert_snapshot!(config("eventLog: {path: [a]}").event_log().unwrap_err(), @"/o/c.yaml: line 1, column 18: `eventLog.path`: expected text, found a list; write one value");
        insta::assert_snapshot!(config("eventLog: x").event_log().unwrap_err(), @"/o/c.yaml: line 1, column 11: `eventLog`: expected a mapping, found `x`");
    }
}
