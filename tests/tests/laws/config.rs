//! Laws of the operator's config: whatever its bytes are, it gives a roster or a located error, never a panic.

use std::path::Path;

use proptest::prelude::*;
use the_loop::config::{ConfigError, Location, NamedBy, OperatorConfig};
use the_loop::critic::{Lookup, Roster};
use the_loop::policy::ReviewPolicy;

use super::cases;
use super::material::{crafty, quoted};

fn read(text: &str) -> Result<Roster, ConfigError> {
    let config = OperatorConfig::parse(Path::new("/cli-config.yaml"), text)?;
    // Each part is read on its own; none of them may panic either.
    drop((ReviewPolicy::read(&config), config.spec_root()));
    Roster::read(&config)
}

fn assert_roster_or_located(text: &str) -> Result<(), TestCaseError> {
    match read(text) {
        Ok(roster) => {
            for entry in roster.entries() {
                prop_assert!(entry.reason().is_none_or(|reason| reason.contains("line ")));
            }
        }
        Err(error) => prop_assert!(error.to_string().contains("line "), "{}", error),
    }
    Ok(())
}

/// Pieces from which entries, and almost entries, are made.
const PIECES: [&str; 36] = [
    "critics:",
    "reviews:",
    "\n",
    "\n  ",
    "\n- ",
    "- ",
    "name: ",
    "a",
    "harness: ",
    "claude",
    "command: ",
    "args: ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "\"",
    "'",
    "{prompt}",
    "&a ",
    "*a",
    "<<: ",
    "!!str ",
    "!x ",
    "null",
    "~",
    "true",
    "timeoutSeconds: ",
    "1e3",
    "env: ",
    "enabled: ",
    ": ",
    "? ",
    "|\n",
    "---\n",
];

/// A config that says something in every key.
const FULL: &str = "# mine
critics:
  - name: opus
    harness: claude
    model: &model opus-4.10
    args: [--add-dir, \"{specDir}\"]
  - name: local
    command: ./bin/critic
    model: *model
    args: [\"--file={promptFile}\", '{\"json\": {}}', \"{workItem}\"]
    env: {LANG: C, HTTP_PROXY: null}
    cwd: sub/folder
    outputFormat: json
    timeoutSeconds: 90.5
    enabled: false
  - name: 'd\u{e9}j\u{e0}'
    command: |-
      folder with spaces/critic
    args: ['{prompt}']
reviews: {selfReviewCount: 1, criticReviewCount: 2, stopOnNoNewFindings: true, escalateOnRepeatFinding: false}
routing: {graph: {specDir: docs/specs}}
env: {file: secrets.env}
other: [1, 2.5, ~, !custom {a: b}]
";

/// One change of a text: a piece of it replaced by something that may mean something else.
fn change() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    let piece =
        prop_oneof![prop::sample::select(&PIECES[..]).prop_map(str::to_owned), crafty(), Just(String::new())];
    (any::<prop::sample::Index>(), 0_usize..12, piece)
}

fn changed(text: &str, changes: &[(prop::sample::Index, usize, String)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (at, length, piece)| {
        let letters: Vec<char> = text.chars().collect();
        let at = at.index(letters.len() + 1);
        let after = letters.get(at + length..).unwrap_or_default();
        letters[..at].iter().chain(piece.chars().collect::<Vec<_>>().iter()).chain(after).collect()
    })
}

/// A value of any shape, in flow style.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "1", "0", "-5", "1e300", ".nan", "900", "true", "no", "~", "''", "json", "claude"
        ])
        .prop_map(str::to_owned),
        crafty().prop_map(|text| quoted(&text)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec((crafty(), inner), 0..4).prop_map(|pairs| {
                let pairs: Vec<String> =
                    pairs.iter().map(|(key, value)| format!("{}: {value}", quoted(key))).collect();
                format!("{{{}}}", pairs.join(", "))
            }),
        ]
    })
}

/// An entry whose keys are real ones, with values of any shape.
fn entry() -> impl Strategy<Value = String> {
    let keys = vec![
        "name",
        "harness",
        "model",
        "command",
        "args",
        "env",
        "cwd",
        "outputFormat",
        "timeoutSeconds",
        "enabled",
    ];
    prop::collection::vec((prop::sample::select(keys), value()), 0..8).prop_map(|pairs| {
        let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        format!("{{{}}}", pairs.join(", "))
    })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_bytes_are_a_roster_or_a_located_error(bytes: Vec<u8>) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("written");
        let location = Location::Named(file.path().to_owned(), NamedBy::Flag);
        if let Err(error) = OperatorConfig::load(&location).and_then(|config| Roster::read(&config)) {
            prop_assert!(error.to_string().contains("line "), "{}", error);
        }
    }

    #[test]
    fn a_good_config_after_any_change_is_a_roster_or_a_located_error(
        changes in prop::collection::vec(change(), 0..4),
    ) {
        assert_roster_or_located(&changed(FULL, &changes))?;
    }

    #[test]
    fn entries_of_any_shape_are_each_listed(entries in prop::collection::vec(prop_oneof![3 => entry(), 1 => value()], 0..5)) {
        let lines: Vec<String> = entries.iter().map(|entry| format!("- {entry}\n")).collect();
        let text = format!("critics:\n{}", lines.concat());
        assert_roster_or_located(&text)?;
        if let Ok(roster) = read(&text) {
            prop_assert_eq!(roster.entries().len(), entries.len());
        }
    }

    #[test]
    fn any_text_is_a_roster_or_a_located_error(text in any::<String>()) {
        assert_roster_or_located(&text)?;
    }

    #[test]
    fn any_words_of_a_config_are_a_roster_or_a_located_error(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60),
    ) {
        assert_roster_or_located(&pieces.concat())?;
        assert_roster_or_located(&format!("critics:\n- {}\n", pieces.concat()))?;
    }

    #[test]
    fn a_good_entry_runs_whatever_its_flow_neighbour_is(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..20),
    ) {
        let text = format!("critics:\n- {{{}}}\n- {{name: good neighbour, harness: claude}}\n", pieces.concat());
        if let Ok(roster) = read(&text) && roster.entries().len() == 2 {
            prop_assert!(matches!(roster.find("good neighbour"), Lookup::Valid(_)), "{}", text);
        }
    }
}

#[test]
fn the_config_that_is_changed_is_a_good_one() {
    let roster = read(FULL).expect("readable");
    let reasons: Vec<_> = roster.entries().iter().filter_map(the_loop::critic::Entry::reason).collect();
    assert!(roster.entries().len() == 3 && reasons.is_empty(), "{reasons:?}");
}
