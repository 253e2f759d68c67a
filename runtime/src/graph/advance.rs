//! One step of a walk: at most one node is decided.
//!
//! [`Advance::decide`] is a function from where an item stands, its artifacts and its comments to a [`Step`]; writing down what the
//! step says is left to the caller, events first.

use super::check::Case;
use super::checklist::{self, Found};
use super::comment::Comment;
use super::event::{Act, Event, Scope};
use super::gate::{self, Verdict};
use super::history::History;
use super::markdown::rows;
use super::reply::{Answer, Question, Reply, find};
use super::selection::{Selection, confirmation, is_checklist};
use super::state::{Declaration, Frozen, Record, State};
use super::walk::{Absence, Standing, forward};
use super::{Gate, Moment, Node, NodeId, Outcome};

/// Everything that a step depends on.
#[derive(Clone, Copy)]
pub struct Advance<'a> {
    /// The item as it stands.
    pub case: Case<'a>,
    /// Which walk it is.
    pub scope: &'a Scope,
    /// All comments, in any order.
    pub comments: &'a [Comment],
    /// Who runs the step.
    pub operator: &'a str,
    /// When.
    pub now: Moment,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// The node ended, and the pointer moved.
    Left(Outcome),
    /// It needs an answer of a human.
    Wait,
    /// Something is missing, or the walk is over.
    Block,
}

impl StepOutcome {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Left(outcome) => outcome.word(),
            Self::Wait => "wait",
            Self::Block => "block",
        }
    }
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The node it was about.
    pub node: NodeId,
    /// What it came to.
    pub outcome: StepOutcome,
    /// What the state is afterwards.
    pub state: State,
    /// What the event log knows afterwards.
    pub history: History,
    /// What the log has to be told before the state is written.
    pub events: Vec<Event>,
    /// Nodes that were unticked and run all the same.
    pub refused: Vec<NodeId>,
    /// The comment that confirms a selection.
    pub confirmation: Option<String>,
    /// What the operator should hear.
    pub notes: Vec<String>,
}

/// The state's pointer names no node of the walk. Exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("the state's `current` is `{}`, which is no node of the walk; restore it to where the item stands", crate::config::visible(.0))]
pub struct UnknownCurrent(String);

/// A step in the making.
struct Making<'a> {
    advance: &'a Advance<'a>,
    node: &'a Node,
    step: Step,
}

impl<'a> Advance<'a> {
    /// Decides the node at the pointer, if it can be decided.
    ///
    /// # Errors
    /// When the pointer names no node of the walk.
    pub fn decide(&'a self) -> Result<Step, UnknownCurrent> {
        let standing = self.case.standing;
        let walk = standing.walk();
        let Some(node) = standing.pointer(&walk) else {
            return Err(UnknownCurrent(standing.state.current.clone()));
        };
        let step = Step {
            node: node.id().clone(),
            outcome: StepOutcome::Block,
            state: standing.state.clone(),
            history: standing.history.clone(),
            events: Vec::new(),
            refused: Vec::new(),
            confirmation: None,
            notes: Vec::new(),
        };
        let mut making = Making { advance: self, node, step };
        let before = &walk.nodes()[..walk.position(node).unwrap_or_default()];
        if let Some(why) = before.iter().find_map(|node| self.open(node)) {
            making.step.notes.push(why);
        } else if node.is_terminal() {
            making.step.notes.push(format!("the walk has ended at `{}`", node.id()));
        } else if node.classifier().is_some() {
            making.ask();
        } else {
            making.pass();
        }
        making.step.notes.extend(self.case.losses());
        Ok(making.step)
    }

    /// Why a node before the pointer keeps the walk from going on.
    fn open(&self, node: &Node) -> Option<String> {
        let standing = self.case.standing;
        if standing.absence(node).is_some() {
            return None;
        }
        let why = match standing.state.nodes.get(node.id().as_str()) {
            Some(_) => self.case.unmet(node)?,
            None => "it has no record, and the pointer is past it".to_owned(),
        };
        Some(format!("`{}` comes before the pointer and is unmet: {why}", node.id()))
    }

    fn act(&'a self) -> Act<'a> {
        Act { by: self.operator, via: "cli", at: self.now }
    }
}

impl<'a> Making<'a> {
    fn log(&mut self, event: Event) {
        self.step.history.learn(&event, self.advance.scope, self.graph());
        self.step.events.push(event);
    }

    const fn graph(&self) -> &'a super::CompiledGraph {
        self.advance.case.standing.graph
    }

    /// Whether the artifacts hold; says what is missing.
    fn holds(&mut self) -> Option<Verdict> {
        match gate::judge(self.node, self.advance.case.artifacts) {
            Verdict::Fails(missing) => {
                self.step.outcome = StepOutcome::Block;
                self.step.notes.extend(missing);
                None
            }
            verdict => Some(verdict),
        }
    }

    /// A node that no human decides.
    fn pass(&mut self) {
        let Some(verdict) = self.holds() else { return };
        let mut word = Outcome::Pass.word();
        if let Verdict::Unavailable(cause) = verdict {
            word = "unavailable";
            let node = self.node.id();
            self.step
                .notes
                .push(format!("`{node}` is recorded as unavailable, no review could run: {cause}"));
        }
        let Act { by, via, at } = self.advance.act();
        let record =
            Record { outcome: word.to_owned(), by: by.to_owned(), via: via.to_owned(), at, comment: None };
        self.leave(Outcome::Pass, Some(record));
    }

    /// A node that a human decides.
    fn ask(&mut self) {
        let Advance { case, comments, .. } = self.advance;
        let id = self.node.id().as_str();
        if let Some(record) = case.standing.decision(self.node).cloned() {
            // The pointer was put back to it; what was decided stays decided.
            if let (Some(outcome), Some(_)) = (forward(self.node), self.holds()) {
                self.leave(outcome, Some(record));
            }
            return;
        }
        self.step.outcome = StepOutcome::Wait;
        let entered = self.entered();
        let history = case.standing.history;
        if let Some(decision) = history.decision(id).filter(|decision| decision.entered == entered) {
            return self.resume(&decision.record);
        }
        let is_selection = self.node.is_phase_selection();
        if is_selection {
            self.pin();
        }
        let used = |comment: &_| history.has_used(comment, id, entered);
        let question = Question {
            routing: case.routing,
            takes: if is_selection { &[Answer::Execute] } else { &[Answer::Approve, Answer::RequestChanges] },
            entered,
            used: &used,
        };
        let (reply, ignored) = find(comments, &question);
        self.step.notes.extend(ignored.iter().map(ToString::to_string));
        match reply {
            None => {
                let why = case.unmet(self.node).unwrap_or_default();
                self.step.notes.push(format!("`{id}`: {why}"));
            }
            Some(reply) if reply.answer == Answer::RequestChanges => {
                self.step.notes.clear();
                self.decide(&reply, Outcome::ChangesRequested, entered);
            }
            Some(reply) => {
                self.step.notes.clear();
                if self.holds().is_none() {
                    return;
                }
                if is_selection {
                    self.select(&reply);
                    self.decide(&reply, Outcome::Selected, entered);
                } else {
                    self.decide(&reply, Outcome::Approved, entered);
                }
            }
        }
    }

    /// Takes an answer from the log that the state does not know, since it could not be written or was put back.
    fn resume(&mut self, record: &Record) {
        let Some(outcome) = forward(self.node).filter(|outcome| outcome.word() == record.outcome) else {
            return;
        };
        if self.holds().is_none() {
            return;
        }
        if self.node.is_phase_selection() {
            let history = self.advance.case.standing.history;
            let selection = Selection::logged(self.graph(), history);
            self.choose(&selection, &record.by, record.at);
            self.freeze(selection, None);
        }
        self.leave(outcome, Some(record.clone()));
    }

    /// When the gate was entered. Where the log does not know, it is entered now: no older answer can have been meant for it.
    fn entered(&mut self) -> Moment {
        let id = self.node.id();
        let is_start = id == self.graph().start().id();
        let logged = self.step.history.entered(id.as_str());
        let stated = self.step.state.entered.get(id.as_str()).copied().filter(|_| is_start);
        logged.or(stated).unwrap_or_else(|| {
            self.enter(id);
            self.advance.now
        })
    }

    fn enter(&mut self, id: &NodeId) {
        let Advance { scope, now, .. } = self.advance;
        self.log(Event::gate_entered(scope, self.advance.act(), id));
        self.step.state.entered.insert(id.to_string(), *now);
    }

    /// Keeps which comment is the checklist as soon as it is seen.
    fn pin(&mut self) {
        let known = self.step.history.checklist();
        if known.comment.is_some() || known.tokens.is_empty() {
            return;
        }
        let seen = match checklist::find(self.advance.comments, known) {
            Found::One(found) => Some(&found.id),
            // Neither counts, also should one of them be removed.
            Found::Doubtful => None,
            Found::Nothing | Found::TooOld => return,
        };
        self.step.state.checklist.comment = seen.cloned();
        self.log(Event::checklist_seen(self.advance.scope, self.advance.act(), seen));
    }

    /// Records what the reply selects.
    fn select(&mut self, reply: &Reply) {
        let (boxes, remark) = self.boxes(reply);
        let selection = Selection::of(self.graph(), &boxes);
        let Advance { scope, now, .. } = self.advance;
        let by = &reply.comment.author;
        let skips = self.choose(&selection, by, *now);
        let act = Act { by, via: "comment", at: *now };
        if !selection.opt_ins.is_empty() {
            self.log(Event::opt_ins_selected(scope, act, &selection.opt_ins));
        }
        if !skips.is_empty() {
            self.log(Event::skips_declared(scope, act, &skips));
        }
        self.freeze(selection, remark);
    }

    /// Writes a selection into the state. What it declares away and was not before.
    fn choose(&mut self, selection: &Selection, by: &str, at: Moment) -> Vec<NodeId> {
        let declaration = Declaration { by: by.to_owned(), via: "comment".to_owned(), at, reason: None };
        // What was recorded before this answer selects nothing, and skips only what was declared away on the command line.
        self.step.state.opt_ins.clear();
        let history = self.advance.case.standing.history;
        self.step.state.skips.retain(|id, skip| history.knows_early_skip(id, skip));
        for id in &selection.opt_ins {
            self.step.state.opt_ins.insert(id.to_string(), declaration.clone());
        }
        let is_new = |id: &&NodeId| !self.step.state.skips.contains_key(id.as_str());
        let skips: Vec<NodeId> = selection.skips.iter().filter(is_new).cloned().collect();
        for id in &skips {
            self.step.state.skips.insert(id.to_string(), declaration.clone());
        }
        skips
    }

    /// Records how the nodes stand after the answer, and writes its confirmation.
    fn freeze(&mut self, selection: Selection, remark: Option<&str>) {
        let graph = self.graph();
        let standing = self.standing();
        let gone_round: Vec<&Node> = graph
            .nodes()
            .iter()
            .filter(|node| matches!(standing.absence(node), Some(Absence::Declared(_))))
            .collect();
        let text = confirmation(graph, self.advance.case.work_item, &selection, &gone_round, remark);
        let frozen = graph.nodes().iter().map(|node| Frozen {
            id: node.id().to_string(),
            phase: node.phase().to_owned(),
            selectable: node.is_skippable(),
            opt_in: node.is_opt_in(),
            skipped: standing.absence(node).is_some(),
        });
        let frozen = frozen.collect();
        self.step.state.frozen = frozen;
        self.step.confirmation = Some(text);
        self.step.refused = selection.refused;
    }

    /// The boxes that count: those of the reply, else those of the checklist as it stood when the reply was written.
    fn boxes(&self, reply: &Reply) -> (Vec<super::markdown::Row>, Option<&'static str>) {
        let own = rows(&reply.comment.body);
        if is_checklist(self.graph(), &own) {
            return (own, None);
        }
        let known = self.step.history.checklist();
        let remark = match checklist::find(self.advance.comments, known) {
            Found::One(posted) if checklist::is_settled(posted, reply.written) => {
                return (rows(&posted.body), None);
            }
            Found::One(_) => {
                "The checklist was changed after the reply, so its boxes did not count: the defaults hold."
            }
            Found::Nothing => "No checklist was found among the comments: the defaults hold.",
            Found::TooOld => {
                "The comment with the boxes is older than the checklist that was printed, so they did not count: the defaults hold."
            }
            Found::Doubtful => {
                "Comments of several authors look like the checklist and the first was edited, so no boxes but those of a reply \
                 count: the defaults hold."
            }
        };
        (Vec::new(), Some(remark))
    }

    fn standing(&self) -> Standing<'_> {
        Standing { graph: self.graph(), state: &self.step.state, history: &self.step.history }
    }

    /// Records the decision of a human and moves on.
    fn decide(&mut self, reply: &Reply, outcome: Outcome, entered: Moment) {
        let Comment { id: comment, author, .. } = reply.comment;
        let act = Act { by: author, via: "comment", at: self.advance.now };
        let node = self.node.id();
        self.log(Event::gate_decided(self.advance.scope, act, node, outcome, comment, entered));
        let record = Record {
            outcome: outcome.word().to_owned(),
            by: author.clone(),
            via: act.via.to_owned(),
            at: act.at,
            comment: Some(comment.clone()),
        };
        self.leave(outcome, (outcome != Outcome::ChangesRequested).then_some(record));
    }

    /// Moves the pointer. Without a record the walk goes back, and what comes after has to be done again.
    fn leave(&mut self, outcome: Outcome, record: Option<Record>) {
        let graph = self.graph();
        let Some(next) = graph.next(self.node.id().as_str(), outcome) else { return };
        if let Some(record) = record {
            self.step.state.nodes.insert(self.node.id().to_string(), record);
        } else {
            let again = graph.reachable(next);
            self.step.state.nodes.retain(|id, _| !again.contains(id.as_str()));
            self.step.state.entered.retain(|id, _| !again.contains(id.as_str()));
        }
        let next = self.standing().settle(next).clone();
        self.step.state.current = next.id().to_string();
        self.step.outcome = StepOutcome::Left(outcome);
        let is_gate =
            matches!(next.classifier(), Some(Gate::ClassifyFeedback | Gate::ClassifyPhaseSelection));
        if is_gate && self.standing().decision(&next).is_none() {
            self.enter(next.id());
        }
    }
}
