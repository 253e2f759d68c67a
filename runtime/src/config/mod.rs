//! The operator's `cli-config.yaml`: where it is, and what it holds before anybody gives it a meaning.
//!
//! [`OperatorConfig`] is read once. Its entries and its review policy stay [`Node`]s here; `critic` and `policy`
//! decode them, so that what is wrong in one part does not cost another.

mod checkout;
mod dotenv;
mod nearest;
mod problem;
mod routing;
mod scalar;
mod visible;
mod yaml;

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use checkout::notices;
pub use dotenv::{EnvFile, EnvFileError};
pub use nearest::nearest;
pub use problem::{Position, Problem, told};
pub use routing::{Keywords, Routing, plain_name};
pub use scalar::shortened;
pub use visible::visible;
pub use yaml::{Content, Duplicate, Node, Notation, parse as parse_yaml};

/// Largest config that is read, in bytes.
const LARGEST: usize = 1024 * 1024;

/// Where the config is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A file that somebody named; it has to be there.
    Named(PathBuf, NamedBy),
    /// `~/.the-loop/cli-config.yaml`; when missing, nothing is configured.
    Default(PathBuf),
    /// Nothing was named and there is no home: `HOME` is not set, or not absolute.
    Nowhere,
}

/// Who named a config file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// `--config`.
    Flag,
    /// `$THE_LOOP_CLI_CONFIG`.
    Variable,
}

impl fmt::Display for NamedBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Flag => "--config",
            Self::Variable => "$THE_LOOP_CLI_CONFIG",
        })
    }
}

/// Why a config is refused as a whole. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that cannot be read.
    #[error("cannot read the config `{}`: {source}; {remedy}", visible(&path.to_string_lossy()))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
        /// What to do about it.
        remedy: String,
    },
    /// A file with problems that leave nothing to run.
    #[error("{}", located(path, problems))]
    Refused {
        /// The file.
        path: PathBuf,
        /// At least one, in file order.
        problems: Vec<Problem>,
    },
    /// The file that `env.file` names.
    #[error(transparent)]
    EnvFile(#[from] EnvFileError),
}

fn located(path: &Path, problems: &[Problem]) -> String {
    let path = path.to_string_lossy();
    told(problems, "\n", |problem| format!("{}: {problem}", visible(&path)))
}

/// Finds the config: the flag, else the variable unless it is empty, else the home's default.
pub fn locate(flag: Option<&Path>, variable: Option<&OsStr>, home: Option<&Path>) -> Location {
    if let Some(path) = flag {
        return Location::Named(path.to_owned(), NamedBy::Flag);
    }
    match (variable, home) {
        (Some(path), _) if !path.is_empty() => Location::Named(path.into(), NamedBy::Variable),
        // A relative one would lead into the checkout.
        (_, Some(home)) if home.is_absolute() => Location::Default(home.join(".the-loop/cli-config.yaml")),
        _ => Location::Nowhere,
    }
}

/// The operator's config, read and split into its parts.
#[derive(Debug, Default)]
pub struct OperatorConfig {
    path: Option<PathBuf>,
    homeless: bool,
    directory: PathBuf,
    critics: Vec<Node>,
    reviews: Option<Node>,
    env: Option<Node>,
    routing: Option<Node>,
    graphs: Option<Node>,
    event_log: Option<Node>,
}

impl OperatorConfig {
    /// Reads the config. A missing default file is an empty config.
    ///
    /// # Errors
    /// A file that cannot be read, is no YAML, or whose `critics` is neither a list nor null.
    pub fn load(location: &Location) -> Result<Self, ConfigError> {
        let (path, remedy) = match location {
            Location::Nowhere => return Ok(Self { homeless: true, ..Self::default() }),
            Location::Default(path) if is_missing(path) => return Ok(Self::default()),
            Location::Default(path) => (path, "make it readable, or name another with `--config`".to_owned()),
            Location::Named(path, by) => (path, format!("name a readable file with {by}")),
        };
        let unreadable =
            |source| ConfigError::Unreadable { path: path.clone(), source, remedy: remedy.clone() };
        // Absolute before anybody changes the working directory; links are kept.
        let path = std::path::absolute(path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        // A pipe is fine where somebody names it, as `--config <(…)` does; nobody feeds one that was not named.
        if let Location::Default(_) = location
            && !fs::metadata(&path).map_err(unreadable)?.is_file()
        {
            return Err(unreadable(io::Error::other("not a regular file")));
        }
        let file = File::open(&path).map_err(unreadable)?;
        file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        let text = decode(bytes).map_err(|problem| refused(&path, problem))?;
        Self::parse(&path, &text)
    }

    /// Splits the text of a config that stands at `path`, an absolute path.
    ///
    /// # Errors
    /// As [`OperatorConfig::load`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let directory = path.parent().unwrap_or(path).to_owned();
        let mut config = Self { path: Some(path.to_owned()), directory, ..Self::default() };
        match yaml::parse(text).map_err(|problem| refused(path, problem))? {
            Some(root) if !root.is_null() => config.fill(&root).map_err(|problem| refused(path, problem))?,
            _ => {}
        }
        Ok(config)
    }

    fn fill(&mut self, root: &Node) -> Result<(), Problem> {
        let pairs = root.mapping().map_err(|problem| problem.remedy("start with `critics:`"))?;
        if let Some(duplicate) = root.own_duplicate() {
            return Err(duplicate.problem());
        }
        for (key, value) in pairs {
            let part = match key.content() {
                Content::Scalar(word, _) if key.tag().is_none() => word.as_str(),
                _ => "",
            };
            if part == "critics" && !value.is_null() {
                let remedy = "write `critics:` with one `- name: …` for each critic, or `critics: []`";
                let items = value.sequence().map_err(|wrong| wrong.about("`critics`").remedy(remedy))?;
                self.critics = items.to_vec();
                continue;
            }
            if let Some(duplicate) = value.duplicate() {
                return Err(duplicate.problem());
            }
            let slot = match part {
                "reviews" => &mut self.reviews,
                "env" => &mut self.env,
                "routing" => &mut self.routing,
                "graphs" => &mut self.graphs,
                "eventLog" => &mut self.event_log,
                _ => continue,
            };
            *slot = Some(value.clone()).filter(|value| !value.is_null());
        }
        Ok(())
    }

    /// The file, absolute; `None` when nothing is configured.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What to say when there are no critics, as the rest of a sentence.
    pub const fn nothing(&self) -> &'static str {
        if self.homeless {
            "no critics are configured, since HOME is not set to an absolute path; set it, or name a file with \
             `--config`"
        } else {
            "no critics are configured; declare them under `critics:` in ~/.the-loop/cli-config.yaml, or name \
             another file with `--config`"
        }
    }

    /// The file's directory, absolute; a command with a slash is relative to it.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The entries of `critics` as written.
    pub fn critics(&self) -> &[Node] {
        &self.critics
    }

    /// The `reviews` block as written.
    pub const fn reviews(&self) -> Option<&Node> {
        self.reviews.as_ref()
    }

    /// The `graphs` list as written.
    pub const fn graphs(&self) -> Option<&Node> {
        self.graphs.as_ref()
    }

    /// `routing.graph.specDir` as written, relative to the root, else `docs/specs`.
    ///
    /// # Errors
    /// When it, or what holds it, has the wrong type.
    pub fn spec_root(&self) -> Result<PathBuf, ConfigError> {
        let graph = self.child(self.routing.as_ref(), "routing", "graph")?;
        let directory = self.child(graph, "routing.graph", "specDir")?;
        let Some(directory) = directory else { return Ok(PathBuf::from("docs/specs")) };
        let text = directory.text().map_err(|wrong| self.refuse(wrong.about("`routing.graph.specDir`")))?;
        if text.is_empty() || text.contains('\0') {
            let problem =
                Problem::new(directory.at(), "expected a directory, found an empty text or one with a NUL");
            return Err(
                self.refuse(problem.about("`routing.graph.specDir`").remedy("name one, or remove the key"))
            );
        }
        Ok(text.into())
    }

    /// The variables of the file that `env.file` names; none when it names none.
    ///
    /// # Errors
    /// A wrong type, a file that cannot be read, a malformed line.
    pub fn env_file(&self) -> Result<EnvFile, ConfigError> {
        let Some(file) = self.child(self.env.as_ref(), "env", "file")? else { return Ok(EnvFile::default()) };
        let name = file.text().map_err(|wrong| self.refuse(wrong.about("`env.file`")))?;
        Ok(EnvFile::read(&self.directory.join(name))?)
    }

    /// A problem with the name of this file before it.
    pub fn located(&self, problem: &Problem) -> String {
        let path = self.path.as_deref().unwrap_or(Path::new("config"));
        located(path, std::slice::from_ref(problem))
    }

    /// An error about this file.
    pub fn refuse(&self, problem: Problem) -> ConfigError {
        self.refuse_all(vec![problem])
    }

    /// An error about this file with all its problems.
    pub fn refuse_all(&self, problems: Vec<Problem>) -> ConfigError {
        ConfigError::Refused { path: self.path.clone().unwrap_or_default(), problems }
    }

    fn child<'a>(
        &self,
        of: Option<&'a Node>,
        name: &str,
        key: &str,
    ) -> Result<Option<&'a Node>, ConfigError> {
        let Some(node) = of.filter(|node| !node.is_null()) else { return Ok(None) };
        let pairs = node.mapping().map_err(|wrong| self.refuse(wrong.about(format!("`{name}`"))))?;
        Ok(pairs.iter().find(|(written, _)| written.is_key(key)).map(|(_, value)| value))
    }
}

fn is_missing(path: &Path) -> bool {
    // A link that leads nowhere is there, and somebody wanted it to be read.
    path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn refused(path: &Path, problem: Problem) -> ConfigError {
    ConfigError::Refused { path: path.to_owned(), problems: vec![problem] }
}

fn decode(bytes: Vec<u8>) -> Result<String, Problem> {
    if bytes.len() > LARGEST {
        return Err(Problem::new(position_after(&bytes[..LARGEST]), "the file is larger than 1 MiB")
            .remedy("keep what other programs need elsewhere"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        Problem::new(position_after(&error.as_bytes()[..valid]), "not UTF-8").remedy("save the file as UTF-8")
    })
}

/// The place that follows some bytes.
fn position_after(bytes: &[u8]) -> Position {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let last = lines.last().copied().unwrap_or_default();
    Position { line: lines.len(), column: String::from_utf8_lossy(last).chars().count() + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        OperatorConfig::parse(Path::new("/c.yaml"), text).unwrap_err().to_string()
    }

    #[test]
    fn the_flag_wins_over_the_variable_and_the_home() {
        let (flag, variable, home) = (Path::new("f"), OsStr::new("v"), Path::new("/h"));
        let located = |flag, variable| locate(flag, variable, Some(home));
        assert_eq!(located(Some(flag), Some(variable)), Location::Named("f".into(), NamedBy::Flag));
        assert_eq!(located(None, Some(variable)), Location::Named("v".into(), NamedBy::Variable));
        let default = Location::Default("/h/.the-loop/cli-config.yaml".into());
        assert_eq!(located(None, Some(OsStr::new(""))), default);
        for home in [None, Some(Path::new("")), Some(Path::new(".")), Some(Path::new("home/me"))] {
            assert_eq!(locate(None, None, home), Location::Nowhere, "{home:?}");
        }
    }

    #[test]
    fn a_missing_default_is_empty_and_a_missing_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none.yaml");
        assert_eq!(OperatorConfig::load(&Location::Default(path.clone())).unwrap().path(), None);
        let named = OperatorConfig::load(&Location::Named(path.clone(), NamedBy::Variable));
        assert!(named.unwrap_err().to_string().ends_with("name a readable file with $THE_LOOP_CLI_CONFIG"));
        let named = OperatorConfig::load(&Location::Named(path.clone(), NamedBy::Flag));
        assert!(named.unwrap_err().to_string().ends_with("name a readable file with --config"));
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &path).unwrap();
        assert!(OperatorConfig::load(&Location::Default(path)).is_err());
    }

    #[test]
    fn bytes_that_are_no_text_and_files_too_large_are_located() {
        let latin = decode(b"a: b\nc: \xe9".to_vec()).unwrap_err();
        insta::assert_snapshot!(latin, @"line 2, column 4: not UTF-8; save the file as UTF-8");
        let mut large = b"# x\n".repeat(LARGEST / 4);
        large.push(b'#');
        insta::assert_snapshot!(decode(large).unwrap_err(), @"line 262145, column 1: the file is larger than 1 MiB; keep what other programs need elsewhere");
    }

    #[test]
    fn what_leaves_nothing_to_run_refuses_the_file() {
        insta::assert_snapshot!(refusal("critics: {a: 1}"), @"/c.yaml: line 1, column 10: `critics`: expected a list, found a mapping; write `critics:` with one `- name: …` for each critic, or `critics: []`");
        insta::assert_snapshot!(refusal("critics: !!seq []"), @"/c.yaml: line 1, column 16: `critics`: expected a list, found a value with the tag `!!seq`; remove the tag");
        insta::assert_snapshot!(refusal("- a"), @"/c.yaml: line 1, column 1: expected a mapping, found a list; start with `critics:`");
        insta::assert_snapshot!(refusal("critics: []\ncritics: []"), @"/c.yaml: line 2, column 1: the key `critics` stands here and in line 1; keep one of them");
        insta::assert_snapshot!(refusal("other:\n  - {a: 1, a: 2}\ncritics: []"), @"/c.yaml: line 2, column 12: the key `a` stands here and in line 2; keep one of them");
    }

    #[test]
    fn a_byte_order_mark_carriage_returns_and_quoted_keys_change_nothing() {
        let text = "\u{feff}# note\r\n\"critics\":\r\n  - name: a\r\n    model: m\r\n...\r\n";
        let config = OperatorConfig::parse(Path::new("/c.yaml"), text).unwrap();
        let [entry] = config.critics() else { panic!("{config:?}") };
        let (_, model) = &entry.mapping().unwrap()[1];
        assert_eq!((model.text().unwrap(), model.at()), ("m", Position { line: 4, column: 12 }));
    }

    #[test]
    fn parts_that_are_null_are_absent() {
        for text in ["", "# nothing", "~", "critics:\nreviews:\nenv:\nrouting:", "critics: ~", "other: {}"] {
            let config = OperatorConfig::parse(Path::new("/c.yaml"), text).unwrap();
            assert!(config.critics().is_empty() && config.reviews().is_none(), "{text}");
            assert_eq!(config.spec_root().unwrap(), Path::new("docs/specs"));
            assert_eq!(config.env_file().unwrap(), EnvFile::default());
        }
    }

    #[test]
    fn the_spec_root_is_read_where_routing_has_it() {
        let spec_root = |text| OperatorConfig::parse(Path::new("/c.yaml"), text).unwrap().spec_root();
        assert_eq!(spec_root("routing: {graph: {specDir: specs}}").unwrap(), Path::new("specs"));
        assert!(spec_root("routing: {graph: {specDir: []}}").is_err());
        assert!(spec_root("routing: {graph: 5}").is_err());
        assert!(spec_root("routing: {graph: {specDir: ''}}").is_err());
        assert!(spec_root(r#"routing: {graph: {specDir: "a\0"}}"#).is_err());
    }

    #[test]
    fn a_mebibyte_is_read_and_one_byte_more_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.yaml");
        let load = || OperatorConfig::load(&Location::Named(path.clone(), NamedBy::Flag));
        std::fs::write(&path, format!("#{}", "x".repeat((1 << 20) - 1))).unwrap();
        assert!(load().is_ok());
        std::fs::write(&path, format!("#{}", "x".repeat(1 << 20))).unwrap();
        assert!(load().unwrap_err().to_string().contains("larger than 1 MiB"));
    }

    #[test]
    fn a_key_with_a_tag_is_none_of_ours() {
        let config = OperatorConfig::parse(Path::new("/c.yaml"), "!x critics: [{name: a}]").unwrap();
        assert!(config.critics().is_empty());
    }
}
