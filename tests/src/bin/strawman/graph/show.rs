//! `graph show` and `graph template`: what a loop looks like. Main functions: [`show`], [`template`].
//!
//! Both only print what the loop says; no item is looked at.

use serde_json::{Value, json};

use crate::fault::graph::{Fault, on};
use crate::listing::Listing;
use crate::refusal::Refusal;

use super::catalogue::DEFAULT;
use super::definition::{Actor, Edge, Gate, Graph, Hook, Located, Node, Outcome};

/// How a loop is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// Lines of text.
    Text,
    /// JSON.
    Json,
    /// A drawing.
    Mermaid,
}

/// Prints a loop.
pub(crate) fn show(graph: &Graph, view: View) -> Listing {
    let mut graph = graph.clone();
    graph.nodes.retain(|node| !node.opt_in || view == View::Json || !on(Fault::OptInsNotShown));
    if graph.name == DEFAULT && on(Fault::DefaultLoopNameless) {
        "default".clone_into(&mut graph.name);
    }
    let graph = &graph;
    let text = match view {
        View::Json => format!("{:#}\n", to_value(graph)),
        View::Text => lines(graph),
        View::Mermaid => mermaid(graph),
    };
    Listing { text, ok: true }
}

fn to_value(graph: &Graph) -> Value {
    let nodes: Vec<Value> = graph.nodes.iter().map(node_value).collect();
    let edges: Vec<Value> = graph
        .edges
        .iter()
        .map(|edge| json!({ "on": edge.on.name(), "from": edge.from.text, "to": edge.to.text }))
        .collect();
    let sets: Vec<(String, Value)> =
        graph.skip_sets.iter().map(|(name, ids)| (name.text.clone(), json!(texts(ids)))).collect();
    if on(Fault::HarmlessShuffled) {
        return json!({ "nodes": nodes, "edges": edges, "start": graph.start.text, "name": graph.name });
    }
    let start = (!on(Fault::ShownWithoutStart)).then_some(&graph.start.text);
    json!({
        "version": 1,
        "name": graph.name,
        "start": start,
        "skipSets": Value::Object(sets.into_iter().collect()),
        "edges": edges,
        "nodes": nodes,
    })
}

fn node_value(node: &Node) -> Value {
    let gate = |gate: &Gate| {
        let mut value = json!({ "hook": gate.hook.name() });
        if !gate.sections.is_empty() {
            value["with"]["sections"] = json!(texts(&gate.sections));
        }
        if let Some(file) = &gate.validates {
            value["with"]["validates"] = json!(file.text);
        }
        value
    };
    json!({
        "id": node.id.text,
        "phase": node.phase,
        "actor": actor(node.actor),
        "required": node.required,
        "skippable": node.can_be_skipped(),
        "optIn": node.opt_in,
        "description": node.description,
        "stage": node.stage,
        "produces": texts(&node.produces),
        "entry": node.entry,
        "exit": node.exit.iter().map(gate).collect::<Vec<_>>(),
        "terminal": node.terminal,
    })
}

fn texts(words: &[Located]) -> Vec<&str> {
    words.iter().map(|word| word.text.as_str()).collect()
}

fn actor(actor: Actor) -> &'static str {
    match actor {
        Actor::Agent => "agent",
        Actor::Human => "human",
        Actor::Code => "code",
    }
}

fn lines(graph: &Graph) -> String {
    let mut text = vec![format!("loop {}, from {}\n", graph.name, graph.start.text)];
    for node in &graph.nodes {
        let marks = [
            (node.required, "required"),
            (node.opt_in, "off unless ticked"),
            (node.skippable && !node.opt_in, "on unless unticked"),
            (node.terminal, "the end"),
        ];
        let marks: Vec<&str> = marks.iter().filter(|(set, _)| *set).map(|(_, mark)| *mark).collect();
        let marks = if marks.is_empty() { String::new() } else { format!(": {}", marks.join(", ")) };
        text.push(format!("{} ({}){marks}\n", node.id.text, actor(node.actor)));
        if !node.description.is_empty() {
            text.push(format!("    {}\n", node.description));
        }
        for edge in graph.leaving(&node.id.text).filter(|edge| are_shown(graph, edge)) {
            text.push(format!("    {} -> {}\n", edge.on.name(), edge.to.text));
        }
    }
    text.concat()
}

/// Whether both ends of an edge are among what is shown.
fn are_shown(graph: &Graph, edge: &Edge) -> bool {
    let shown = |end: &Located| graph.nodes.iter().any(|node| node.id.text == end.text);
    !on(Fault::OptInsNotShown) || shown(&edge.from) && shown(&edge.to)
}

fn mermaid(graph: &Graph) -> String {
    let mut text = vec!["flowchart TD\n".to_owned()];
    for node in &graph.nodes {
        let id = &node.id.text;
        let class = if node.opt_in { ":::optIn" } else { "" };
        // A bare `end` would close a block.
        text.push(format!("  n-{id}[\"{id}\"]{class}\n"));
    }
    for edge in graph.edges.iter().filter(|edge| are_shown(graph, edge)) {
        let arrow = if edge.on == Outcome::Skipped { "-.->" } else { "-->" };
        text.push(format!("  n-{} {arrow}|{}| n-{}\n", edge.from.text, edge.on.name(), edge.to.text));
    }
    text.push("  classDef optIn stroke-dasharray: 4 4\n".to_owned());
    text.concat()
}

/// Prints the form of what a node leaves behind.
pub(crate) fn template(graph: &Graph, id: &str) -> Result<Listing, Refusal> {
    let node = graph
        .node(id)
        .ok_or_else(|| Refusal::new(format!("`{}` has no node `{}`", graph.name, id.escape_debug())))?;
    let mut text = Vec::new();
    for gate in node.exit.iter().filter(|gate| !gate.hook.is_human()) {
        let files: Vec<&str> = match &gate.validates {
            Some(file) => vec![&file.text],
            None => texts(&node.produces),
        };
        for file in files {
            text.push(format!("<!-- {file} -->\n"));
            for section in &gate.sections {
                text.push(format!("## {}\n\n{}\n", section.text, form(gate.hook)));
            }
            if gate.sections.is_empty() {
                text.push(format!("{}\n", form(gate.hook)));
            }
        }
    }
    if text.is_empty() {
        return Err(Refusal::new(format!("`{id}` leaves no file behind, so it has no form")));
    }
    Ok(Listing { text: text.concat(), ok: true })
}

fn form(hook: Hook) -> &'static str {
    match hook {
        Hook::ReviewRecord if on(Fault::TemplatePasses) => {
            "| Round | Critic | Outcome | Findings | Link |\n\
             |---|---|---|---|---|\n\
             | 1 | critic | zero findings | 0 | - |\n"
        }
        Hook::ReviewRecord => {
            "| Round | Critic | Outcome | Findings | Link |\n\
             |---|---|---|---|---|\n\
             | <round> | <critic> | <new findings, zero findings, escalated, unavailable> | <how many, or the cause> | <link> |\n\
             \n\
             - <finding>: <fixed, won't fix and why, or needs clarification>\n"
        }
        _ => "<what there is to say>\n",
    }
}
