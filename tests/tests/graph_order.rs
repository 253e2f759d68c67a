//! The files of the runtime's `graph` import one way: what is written, what is compiled, what is walked.
//!
//! Reads `use` lines as text. A name that `graph/mod.rs` hands on counts for the file it comes from.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tests::workspace::{files_with_extension, root};

/// A file of `graph` imports itself and what stands left of it.
const ORDER: [&str; 26] = [
    "outcome",
    "exit",
    "node",
    "definition",
    "compile",
    "compiled",
    "loops",
    "moment",
    "comment",
    "token",
    "markdown",
    "record",
    "gate",
    "event",
    "state",
    "folder",
    "event_log",
    "history",
    "walk",
    "reply",
    "selection",
    "checklist",
    "skip",
    "check",
    "template",
    "advance",
];

fn folder() -> PathBuf {
    root().join("runtime/src/graph")
}

/// What `use PREFIX…;` statements of `source` name after the prefix: the first word of each path.
fn named(source: &str, prefix: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let statements = code.split("use ").skip(1).filter_map(|rest| rest.split(';').next());
    let mut names = Vec::new();
    for path in statements.filter_map(|statement| statement.strip_prefix(prefix)) {
        let mut depth = 0;
        let mut word = String::new();
        let mut taken = false;
        // A path's first word counts; what stands in braces behind it belongs to the same file.
        for letter in path.chars() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            let outer = depth <= usize::from(path.starts_with('{'));
            if letter.is_alphanumeric() || letter == '_' {
                if outer && !taken {
                    word.push(letter);
                }
                continue;
            }
            if !word.is_empty() {
                names.push(std::mem::take(&mut word));
                taken = true;
            }
            if outer && letter == ',' {
                taken = false;
            }
        }
        names.extend((!word.is_empty()).then_some(word));
    }
    names
}

/// Names that `graph/mod.rs` hands on, each with the file it comes from.
fn handed_on(module: &str) -> BTreeMap<String, String> {
    let statements = module.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let mut names = BTreeMap::new();
    for (file, list) in statements.filter_map(|statement| statement.split_once("::")) {
        let words = list.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        names.extend(words.filter(|word| !word.is_empty()).map(|word| (word.to_owned(), file.to_owned())));
    }
    names
}

/// What `file` may not import, or that it has no place in the order.
fn faults(file: &str, names: &[String], handed_on: &BTreeMap<String, String>) -> Vec<String> {
    let place = |name: &str| ORDER.iter().position(|known| *known == name);
    let Some(own) = place(file) else {
        return vec![format!("`{file}` has no place in the order of tests/tests/graph_order.rs")];
    };
    let modules = names.iter().map(|name| handed_on.get(name).unwrap_or(name));
    let wrong = modules.filter(|module| place(module).is_none_or(|at| at > own));
    wrong
        .map(|module| format!("`{file}` imports from `{module}`, which stands to its right or nowhere"))
        .collect()
}

#[test]
fn the_files_of_graph_import_one_way() {
    let folder = folder();
    let handed_on = handed_on(&std::fs::read_to_string(folder.join("mod.rs")).expect("a module"));
    let mut complaints = Vec::new();
    let mut imports = 0;
    for path in files_with_extension(&folder, "rs").expect("readable sources") {
        let inside = path.strip_prefix(&folder).expect("below graph");
        let is_test = inside
            .components()
            .any(|part| part.as_os_str().to_string_lossy().trim_end_matches(".rs") == "tests");
        if inside == Path::new("mod.rs") || is_test {
            continue;
        }
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let file = first.trim_end_matches(".rs");
        let source = std::fs::read_to_string(&path).expect("readable source");
        let mut names = named(&source, "crate::graph::");
        if inside == Path::new(&first) || inside == Path::new(&first).join("mod.rs") {
            names.extend(named(&source, "super::"));
        }
        imports += names.len();
        complaints.extend(
            faults(file, &names, &handed_on).into_iter().map(|fault| format!("{}: {fault}", path.display())),
        );
    }
    assert!(imports > 20, "only {imports} imports found: the reading is wrong");
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn an_import_to_the_right_is_found() {
    let handed_on = handed_on("pub use node::{Actor,\n    Node};\npub use loops::Loops;\n");
    let of = |file: &str, source: &str| faults(file, &named(source, "super::"), &handed_on);
    assert!(
        of("compile", "use super::{Node, definition::{Definition, Written}};\nuse super::definition::X;")
            .is_empty()
    );
    assert_eq!(of("compile", "use super::{\n    Node,\n    Loops,\n};").len(), 1);
    assert_eq!(of("node", "use super::definition::{Definition, Written};").len(), 1);
    assert_eq!(of("node", "use super::{Actor as A, unknown::B};").len(), 1);
    assert_eq!(of("other", "").len(), 1);
    assert!(of("outcome", "#[cfg(test)]\nmod tests { use super::Loops; }").is_empty());
}
