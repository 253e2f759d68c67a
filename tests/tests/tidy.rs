//! Tidiness that no compiler checks: headers, one-way imports, independence of judge and judged, no leftovers.
//!
//! Reads source as text. Says nothing about style that rustfmt or clippy already hold.

#![cfg(test)]

use std::path::{Path, PathBuf};
use tests::workspace::{PACKAGES, files_with_extension, root};

/// Module order of each package: a file imports its own module and what stands left of it.
const ORDER: [(&str, &[&str]); 2] = [
    (
        "runtime",
        &[
            "config",
            "critic",
            "policy",
            "executable",
            "invocation",
            "process",
            "reading",
            "envelope",
            "output_file",
            "graph",
            "cli",
        ],
    ),
    (
        "conformance",
        &[
            "source",
            "text",
            "matcher",
            "ledger",
            "scenario",
            "target",
            "suite",
            "lint",
            "observation",
            "supervisor",
            "judge",
            "baseline",
            "campaign",
            "probe",
            "report",
            "cli",
        ],
    ),
];

/// Longest file that is still one noun, in lines.
const LONGEST_FILE: usize = 450;

fn sources() -> Vec<PathBuf> {
    let found: Vec<PathBuf> = PACKAGES
        .iter()
        .flat_map(|package| files_with_extension(&root().join(package), "rs").expect("readable package"))
        .collect();
    assert!(found.len() > 20, "only {} source files found: the walk is wrong", found.len());
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("readable source")
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Modules named by `crate::NAME` in code (comments left out), with their line numbers.
fn imports(source: &str) -> Vec<(usize, String)> {
    let name = regex::Regex::new(r"\bcrate::([a-z_]+)").expect("valid pattern");
    source
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .flat_map(|(at, line)| {
            name.captures_iter(line).map(move |found| (at + 1, found[1].to_owned())).collect::<Vec<_>>()
        })
        .collect()
}

/// What `module` may not import, or that it has no place in the order.
fn import_faults(order: &[&str], module: &str, source: &str) -> Vec<String> {
    let Some(own) = order.iter().position(|name| *name == module) else {
        return vec![format!("module `{module}` has no place in the order of tests/tests/tidy.rs")];
    };
    imports(source)
        .into_iter()
        .filter(|(_, name)| order.iter().position(|other| other == name).is_none_or(|at| at > own))
        .map(|(line, name)| format!("line {line}: `{module}` imports `{name}`, which stands to its right"))
        .collect()
}

#[test]
fn every_file_says_first_what_it_is() {
    let bare: Vec<String> =
        sources().iter().filter(|path| !read(path).starts_with("//! ")).map(|path| relative(path)).collect();
    none(&bare);
}

#[test]
fn imports_run_one_way() {
    let mut faults = Vec::new();
    for (package, order) in ORDER {
        let source_folder = root().join(package).join("src");
        for path in files_with_extension(&source_folder, "rs").expect("readable sources") {
            let inside = path.strip_prefix(&source_folder).expect("below src");
            let first =
                inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
            let module = first.trim_end_matches(".rs");
            if !["lib", "main"].contains(&module) {
                let found = import_faults(order, module, &read(&path));
                faults.extend(found.iter().map(|fault| format!("{}: {fault}", relative(&path))));
            }
        }
    }
    none(&faults);
}

#[test]
fn an_import_to_the_right_is_found() {
    let order = ["config", "critic", "cli"];
    assert!(
        import_faults(&order, "critic", "use crate::config::Node;\n// crate::cli is fine here\n").is_empty()
    );
    assert_eq!(import_faults(&order, "critic", "use crate::cli::Arguments;").len(), 1);
    assert_eq!(import_faults(&order, "nowhere", "").len(), 1);
}

#[test]
fn the_kit_links_nothing_of_the_runtime() {
    for package in ["conformance", "fake-critics"] {
        let manifest = read(&root().join(package).join("Cargo.toml"));
        let dependencies: Vec<&str> = manifest
            .lines()
            .map(str::trim)
            .filter(|line| {
                line.starts_with("the-loop.") || line.starts_with("the-loop ") || line.contains("../runtime")
            })
            .collect();
        assert!(dependencies.is_empty(), "{package} depends on the runtime: {dependencies:?}");
        for path in files_with_extension(&root().join(package), "rs").expect("readable sources") {
            assert!(!read(&path).contains("the_loop::"), "{} names the runtime's library", relative(&path));
        }
    }
}

#[test]
fn the_strawman_shares_no_code_with_runtime_or_kit() {
    for path in files_with_extension(&root().join("tests/src"), "rs").expect("readable sources") {
        let source = read(&path);
        for library in ["the_loop::", "the_loop_conformance::", "fake_critics::"] {
            assert!(!source.contains(library), "{} uses `{library}`", relative(&path));
        }
    }
}

#[test]
fn no_leftovers_in_the_sources() {
    let pattern = regex::Regex::new(concat!(
        r"\b(todo",
        r"!|unimplemented",
        r"!|dbg",
        r"!|FIX",
        r"ME|XX",
        r"X|HA",
        r"CK)\b|#\[ign",
        r"ore"
    ))
    .expect("valid pattern");
    let mut found = Vec::new();
    for path in sources() {
        for (at, line) in read(&path).lines().enumerate() {
            if pattern.is_match(line) && !path.ends_with("tests/tests/tidy.rs") {
                found.push(format!("{}:{}: {}", relative(&path), at + 1, line.trim()));
            }
        }
    }
    none(&found);
}

#[test]
fn files_hold_one_noun() {
    let long: Vec<String> = sources()
        .iter()
        .map(|path| (read(path).lines().count(), relative(path)))
        .filter(|(lines, _)| *lines > LONGEST_FILE)
        .map(|(lines, path)| format!("{path}: {lines} lines, more than {LONGEST_FILE}"))
        .collect();
    none(&long);
}

#[test]
fn only_the_process_modules_start_processes() {
    for (package, allowed) in [("runtime", "src/process"), ("conformance", "src/supervisor")] {
        for path in files_with_extension(&root().join(package).join("src"), "rs").expect("readable sources") {
            let source = read(&path);
            if !path.starts_with(root().join(package).join(allowed)) {
                assert!(!source.contains("Command::new("), "{} starts a process", relative(&path));
            }
            if package == "runtime" {
                for fork in [".current_dir(", "pre_exec("] {
                    assert!(
                        !source.contains(fork),
                        "{} uses `{fork}`, after which std may run a shell",
                        relative(&path)
                    );
                }
            }
        }
    }
}

#[test]
fn only_the_command_line_reads_the_environment_and_prints() {
    for path in files_with_extension(&root().join("runtime/src"), "rs").expect("readable sources") {
        let inside = path.strip_prefix(root().join("runtime/src")).expect("below src");
        if inside.starts_with("cli") || inside == Path::new("main.rs") {
            continue;
        }
        let source = read(&path);
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for effect in ["env::var", "std::env::args", "println!(", "process::exit("] {
            assert!(!code.contains(effect), "{} uses `{effect}`", relative(&path));
        }
    }
}

#[test]
fn no_path_of_a_machine_is_written_down() {
    let pattern = regex::Regex::new(concat!(r"(^|[^\w.%}/])/(ro", r"ot|ho", r"me/\w+|wo", r"rk)/"))
        .expect("valid pattern");
    let mut found = Vec::new();
    for extension in ["rs", "yaml", "toml", "md"] {
        for path in files_with_extension(&root(), extension).expect("readable tree") {
            let shown = relative(&path);
            if shown.starts_with('.') || shown.starts_with("target") {
                continue;
            }
            let hits = read(&path).lines().filter(|line| pattern.is_match(line)).count();
            if hits > 0 {
                found.push(format!("{shown}: {hits} lines name a folder of one machine"));
            }
        }
    }
    none(&found);
}

#[test]
fn what_the_ledger_excludes_is_held_elsewhere() {
    let pattern = regex::Regex::new(r"held by ([\w./-]+\.rs)").expect("valid pattern");
    let ledger = read(&root().join("specs/critic.yaml"));
    let named: Vec<String> = pattern.captures_iter(&ledger).map(|found| found[1].to_owned()).collect();
    assert!(!named.is_empty(), "no exclusion names its test");
    let missing: Vec<String> = named.into_iter().filter(|path| !root().join(path).is_file()).collect();
    none(&missing);
}
