//! From the tree of a graph file to its words. Main function: [`read`].
//!
//! It holds that every key is known, stands once and has the right kind of value; what the words mean together is
//! `compile`'s business. A value that is wrong is reported and left out.

use crate::fault::graph::{Fault, on};

use super::definition::{Actor, Edge, Gate, Graph, Hook, Located, Node, Outcome, Place};
use super::tree::{Body, Problem, Spot, Tree};

/// Reads a graph file; also gives what is wrong with it.
pub(crate) fn read(text: &str) -> (Graph, Vec<Problem>) {
    let (tree, problems) = match Tree::read(text) {
        Ok(read) => read,
        Err(problems) => return (Graph::default(), problems),
    };
    let mut decoder = Decoder { problems };
    let graph = decoder.graph(&tree);
    (graph, decoder.problems)
}

struct Decoder {
    problems: Vec<Problem>,
}

const TOP: &[&str] = &["version", "name", "start", "skipSets", "nodes", "edges"];
const NODE: &[&str] = &[
    "id",
    "phase",
    "actor",
    "required",
    "skippable",
    "optIn",
    "description",
    "stage",
    "produces",
    "entry",
    "exit",
    "terminal",
];

impl Decoder {
    fn complain(&mut self, spot: Spot, text: impl Into<String>) {
        self.problems.push(Problem { spot, text: text.into() });
    }

    fn graph(&mut self, tree: &Tree) -> Graph {
        let Some(top) = self.mapping(tree, "a graph file", TOP) else { return Graph::default() };
        if let Some(version) = top.at("version").filter(|tree| !is_word(tree, "1")) {
            self.complain(version.spot, format!("`version` is {}, write `1`", version.describe()));
        }
        for key in ["name", "start", "nodes"] {
            if top.at(key).is_none() {
                self.complain(tree.spot, format!("`{key}` is missing"));
            }
        }
        let name = top.at("name").and_then(|tree| self.word(tree, "name"));
        let mut graph = Graph {
            name: name.map(|name| name.text).unwrap_or_default(),
            start: top.at("start").and_then(|tree| self.word(tree, "start")).unwrap_or_default(),
            ..Graph::default()
        };
        if let Some(tree) = top.at("skipSets").filter(|tree| !tree.is_null()) {
            graph.skip_sets = self.skip_sets(tree);
        }
        for tree in self.list(top.at("nodes"), "nodes") {
            graph.nodes.extend(self.node(tree));
        }
        for tree in self.list(top.at("edges"), "edges") {
            graph.edges.extend(self.edge(tree));
        }
        self.index(&mut graph);
        graph
    }

    fn index(&mut self, graph: &mut Graph) {
        for (node, at) in graph.nodes.iter().zip(0..) {
            let id = &node.id;
            if graph.index.contains_key(&id.text) {
                self.complain(id.spot, format!("node `{}` stands twice; give one another id", id.text));
            } else {
                graph.index.insert(id.text.clone(), Place { node: at, edges: Vec::new() });
            }
        }
        for (edge, at) in graph.edges.iter().zip(0..) {
            if let Some(place) = graph.index.get_mut(&edge.from.text) {
                place.edges.push(at);
            }
        }
    }

    fn skip_sets(&mut self, tree: &Tree) -> Vec<(Located, Vec<Located>)> {
        let Body::Map(pairs) = &tree.body else {
            let text = format!("`skipSets` is {}, write a mapping of names to lists", tree.describe());
            self.complain(tree.spot, text);
            return Vec::new();
        };
        self.repeated(pairs);
        let mut sets = Vec::new();
        for (key, value) in pairs {
            if let Some(name) = self.word(key, "name of a skip set") {
                let ids = self.words(Some(value), &format!("skip set {}", name.text));
                sets.push((name, ids));
            }
        }
        sets
    }

    fn node(&mut self, tree: &Tree) -> Option<Node> {
        let keys = self.mapping(tree, "a node", NODE)?;
        let Some(id) = keys.at("id").and_then(|tree| self.word(tree, "id")) else {
            if keys.at("id").is_none() {
                self.complain(tree.spot, "this node has no `id`");
            }
            return None;
        };
        if !is_id(&id.text) {
            let text =
                format!("`{}` is no id: lower-case words joined by `-`, such as `deep-review`", id.text);
            self.complain(id.spot, text);
        }
        let text = |decoder: &mut Self, key: &str| {
            keys.at(key).filter(|tree| !tree.is_null()).and_then(|tree| decoder.word(tree, key))
        };
        Some(Node {
            phase: text(self, "phase").map_or_else(|| id.text.clone(), |phase| phase.text),
            actor: text(self, "actor").map(|actor| self.actor(&actor)).unwrap_or_default(),
            required: self.switch(keys.at("required"), "required"),
            skippable: self.switch(keys.at("skippable"), "skippable"),
            opt_in: self.switch(keys.at("optIn"), "optIn") && !on(Fault::OptInMarkerIgnored),
            description: text(self, "description").map(|words| one_line(&words.text)).unwrap_or_default(),
            stage: text(self, "stage").map(|stage| stage.text).unwrap_or_default(),
            produces: self.words(keys.at("produces"), "produces"),
            entry: self.hooks(keys.at("entry"), "entry").into_iter().map(|(name, _)| name.text).collect(),
            exit: self.gates(keys.at("exit")),
            terminal: self.switch(keys.at("terminal"), "terminal"),
            id,
        })
    }

    fn actor(&mut self, word: &Located) -> Actor {
        match word.text.as_str() {
            "agent" => Actor::Agent,
            "human" => Actor::Human,
            "code" => Actor::Code,
            other => {
                self.complain(word.spot, format!("`actor` is `{other}`, write `agent`, `human` or `code`"));
                Actor::Agent
            }
        }
    }

    fn gates(&mut self, tree: Option<&Tree>) -> Vec<Gate> {
        let mut gates = Vec::new();
        for (name, with) in self.hooks(tree, "exit") {
            let hook = Hook::NAMES.iter().find(|(known, _)| *known == name.text).map(|(_, hook)| *hook);
            let Some(hook) = hook else {
                let known = Hook::NAMES.map(|(name, _)| name).join(", ");
                if !on(Fault::UnknownGateAccepted) {
                    self.complain(name.spot, format!("no gate `{}`; there are {known}", name.text));
                }
                continue;
            };
            let mut gate = Gate { hook, validates: None, sections: Vec::new(), spot: name.spot };
            let allowed: &[&str] = if hook.is_human() { &[] } else { &["validates", "sections"] };
            if let Some(keys) = with.and_then(|with| self.mapping(with, "`with`", allowed)) {
                gate.validates = keys.at("validates").and_then(|tree| self.word(tree, "validates"));
                gate.sections = self.words(keys.at("sections"), "sections");
            }
            gates.push(gate);
        }
        gates
    }

    /// Names of hooks, each with its `with`.
    fn hooks<'a>(&mut self, tree: Option<&'a Tree>, key: &str) -> Vec<(Located, Option<&'a Tree>)> {
        let mut hooks = Vec::new();
        for item in self.list(tree, key) {
            if let Body::Map(_) = item.body {
                let Some(keys) = self.mapping(item, "a hook", &["hook", "with"]) else { continue };
                match keys.at("hook").map(|tree| self.word(tree, "hook")) {
                    Some(name) => hooks.extend(name.map(|name| (name, keys.at("with")))),
                    None => self.complain(item.spot, "this hook has no `hook`; name one"),
                }
            } else {
                hooks.extend(self.word(item, key).map(|name| (name, None)));
            }
        }
        hooks
    }

    fn edge(&mut self, tree: &Tree) -> Option<Edge> {
        let keys = self.mapping(tree, "an edge", &["from", "to", "on"])?;
        let mut end = |key: &str| {
            if keys.at(key).is_none() {
                self.complain(tree.spot, format!("this edge has no `{key}`"));
            }
            keys.at(key).and_then(|tree| self.word(tree, key))
        };
        let (from, to, word) = (end("from"), end("to"), end("on"));
        let word = word?;
        let outcome = Outcome::of(&word.text);
        if outcome.is_none() {
            let known = Outcome::NAMES.map(|(name, _)| name).join(", ");
            self.complain(word.spot, format!("`on` is `{}`, write one of {known}", word.text));
        }
        Some(Edge { from: from?, to: to?, on: outcome?, spot: tree.spot })
    }

    /// The pairs of a mapping, once it is one and all its keys are known.
    fn mapping<'a>(&mut self, tree: &'a Tree, what: &str, known: &[&str]) -> Option<Keys<'a>> {
        let Body::Map(pairs) = &tree.body else {
            self.complain(tree.spot, format!("{what} is a mapping, this is {}", tree.describe()));
            return None;
        };
        self.repeated(pairs);
        for (key, _) in pairs {
            if !known.iter().any(|name| is_word(key, name)) && !on(Fault::UnknownKeyAccepted) {
                let listed = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let text = format!("{what} has no key {}; it may have: {listed}", key.describe());
                self.complain(key.spot, text);
            }
        }
        Some(Keys(pairs))
    }

    fn repeated(&mut self, pairs: &[(Tree, Tree)]) {
        let words: Vec<Option<&str>> = pairs.iter().map(|(key, _)| text_of(key)).collect();
        for (at, (key, _)) in pairs.iter().enumerate() {
            if words[at].is_some() && words[..at].contains(&words[at]) {
                self.complain(key.spot, format!("the key {} stands twice", key.describe()));
            }
        }
    }

    fn word(&mut self, tree: &Tree, key: &str) -> Option<Located> {
        match text_of(tree) {
            Some(text) if !text.trim().is_empty() && !tree.is_null() => {
                Some(Located { text: text.to_owned(), spot: tree.spot })
            }
            _ => {
                self.complain(tree.spot, format!("`{key}` is {}, write a text", tree.describe()));
                None
            }
        }
    }

    fn words(&mut self, tree: Option<&Tree>, key: &str) -> Vec<Located> {
        self.list(tree, key).iter().filter_map(|item| self.word(item, key)).collect()
    }

    fn list<'a>(&mut self, tree: Option<&'a Tree>, key: &str) -> &'a [Tree] {
        match tree {
            None => &[],
            Some(Tree { body: Body::List(items), .. }) => items,
            Some(tree) => {
                self.complain(tree.spot, format!("`{key}` is {}, write a list", tree.describe()));
                &[]
            }
        }
    }

    fn switch(&mut self, tree: Option<&Tree>, key: &str) -> bool {
        match tree {
            None => false,
            Some(tree) if is_plain(tree, "true") => true,
            Some(tree) if is_plain(tree, "false") => false,
            Some(_) if on(Fault::AnyMarkerIsTrue) => true,
            Some(tree) => {
                let text = format!("`{key}` is {}, write true or false, without quotes", tree.describe());
                self.complain(tree.spot, text);
                false
            }
        }
    }
}

/// The pairs of a mapping whose keys are known.
struct Keys<'a>(&'a [(Tree, Tree)]);

impl<'a> Keys<'a> {
    fn at(&self, key: &str) -> Option<&'a Tree> {
        self.0.iter().find(|(name, _)| is_word(name, key)).map(|(_, value)| value)
    }
}

fn text_of(tree: &Tree) -> Option<&str> {
    match &tree.body {
        Body::Plain(text) | Body::Quoted(text) => Some(text),
        _ => None,
    }
}

fn is_word(tree: &Tree, word: &str) -> bool {
    text_of(tree) == Some(word)
}

fn is_plain(tree: &Tree, word: &str) -> bool {
    matches!(&tree.body, Body::Plain(text) if text == word)
}

fn is_id(text: &str) -> bool {
    text.split('-').all(|word| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
