//! One planted fault of each kind that a scenario of the graph profile can have, and what is said of it.

use std::collections::BTreeMap;

use super::lint;
use crate::source::Source;
use crate::suite::Draft;

const LEDGER: &str = "\
- {id: graph.a.b, pattern: ubiquitous, ears: The runtime SHALL., level: must, source: [OR-1.1], profile: graph, since: 1}
- {id: graph.a.c, pattern: event, ears: WHEN so THEN the runtime SHALL., level: must, source: [OR-1.1], profile: graph, since: 1}
";
const TAGS: &str = "- {tag: OR-1.1, asks: optIn, with: graph}\n";
const WALK: &str = "\
title: A walk
requirement: graph.a.b
trigger: present
routing: '{authorizedUsers: [alice]}'
graphs: [small]
steps:
  - {id: start, start: {item: w1, loop: small}, expect: 0}
  - {id: offer, checklist: {item: w1}}
  - id: select
    advance:
      item: w1
      comments: [{by: bot, checklist: posted}, {by: alice, body: go, checklist: {of: offer, tick: [build]}}]
  - {id: look, before: {state: {set: {/a: 1}}}, check: {item: w1}}
checks:
  moved: {step: select, exit: 0, json: {/current: build}}
  seen: {given: [moved], requirement: graph.a.c, state: {/current: build}}
  unseen: {given: [moved], requirement: graph.a.c, trigger: absent, rows: {build: {matches: .}}}
";

fn faults(scenario: &str) -> Vec<String> {
    let specs = BTreeMap::from([
        ("graph".to_owned(), Source::new("specs/graph.yaml", LEDGER)),
        ("tags".to_owned(), Source::new("specs/tags.yaml", TAGS)),
    ]);
    let files = BTreeMap::from([("walk/one".to_owned(), Source::new("walk/one.yaml", scenario))]);
    lint(&Draft::read(specs, files)).iter().map(ToString::to_string).collect()
}

/// What is said of the walk in which `old` is `new`; one fault.
fn fault(old: &str, new: &str) -> String {
    assert_eq!(WALK.matches(old).count(), 1, "{old}");
    let found = faults(&WALK.replace(old, new));
    assert_eq!(found.len(), 1, "{new}: {found:#?}");
    found.concat()
}

#[test]
fn a_whole_walk_has_no_faults() {
    assert_eq!(faults(WALK), Vec::<String>::new());
}

#[test]
fn each_fault_is_told_with_its_line_and_what_to_do() {
    for (old, new, line, message, remedy) in [
        ("[small]", "[smal]", 5, "unknown graph `smal`", "did you mean `small`?"),
        ("[small]", "{small: {graph: small, replace: {nowhere: x}}}", 5, "`nowhere` stands 0 times", ""),
        ("[small]", "{small: {text: x, replace: {a: b}}}", 5, "`replace` without `graph`", ""),
        ("start: {item: w1", "start: {itme: w1", 7, "unknown field `itme`", "did you mean `item`?"),
        ("start: {item: w1, loop: small}", "start: {loop: small}", 7, "missing field `item`", ""),
        (
            "of: offer",
            "of: start",
            12,
            "step `start` prints no checklist before",
            "an earlier `checklist` step",
        ),
        ("tick: [build]", "tick: some", 12, "`some`, expected `all` or a list", ""),
        ("tick: [build]", "tick: []", 12, "an empty list changes nothing", ""),
        ("tick: [build]", "ticks: [build]", 12, "unknown field `ticks`", "did you mean `tick`?"),
        ("{by: bot, checklist: posted}", "{by: bot}", 12, "a comment without body and checklist", "add one"),
        ("checklist: posted", "checklist: pasted", 12, "unknown variant `pasted`", "did you mean `posted`?"),
        ("before: {state: {set: {/a: 1}}}", "before: {}", 13, "`before` does nothing", ""),
        ("{set: {/a: 1}}", "{item: w1}", 13, "`state` edits nothing", ""),
        ("{set: {/a: 1}}", "{set: {/a: '%{nobody}'}}", 13, "unknown name `%{nobody}`", ""),
        ("check: {item: w1}}", "check: {}}", 13, "`state` of no item", ""),
        (
            "given: [moved], requirement: graph.a.c, state",
            "given: [seen], requirement: graph.a.c, state",
            16,
            "`given` names `seen`",
            "an earlier check",
        ),
        (
            "requirement: graph.a.c, trigger: absent, ",
            "trigger: absent, ",
            17,
            "`trigger` without `requirement`",
            "",
        ),
        ("rows: {build: {matches: .}}", "rows: {}", 17, "empty `rows`", ""),
        ("rows: {build: {matches: .}}", "checklist: {build: {}}", 17, "row `build` asks for nothing", ""),
        ("rows: {build: {matches: .}}", "adjacent: [build]", 17, "asks for nothing", ""),
        ("rows: {build: {matches: .}}", "events: {x: {where: {a: 1}}}", 17, "`a` is no JSON pointer", ""),
    ] {
        let said = fault(old, new);
        assert!(said.contains(message) && said.contains(remedy), "{new}: {said}");
        assert!(said.contains(&format!("walk/one.yaml:{line}:")), "{new}: {said}");
    }
}

#[test]
fn a_state_is_asked_only_of_a_step_with_an_item() {
    let said = fault(
        "  - {id: look, before: {state: {set: {/a: 1}}}, check: {item: w1}}",
        "  - {id: look, before: {state: {item: w1, set: {/a: 1}}}, check: {}}",
    );
    assert!(said.contains("`state` of a step that is about no work item"), "{said}");
}

#[test]
fn a_row_needs_both_sides_also_where_a_check_turns_its_own() {
    let said = fault(", trigger: absent", "");
    assert!(said.contains("`graph.a.c` has no scenario with `trigger: absent`"), "{said}");
}

#[test]
fn what_idleness_passes_is_found_over_all_steps() {
    let idle = |expect: &str, check: &str| {
        let walk = format!(
            "title: A walk\nrequirement: graph.a.b\ntrigger: present\n\
             files: {{'%{{specs}}/w1/%{{state}}': '{{}}'}}\nsteps:\n\
             \x20 - {{id: legal, start: {{item: w1}}{expect}}}\n  - {{id: it, check: {{item: w1}}}}\nchecks:\n  it: {check}\n"
        );
        faults(&walk).concat().contains("a process that does nothing passes")
    };
    for (expect, check) in [
        ("", "{exit: 2}"),
        (", expect: 2", "{exit: 2}"),
        (", expect: 0", "{exit: {max: 3}, unchanged: ['%{specs}']}"),
        ("", "{exit: 1, state: {/optIns: {absent: true}}}"),
        ("", "{events: {x: {count: 0}}, rows: {build: {absent: true}}, checklist: {build: {absent: true}}}"),
    ] {
        assert!(idle(expect, check), "{expect} {check}");
    }
    for (expect, check) in [
        (", expect: 0", "{exit: 2}"),
        (", expect: 2", "{exit: 0}"),
        ("", "{exit: 2, rows: {build: {matches: .}}}"),
        ("", "{nodes: {gone: {'': {absent: true}}}}"),
        ("", "{no-edges: [{from: a}]}"),
        ("", "{checklist: {build: {ticked: true}}}"),
        ("", "{events: {x: {}}}"),
    ] {
        assert!(!idle(expect, check), "{expect} {check}");
    }
}
