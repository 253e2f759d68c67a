//! Graphs with opt-in phases, as the laws of walking need them: the shipped one, or a line of drawn phases.
//!
//! Main type: [`Phases`]. Every one of them compiles; those that do not are drawn in `compile`.

use std::fmt::Write as _;
use std::sync::LazyLock;

use proptest::prelude::*;
use the_loop::config::OperatorConfig;
use the_loop::graph::{CompiledGraph, DEFAULT_LOOP, Loops};

/// What a phase is and has to leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Fixed,
    FixedArtifact,
    DefaultOn,
    DefaultOnArtifact,
    DefaultOnRecord,
    DefaultOnHuman,
    OptIn,
    OptInArtifact,
    OptInRecord,
    OptInHuman,
    Human,
}

const ANY: [Phase; 11] = [
    Phase::Fixed,
    Phase::FixedArtifact,
    Phase::DefaultOn,
    Phase::DefaultOnArtifact,
    Phase::DefaultOnRecord,
    Phase::DefaultOnHuman,
    Phase::OptIn,
    Phase::OptInArtifact,
    Phase::OptInRecord,
    Phase::OptInHuman,
    Phase::Human,
];

const OPT_IN: [Phase; 4] = [Phase::OptIn, Phase::OptInArtifact, Phase::OptInRecord, Phase::OptInHuman];

/// Names of which some begin like others, or look like a tick.
const NAMES: [&str; 8] = ["x", "deep", "deep-review", "review", "a", "a-x", "critic-review", "review-2"];

impl Phase {
    fn keys(self, name: &str) -> String {
        let marker = match self {
            Self::Fixed | Self::FixedArtifact | Self::Human => "",
            Self::DefaultOn | Self::DefaultOnArtifact | Self::DefaultOnRecord | Self::DefaultOnHuman => {
                ", skippable: true"
            }
            Self::OptIn | Self::OptInArtifact | Self::OptInRecord | Self::OptInHuman => ", optIn: true",
        };
        let exit = match self {
            Self::Fixed | Self::DefaultOn | Self::OptIn => String::new(),
            Self::FixedArtifact | Self::DefaultOnArtifact | Self::OptInArtifact => {
                format!(
                    ", produces: [{name}.md], exit: [{{hook: validate-artifacts, with: {{sections: [Told]}}}}]"
                )
            }
            Self::DefaultOnRecord | Self::OptInRecord => format!(
                ", produces: [{name}.md], exit: [{{hook: validate-review-record, with: {{sections: [Rounds]}}}}]"
            ),
            Self::DefaultOnHuman | Self::OptInHuman | Self::Human => {
                ", actor: human, exit: [classify-feedback]".to_owned()
            }
        };
        marker.to_owned() + &exit
    }

    fn is_human(self) -> bool {
        matches!(self, Self::DefaultOnHuman | Self::OptInHuman | Self::Human)
    }

    fn is_skippable(self) -> bool {
        !matches!(self, Self::Fixed | Self::FixedArtifact | Self::Human)
    }
}

/// A graph to be walked.
#[derive(Clone, Debug)]
pub(crate) enum Phases {
    Shipped,
    /// The phases between selection and end, and how far a request for changes leads back.
    Drawn {
        line: Vec<(Phase, &'static str)>,
        back: usize,
    },
}

static SHIPPED: LazyLock<CompiledGraph> = LazyLock::new(|| {
    let loops = Loops::read(&OperatorConfig::default()).expect("the shipped loops");
    loops.load(DEFAULT_LOOP).expect("the shipped loop")
});

impl Phases {
    pub(crate) fn graph(&self) -> CompiledGraph {
        let Self::Drawn { line, back } = self else { return SHIPPED.clone() };
        let text = written(line, *back);
        CompiledGraph::compile(&text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}"))
    }
}

fn written(line: &[(Phase, &str)], back: usize) -> String {
    let mut nodes = String::new();
    let mut edges = String::new();
    let name = |number: usize| {
        number.checked_sub(1).map_or("select", |at| line.get(at).map_or("end", |(_, name)| *name))
    };
    for (at, (phase, id)) in line.iter().enumerate() {
        writeln!(nodes, "  - {{id: {id}, description: about {id}{}}}", phase.keys(id)).expect("a string");
        let mut lead = |to: usize, on: &str| {
            writeln!(edges, "  - {{from: {id}, to: {}, on: {on}}}", name(to)).expect("a string");
        };
        lead(at + 2, if phase.is_human() { "approved" } else { "pass" });
        if phase.is_human() {
            lead((at + 1).saturating_sub(back), "changes-requested");
        }
        if phase.is_skippable() {
            lead(at + 2, "skipped");
        }
    }
    format!(
        "version: 1\nname: drawn\nstart: select\nnodes:\n  - {{id: select, actor: human, required: true, exit: [classify-phase-selection]}}\n\
         {nodes}  - {{id: end, terminal: true}}\nedges:\n  - {{from: select, to: {}, on: selected}}\n{edges}",
        name(1)
    )
}

/// Mostly lines with at least one opt-in phase, sometimes the shipped loop.
pub(crate) fn phases() -> impl Strategy<Value = Phases> {
    let others = prop::collection::vec(prop::sample::select(&ANY[..]), 0..5);
    let names = Just(NAMES).prop_shuffle();
    let place = any::<prop::sample::Index>();
    let drawn = (others, prop::sample::select(&OPT_IN[..]), place, names, 0..4_usize).prop_map(
        |(mut line, opt_in, place, names, back)| {
            line.insert(place.index(line.len() + 1), opt_in);
            Phases::Drawn { line: line.into_iter().zip(names).collect(), back }
        },
    );
    prop_oneof![1 => Just(Phases::Shipped), 11 => drawn]
}
