//! Every fault of a graph, one at a time: the same edit done wrong and done right.
//!
//! The graph that is edited is the one that the contract shows.

mod growth;
mod telling;

use crate::graph::CompiledGraph;

/// The contract's example, to the letter.
const SMALL: &str = include_str!("../../../tests/graphs/small.yaml");

/// Everything that is told about a graph.
fn told(text: &str) -> Vec<String> {
    match CompiledGraph::compile(text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

/// The example with some of its text replaced, each once.
fn edited(edits: &[(&str, &str)]) -> String {
    edits.iter().fold(SMALL.to_owned(), |text, (old, new)| {
        assert_eq!(text.matches(old).count(), 1, "`{old}` does not stand in the graph exactly once");
        text.replace(old, new)
    })
}

/// The one fault of an edited example.
#[track_caller]
fn fault(edits: &[(&str, &str)]) -> String {
    let mut faults = told(&edited(edits));
    assert_eq!(faults.len(), 1, "{faults:#?}");
    faults.remove(0)
}

#[track_caller]
fn fine(edits: &[(&str, &str)]) {
    assert_eq!(told(&edited(edits)), [""; 0]);
}

const BUILD: &str = "{id: build, skippable: true, ";
const REVIEW: &str = "{id: deep-review, optIn: true, ";
const SHIP: &str = "{id: ship, ";
const COMPLETE: &str = "{id: complete, terminal: true}";
const SHIPPED: &str = "  - {from: ship, to: complete, on: pass}\n";

#[test]
fn the_example_compiles_to_the_letter() {
    assert_eq!(told(SMALL), [""; 0]);
    let graph = CompiledGraph::compile(SMALL).unwrap();
    let review = graph.node("deep-review").unwrap();
    assert!(review.is_opt_in() && review.is_skippable() && !review.is_default_on() && !review.is_required());
    assert_eq!(review.stage(), Some("critic-review"));
    assert_eq!(graph.skip_set("quick").unwrap()[0].id().as_str(), "build");
    assert_eq!(graph.phase_selection().unwrap().id(), graph.start().id());
}

#[test]
fn a_request_for_changes_leads_back() {
    let approval = "{id: approval, actor: human, exit: [classify-feedback]}\n  - {id: ship, ";
    let edges = |target: &str| {
        format!(
            "{SHIPPED}  - {{from: approval, to: ship, on: approved}}\n  - {{from: approval, to: {target}, on: changes-requested}}\n"
        )
    };
    let to = |target: &str| {
        let text = edited(&[(SHIP, approval), (SHIPPED, &edges(target))]);
        told(&text.replace("deep-review, to: ship", "deep-review, to: approval"))
    };
    for target in ["select", "build", "deep-review", "approval"] {
        assert_eq!(to(target), [""; 0], "{target}");
    }
    for target in ["ship", "complete"] {
        let told = to(target);
        assert!(
            told.len() == 1 && told[0].contains(&format!("a request for changes leads ahead, to `{target}`")),
            "{told:?}"
        );
    }
}

#[test]
fn an_opt_in_node_needs_a_skipped_edge_of_its_own() {
    let removed = "  - {from: deep-review, to: ship, on: skipped}\n";
    insta::assert_snapshot!(fault(&[(removed, "")]), @"line 8, column 5: node `deep-review`: no edge says what comes after `skipped`; add `- {from: deep-review, to: …, on: skipped}`");
    let removed = "  - {from: build, to: deep-review, on: skipped}\n";
    insta::assert_snapshot!(fault(&[(removed, "")]), @"line 7, column 5: node `build`: no edge says what comes after `skipped`; add `- {from: build, to: …, on: skipped}`");
}

#[test]
fn what_is_required_is_neither_opt_in_nor_skippable() {
    insta::assert_snapshot!(fault(&[(REVIEW, "{id: deep-review, optIn: true, required: true, ")]), @"line 8, column 46: node `deep-review`: `required` and `optIn` exclude each other: what must run cannot be off by default; remove one of them");
    insta::assert_snapshot!(fault(&[(BUILD, "{id: build, required: true, skippable: true, ")]), @"line 7, column 44: node `build`: `required` and `skippable` exclude each other: what must run cannot be declared away; remove one of them");
    fine(&[(REVIEW, "{id: deep-review, optIn: true, required: false, ")]);
    fine(&[(SHIP, "{id: ship, required: true, ")]);
    fine(&[(REVIEW, "{id: deep-review, optIn: true, skippable: true, ")]);
    insta::assert_snapshot!(fault(&[(REVIEW, "{id: deep-review, optIn: true, skippable: false, ")]), @"line 8, column 47: node `deep-review`: `skippable: false` contradicts `optIn: true`, which implies that the node can be left out; remove one of them");
}

#[test]
fn a_skip_set_names_default_on_nodes_only() {
    let members = |members: &str| fault(&[("{quick: [build]}", &format!("{{quick: {members}}}"))]);
    insta::assert_snapshot!(members("[build, deep-review]"), @"line 4, column 27: skip set `quick`: names `deep-review`, which is opt-in: it is away already unless somebody asks for it; remove it from the set");
    insta::assert_snapshot!(members("[ship]"), @"line 4, column 20: skip set `quick`: names `ship`, which cannot be declared away; remove it from the set, or mark the node `skippable: true`");
    insta::assert_snapshot!(members("[biuld]"), @"line 4, column 20: skip set `quick`: no node is called `biuld`; did you mean `build`?");
    insta::assert_snapshot!(members("[build, build]"), @"line 4, column 27: skip set `quick`: `build` stands in it twice; name it once");
    insta::assert_snapshot!(members("[]"), @"line 4, column 19: skip set `quick`: no nodes; name at least one, or remove the set");
    insta::assert_snapshot!(members("build"), @"line 4, column 19: skip set `quick`: expected a list, found `build`; write `skipSets: {NAME: [ID, …]}`");
    insta::assert_snapshot!(fault(&[("{quick: [build]}", "{build: [build]}")]), @"line 4, column 12: skip set `build`: a node is called `build` too, so that the name would mean two things; rename the skip set");
    insta::assert_snapshot!(fault(&[("{quick: [build]}", "{Quick One: [build]}")]), @"line 4, column 12: graph: `skipSets`: `Quick One` is no id; write lower-case words (a-z, 0-9) joined by `-`");
    fine(&[("{quick: [build]}", "{quick: [build], quicker: [build]}")]);
}

#[test]
fn unknown_keys_are_told_everywhere() {
    let tagged = fault(&[("start: select", "start: select\n!x entry: select")]);
    assert!(tagged.contains("expected a key, found a value with the tag `!x`"), "{tagged}");
    insta::assert_snapshot!(fault(&[("start: select", "start: select\nentry: select")]), @"line 4, column 1: graph: unknown key `entry`; the keys are version, name, start, skipSets, nodes, edges");
    insta::assert_snapshot!(fault(&[(REVIEW, "{id: deep-review, optIn: true, opt_in: true, ")]), @"line 8, column 36: node `deep-review`: unknown key `opt_in`; did you mean `optIn`?");
    insta::assert_snapshot!(fault(&[(SHIPPED, "  - {from: ship, to: complete, on: pass, when: x}\n")]), @"line 18, column 42: edge from `ship` to `complete`: unknown key `when`; the keys are from, to, on");
    insta::assert_snapshot!(fault(&[("{sections: [Ship]}", "{sections: [Ship], section: x}")]), @"line 10, column 96: node `ship`: `exit`: `validate-artifacts`: unknown key `section`; did you mean `sections`?");
    insta::assert_snapshot!(fault(&[("{sections: [Ship]}}", "{sections: [Ship]}, args: {}}")]), @"line 10, column 97: node `ship`: `exit`: unknown key `args`; the keys are hook, with");
    insta::assert_snapshot!(fault(&[(COMPLETE, "{id: complete, terminal: true, <<: {a: b}}")]), @"line 11, column 36: node `complete`: merge keys (`<<`) are not allowed here; write the keys out");
}

#[test]
fn markers_are_plain_booleans() {
    for (marker, node) in [("optIn", REVIEW), ("skippable", BUILD)] {
        for value in ["\"true\"", "yes", "1", "null", "'false'", "[true]", "True"] {
            let edit = node.replace(&format!("{marker}: true"), &format!("{marker}: {value}"));
            let told = fault(&[(node, &edit)]);
            assert!(told.contains(&format!("`{marker}`: expected `true` or `false`")), "{told}");
        }
    }
    insta::assert_snapshot!(fault(&[(COMPLETE, "{id: complete, terminal: \"true\"}")]), @"line 11, column 30: node `complete`: `terminal`: expected `true` or `false`, found the text `true`; write the plain word, without quotes");
    insta::assert_snapshot!(fault(&[(SHIP, "{id: ship, required: 1, ")]), @"line 10, column 26: node `ship`: `required`: expected `true` or `false`, found `1`; write the plain word, without quotes");
}

#[test]
fn gates_are_known_and_have_what_they_need() {
    insta::assert_snapshot!(fault(&[("exit: [classify-phase-selection]", "exit: [clasify-phase-selection]")]), @"line 6, column 55: node `select`: `exit`: unknown gate `clasify-phase-selection`; did you mean `classify-phase-selection`?");
    insta::assert_snapshot!(fault(&[("exit: [classify-phase-selection]", "exit: [{hook: classify-phase-selection, with: {}}]")]), @"line 6, column 94: node `select`: `exit`: `classify-phase-selection` takes no `with`; remove it");
    insta::assert_snapshot!(fault(&[("produces: [ship.md], ", "")]), @"line 10, column 23: node `ship`: `validate-artifacts` has nothing to read: neither `produces` nor `validates` names a file; add `produces: [FILE]` to the node, or `with: {validates: FILE}` to the gate");
    insta::assert_snapshot!(fault(&[("produces: [ship.md], ", "produces: [], ")]), @"line 10, column 37: node `ship`: `validate-artifacts` has nothing to read: neither `produces` nor `validates` names a file; add `produces: [FILE]` to the node, or `with: {validates: FILE}` to the gate");
    insta::assert_snapshot!(fault(&[("sections: [Ship]", "sections: [Ship], validates: []")]), @"line 10, column 44: node `ship`: `validate-artifacts` has nothing to read: neither `produces` nor `validates` names a file; add `produces: [FILE]` to the node, or `with: {validates: FILE}` to the gate");
    insta::assert_snapshot!(fault(&[("{sections: [Ship]}", "{sections: ['## Ship']}")]), @"line 10, column 89: node `ship`: `exit`: `validate-artifacts`: `sections`: `## Ship` starts with `#`; write the text of the heading only");
    fine(&[("exit: [{hook: validate-artifacts, with: {sections: [Ship]}}]", "exit: [validate-artifacts]")]);
    fine(&[(
        "produces: [ship.md], exit: [{hook: validate-artifacts, with: {sections: [Ship]}}]",
        "entry: [a, {hook: b}]",
    )]);
    let record = |with: &str| {
        let old =
            "{hook: validate-artifacts, with: {validates: evidence/deep-review.md, sections: [Deep review]}}";
        (old, format!("{{hook: validate-review-record, with: {with}}}"))
    };
    for (with, what) in [
        ("{validates: a.md}", "one section of one file"),
        ("{validates: [a.md, b.md], sections: [A]}", "one section of one file"),
        ("{validates: a.md, sections: [A, B]}", "one section of one file"),
        ("{sections: [A]}", "nothing to read"),
    ] {
        let (old, new) = record(with);
        let told = fault(&[(old, &new)]);
        assert!(told.contains(what), "{told}");
    }
    let (old, new) = record("{validates: [a.md], sections: [A]}");
    fine(&[(old, &new)]);
}

#[test]
fn artifacts_stay_inside_the_folder() {
    for path in [
        "../ship.md",
        "/etc/passwd",
        "a/../../b",
        "./a",
        "''",
        "'a b/../c'",
        "~null",
        "\"a\\nb\"",
        "null",
        "evidence/",
    ] {
        let told = told(&edited(&[("produces: [ship.md]", &format!("produces: [{path}]"))]));
        if path == "~null" {
            assert_eq!(told, [""; 0], "a name like any other");
        } else {
            assert!(told.len() == 1 && told[0].contains("`produces`"), "{path}: {told:?}");
        }
        let told =
            self::told(&edited(&[("validates: evidence/deep-review.md", &format!("validates: {path}"))]));
        assert_eq!(told.len(), usize::from(path != "~null"), "{path}: {told:?}");
    }
    insta::assert_snapshot!(fault(&[("produces: [ship.md]", "produces: [../ship.md]")]), @"line 10, column 27: node `ship`: `produces`: `../ship.md` is no file inside the item's folder; write a path relative to that folder, without `.` and `..`, such as `evidence/review.md`");
    fine(&[("produces: [ship.md]", "produces: [evidence/deep/ship.md]")]);
}

#[test]
fn unreachable_nodes_are_told_with_what_is_behind_them() {
    let extra = "  - {id: x}\n  - {id: y}\n  - {id: complete, terminal: true}";
    let edges = "  - {from: ship, to: complete, on: pass}\n  - {from: x, to: y, on: pass}\n  - {from: y, to: ship, on: pass}\n";
    let edits = [("  - {id: complete, terminal: true}", extra), (SHIPPED, edges)];
    insta::assert_snapshot!(fault(&edits), @"line 11, column 5: node `x`: no walk reaches it, nor `y` behind it; add an edge that leads to it, or remove it");
    let turned =
        extra.replace("{id: x}", "{id: t}").replace("{id: y}", "{id: x}").replace("{id: t}", "{id: y}");
    let turned = [(edits[0].0, turned.as_str()), edits[1]];
    insta::assert_snapshot!(fault(&turned), @"line 12, column 5: node `x`: no walk reaches it, nor `y` behind it; add an edge that leads to it, or remove it");
    let reached = edges
        .replace("{from: ship, to: complete", "{from: ship, to: x")
        .replace("{from: y, to: ship", "{from: y, to: complete");
    fine(&[edits[0], (SHIPPED, &reached)]);
}

#[test]
fn forward_edges_go_in_no_circle() {
    let told = self::told(&edited(&[(SHIPPED, "  - {from: ship, to: deep-review, on: pass}\n")]));
    assert!(told.iter().any(|fault| fault.contains("`deep-review` -> `ship` -> `deep-review`")), "{told:?}");
    // Skipped edges count as well.
    let skipped = "  - {from: deep-review, to: ship, on: skipped}";
    insta::assert_snapshot!(fault(&[(skipped, "  - {from: deep-review, to: build, on: skipped}")]), @"line 17, column 5: edges: a walk could go round for ever: `build` -> `deep-review` -> `build`; remove or redirect one of these edges; only `changes-requested` may lead back");
    insta::assert_snapshot!(fault(&[(skipped, "  - {from: deep-review, to: deep-review, on: skipped}")]), @"line 17, column 5: edges: a walk could go round for ever: `deep-review` -> `deep-review`; remove or redirect one of these edges; only `changes-requested` may lead back");
}

#[test]
fn changes_may_lead_back() {
    let human = (
        "{id: ship, produces: [ship.md], exit: [{hook: validate-artifacts, with: {sections: [Ship]}}]}",
        "{id: ship, actor: human, exit: [classify-feedback]}",
    );
    let edges =
        "  - {from: ship, to: complete, on: approved}\n  - {from: ship, to: build, on: changes-requested}\n";
    fine(&[human, (SHIPPED, edges)]);
    insta::assert_snapshot!(fault(&[human, (SHIPPED, "  - {from: ship, to: complete, on: approved}\n")]), @"line 10, column 5: node `ship`: no edge says what comes after `changes-requested`; add `- {from: ship, to: …, on: changes-requested}`");
    let approved_back = edges.replace("complete, on: approved", "build, on: approved");
    let told = told(&edited(&[human, (SHIPPED, &approved_back)]));
    assert!(told.iter().any(|fault| fault.contains("go round for ever")), "{told:?}");
}

#[test]
fn no_walk_passes_an_opt_in_node_by() {
    insta::assert_snapshot!(fault(&[("{from: build, to: deep-review, on: skipped}", "{from: build, to: ship, on: skipped}")]), @"line 8, column 5: node `deep-review`: a walk could pass this opt-in node by: `select` -> `build` -> `ship` -> `complete`; let every walk lead to it; its own `skipped` edge is the way round");
    // Not even with a request for changes, wherever it leads.
    let detour = [
        (
            "{from: select, to: build, on: selected}",
            "{from: select, to: early, on: selected}\n  - {from: early, to: build, on: approved}\n  - {from: early, to: ship, on: changes-requested}",
        ),
        ("  - {id: build", "  - {id: early, actor: human, exit: [classify-feedback]}\n  - {id: build"),
    ];
    insta::assert_snapshot!(told(&edited(&detour)).join("\n"), @r"
    line 9, column 5: node `deep-review`: a walk could pass this opt-in node by: `select` -> `early` -> `ship` -> `complete`; let every walk lead to it; its own `skipped` edge is the way round
    line 16, column 5: edge from `early`: a request for changes leads ahead, to `ship`; let it lead to a node that comes before, or to the node itself
    ");
    let back = detour[0].1.replace("{from: early, to: ship,", "{from: early, to: early,");
    fine(&[(detour[0].0, &back), detour[1]]);
}

#[test]
fn every_outcome_has_exactly_one_edge() {
    insta::assert_snapshot!(fault(&[(SHIPPED, &format!("{SHIPPED}{SHIPPED}"))]), @"line 19, column 5: edge from `ship`: a second edge for `pass`; the first stands in line 18; remove one of them");
    insta::assert_snapshot!(fault(&[(SHIPPED, &format!("{SHIPPED}  - {{from: ship, to: complete, on: skipped}}\n"))]), @"line 19, column 36: edge from `ship`: the node cannot be skipped; mark it `skippable: true` or `optIn: true`, or remove the edge");
    insta::assert_snapshot!(fault(&[(SHIPPED, &format!("{SHIPPED}  - {{from: ship, to: complete, on: approved}}\n"))]), @"line 19, column 36: edge from `ship`: the node never ends with `approved`; its outcomes are pass");
    insta::assert_snapshot!(fault(&[("{from: select, to: build, on: selected}", "{from: select, to: build, on: selected}\n  - {from: select, to: build, on: pass}")]), @"line 14, column 35: edge from `select`: the node never ends with `pass`; its outcomes are selected");
    let told = told(&edited(&[(SHIPPED, "")]));
    assert!(
        told.iter().any(|fault| fault.contains("node `ship`: no edge says what comes after `pass`")),
        "{told:?}"
    );
}

#[test]
fn a_human_and_exactly_one_gate_belong_together() {
    insta::assert_snapshot!(fault(&[(SHIP, "{id: ship, actor: human, ")]), @"line 10, column 23: node `ship`: `actor: human`, but no gate reads the answer; add `exit: [classify-feedback]`, or remove `actor`");
    insta::assert_snapshot!(fault(&[("actor: human, ", "")]), @"line 6, column 41: node `select`: the gate reads a human's answer, but the actor is no human; write `actor: human`, or remove the gate");
    insta::assert_snapshot!(fault(&[("actor: human, ", "actor: code, ")]), @"line 6, column 54: node `select`: the gate reads a human's answer, but the actor is no human; write `actor: human`, or remove the gate");
    insta::assert_snapshot!(fault(&[("actor: human, ", "actor: humam, ")]), @"line 6, column 25: node `select`: `actor`: unknown actor `humam`; did you mean `human`?");
    let both = "exit: [classify-phase-selection, classify-feedback]";
    insta::assert_snapshot!(fault(&[("exit: [classify-phase-selection]", both)]), @"line 6, column 81: node `select`: two gates read a human's answer: one answer decides; keep one of them");
    fine(&[(
        "exit: [classify-phase-selection]",
        "exit: [{hook: validate-artifacts, with: {validates: a.md}}, classify-phase-selection]",
    )]);
    fine(&[(SHIP, "{id: ship, actor: code, ")]);
}

#[test]
fn the_phase_selection_is_required_and_comes_first() {
    insta::assert_snapshot!(fault(&[("required: true", "required: false")]), @"line 6, column 5: node `select`: a phase selection has to be required: nobody may do without it; mark it `required: true`");
    insta::assert_snapshot!(fault(&[("actor: human, required: true, exit: [classify-phase-selection]", "description: nothing"), ("on: selected}", "on: pass}")]), @"line 7, column 5: node `build`: there is no phase selection, so that nobody is asked about `build`, `deep-review`; start with a node of `actor: human, required: true, exit: [classify-phase-selection]`, or remove the markers");
    let late = [
        ("start: select", "start: build"),
        ("{from: select, to: build, on: selected}", "{from: select, to: ship, on: selected}"),
        ("{from: deep-review, to: ship, on: pass}", "{from: deep-review, to: select, on: pass}"),
        ("{from: deep-review, to: ship, on: skipped}", "{from: deep-review, to: select, on: skipped}"),
    ];
    insta::assert_snapshot!(told(&edited(&late)).join("\n"), @"
    line 7, column 5: node `build`: a walk comes here before the phase selection `select`; let every walk to it lead through the phase selection, or remove the marker
    line 8, column 5: node `deep-review`: a walk comes here before the phase selection `select`; let every walk to it lead through the phase selection, or remove the marker
    ");
    let twice = (
        "{id: ship, produces: [ship.md], exit: [{hook: validate-artifacts, with: {sections: [Ship]}}]}",
        "{id: ship, actor: human, required: true, exit: [classify-phase-selection]}",
    );
    insta::assert_snapshot!(fault(&[twice, ("{from: ship, to: complete, on: pass}", "{from: ship, to: complete, on: selected}")]), @"line 10, column 5: node `ship`: `select` is a phase selection as well: phases are chosen once; keep one of them");
}

#[test]
fn evidence_serves_one_node_only() {
    let same = (
        "validates: evidence/deep-review.md, sections: [Deep review]",
        "validates: ship.md, sections: [\"ship \"]",
    );
    insta::assert_snapshot!(fault(&[same]), @"line 10, column 44: node `ship`: section `ship` of `ship.md` is read by `deep-review` as well: one piece of evidence would satisfy two phases; give each a section of its own");
    fine(&[(same.0, "validates: ship.md, sections: [Deep review]")]);
    let whole = "exit: [{hook: validate-artifacts, with: {validates: all.md}}]";
    let ship = "exit: [{hook: validate-artifacts, with: {sections: [Ship]}}]";
    let build = "exit: [{hook: validate-artifacts, with: {sections: [Build]}}]";
    insta::assert_snapshot!(fault(&[(ship, whole), (build, whole)]), @"line 10, column 44: node `ship`: `all.md` is read by `build` as well: one piece of evidence would satisfy two phases; give each a section of its own");
}

#[test]
fn a_terminal_node_only_ends() {
    for (key, text) in [
        ("required", "required: true"),
        ("skippable", "skippable: true"),
        ("optIn", "optIn: true"),
        ("produces", "produces: [a.md]"),
        ("exit", "exit: [{hook: validate-artifacts, with: {validates: a.md}}]"),
        ("actor: human", "actor: human"),
    ] {
        let told = fault(&[(COMPLETE, &format!("{{id: complete, terminal: true, {text}}}"))]);
        assert!(told.contains(&format!("a terminal node has no `{key}`")), "{told}");
    }
    insta::assert_snapshot!(fault(&[(SHIPPED, &format!("{SHIPPED}  - {{from: complete, to: complete, on: changes-requested}}\n"))]), @"line 19, column 40: edge from `complete`: the node is terminal: nothing comes after it; remove the edge, or `terminal`");
    fine(&[(
        COMPLETE,
        "{id: complete, terminal: true, description: done, phase: end, optIn: false, exit: []}",
    )]);
}

#[test]
fn names_mean_something() {
    insta::assert_snapshot!(fault(&[("start: select", "start: selct")]), @"line 3, column 8: graph: `start`: no node is called `selct`; did you mean `select`?");
    insta::assert_snapshot!(fault(&[("to: complete, on: pass", "to: complet, on: pass")]), @"line 18, column 22: edge: no node is called `complet`; did you mean `complete`?");
    insta::assert_snapshot!(told(&edited(&[("name: small", "name: Small")]))[0], @"line 2, column 7: graph: `name`: `Small` is no id; write lower-case words (a-z, 0-9) joined by `-`");
    let twice = "  - {id: complete, terminal: true}\n  - {id: complete, terminal: true}";
    insta::assert_snapshot!(fault(&[("  - {id: complete, terminal: true}", twice)]), @"line 12, column 10: node `complete`: the id `complete` stands here and in line 11; rename one of them");
    // What is wrong with a name is told once, not again wherever the name is used.
    let told = told(
        &edited(&[("{id: ship", "{id: Ship"), ("{from: ship", "{from: Ship")])
            .replace("to: ship", "to: Ship"),
    );
    insta::assert_snapshot!(told.join("\n"), @"line 10, column 10: node `Ship`: `id`: `Ship` is no id; write lower-case words (a-z, 0-9) joined by `-`");
    insta::assert_snapshot!(fault(&[("on: selected", "on: select")]), @"line 13, column 35: edge from `select` to `build`: `on`: unknown outcome `select`; did you mean `selected`?");
}

#[test]
fn shapes_are_told_at_their_place() {
    insta::assert_snapshot!(told("").join("\n"), @"line 1, column 1: the file is empty; start with `version: 1`");
    insta::assert_snapshot!(told("- a").join("\n"), @"line 1, column 1: graph: expected a mapping, found a list; the keys are version, name, start, skipSets, nodes, edges");
    insta::assert_snapshot!(told("a: [").join("\n"), @"line 1, column 4: not YAML: unclosed bracket '['");
    insta::assert_snapshot!(told("version: '1'\nname: a\nstart: a\nnodes: {a: b}\nedges: 5\nskipSets: []").join("\n"), @"
    line 1, column 10: graph: `version`: expected the number 1, found the text `1`; write `version: 1`
    line 3, column 8: graph: `start`: no node is called `a`; name one that stands under `nodes`
    line 4, column 8: graph: `nodes`: expected a list, found a mapping; write `nodes: […]`
    line 5, column 8: graph: `edges`: expected a list, found `5`; write `edges: […]`
    line 6, column 11: graph: `skipSets`: expected a mapping, found a list; write `skipSets: {NAME: [ID, …]}`
    ");
    insta::assert_snapshot!(told("version: 1\nname: a\nstart: a\nnodes: []").join("\n"), @"
    line 1, column 1: graph: `nodes`: no nodes; write one `- {id: …}` for each node
    line 3, column 8: graph: `start`: no node is called `a`; name one that stands under `nodes`
    ");
    insta::assert_snapshot!(told("nodes: [5, {}, {id: null}, {id: [a]}]\nedges: [a, {from: x}]").join("\n"), @r#"
    line 1, column 1: graph: `version` is missing; write `version: 1`
    line 1, column 1: graph: `name` is missing; write `name:` and the name of the loop
    line 1, column 1: graph: `start` is missing; write `start:` and the id of the first node
    line 1, column 9: node 1: expected a mapping, found `5`; the keys are id, phase, actor, required, skippable, optIn, description, stage, produces, entry, exit, terminal
    line 1, column 12: node 2: `id` is missing; write `id:` and a name for the node
    line 1, column 21: node 3: `id`: expected text, found null; quote it (`"null"`, `""`) if that text is meant, or remove the key
    line 1, column 33: node 4: `id`: expected text, found a list; write one value
    line 2, column 9: edge 1: expected a mapping, found `a`; the keys are from, to, on
    line 2, column 12: edge 2: `to` is missing; write `{from: ID, to: ID, on: OUTCOME}`
    line 2, column 12: edge 2: `on` is missing; write `{from: ID, to: ID, on: OUTCOME}`
    line 2, column 19: edge: no node is called `x`; name one that stands under `nodes`
    "#);
    insta::assert_snapshot!(fault(&[("start: select", "start: select\nstart: select")]), @"line 4, column 1: graph: the key `start` stands here and in line 3; keep one of them");
    insta::assert_snapshot!(fault(&[(SHIP, "{id: ship, stage: a, stage: b, ")]), @"line 10, column 26: node `ship`: the key `stage` stands here and in line 10; keep one of them");
    insta::assert_snapshot!(fault(&[(SHIP, "{id: ship, description: \"a\\n- [x] b\", ")]), @r#"line 10, column 29: node `ship`: `description`: `a\n- [x] b` holds line breaks or characters that nobody sees; write one line of plain text"#);
    insta::assert_snapshot!(fault(&[(SHIP, "{id: ship, phase: ' ', ")]), @"line 10, column 23: node `ship`: `phase`: the text is blank; write it, or remove the key");
    insta::assert_snapshot!(fault(&[(SHIP, "{id: ship, entry: hook, ")]), @"line 10, column 23: node `ship`: `entry`: expected a list, found `hook`; write `entry: […]`");
    assert_eq!(told("version: 1\nname: a\nstart: a\nnodes: [{id: a, terminal: true}]"), [""; 0]);
}

#[test]
fn everything_is_told_at_once_in_file_order() {
    let text = edited(&[
        ("start: select", "start: selct\nstrat: x"),
        ("{quick: [build]}", "{quick: [deep-review]}"),
        (REVIEW, "{id: deep-review, optIn: true, required: true, "),
        ("produces: [ship.md]", "produces: [../ship.md]"),
        ("{from: ship, to: complete, on: pass}", "{from: ship, to: nowhere, on: pas}"),
    ]);
    insta::assert_snapshot!(told(&text).join("\n"), @"
    line 3, column 8: graph: `start`: no node is called `selct`; did you mean `select`?
    line 4, column 1: graph: unknown key `strat`; did you mean `start`?
    line 5, column 20: skip set `quick`: names `deep-review`, which is opt-in: it is away already unless somebody asks for it; remove it from the set
    line 9, column 46: node `deep-review`: `required` and `optIn` exclude each other: what must run cannot be off by default; remove one of them
    line 11, column 27: node `ship`: `produces`: `../ship.md` is no file inside the item's folder; write a path relative to that folder, without `.` and `..`, such as `evidence/review.md`
    line 19, column 22: edge: no node is called `nowhere`; name one that stands under `nodes`
    line 19, column 35: edge from `ship` to `nowhere`: `on`: unknown outcome `pas`; did you mean `pass`?
    ");
}
