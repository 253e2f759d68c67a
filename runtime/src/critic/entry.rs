//! One entry of `critics`, decoded key by key with every problem collected.
//!
//! [`decode`] is the only constructor of a [`Critic`]. It never gives up early: what can be read of a broken entry
//! is kept for the listing. Names shared between entries are the roster's business.

use std::time::Duration;

use super::rule::{self, KEYS};
use super::{Adapter, Broken, Critic, Entry, Placeholder, Program, Reading, Template};
use crate::config::{Node, Position, Problem, shortened};

const DEFAULT_TIMEOUT: Duration = Duration::from_mins(15);

/// Decodes the entry at `index` of the list; what is only worth a warning goes to `warnings`.
pub(super) fn decode(node: &Node, index: usize, warnings: &mut Vec<Problem>) -> Entry {
    let mut draft = Draft::new(index);
    match node.mapping() {
        Ok(pairs) => {
            draft.name_first(pairs);
            if let Some(duplicate) = node.duplicate() {
                draft.report("", duplicate.problem());
            }
            for (key, value) in pairs {
                draft.take(key, value);
            }
            draft.check_whole(node.at());
        }
        Err(wrong) => draft.report("", wrong.remedy("write `- name: …` with the other keys below it")),
    }
    draft.finish(warnings)
}

#[derive(Debug)]
struct Draft {
    subject: String,
    name: Option<String>,
    harness: String,
    model: String,
    command: String,
    args: Vec<Template>,
    env: Vec<(String, Option<String>)>,
    cwd: String,
    output: Option<Reading>,
    timeout: Duration,
    enabled: bool,
    delivers: Delivery,
    wrong_keys: Vec<&'static str>,
    problems: Vec<Problem>,
    warnings: Vec<Problem>,
}

/// Whether `args` hand the prompt over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delivery {
    Missing,
    Present,
    /// `args` cannot be read, which is a problem of its own.
    Unknown,
}

impl Draft {
    fn new(index: usize) -> Self {
        Self {
            subject: format!("critics[{index}]"),
            name: None,
            harness: String::new(),
            model: String::new(),
            command: String::new(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: String::new(),
            output: None,
            timeout: DEFAULT_TIMEOUT,
            enabled: true,
            delivers: Delivery::Missing,
            wrong_keys: Vec::new(),
            problems: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Whether something was wrong with the value of `key` itself.
    fn is_wrong(&self, key: &'static str) -> bool {
        self.wrong_keys.contains(&key)
    }

    fn report_key(&mut self, key: &'static str, problem: Problem) {
        self.wrong_keys.push(key);
        self.report(key, problem);
    }

    fn report(&mut self, key: &str, problem: Problem) {
        let about = if key.is_empty() { self.subject.clone() } else { format!("{}, `{key}`", self.subject) };
        self.problems.push(problem.about(about));
    }

    /// Reads the name before the rest, so that every message can name the critic.
    fn name_first(&mut self, pairs: &[(Node, Node)]) {
        let Some((_, value)) = pairs.iter().find(|(key, _)| key.is_key("name")) else { return };
        match value.text() {
            Ok(name) if name.trim().is_empty() => {
                let blank = Problem::new(value.at(), "the name is blank").remedy("give the critic a name");
                self.report_key("name", blank);
            }
            Ok(name) => {
                self.subject = format!("critic `{}`", shortened(name));
                self.name = Some(name.to_owned());
            }
            Err(wrong) => self.report_key("name", wrong),
        }
    }

    fn take(&mut self, key: &Node, value: &Node) {
        let Some(word) = KEYS.into_iter().find(|word| key.is_key(word)) else {
            let problem = rule::unknown_key(key);
            return self.report("", problem);
        };
        let taken = match word {
            "harness" => value.text().map(|text| text.clone_into(&mut self.harness)),
            "model" => rule::text_without_nul(value).map(|text| text.clone_into(&mut self.model)),
            "command" => rule::executable_text(value).map(|text| text.clone_into(&mut self.command)),
            "cwd" => rule::text_without_nul(value).map(|text| text.clone_into(&mut self.cwd)),
            "outputFormat" => rule::output_format(value).map(|reading| self.output = Some(reading)),
            "timeoutSeconds" => rule::timeout(value).map(|timeout| self.timeout = timeout),
            "enabled" => {
                let enabled = value.boolean();
                // What is no boolean never runs.
                self.enabled = matches!(enabled, Ok(true));
                enabled.map(drop)
            }
            "args" => return self.take_args(value),
            "env" => return self.take_env(value),
            _ => return,
        };
        if let Err(problem) = taken {
            self.report_key(word, problem);
        }
    }

    fn take_args(&mut self, value: &Node) {
        let items = match value.sequence() {
            Ok(items) => items,
            Err(wrong) => {
                self.delivers = Delivery::Unknown;
                return self.report(
                    "args",
                    wrong.remedy("write a list of texts such as `[\"--file\", \"{promptFile}\"]`"),
                );
            }
        };
        for (index, item) in items.iter().enumerate() {
            let key = format!("args[{index}]");
            match rule::text_without_nul(item).map(Template::parse) {
                Ok(Ok(template)) => self.args.push(template),
                Ok(Err(unknown)) => {
                    self.delivers = Delivery::Unknown;
                    for placeholder in unknown {
                        self.report(&key, rule::unknown_placeholder(item.at(), &placeholder));
                    }
                }
                Err(wrong) => {
                    self.delivers = Delivery::Unknown;
                    self.report(&key, wrong);
                }
            }
        }
        let holds = |placeholder| self.args.iter().any(|template| template.holds(placeholder));
        if holds(Placeholder::Prompt) || holds(Placeholder::PromptFile) {
            self.delivers = Delivery::Present;
        }
    }

    fn take_env(&mut self, value: &Node) {
        let pairs = match value.mapping() {
            Ok(pairs) => pairs,
            Err(wrong) => {
                return self.report("env", wrong.remedy("write variables as `NAME: value` below it"));
            }
        };
        for (key, value) in pairs {
            match rule::variable(key, value) {
                Ok((name, text)) => {
                    if text.is_some_and(|text| !text.is_empty()) && rule::looks_secret(name) {
                        let what = format!("the value of `{}` looks like a secret", shortened(name));
                        let warning = Problem::new(key.at(), what)
                            .remedy("keep it in the file that `env.file` names, or in the environment")
                            .about(&self.subject);
                        self.warnings.push(warning);
                    }
                    self.env.push((name.to_owned(), text.map(str::to_owned)));
                }
                Err(problem) => self.report("env", problem),
            }
        }
    }

    /// What no single key can tell.
    fn check_whole(&mut self, at: Position) {
        if self.name.is_none() && !self.is_wrong("name") {
            self.report("name", Problem::new(at, "the key is missing").remedy("give the critic a name"));
        }
        let says_nothing = self.command.is_empty() && !self.is_wrong("command") && !self.is_wrong("harness");
        if says_nothing && Adapter::of_harness(&self.harness).is_none() {
            let problem = rule::no_program(at, &self.harness);
            self.report("", problem);
        }
        if !self.command.is_empty() && self.delivers == Delivery::Missing {
            let what = "`command` is set, but no element of `args` holds `{prompt}` or `{promptFile}`, so the critic \
                        would review nothing";
            let remedy = "add one, such as `args: [\"{prompt}\"]`";
            self.report("args", Problem::new(at, what).remedy(remedy));
        }
    }

    fn program(&self) -> Option<Program> {
        if self.command.is_empty() && !self.is_wrong("command") {
            Adapter::of_harness(&self.harness).map(Program::BuiltIn)
        } else {
            Some(self.command.clone()).filter(|command| !command.is_empty()).map(Program::Command)
        }
    }

    fn finish(mut self, warnings: &mut Vec<Problem>) -> Entry {
        let program = self.program();
        self.problems.sort_by_key(Problem::at);
        match (self.name, program) {
            (Some(name), Some(program)) if self.problems.is_empty() => {
                warnings.extend(self.warnings);
                let own = match program {
                    Program::BuiltIn(adapter) => Reading::AdapterOwn(adapter),
                    Program::Command(_) => Reading::Text,
                };
                let critic = Critic {
                    name,
                    harness: self.harness,
                    model: self.model,
                    program,
                    args: self.args,
                    env: self.env,
                    cwd: Some(self.cwd).filter(|cwd| !cwd.is_empty()).map(Into::into),
                    output: self.output.unwrap_or(own),
                    timeout: self.timeout,
                };
                if self.enabled { Entry::Valid(critic) } else { Entry::Disabled(critic) }
            }
            (name, program) => Entry::Broken(Broken {
                name,
                harness: self.harness,
                model: self.model,
                program: program.map(|program| program.name().to_owned()),
                env: self.env,
                enabled: self.enabled,
                problems: self.problems,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::OperatorConfig;

    fn decoded(entry: &str) -> Entry {
        let text = format!("critics:\n{entry}");
        let config = OperatorConfig::parse(Path::new("/c.yaml"), &text).unwrap();
        decode(&config.critics()[0], 0, &mut Vec::new())
    }

    fn valid(entry: &str) -> Critic {
        match decoded(entry) {
            Entry::Valid(critic) => critic,
            other => panic!("{other:?}"),
        }
    }

    fn told(entry: &str) -> String {
        let Entry::Broken(broken) = decoded(entry) else { panic!("usable: {entry}") };
        broken.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn two_lines_are_enough_for_a_built_in() {
        let critic = valid("- {name: a, harness: cursor, model: 4.10}");
        assert_eq!(critic.program(), &Program::BuiltIn(Adapter::Cursor));
        assert_eq!((critic.model(), critic.timeout()), ("4.10", Duration::from_mins(15)));
        assert_eq!(critic.output(), Reading::AdapterOwn(Adapter::Cursor));
        assert_eq!(valid("- {name: a, harness: cursor, outputFormat: text}").output(), Reading::Text);
    }

    #[test]
    fn a_command_wins_over_the_harness() {
        let critic = valid(
            "- {name: a, harness: claude, command: aider, args: ['{prompt}'], env: {A: 1, B: null}, cwd: x}",
        );
        assert_eq!(critic.program(), &Program::Command("aider".into()));
        assert_eq!(critic.output(), Reading::Text);
        assert_eq!(critic.env(), [("A".into(), Some("1".into())), ("B".into(), None)]);
        assert_eq!(critic.cwd(), Some(Path::new("x")));
    }

    #[test]
    fn every_problem_is_told_at_once_with_its_place() {
        let entry = "\
- name: x
  comand: aider
  args: ['{diff}', '{ prompt }', ~]
  env: {A=B: c, TOKEN: true, '': d}
  outputFormat: JSON
  timeoutSeconds: \"900\"
  enabled: \"false\"
";
        insta::assert_snapshot!(told(entry), @r#"
        line 2, column 3: critic `x`: neither `command` nor `harness` says what to run; set `command` to the executable, or `harness` to `claude` or `cursor`
        line 3, column 3: critic `x`: unknown key `comand`, the nearest is `command`; the keys are name, harness, model, command, args, env, cwd, outputFormat, timeoutSeconds, enabled
        line 4, column 10: critic `x`, `args[0]`: unknown placeholder `{diff}`; use one of `{prompt}`, `{promptFile}`, `{model}`, `{workItem}`, `{specDir}`, `{cwd}`
        line 4, column 20: critic `x`, `args[1]`: unknown placeholder `{ prompt }`; write `{prompt}`
        line 4, column 34: critic `x`, `args[2]`: expected text, found null; quote it (`"null"`, `""`) if that text is meant, or remove the key
        line 5, column 9: critic `x`, `env`: `A=B` cannot be the name of a variable; use a name that is not empty and has no `=` or NUL
        line 5, column 24: critic `x`, `env`: the value of `TOKEN` is a boolean; write text, in quotes where in doubt, or null to remove the variable
        line 5, column 30: critic `x`, `env`: `` cannot be the name of a variable; use a name that is not empty and has no `=` or NUL
        line 6, column 17: critic `x`, `outputFormat`: expected `text` or `json`, found `JSON`
        line 7, column 19: critic `x`, `timeoutSeconds`: expected a number of seconds from 1 to 31536000, found the text `900`; write it without quotes, such as `timeoutSeconds: 900`
        line 8, column 12: critic `x`, `enabled`: expected `true` or `false`, found the text `false`; write the plain word, without quotes
        "#);
    }

    #[test]
    fn an_entry_that_cannot_run_names_the_remedies() {
        insta::assert_snapshot!(told("- name: x\n  harness: codex"), @"line 2, column 3: critic `x`: `command` is not set and `codex` is no built-in harness; set `command` to the executable, or `harness` to `claude` or `cursor`");
        insta::assert_snapshot!(told("- name: x"), @"line 2, column 3: critic `x`: neither `command` nor `harness` says what to run; set `command` to the executable, or `harness` to `claude` or `cursor`");
        insta::assert_snapshot!(told("- name: x\n  command: aider\n  args: [a]"), @r#"line 2, column 3: critic `x`, `args`: `command` is set, but no element of `args` holds `{prompt}` or `{promptFile}`, so the critic would review nothing; add one, such as `args: ["{prompt}"]`"#);
        insta::assert_snapshot!(told("- harness: claude"), @"line 2, column 3: critics[0], `name`: the key is missing; give the critic a name");
        insta::assert_snapshot!(told("- name: ' '\n  harness: claude"), @"line 2, column 9: critics[0], `name`: the name is blank; give the critic a name");
        insta::assert_snapshot!(told("- 5"), @"line 2, column 3: critics[0]: expected a mapping, found `5`; write `- name: …` with the other keys below it");
        insta::assert_snapshot!(told("- {name: x, harness: claude, <<: {model: y}}"), @"line 2, column 30: critic `x`: merge keys (`<<`) are not allowed in a critic; write the keys out");
        insta::assert_snapshot!(told(r#"- {name: x, command: c, args: ["{prompt}", "a\0b"], model: "\0"}"#), @"
        line 2, column 44: critic `x`, `args[1]`: a NUL at offset 1; remove it, no program can be given one
        line 2, column 60: critic `x`, `model`: a NUL at offset 0; remove it, no program can be given one
        ");
        insta::assert_snapshot!(told("- {name: x, harness: claude, model: a, model: b}"), @"line 2, column 40: critic `x`: the key `model` stands here and in line 2; keep one of them");
    }

    #[test]
    fn limits_out_of_range_are_refused() {
        for value in [
            "0", "0.5", "-1", ".nan", ".inf", "1e300", "true", "\"900\"", "0x10", "1_000", ".5", "+5", "~",
            "31536001",
        ] {
            told(&format!("- {{name: x, harness: claude, timeoutSeconds: {value}}}"));
        }
        for (value, seconds) in [("1", 1), ("1e3", 1000), ("31536000", 31_536_000)] {
            let critic = valid(&format!("- {{name: x, harness: claude, timeoutSeconds: {value}}}"));
            assert_eq!(critic.timeout(), Duration::from_secs(seconds));
        }
    }

    #[test]
    fn only_true_runs() {
        for value in ["\"false\"", "\"no\"", "0", "no", "1", "\"true\"", "~", "True", "[]", "!!bool true"] {
            let entry = decoded(&format!("- {{name: x, harness: claude, enabled: {value}}}"));
            assert!(matches!(&entry, Entry::Broken(_)) && !entry.is_enabled(), "{value}");
        }
        assert!(matches!(decoded("- {name: x, harness: claude, enabled: false}"), Entry::Disabled(_)));
    }

    #[test]
    fn what_is_known_of_a_broken_entry_is_kept() {
        let entry = decoded("- {name: x, harness: h, model: m, command: c, args: 5}");
        assert_eq!((entry.name(), entry.harness(), entry.model()), (Some("x"), "h", "m"));
        assert_eq!((entry.program(), entry.is_enabled()), (Some("c"), true));
        assert_eq!(decoded("- {name: x, harness: claude, bad: 1}").program(), Some("claude"));
    }

    #[test]
    fn an_empty_command_is_as_if_not_set_and_a_blank_one_is_told() {
        let critic = valid("- {name: a, harness: claude, command: ''}");
        assert_eq!(critic.program(), &Program::BuiltIn(Adapter::Claude));
        insta::assert_snapshot!(told("- {name: a, command: ' ', args: ['{prompt}']}"), @"line 2, column 22: critic `a`, `command`: the command is blank; name an executable, or remove the key");
    }

    #[test]
    fn a_tagged_key_and_a_nul_are_told() {
        let of_harness = |more: &str| told(&format!("- {{name: a, harness: claude, {more}}}"));
        assert!(of_harness("!x comand: b").contains("expected a key, found a value with the tag `!x`"));
        assert!(of_harness(r#"env: {A: "b\0c"}"#).contains("the value of `A` holds a NUL"));
        assert!(!of_harness(r#"env: {A: "b\0c"}"#).contains("b\0"));
    }
}
