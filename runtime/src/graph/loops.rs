//! Loops: the graphs that can be walked, by name.
//!
//! [`Loops`] knows the shipped ones and those the operator declares; a graph in a checkout is never picked up by
//! itself. A loop is compiled when it is asked for, so that a faulty one costs no other.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::{CompiledGraph, NodeId};
use crate::config::{
    ConfigError, Node as Yaml, OperatorConfig, Position, Problem, nearest, shortened, told, visible,
};

/// The loop of an item that names none.
pub const DEFAULT_LOOP: &str = SHIPPED[0].0;

/// The loops inside the program.
const SHIPPED: [(&str, &str); 3] = [
    ("pdlc-work-item-loop", include_str!("../../loops/pdlc-work-item-loop.yaml")),
    ("pdlc-pr-loop", include_str!("../../loops/pdlc-pr-loop.yaml")),
    ("pdlc-contribution-loop", include_str!("../../loops/pdlc-contribution-loop.yaml")),
];

/// Largest graph file that is read, in bytes.
const LARGEST: usize = 8 * 1024 * 1024;

/// Every loop that there is.
#[derive(Clone, Debug)]
pub struct Loops {
    declared: Vec<Declared>,
}

#[derive(Clone, Debug)]
struct Declared {
    name: String,
    /// Absolute.
    path: PathBuf,
}

/// Why a loop cannot be walked. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum LoopError {
    /// No loop has that name.
    #[error("no loop is called `{name}`; {remedy}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest, or all.
        remedy: String,
    },
    /// A file that cannot be read.
    #[error("cannot read the graph `{}`: {source}; name a readable file", visible(&path.to_string_lossy()))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A graph with faults.
    #[error("the graph {origin} does not compile:\n{}", told(problems, "\n", Problem::to_string))]
    Faulty {
        /// Where it is from.
        origin: Origin,
        /// Its text, as far as it is one.
        text: String,
        /// At least one, in file order.
        problems: Vec<Problem>,
    },
}

/// Where a graph is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// The program itself.
    Shipped(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "`{}`", visible(&path.to_string_lossy())),
            Self::Shipped(name) => write!(formatter, "`{name}`"),
        }
    }
}

impl Loops {
    /// The shipped loops and those of the operator's `graphs`, whose paths are relative to the config. Files are not
    /// opened.
    ///
    /// # Errors
    /// Every entry of `graphs` without a name, without a path, or with the name of another.
    pub fn read(config: &OperatorConfig) -> Result<Self, ConfigError> {
        let Some(graphs) = config.graphs() else { return Ok(Self { declared: Vec::new() }) };
        let entries = graphs.sequence().map_err(|wrong| {
            config.refuse(
                wrong.about("`graphs`").remedy("write `graphs:` with one `- {name: …, path: …}` for each"),
            )
        })?;
        let mut problems = Vec::new();
        let mut declared: Vec<Declared> = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            let about = format!("`graphs` entry {}", number + 1);
            match read_entry(entry, config.directory()) {
                Ok(read) if declared.iter().any(|other| other.name == read.name) => {
                    let what = format!("a second graph with the name `{}`", read.name);
                    problems.push(Problem::new(entry.at(), what).about(about).remedy("rename one of them"));
                }
                Ok(read) => declared.push(read),
                Err(wrong) => problems.push(wrong.about(about)),
            }
        }
        if problems.is_empty() { Ok(Self { declared }) } else { Err(config.refuse_all(problems)) }
    }

    /// The names of all loops: the declared ones, then the shipped ones that no declared one replaces.
    pub fn names(&self) -> Vec<&str> {
        let declared = self.declared.iter().map(|declared| declared.name.as_str());
        let shipped = SHIPPED.iter().map(|(name, _)| *name);
        declared
            .chain(shipped.filter(|name| self.declared.iter().all(|declared| declared.name != *name)))
            .collect()
    }

    /// Whether a loop has that name. Any text may be asked for.
    pub fn contains(&self, name: &str) -> bool {
        self.names().contains(&name)
    }

    /// Compiles the loop of that name, which is also the name of the graph.
    ///
    /// # Errors
    /// When there is none, its file cannot be read, or it does not compile.
    pub fn load(&self, name: &str) -> Result<CompiledGraph, LoopError> {
        if let Some(declared) = self.declared.iter().find(|declared| declared.name == name) {
            let graph = read_graph(&declared.path)?;
            return match graph.name().as_str() {
                own if own == name => Ok(graph),
                own => {
                    let problem = Problem::new(
                        Position { line: 1, column: 1 },
                        format!("its name is `{own}`, the config declares it as `{name}`"),
                    );
                    let problem = problem.remedy("write the same name in both");
                    Err(LoopError::Faulty {
                        origin: Origin::File(declared.path.clone()),
                        text: String::new(),
                        problems: vec![problem],
                    })
                }
            };
        }
        let Some((name, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) else {
            let names = self.names();
            let remedy = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the loops are {}", names.join(", ")),
            };
            return Err(LoopError::Unknown { name: visible(&shortened(name)).into_owned(), remedy });
        };
        compile(text, Origin::Shipped(name))
    }
}

fn read_entry(entry: &Yaml, directory: &Path) -> Result<Declared, Problem> {
    const REMEDY: &str = "write `- {name: …, path: …}`";
    let pairs = entry.mapping().map_err(|wrong| wrong.remedy(REMEDY))?;
    if let Some(duplicate) = entry.own_duplicate() {
        return Err(duplicate.problem());
    }
    if let Some((key, _)) = pairs.iter().find(|(key, _)| !key.is_key("name") && !key.is_key("path")) {
        return Err(Problem::new(key.at(), "unknown key").remedy("the keys are name, path"));
    }
    let value = |key: &str| {
        let found = pairs.iter().find(|(written, _)| written.is_key(key));
        let (_, value) =
            found.ok_or_else(|| Problem::new(entry.at(), format!("`{key}` is missing")).remedy(REMEDY))?;
        Ok((value, value.text()?))
    };
    let (named, name) = value("name")?;
    if NodeId::new(name).is_none() {
        let what = format!("`{}` is no name of a graph", shortened(name));
        return Err(Problem::new(named.at(), what).remedy("write lower-case words (a-z, 0-9) joined by `-`"));
    }
    let (written, path) = value("path")?;
    if path.is_empty() || path.contains('\0') {
        return Err(
            Problem::new(written.at(), "the path is empty or holds a NUL").remedy("name the graph's file")
        );
    }
    Ok(Declared { name: name.to_owned(), path: directory.join(path) })
}

/// Reads and compiles a graph file.
///
/// # Errors
/// When it cannot be read or does not compile.
pub fn read_graph(path: &Path) -> Result<CompiledGraph, LoopError> {
    let origin = Origin::File(path.to_owned());
    let unreadable = |source| LoopError::Unreadable { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let at = Position { line: 1, column: 1 };
    let faulty =
        |problem| LoopError::Faulty { origin: origin.clone(), text: String::new(), problems: vec![problem] };
    if bytes.len() > LARGEST {
        return Err(faulty(Problem::new(at, "the file is larger than 8 MiB").remedy("split the graph")));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| faulty(Problem::new(at, "not UTF-8").remedy("save the file as UTF-8")))?;
    compile(&text, origin)
}

fn compile(text: &str, origin: Origin) -> Result<CompiledGraph, LoopError> {
    CompiledGraph::compile(text).map_err(|problems| LoopError::Faulty {
        origin,
        text: text.to_owned(),
        problems,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::graph::{ArtifactPath, Gate, Node, Outcome};

    const SMALL: &str = include_str!("../../tests/graphs/small.yaml");

    fn declared(graphs: &str, directory: &Path) -> Result<Loops, String> {
        let config =
            OperatorConfig::parse(&directory.join("c.yaml"), graphs).map_err(|error| error.to_string())?;
        Loops::read(&config).map_err(|error| error.to_string().replace(&*directory.to_string_lossy(), ""))
    }

    fn shipped(name: &str) -> CompiledGraph {
        Loops::read(&OperatorConfig::default()).unwrap().load(name).unwrap()
    }

    fn ids(graph: &CompiledGraph) -> Vec<&str> {
        graph.nodes().iter().map(|node| node.id().as_str()).collect()
    }

    #[test]
    fn every_shipped_loop_compiles_under_its_name() {
        for (name, _) in SHIPPED {
            assert_eq!(shipped(name).name().as_str(), name);
        }
        assert_eq!(DEFAULT_LOOP, "pdlc-work-item-loop");
    }

    #[test]
    fn the_work_item_loop_has_its_phases_in_order() {
        let graph = shipped(DEFAULT_LOOP);
        assert_eq!(
            ids(&graph),
            [
                "phase-selection",
                "brainstorming",
                "requirements-definition",
                "requirements-approval",
                "design",
                "design-critic-review",
                "test-planning",
                "design-approval",
                "tasks-breakdown",
                "implementation",
                "verification",
                "self-review",
                "critic-review",
                "security-review",
                "human-approval",
                "complete",
            ]
        );
    }

    #[test]
    fn the_design_round_stands_between_design_and_test_planning_and_never_leads_back() {
        let graph = shipped(DEFAULT_LOOP);
        let round = graph.node("design-critic-review").unwrap();
        assert!(round.is_opt_in());
        assert_eq!(round.stage(), Some("critic-review"));
        let section = "Design critic review".to_owned();
        let file = ArtifactPath::new("evidence/design-critic-review.md").unwrap();
        assert_eq!(round.exit(), [Gate::ValidateReviewRecord { file, section }]);
        let around: Vec<(&str, &str, Outcome)> = graph
            .edges()
            .filter(|edge| edge.from.id() == round.id() || edge.to.id() == round.id())
            .map(|edge| (edge.from.id().as_str(), edge.to.id().as_str(), edge.on))
            .collect();
        assert_eq!(
            around,
            [
                ("design", "design-critic-review", Outcome::Pass),
                ("design", "design-critic-review", Outcome::Skipped),
                ("design-critic-review", "test-planning", Outcome::Pass),
                ("design-critic-review", "test-planning", Outcome::Skipped),
            ]
        );
        for name in ["pdlc-pr-loop", "pdlc-contribution-loop"] {
            assert!(shipped(name).nodes().iter().all(|node| !node.is_opt_in()), "{name} offers something");
        }
    }

    #[test]
    fn every_shipped_phase_but_the_first_and_the_last_can_be_declared_away() {
        for (name, _) in SHIPPED {
            let graph = shipped(name);
            let (first, others) = graph.nodes().split_first().unwrap();
            let (last, others) = others.split_last().unwrap();
            assert!(first.is_required() && first.is_phase_selection() && first.id() == graph.start().id());
            assert!(last.is_terminal());
            assert!(others.iter().all(Node::is_skippable), "{name}");
            assert!(graph.nodes().iter().all(|node| node.description().is_some()), "{name}");
        }
    }

    #[test]
    fn a_declared_loop_is_found_beside_the_config_and_wins_over_a_shipped_one() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("loops")).unwrap();
        fs::write(folder.path().join("loops/small.yaml"), SMALL).unwrap();
        let own = SMALL.replace("name: small", "name: pdlc-pr-loop");
        fs::write(folder.path().join("pr.yaml"), own).unwrap();
        let graphs =
            "graphs:\n- {name: small, path: loops/small.yaml}\n- {name: pdlc-pr-loop, path: ./pr.yaml}";
        let loops = declared(graphs, folder.path()).unwrap();
        assert_eq!(loops.names(), ["small", "pdlc-pr-loop", "pdlc-work-item-loop", "pdlc-contribution-loop"]);
        assert_eq!(loops.load("small").unwrap().nodes().len(), 5);
        assert_eq!(loops.load("pdlc-pr-loop").unwrap().nodes().len(), 5);
        assert!(
            loops.contains("small") && !loops.contains("small.yaml") && !loops.contains("loops/small.yaml")
        );
    }

    #[test]
    fn a_faulty_declared_loop_costs_no_other() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("bad.yaml"),
            SMALL.replace("name: small", "name: bad").replace("pass", "pas"),
        )
        .unwrap();
        fs::write(folder.path().join("other.yaml"), SMALL).unwrap();
        fs::write(folder.path().join("latin.yaml"), b"name: \xe9").unwrap();
        let graphs = "graphs: [{name: bad, path: bad.yaml}, {name: none, path: none.yaml}, {name: other, path: other.yaml}, {name: latin, path: latin.yaml}]";
        let loops = declared(graphs, folder.path()).unwrap();
        assert!(loops.load(DEFAULT_LOOP).is_ok());
        let refusal = |name: &str| {
            loops.load(name).unwrap_err().to_string().replace(&*folder.path().to_string_lossy(), "")
        };
        insta::assert_snapshot!(refusal("none"), @"cannot read the graph `/none.yaml`: No such file or directory (os error 2); name a readable file");
        insta::assert_snapshot!(refusal("other"), @"
        the graph `/other.yaml` does not compile:
        line 1, column 1: its name is `small`, the config declares it as `other`; write the same name in both
        ");
        insta::assert_snapshot!(refusal("latin"), @"
        the graph `/latin.yaml` does not compile:
        line 1, column 1: not UTF-8; save the file as UTF-8
        ");
        insta::assert_snapshot!(refusal("bad"), @"
        the graph `/bad.yaml` does not compile:
        line 14, column 40: edge from `build` to `deep-review`: `on`: unknown outcome `pas`; did you mean `pass`?
        line 16, column 39: edge from `deep-review` to `ship`: `on`: unknown outcome `pas`; did you mean `pass`?
        line 18, column 36: edge from `ship` to `complete`: `on`: unknown outcome `pas`; did you mean `pass`?
        ");
        insta::assert_snapshot!(refusal("pdlc-work-itm-loop"), @"no loop is called `pdlc-work-itm-loop`; did you mean `pdlc-work-item-loop`?");
        insta::assert_snapshot!(refusal("../bad.yaml"), @"no loop is called `../bad.yaml`; the loops are bad, none, other, latin, pdlc-work-item-loop, pdlc-pr-loop, pdlc-contribution-loop");
    }

    #[test]
    fn wrong_declarations_are_all_told() {
        let folder = tempfile::tempdir().unwrap();
        let told = |graphs: &str| declared(graphs, folder.path()).unwrap_err();
        insta::assert_snapshot!(told("graphs: {name: a, path: b}"), @"/c.yaml: line 1, column 9: `graphs`: expected a list, found a mapping; write `graphs:` with one `- {name: …, path: …}` for each");
        insta::assert_snapshot!(told(
            "graphs:\n- 5\n- {name: a}\n- {name: A, path: a}\n- {name: a, path: ''}\n- {name: a, path: b, file: c}\n- {name: ok, path: b}\n- {name: ok, path: c}\n- {name: a, path: null}"
        ), @r#"
        /c.yaml: line 2, column 3: `graphs` entry 1: expected a mapping, found `5`; write `- {name: …, path: …}`
        /c.yaml: line 3, column 3: `graphs` entry 2: `path` is missing; write `- {name: …, path: …}`
        /c.yaml: line 4, column 10: `graphs` entry 3: `A` is no name of a graph; write lower-case words (a-z, 0-9) joined by `-`
        /c.yaml: line 5, column 19: `graphs` entry 4: the path is empty or holds a NUL; name the graph's file
        /c.yaml: line 6, column 22: `graphs` entry 5: unknown key; the keys are name, path
        /c.yaml: line 8, column 3: `graphs` entry 7: a second graph with the name `ok`; rename one of them
        /c.yaml: line 9, column 19: `graphs` entry 8: expected text, found null; quote it (`"null"`, `""`) if that text is meant, or remove the key
        "#);
        assert!(declared("graphs:", folder.path()).unwrap().contains(DEFAULT_LOOP));
    }

    #[test]
    fn a_graph_of_eight_mebibytes_is_read_and_one_byte_more_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.yaml");
        let padded = |length: usize| format!("{SMALL}\n#{}", "x".repeat(length - SMALL.len() - 2));
        fs::write(&path, padded(8 << 20)).unwrap();
        assert!(read_graph(&path).is_ok());
        fs::write(&path, padded((8 << 20) + 1)).unwrap();
        let Err(LoopError::Faulty { problems, .. }) = read_graph(&path) else { panic!() };
        assert!(problems[0].to_string().contains("the file is larger than 8 MiB"));
    }
}
