//! Variants of scenarios of the suite: what is rewritten means the same, and each lacks just what it says.

use serde_json::Value;

use super::inputs;
use crate::scenario::Scenario;
use crate::source::Source;
use crate::source::tree::Tree;
use crate::suite::Draft;

const TWO: &str = r##"title: Two rounds
requirement: critic.executable.command-wins
trigger: present
critics: |
  - {name: one, command: "%{bin}/one", args: ["{prompt}", -x], timeoutSeconds: 4.10}
reviews: "{selfReviewCount: 2}"
files: {a.json: '{"x": {"y": 1}}', b.md: "# words\n"}
env: {FLAVOUR: plain}
fakes: {one: [{print: "a: b"}, {exit: 3}]}
steps:
  - {id: first, run: {critic: one, prompt: review, timeout: "5"}}
  - {before: {write: {c: d}}, list: {format: json}}
checks:
  first: {step: first, exit: 1}
  listed: {exit: 0}
"##;

fn taken(text: &str) -> Vec<String> {
    inputs::all(&Tree::read(text).unwrap()).into_iter().map(|cut| cut.taken).collect()
}

#[test]
fn every_scenario_of_the_suite_can_be_rewritten_and_means_the_same() {
    let draft = Draft::load(None, None).unwrap();
    assert!(draft.scenarios.len() > 500);
    for scenario in &draft.scenarios {
        let tree = Tree::read(scenario.source().text()).unwrap_or_else(|| panic!("{}", scenario.id()));
        let source = Source::new(scenario.source().path(), tree.written());
        let again = Scenario::parse(scenario.id(), source).unwrap_or_else(|faults| panic!("{}", faults[0]));
        let parts = |scenario: &Scenario| {
            let (control, evidence) = (scenario.control().cloned(), scenario.evidence().to_vec());
            (scenario.setup().clone(), control, evidence, scenario.checks().to_vec())
        };
        assert_eq!(parts(&again), parts(scenario), "{}", scenario.id());
    }
}

#[test]
fn what_targets_read_inside_of_a_scenario_means_the_same_once_it_is_rewritten() {
    let draft = Draft::load(None, None).unwrap();
    let mut seen = 0;
    for scenario in &draft.scenarios {
        let tree = Tree::read(scenario.source().text()).unwrap();
        for key in ["critics", "reviews", "routing", "config"] {
            let Some(text) = tree.part(key).and_then(Tree::text) else { continue };
            let Some(inner) = Tree::read(text) else { continue };
            let value = |text: &str| Source::new("x", text).read::<Value>().ok();
            // Double keys are refused by the reader, before and after.
            assert_eq!(value(&inner.written()), value(text), "{} {key}", scenario.id());
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn every_input_can_be_taken_away_and_nothing_else() {
    let found = taken(TWO);
    for wanted in [
        "`/steps/0/run/prompt` (is \"other\")",
        "`/steps/0/run/timeout`",
        "`/steps/1/before/write/c`",
        "`/steps/1/before`",
        "`/steps/0`",
        "`/files/a.json` at `/x/y`",
        "`/files/b.md` (is \"other\\n\")",
        "`/env/FLAVOUR`",
        "`/critics` at `/0/args/1`",
        "`/critics` at `/0/timeoutSeconds`",
        "`/reviews` at `/selfReviewCount`",
        "`/fakes/one/0/print` (is \"ok\\n\")",
        "`/fakes/one/1`",
        "what one does (an empty script)",
        "what one does (a script of a word)",
    ] {
        assert!(found.iter().any(|taken| taken == wanted), "{wanted} is not in {found:#?}");
    }
    let no_input =
        |taken: &&String| ["/checks", "/title", "/id", "/trigger"].iter().any(|key| taken.contains(key));
    assert_eq!(found.iter().find(no_input), None);
}

#[test]
fn a_cut_leaves_the_rest_as_it_was() {
    let tree = Tree::read(TWO).unwrap();
    let cut = inputs::all(&tree).into_iter().find(|cut| cut.taken == "`/critics` at `/0/args/1`").unwrap();
    let mut left = cut.applied(&tree).unwrap();
    let critics = r#"[{name: one, command: "%{bin}/one", args: ["{prompt}"], timeoutSeconds: 4.10}]"#;
    assert_eq!(left.part("critics").and_then(Tree::text), Some(critics));
    left.set("critics", tree.part("critics").unwrap().clone());
    assert_eq!(left, tree);
}

#[test]
fn a_step_goes_with_the_checks_on_it() {
    let tree = Tree::read(&TWO.replace("{exit: 0}", "{step: '1', exit: 0}")).unwrap();
    let cut = inputs::all(&tree).into_iter().find(|cut| cut.taken == "`/steps/0`").unwrap();
    let left = cut.applied(&tree).unwrap();
    let checks: Vec<String> =
        left.part("checks").unwrap().parts().into_iter().map(|(name, _)| name).collect();
    assert_eq!(checks, ["listed"]);
}
