//! Laws of the operator's config: whatever its bytes are, it gives a roster or a located error, never a panic.

use std::path::Path;

use proptest::prelude::*;
use the_loop::config::{ConfigError, OperatorConfig};
use the_loop::critic::{Lookup, Placeholder, Roster, Template, Values};
use the_loop::policy::ReviewPolicy;

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

proptest! {
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

    #[test]
    fn rendering_replaces_each_placeholder_once_and_touches_nothing_else(
        before in "[a-z ]{0,9}", value in any::<String>(), after in "[a-z ]{0,9}",
    ) {
        let template = Template::parse(&format!("{before}{{prompt}}{after}"));
        let value: &std::ffi::OsStr = value.as_ref();
        let values = Values { prompt: value, prompt_file: value, model: value, work_item: value, spec_dir: value, cwd: value };
        let rendered = template.ok().filter(|template| template.holds(Placeholder::Prompt)).map(|template| template.render(&values));
        let mut expected = std::ffi::OsString::from(before);
        expected.push(value);
        expected.push(after);
        prop_assert_eq!(rendered, Some(expected));
    }
}
