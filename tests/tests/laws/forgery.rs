//! What an agent may write into a state, and what a log may hold of other walks.
//!
//! Main type: [`Forgery`], one change of `graph-state.json`. Whoever makes it knows the log, all comments and the graph.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};
use the_loop::graph::comment::CommentId;
use the_loop::graph::event::{Act, Event, Scope};
use the_loop::graph::state::State;
use the_loop::graph::token::hashes;
use the_loop::graph::{CompiledGraph, Outcome};

use super::answer::FOREIGN;
use super::item::{HUMAN, Item, NAME, moment};

/// Who is said to have done it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claim {
    /// Somebody of whom the log says that they did something, with every field that it knows.
    Logged(Index),
    Invented(u32),
}

/// One change of a state. Each [`Index`] chooses among what is there.
#[derive(Clone, Debug)]
pub(crate) enum Forgery {
    /// Opt-in phases are made to look as if they had been selected, walked and left.
    Everything(Claim),
    OptIn(Index, Claim),
    AnyOptIn(Index, Claim),
    Skip(Index, Claim),
    Record(Index, &'static str, Claim),
    Current(Index),
    Nowhere,
    Frozen(Index, bool, bool),
    Entered(Index, u32),
    /// A checklist of one's own is made the item's.
    Token,
    Pin(Index),
    Remove(Index, Index),
    Junk(&'static str, &'static str),
}

const OUTCOMES: [&str; 6] = ["pass", "selected", "approved", "skipped", "changes-requested", "done"];
const MEMBERS: [&str; 8] = ["loop", "current", "nodes", "skips", "optIns", "frozen", "entered", "checklist"];
const JUNK: [&str; 8] = [
    "null",
    "5",
    "[]",
    "\"x\"",
    "true",
    "{\"nodes\": 5}",
    "{\"deep\": true}",
    "{\"nodes\": [{\"id\": \"deep\", \"skipped\": false}]}",
];

fn claim() -> impl Strategy<Value = Claim> {
    prop_oneof![3 => any::<Index>().prop_map(Claim::Logged), 1 => (0..600_u32).prop_map(Claim::Invented)]
}

/// One to five changes.
pub(crate) fn forgeries() -> impl Strategy<Value = Vec<Forgery>> {
    let index = any::<Index>;
    let one = prop_oneof![
        3 => claim().prop_map(Forgery::Everything),
        4 => (index(), claim()).prop_map(|(which, claim)| Forgery::OptIn(which, claim)),
        1 => (index(), claim()).prop_map(|(which, claim)| Forgery::AnyOptIn(which, claim)),
        1 => (index(), claim()).prop_map(|(which, claim)| Forgery::Skip(which, claim)),
        2 => (index(), prop::sample::select(&OUTCOMES[..]), claim()).prop_map(|(which, word, claim)| Forgery::Record(which, word, claim)),
        2 => index().prop_map(Forgery::Current),
        1 => Just(Forgery::Nowhere),
        1 => (index(), any::<bool>(), any::<bool>()).prop_map(|(which, opt_in, skipped)| Forgery::Frozen(which, opt_in, skipped)),
        1 => (index(), 0..600_u32).prop_map(|(which, at)| Forgery::Entered(which, at)),
        1 => Just(Forgery::Token),
        1 => index().prop_map(Forgery::Pin),
        2 => (index(), index()).prop_map(|(member, which)| Forgery::Remove(member, which)),
        1 => (prop::sample::select(&MEMBERS[..]), prop::sample::select(&JUNK[..])).prop_map(|(member, junk)| Forgery::Junk(member, junk)),
    ];
    prop::collection::vec(one, 1..6)
}

impl Claim {
    /// The fields of a record or a declaration.
    fn fields(self, log: &str) -> Map<String, Value> {
        let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let claimed = match self {
            Self::Logged(which) if !lines.is_empty() => {
                let line = which.get(&lines);
                json!({"by": line["by"], "via": line["via"], "at": line["ts"], "comment": line["comment"]})
            }
            Self::Logged(_) => json!({"by": HUMAN, "via": "comment", "at": moment(0), "comment": 1_000}),
            Self::Invented(at) => json!({"by": HUMAN, "via": "comment", "at": moment(at), "comment": 1_000}),
        };
        claimed.as_object().cloned().unwrap_or_default()
    }
}

/// A member of an object, made an object if it is none.
fn member<'a>(value: &'a mut Value, key: &str) -> &'a mut Map<String, Value> {
    if !value[key].is_object() {
        value[key] = json!({});
    }
    value[key].as_object_mut().expect("an object")
}

impl Forgery {
    fn forge(&self, state: &mut Value, item: &Item) {
        let ids = item.names(|_| true);
        let opt_ins = item.opt_ins();
        match self {
            Self::Everything(claim) => {
                let fields = claim.fields(&item.log);
                for id in &opt_ins {
                    let human = item.graph.node(id).is_some_and(|node| node.classifier().is_some());
                    let mut record = fields.clone();
                    record.insert("outcome".to_owned(), if human { "approved" } else { "pass" }.into());
                    member(state, "optIns").insert(id.clone(), fields.clone().into());
                    member(state, "nodes").insert(id.clone(), record.into());
                }
            }
            Self::OptIn(which, claim) => {
                member(state, "optIns").insert(which.get(&opt_ins).clone(), claim.fields(&item.log).into());
            }
            Self::AnyOptIn(which, claim) => {
                member(state, "optIns").insert(which.get(&ids).clone(), claim.fields(&item.log).into());
            }
            Self::Skip(which, claim) => {
                member(state, "skips").insert(which.get(&ids).clone(), claim.fields(&item.log).into());
            }
            Self::Record(which, word, claim) => {
                let mut fields = claim.fields(&item.log);
                fields.insert("outcome".to_owned(), (*word).into());
                member(state, "nodes").insert(which.get(&ids).clone(), fields.into());
            }
            Self::Current(which) => state["current"] = which.get(&ids).as_str().into(),
            Self::Nowhere => state["current"] = "nowhere".into(),
            Self::Frozen(which, opt_in, skipped) => {
                let id = which.get(&ids);
                let row =
                    json!({"id": id, "phase": id, "selectable": true, "optIn": opt_in, "skipped": skipped});
                member(state, "frozen").insert("nodes".to_owned(), json!([row]));
            }
            Self::Entered(which, at) => {
                member(state, "entered").insert(which.get(&ids).clone(), json!(moment(*at)));
            }
            Self::Token => {
                let tokens: Vec<String> = hashes(FOREIGN).collect();
                let checklist = member(state, "checklist");
                checklist.insert("tokens".to_owned(), json!(tokens));
                checklist.remove("comment");
            }
            Self::Pin(which) => {
                let ids: Vec<Value> = item.comments.iter().map(|comment| json!(comment.id)).collect();
                if !ids.is_empty() {
                    member(state, "checklist").insert("comment".to_owned(), which.get(&ids).clone());
                }
            }
            Self::Remove(name, which) => {
                let members = member(state, MEMBERS[name.index(MEMBERS.len())]);
                let keys: Vec<String> = members.keys().cloned().collect();
                if !keys.is_empty() {
                    members.remove(which.get(&keys));
                }
            }
            Self::Junk(name, junk) => state[*name] = serde_json::from_str(junk).expect("JSON"),
        }
    }
}

/// The state as it reads after these changes.
pub(crate) fn forged(item: &Item, forgeries: &[Forgery]) -> State {
    let mut state: Value = serde_json::from_str(&item.state.text()).expect("JSON");
    for forgery in forgeries {
        forgery.forge(&mut state, item);
    }
    State::parse(&state.to_string()).expect("a state")
}

/// A walk elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Other {
    /// By another graph in this checkout, else by this graph in another one.
    same_root: bool,
    /// Whether the selection is told as others tell it, without saying where.
    is_bare: bool,
    pub(crate) at: u32,
}

pub(crate) fn other_walks() -> impl Strategy<Value = Vec<Other>> {
    let other = (any::<bool>(), any::<bool>(), 0..700_u32);
    let other = other.prop_map(|(same_root, is_bare, at)| Other { same_root, is_bare, at });
    prop::collection::vec(other, 0..3)
}

/// What the log knows of a walk elsewhere that has the same name, by the same graph or by another one: there everything was
/// selected, by the same human.
pub(crate) fn elsewhere(graph: &CompiledGraph, Other { same_root, is_bare, at }: Other) -> String {
    let (root, loop_name) =
        if same_root { ("/checkout", "another") } else { ("/elsewhere", graph.name().as_str()) };
    let scope = Scope { root: root.to_owned(), work_item: NAME.to_owned(), loop_name: loop_name.to_owned() };
    let act = Act { by: HUMAN, via: "comment", at: moment(at) };
    let opt_ins: Vec<_> =
        graph.nodes().iter().filter(|node| node.is_opt_in()).map(|node| node.id().clone()).collect();
    let comment = CommentId::of(&json!(999)).expect("an id");
    let selection = graph.phase_selection().expect("a selection").id();
    let events = [
        Event::opt_ins_selected(&scope, act, &opt_ins),
        Event::gate_decided(&scope, act, selection, Outcome::Selected, &comment, moment(at)),
    ];
    let lines = events.iter().map(|event| {
        let mut line: Value = serde_json::from_str(&event.line()).expect("JSON");
        if is_bare && !line["nodes"].is_null() {
            let members = line.as_object_mut().expect("an object");
            members.retain(|key, _| !["root", "loop"].contains(&key.as_str()));
        }
        format!("{line}\n")
    });
    lines.collect::<Vec<_>>().concat()
}
