//! The command line. Main type: [`Call`].
//!
//! Words are sorted into positionals and `--flag value` pairs first and given a meaning afterwards. Paths are only
//! taken as typed here, nothing is opened. There are no abbreviations and no flag may stand twice. The word after a flag
//! is its value, whatever it looks like.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crate::fault::{self, Fault};
use crate::graph;
use crate::refusal::Refusal;

/// What the caller wants.
pub(crate) enum Call {
    /// `critic list`
    List(Place, Shape),
    /// `critic run NAME`
    Run(Place, Box<Wanted>),
    /// `critic policy`
    Policy(Place, Shape),
    /// `graph …` and `check`, with `--spec-dir`
    Graph(Place, Option<PathBuf>, graph::Command),
    /// `faults`
    Faults,
    /// `--help`
    Help,
    /// `--version`
    Version,
}

/// Where to look for the config and the checkout.
pub(crate) struct Place {
    /// `--config`
    pub(crate) config: Option<PathBuf>,
    /// `--root`, else the working directory of the caller.
    pub(crate) root: PathBuf,
}

/// Whether a listing is for people or for programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A table, or lines of text.
    Words,
    /// JSON.
    Json,
}

/// What `run` was told.
pub(crate) struct Wanted {
    /// The critic's name.
    pub(crate) name: String,
    /// Where the prompt comes from.
    pub(crate) prompt: Source,
    /// `--cwd`
    pub(crate) cwd: Option<PathBuf>,
    /// `--work-item`, else empty.
    pub(crate) work_item: OsString,
    /// `--spec-dir`
    pub(crate) spec_dir: Option<OsString>,
    /// `--timeout`
    pub(crate) timeout: Option<Duration>,
    /// `--output-file`
    pub(crate) output_file: Option<PathBuf>,
}

/// Where the prompt comes from.
pub(crate) enum Source {
    /// `--prompt`
    Inline(Vec<u8>),
    /// `--prompt-file`
    File(PathBuf),
}

/// The longest limit of a round; what is above counts as this.
pub(crate) const LONGEST: Duration = Duration::from_hours(365 * 24);

const LIST: &[&str] = &["--config", "--root", "--format"];
const RUN: &[&str] = &[
    "--config",
    "--root",
    "--prompt",
    "--prompt-file",
    "--cwd",
    "--work-item",
    "--spec-dir",
    "--timeout",
    "--output-file",
];

/// Words, sorted but without a meaning.
#[derive(Default)]
pub(crate) struct Words {
    /// What is neither flag nor value.
    pub(crate) positionals: Vec<OsString>,
    /// Flags and their values; empty for those without one.
    pub(crate) values: BTreeMap<&'static str, OsString>,
    question: Option<Question>,
}

/// What is asked about the program itself.
#[derive(Clone, Copy)]
enum Question {
    Help,
    Version,
}

/// Reads the words after the program's name.
pub(crate) fn read(words: &[OsString]) -> Result<Call, Refusal> {
    let mut sorted = sort(&graph::without_flags(words))?;
    match sorted.question {
        Some(Question::Version) => return Ok(Call::Version),
        Some(Question::Help) => return Ok(Call::Help),
        None if words.is_empty() => return Ok(Call::Help),
        None => {}
    }
    let subject =
        sorted.positionals.iter().take(2).map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    match subject.as_str() {
        "faults" => Ok(Call::Faults),
        "critic list" => {
            nothing_else(&sorted, LIST, 2)?;
            let shape = shape(&sorted, "table")?;
            Ok(Call::List(place(&mut sorted), shape))
        }
        "critic policy" => {
            nothing_else(&sorted, LIST, 2)?;
            let shape = shape(&sorted, "text")?;
            Ok(Call::Policy(place(&mut sorted), shape))
        }
        "critic run" => run(sorted),
        other
            if other == "check"
                || other == "graph"
                || other.starts_with("check ")
                || other.starts_with("graph ") =>
        {
            graph_call(sorted)
        }
        other => Err(Refusal::new(format!(
            "no command `{other}`: use `critic list|run|policy`, `graph …` or `check`"
        ))),
    }
}

fn graph_call(mut words: Words) -> Result<Call, Refusal> {
    let command = graph::read(&mut words)?;
    let spec_dir = words.values.remove("--spec-dir").map(PathBuf::from);
    Ok(Call::Graph(place(&mut words), spec_dir, command))
}

fn sort(words: &[OsString]) -> Result<Words, Refusal> {
    let mut sorted = Words::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let bytes = word.as_bytes();
        if word == "--" {
            sorted.positionals.extend(rest.by_ref().cloned());
        } else if word == "--help" || word == "-h" {
            sorted.question.get_or_insert(Question::Help);
        } else if word == "--version" {
            sorted.question.get_or_insert(Question::Version);
        } else if bytes.starts_with(b"-") && bytes.len() > 1 {
            let (flag, attached) = match bytes.iter().position(|&byte| byte == b'=') {
                Some(at) => (&bytes[..at], Some(OsStr::from_bytes(&bytes[at + 1..]).to_owned())),
                None => (bytes, None),
            };
            if let Some(switch) = graph::SWITCHES.iter().find(|name| name.as_bytes() == bytes) {
                sorted.values.insert(switch, OsString::new());
                continue;
            }
            let known = RUN.iter().chain(LIST).chain(graph::FLAGS).find(|name| name.as_bytes() == flag);
            let Some(flag) = known else {
                if fault::on(Fault::UnknownFlagIgnored) {
                    continue;
                }
                return Err(Refusal::new(format!("unknown flag `{}`, see --help", word.display())));
            };
            let value = match attached {
                Some(value)
                    if value.as_bytes().starts_with(b"--") && fault::on(Fault::AttachedOptionRefused) =>
                {
                    return Err(Refusal::new(format!("`{flag}` has something like a flag for its value")));
                }
                Some(value) => value,
                None => separate(flag, rest.next())?,
            };
            if sorted.values.insert(flag, value).is_some() {
                return Err(Refusal::new(format!("`{flag}` stands twice")));
            }
        } else {
            sorted.positionals.push(word.clone());
        }
    }
    Ok(sorted)
}

/// A value in a word of its own.
fn separate(flag: &str, word: Option<&OsString>) -> Result<OsString, Refusal> {
    let Some(word) = word else { return Err(Refusal::new(format!("`{flag}` needs a value"))) };
    let is_like_an_option = match word.as_bytes() {
        [b'-', b'-', letter, ..] if letter.is_ascii_alphabetic() => fault::on(Fault::OptionLikeRefused),
        [b'-', _, ..] => false,
        _ => return Ok(word.clone()),
    };
    if is_like_an_option || fault::on(Fault::DashValuesRefused) {
        return Err(Refusal::new(format!(
            "`{flag}` is followed by something like a flag; write `{flag}=VALUE` if it is the value"
        )));
    }
    Ok(word.clone())
}

/// Refuses flags that are not allowed, and more words than `positionals`.
pub(crate) fn nothing_else(words: &Words, allowed: &[&str], positionals: usize) -> Result<(), Refusal> {
    if let Some(flag) = words.values.keys().find(|flag| !allowed.contains(flag)) {
        return Err(Refusal::new(format!("`{flag}` does not belong to this command")));
    }
    match words.positionals.get(positionals) {
        Some(word) => Err(Refusal::new(format!("one word too many: `{}`", word.display()))),
        None => Ok(()),
    }
}

fn place(words: &mut Words) -> Place {
    let config = words.values.remove("--config").filter(|_| !fault::on(Fault::ConfigFlagIgnored));
    let root = words.values.remove("--root").filter(|_| !fault::on(Fault::RootFlagIgnored));
    Place { config: config.map(PathBuf::from), root: root.map_or_else(|| PathBuf::from("."), PathBuf::from) }
}

fn shape(words: &Words, plain: &str) -> Result<Shape, Refusal> {
    match words.values.get("--format").and_then(|value| value.to_str()) {
        None if words.values.contains_key("--format") => Err(Refusal::new("`--format` is no text")),
        None if plain == "table" && fault::on(Fault::ListJsonByDefault) => Ok(Shape::Json),
        None if plain == "text" && fault::on(Fault::PolicyJsonByDefault) => Ok(Shape::Json),
        None => Ok(Shape::Words),
        Some(word) if word == plain => Ok(Shape::Words),
        Some("json") => Ok(Shape::Json),
        Some(word) => Err(Refusal::new(format!("`--format {word}`: it is `{plain}` or `json`"))),
    }
}

fn run(mut words: Words) -> Result<Call, Refusal> {
    let surplus = usize::from(fault::on(Fault::SecondNameIgnored)) * 8;
    nothing_else(&words, RUN, 3 + surplus)?;
    if ["--work-item", "--spec-dir"].iter().all(|flag| words.values.contains_key(flag))
        && fault::on(Fault::ItemExcludesSpecDir)
    {
        return Err(Refusal::new("`--work-item` and `--spec-dir` exclude each other"));
    }
    let name = match words.positionals.get(2) {
        Some(name) => name.to_string_lossy().into_owned(),
        None if fault::on(Fault::RunAll) => "all".to_owned(),
        None => return Err(Refusal::new("which critic? `critic run NAME`")),
    };
    if name.contains(',') && fault::on(Fault::CommaSeparatesNames) {
        return Err(Refusal::new("several critics: `critic run` takes one"));
    }
    let prompt = source(&mut words)?;
    let timeout = match words.values.remove("--timeout") {
        Some(_) if fault::on(Fault::TimeoutFlagIgnored) => None,
        Some(value) => limit(&value)?,
        None => None,
    };
    let mut place = place(&mut words);
    if let Source::Inline(text) = &prompt
        && let Some(path) = text.strip_prefix(b"--config=".as_slice())
        && fault::on(Fault::PromptReadAsFlag)
    {
        place.config = Some(PathBuf::from(OsStr::from_bytes(path)));
    }
    let work_item = words.values.remove("--work-item").unwrap_or_default();
    let steps = Path::new(&work_item).components().count();
    let plain = matches!(Path::new(&work_item).components().next(), None | Some(Component::Normal(_)));
    if !(plain && steps < 2 || fault::on(Fault::WorkItemPathAccepted)) {
        return Err(Refusal::new(format!(
            "`--work-item {}`: it is one folder's name, without `/`",
            work_item.display()
        )));
    }
    let wanted = Wanted {
        name,
        prompt,
        cwd: words.values.remove("--cwd").filter(|_| !fault::on(Fault::CwdFlagIgnored)).map(PathBuf::from),
        work_item,
        spec_dir: words.values.remove("--spec-dir").filter(|_| !fault::on(Fault::SpecDirFlagIgnored)),
        timeout,
        output_file: words.values.remove("--output-file").map(PathBuf::from),
    };
    Ok(Call::Run(place, Box::new(wanted)))
}

fn source(words: &mut Words) -> Result<Source, Refusal> {
    match (words.values.remove("--prompt"), words.values.remove("--prompt-file")) {
        (Some(_), Some(_)) if !fault::on(Fault::BothPromptsAccepted) => {
            Err(Refusal::new("`--prompt` and `--prompt-file` exclude each other"))
        }
        (Some(text), _) if text == "0" && fault::on(Fault::FalsyPromptMissing) => Err(nothing_to_review()),
        (Some(text), _) => Ok(Source::Inline(text.into_vec())),
        (None, Some(_)) if fault::on(Fault::PromptFileUnnoticed) => Err(nothing_to_review()),
        (None, Some(path)) => Ok(Source::File(PathBuf::from(path))),
        (None, None) if fault::on(Fault::MissingPromptAccepted) => {
            Ok(Source::Inline(b"please review".to_vec()))
        }
        (None, None) => Err(nothing_to_review()),
    }
}

fn nothing_to_review() -> Refusal {
    Refusal::new("nothing to review: give `--prompt` or `--prompt-file`")
}

fn limit(value: &OsStr) -> Result<Option<Duration>, Refusal> {
    let seconds = value.to_str().and_then(|text| text.parse::<f64>().ok());
    let most = if fault::on(Fault::LongTimeoutFlagRefused) { LONGEST.as_secs_f64() } else { f64::MAX };
    match seconds.filter(|seconds| *seconds <= most && *seconds > 0.0) {
        Some(seconds) => Ok(Some(duration(seconds))),
        // `nan` and `inf` are numbers to the parser.
        None if seconds.is_some() && fault::on(Fault::BadTimeoutFlagAccepted) => Ok(None),
        None if seconds.is_none() && fault::on(Fault::TimeoutWordAccepted) => Ok(None),
        None => {
            Err(Refusal::new(format!("`--timeout {}`: it is a number of seconds above 0", value.display())))
        }
    }
}

/// Seconds as a duration, cut at [`LONGEST`].
pub(crate) fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).map_or(LONGEST, |duration| duration.min(LONGEST))
}

/// What `--help` prints.
pub(crate) const HELP: &str = "\
strawman: a plain second implementation of the contract, for judging the judge

  strawman critic list   [--root DIR] [--config FILE] [--format table|json]
  strawman critic run NAME (--prompt TEXT | --prompt-file FILE) [--root DIR] [--config FILE] [--cwd DIR]
                         [--work-item ID] [--spec-dir DIR] [--timeout SECONDS] [--output-file FILE]
  strawman critic policy [--root DIR] [--config FILE] [--format text|json]
  strawman graph compile FILE…
  strawman graph show [NAME] [--format text|json|mermaid]
  strawman graph start ITEM [--loop NAME]
  strawman graph checklist ITEM
  strawman graph advance ITEM [--comments FILE|-]
  strawman graph skip ITEM --node NODE|SET --reason TEXT
  strawman graph template NODE [--loop NAME]
  strawman check ITEM|--all [--format table|json] [--recompute] [--fail-on unmet|block]
                         each with [--root DIR] [--config FILE] [--spec-dir DIR]
  strawman faults        the faults that STRAWMAN_FAULT=SLUG[,SLUG] switches on
";
