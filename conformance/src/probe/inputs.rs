//! What a scenario gives to its target, part by part, and how each part is taken away.
//!
//! Main type: [`Cut`]. Whether what is left makes a scenario is not asked here.

use crate::source::tree::{Tree, Way};

/// One thing taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// What, in words.
    pub(super) taken: String,
    /// What a scenario is without it.
    pub(super) weight: Weight,
    edits: Vec<Edit>,
}

/// What a part is to the call it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Other calls do without it.
    Optional,
    /// Every call has such a part: without it there may be nothing left to judge.
    Needed,
    /// It says what is looked at: without it something else is.
    Subject,
}

/// A change of the tree of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    /// The way to a part, or to a text that is YAML itself.
    way: Way,
    /// The way on inside of such a text; empty where there is none.
    inside: Way,
    change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    Remove,
    Replace(Tree),
}

impl Cut {
    fn one(way: &[String], inside: &[String], change: Change) -> Self {
        let shown = |way: &[String]| format!("`/{}`", way.join("/"));
        let mut taken = shown(way);
        if !inside.is_empty() {
            taken = format!("{taken} at {}", shown(inside));
        }
        if let Change::Replace(tree) = &change {
            taken = format!("{taken} (is {})", tree.written());
        }
        let weight = weight(way, inside);
        Self { taken, weight, edits: vec![Edit { way: way.to_vec(), inside: inside.to_vec(), change }] }
    }

    /// The tree without it.
    pub(super) fn applied(&self, tree: &Tree) -> Option<Tree> {
        let mut tree = tree.clone();
        for edit in &self.edits {
            if edit.inside.is_empty() {
                edit.change.apply(&mut tree, &edit.way)?;
            } else {
                let text = tree.at_mut(&edit.way)?;
                let mut inner = Tree::read(text.text()?)?;
                edit.change.apply(&mut inner, &edit.inside)?;
                *text = Tree::Text(inner.written());
            }
        }
        Some(tree)
    }
}

impl Change {
    fn apply(&self, tree: &mut Tree, way: &[String]) -> Option<()> {
        match self {
            Self::Remove => {
                let (last, above) = way.split_last()?;
                tree.at_mut(above)?.remove(last).map(|_| ())
            }
            Self::Replace(new) => {
                let part = tree.at_mut(way)?;
                (part != new).then(|| *part = new.clone())
            }
        }
    }
}

/// Scripts of these fakes emptied, and reduced to a word.
pub(super) fn of_scripts(tree: &Tree, fakes: &[&str]) -> Vec<Cut> {
    let Some(scripts) = tree.part("fakes").filter(|_| !fakes.is_empty()) else { return Vec::new() };
    let word = Tree::read("[{print: \"ok\\n\"}]").unwrap_or(Tree::List(Vec::new()));
    [("a script of a word", word), ("an empty script", Tree::List(Vec::new()))]
        .into_iter()
        .map(|(how, script)| {
            let edits = fakes.iter().filter(|fake| scripts.part(fake).is_some_and(|known| *known != script));
            let edits = edits.map(|fake| Edit {
                way: vec!["fakes".to_owned(), (*fake).to_owned()],
                inside: Vec::new(),
                change: Change::Replace(script.clone()),
            });
            let weight = Weight::Needed;
            Cut { weight, taken: format!("what {} does ({how})", fakes.join(", ")), edits: edits.collect() }
        })
        .filter(|cut| !cut.edits.is_empty())
        .collect()
}

/// Everything that the target is given, small parts before those that hold them.
pub(super) fn all(tree: &Tree) -> Vec<Cut> {
    let mut found = Vec::new();
    if let Some(steps) = tree.part("steps") {
        for (number, step) in steps.parts().into_iter().rev() {
            for (key, part) in step.parts() {
                if !matches!(key.as_str(), "id" | "expect" | "within") {
                    below(&mut found, &["steps".to_owned(), number.clone(), key], part);
                }
            }
        }
    }
    for root in ["files", "env", "critics", "reviews", "routing", "event-log", "graphs", "config", "fakes"] {
        if let Some(part) = tree.part(root) {
            below(&mut found, &[root.to_owned()], part);
        }
    }
    for (fake, _) in tree.part("fakes").map(Tree::parts).unwrap_or_default() {
        found.extend(of_scripts(tree, &[&fake]));
    }
    if let Some(steps) = tree.part("steps") {
        found.extend(steps.parts().into_iter().map(|(number, _)| without_step(tree, &number)));
    }
    found.extend(without_edits(tree));
    if tree.part("no-config").is_some() {
        found.push(Cut::one(&["no-config".to_owned()], &[], Change::Remove));
    }
    found
}

/// Parts of a part, then the part itself.
fn below(found: &mut Vec<Cut>, way: &[String], part: &Tree) {
    for (key, inner) in part.parts() {
        below(found, &[way, &[key]].concat(), inner);
    }
    if let Some(text) = part.text()
        && let Some(inner) = read(way, text)
    {
        inside(found, way, &[], &inner);
    }
    if let Some(plain) = plain(way, part) {
        found.push(Cut::one(way, &[], Change::Replace(plain)));
    }
    found.push(Cut::one(way, &[], Change::Remove));
}

fn inside(found: &mut Vec<Cut>, way: &[String], within: &[String], part: &Tree) {
    for (key, inner) in part.parts() {
        inside(found, way, &[within, &[key]].concat(), inner);
    }
    if !within.is_empty() {
        found.push(Cut::one(way, within, Change::Remove));
    }
}

/// The parts of a text that the target reads as YAML or JSON.
fn read(way: &[String], text: &str) -> Option<Tree> {
    match way.first()?.as_str() {
        "critics" | "reviews" | "routing" | "event-log" | "config" | "graphs" => Tree::read(text),
        "files" => Tree::read(text).filter(|tree| tree.text().is_none()),
        _ => None,
    }
}

/// What stands for a text that is there and says nothing.
fn plain(way: &[String], part: &Tree) -> Option<Tree> {
    let last = way.last()?;
    part.text()?;
    match (way.first()?.as_str(), last.as_str()) {
        ("steps", "prompt") => Some(Tree::Text("other".to_owned())),
        ("fakes", "print" | "print-error" | "reopen-stdout") => Some(Tree::Text("ok\n".to_owned())),
        ("files", "text") => Some(Tree::Text("other\n".to_owned())),
        ("files", _) if way.len() == 2 => Some(Tree::Text("other\n".to_owned())),
        _ => None,
    }
}

/// Every edit between the steps at once, where there are several: each of them may hide what the others do.
fn without_edits(tree: &Tree) -> Option<Cut> {
    let steps = tree.part("steps")?.parts();
    let edits = steps.iter().filter(|(_, step)| step.part("before").is_some());
    let edits: Vec<Edit> = edits
        .map(|(number, _)| Edit {
            way: vec!["steps".to_owned(), number.clone(), "before".to_owned()],
            inside: Vec::new(),
            change: Change::Remove,
        })
        .collect();
    let taken = "every `before` of the steps".to_owned();
    (edits.len() > 1).then_some(Cut { taken, weight: Weight::Optional, edits })
}

/// A step taken away with the checks on it.
fn without_step(tree: &Tree, number: &str) -> Cut {
    let mut cut = Cut::one(&["steps".to_owned(), number.to_owned()], &[], Change::Remove);
    let steps = tree.part("steps");
    let id = steps.and_then(|steps| steps.part(number)?.part("id")?.text());
    for (name, check) in tree.part("checks").map(Tree::parts).unwrap_or_default() {
        if check.part("step").and_then(Tree::text) == id {
            let way = vec!["checks".to_owned(), name];
            cut.edits.push(Edit { way, inside: Vec::new(), change: Change::Remove });
        }
    }
    cut
}

/// What this part is to the call.
fn weight(way: &[String], inside: &[String]) -> Weight {
    let words: Vec<&str> = way.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["steps", _, _, "critic" | "item" | "name" | "loop" | "node" | "files"] | ["graphs", ..] => {
            Weight::Subject
        }
        ["env", "PATH" | "HOME"] | ["steps", _, _, "env", "PATH" | "HOME"] => Weight::Needed,
        ["steps", _, _, "prompt" | "prompt-file" | "args" | "comments" | "env", ..] if words.len() == 4 => {
            Weight::Needed
        }
        ["steps" | "env" | "reviews" | "routing" | "event-log", ..] => Weight::Optional,
        ["files", ..] if is_whole(inside, &["loop", "current"]) => Weight::Subject,
        ["critics" | "config" | "files", ..] if is_optional_key(inside) => Weight::Optional,
        _ => Weight::Needed,
    }
}

/// Whether the way is just one of these keys.
fn is_whole(inside: &[String], keys: &[&str]) -> bool {
    matches!(inside, [key] if keys.contains(&key.as_str()))
}

/// Whether configurations and graphs do without this key: it is none of those that say what is started.
fn is_optional_key(inside: &[String]) -> bool {
    let needed = ["critics", "graphs", "name", "path", "harness", "command", "args"];
    let mut keys = inside.iter().filter(|key| key.parse::<usize>().is_err()).peekable();
    keys.peek().is_some() && keys.all(|key| !needed.contains(&key.as_str()))
}
