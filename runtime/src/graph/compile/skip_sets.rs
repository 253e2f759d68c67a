//! Skip sets: named lists of default-on nodes that can be declared away together.
//!
//! [`compile`] numbers their members. A set that names what cannot be declared away is told.

use std::collections::HashSet;

use super::index::Index;
use crate::config::Problem;
use crate::graph::definition::Definition;
use crate::graph::{Node, NodeId, Presence};

/// The sets with the numbers of their members.
pub(super) fn compile(
    definition: &Definition,
    index: &Index<'_>,
    nodes: &[Node],
    problems: &mut Vec<Problem>,
) -> Vec<(NodeId, Vec<usize>)> {
    let mut sets = Vec::with_capacity(definition.skip_sets.len());
    for set in &definition.skip_sets {
        let name = &set.name.value;
        let about = format!("skip set `{name}`");
        if index.contains(name.as_str()) {
            let what = format!("a node is called `{name}` too, so that the name would mean two things");
            problems.push(Problem::new(set.name.at, what).about(&about).remedy("rename the skip set"));
        }
        let mut members = Vec::with_capacity(set.members.len());
        let mut seen = HashSet::new();
        for member in &set.members {
            let number = match index.resolve(member) {
                Ok(number) => number,
                Err(unknown) => {
                    problems.extend(unknown.map(|problem| problem.about(&about)));
                    continue;
                }
            };
            let id = &nodes[number].id;
            let wrong = match nodes[number].presence {
                _ if !seen.insert(number) => Some((format!("`{id}` stands in it twice"), "name it once")),
                Presence::DefaultOn => None,
                Presence::OptIn => Some((
                    format!("names `{id}`, which is opt-in: it is away already unless somebody asks for it"),
                    "remove it from the set",
                )),
                Presence::Required | Presence::Fixed | Presence::Terminal => Some((
                    format!("names `{id}`, which cannot be declared away"),
                    "remove it from the set, or mark the node `skippable: true`",
                )),
            };
            if let Some((what, remedy)) = wrong {
                problems.push(Problem::new(member.at, what).about(&about).remedy(remedy));
            }
            members.push(number);
        }
        sets.push((name.clone(), members));
    }
    sets
}
