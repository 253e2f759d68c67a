//! What happens at the node where an item stands. Main types: [`Point`], [`Decision`], [`Stay`].
//!
//! It only judges: nothing is written, and what a reply ticks is read by `selection`.

use std::path::Path;

use serde_json::Value;

use crate::fault::graph::{Fault, on};

use super::clock::Moment;
use super::comment::Comment;
use super::definition::{Hook, Node, Outcome};
use super::gate::{self, Verdict};
use super::reply::{Reply, Waiting};
use super::settings::Settings;
use super::state::State;
use super::walk::Walk;

/// Where a state keeps ids of comments that answered something.
pub(crate) const USED: &str = "answeredBy";
/// Where a state keeps when nodes were entered.
pub(crate) const ENTERED: &str = "entered";

/// The node where an item stands, and what is known there.
pub(crate) struct Point<'a> {
    /// The walk.
    pub(crate) walk: &'a Walk<'a>,
    /// The node.
    pub(crate) node: &'a Node,
    /// The folder of the item.
    pub(crate) folder: &'a Path,
    /// Decisions about the item that the log knows.
    pub(crate) decisions: &'a [Value],
}

/// How a node ends.
pub(crate) struct Decision<'a> {
    /// The outcome.
    pub(crate) outcome: Outcome,
    /// The comment behind it, where a person decides.
    pub(crate) reply: Option<Reply<'a>>,
    /// What somebody should know.
    pub(crate) messages: Vec<String>,
}

/// Why the pointer stays where it is.
pub(crate) struct Stay {
    /// `block` or `wait`.
    pub(crate) word: &'static str,
    /// The reasons.
    pub(crate) messages: Vec<String>,
}

impl Stay {
    fn block(messages: Vec<String>) -> Self {
        Self { word: "block", messages }
    }

    fn wait(message: String) -> Self {
        Self { word: "wait", messages: vec![message] }
    }
}

impl Point<'_> {
    /// Judges the node.
    pub(crate) fn decide<'c>(
        &self,
        comments: &'c [Comment],
        settings: &Settings,
    ) -> Result<Decision<'c>, Stay> {
        let id = &self.node.id.text;
        if self.node.terminal {
            return Err(Stay::block(vec![format!("`{id}` is the end of the walk")]));
        }
        let missing = self.unrecorded();
        if !missing.is_empty() && !on(Fault::ForgedPointerCounts) {
            return Err(Stay::block(missing));
        }
        let reply = match self.node.human_gate() {
            None => None,
            Some(Hook::PhaseSelection) if self.walk.is_answered() => None,
            Some(hook) => Some(self.reply(hook, comments, settings)),
        };
        let wanted = reply.as_ref().and_then(|reply| reply.as_ref().ok()).map(|reply| reply.outcome);
        let verdict = gate::judge(self.node, self.folder);
        let unconditional = match wanted {
            Some(Outcome::ChangesRequested) => !on(Fault::ChangesNeedGates),
            Some(_) => on(Fault::ApprovalSkipsGates),
            None => false,
        };
        if let Verdict::Fails(flaws) = &verdict
            && !unconditional
        {
            return Err(Stay::block(flaws.clone()));
        }
        let reply = reply.transpose()?;
        let forward = self.node.outcomes().first().copied();
        let Some(outcome) = wanted.or(forward) else { return Err(Stay::block(Vec::new())) };
        let messages = match verdict {
            Verdict::Unavailable(cause) => vec![format!("`{id}` was not reviewed: {cause}")],
            _ => Vec::new(),
        };
        Ok(Decision { outcome, reply, messages })
    }

    /// Nodes that should have been left before this one, and of which nothing is recorded.
    fn unrecorded(&self) -> Vec<String> {
        let Some(way) = self.walk.before(self.node) else {
            return vec![format!("no way that is recorded leads to `{}`", self.node.id.text)];
        };
        let run = way.into_iter().filter(|node| self.walk.choices.absence(node).is_none());
        let missing = run.filter(|node| self.walk.state.record(&node.id.text).is_none());
        missing.map(|node| format!("`{}` comes before and was never left", node.id.text)).collect()
    }

    fn reply<'c>(&self, hook: Hook, comments: &'c [Comment], settings: &Settings) -> Result<Reply<'c>, Stay> {
        let id = &self.node.id.text;
        let nobody = settings.users.is_empty() && !on(Fault::NobodyMeansAnybody);
        if nobody && !on(Fault::AnyoneIsAuthorised) && !on(Fault::NobodySilent) {
            let text = "nobody can answer: `routing.authorizedUsers` of the config names no authorised user";
            return Err(Stay::wait(format!("`{id}` waits, but {text}")));
        }
        let entered = self.entered();
        let used = self.used(entered);
        let waiting = Waiting { hook, entered, used: &used };
        waiting.answer(comments, settings).ok_or_else(|| {
            let keywords = match hook {
                Hook::PhaseSelection => format!("`{}`", settings.execute),
                _ => format!("`{}` or `{}`", settings.approve, settings.request_changes),
            };
            Stay::wait(format!("`{id}` waits for a comment that begins with {keywords}"))
        })
    }

    /// When the node was entered. The state is asked, but nothing that happened earlier can have come later: not
    /// what else is recorded, nor what the log knows.
    pub(crate) fn entered(&self) -> Option<Moment> {
        let id = self.node.id.text.as_str();
        let own = stored_entry(self.walk.state, id);
        let recorded = self.walk.state.members("nodes").filter_map(|(_, record)| record.get("at")?.as_str());
        let logged = self.decisions.iter().filter(|event| {
            let same = event.get("node").and_then(Value::as_str) == Some(id);
            !(same && own.is_none_or(|own| is_entry(event, Some(own))))
        });
        let logged = logged.filter_map(|event| event.get("ts")?.as_str());
        recorded.chain(logged).filter_map(Moment::read).chain(own).max()
    }

    /// Comments that answered something else already. That the log knows this very answer means that the state
    /// could not be written after it.
    fn used(&self, entered: Option<Moment>) -> Vec<Value> {
        let id = Some(self.node.id.text.as_str());
        let elsewhere = self
            .decisions
            .iter()
            .filter(|event| event.get("node").and_then(Value::as_str) != id || !is_entry(event, entered));
        let logged = elsewhere.filter_map(|event| event.get("comment").cloned());
        logged.chain(self.walk.state.items(USED).iter().cloned()).collect()
    }
}

fn stored_entry(state: &State, id: &str) -> Option<Moment> {
    let (_, time) = state.members(ENTERED).find(|(node, _)| *node == id)?;
    Moment::read(time.as_str()?)
}

fn is_entry(event: &Value, entered: Option<Moment>) -> bool {
    event.get("entered").and_then(Value::as_str).and_then(Moment::read) == entered
}
