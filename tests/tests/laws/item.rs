//! A work item without files: what `graph start`, `checklist`, `advance` and `check` do, on the library alone.
//!
//! Main type: [`Item`]. State, log and comments go through their texts each time, as between two commands.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use jiff::Timestamp;
use serde_json::{Value, json};
use the_loop::config::Routing;
use the_loop::graph::advance::{Advance, Step, StepOutcome};
use the_loop::graph::check::{Case, Pointer, Report, Status};
use the_loop::graph::checklist;
use the_loop::graph::comment::{Comment, CommentId, Comments};
use the_loop::graph::event::{Act, Event, Scope};
use the_loop::graph::gate::Artifacts;
use the_loop::graph::history::History;
use the_loop::graph::markdown::Document;
use the_loop::graph::state::State;
use the_loop::graph::token::Token;
use the_loop::graph::walk::Standing;
use the_loop::graph::{ArtifactPath, CompiledGraph, Gate, Moment, Node};

/// Who may answer.
pub(crate) const HUMAN: &str = "ada";
/// Whose account posts checklists.
pub(crate) const BOT: &str = "loop-bot";
/// The name of the item.
pub(crate) const NAME: &str = "issue-7";

/// The moment so many seconds after the item could have been started first.
pub(crate) fn moment(seconds: u32) -> Moment {
    Moment::from(Timestamp::from_second(1_767_225_600 + i64::from(seconds)).expect("a moment"))
}

/// What was left behind for the gates on files of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    Missing,
    /// The form as it comes.
    Form,
    Whole,
    /// Rounds that could not run; a form where no rounds are asked for.
    Unavailable,
}

impl Evidence {
    fn section(self, gate: &Gate, title: &str) -> String {
        let is_record = matches!(gate, Gate::ValidateReviewRecord { .. });
        let body = match (self, is_record) {
            (Self::Missing, _) => return String::new(),
            (Self::Form | Self::Unavailable, false) => "<!-- write this section -->".to_owned(),
            (Self::Whole, false) => "It is done.".to_owned(),
            (_, true) => {
                let row = match self {
                    Self::Whole => "| 1 | [m/n] | zero findings | 0 | - |",
                    Self::Unavailable => "| 1 | [m/n] | unavailable | the command is gone | - |",
                    _ => "|  |  |  |  |  |",
                };
                format!("| Round | Critic | Outcome | Findings | Link |\n|---|---|---|---|---|\n{row}")
            }
        };
        format!("## {title}\n\n{body}\n\n")
    }
}

/// The artifacts of an item.
#[derive(Debug, Default)]
struct Shelf(HashMap<String, Rc<Document>>);

impl Artifacts for Shelf {
    fn document(&self, path: &ArtifactPath) -> Result<Rc<Document>, String> {
        self.0.get(path.as_str()).cloned().ok_or_else(|| "is not there".to_owned())
    }
}

/// A work item in the middle of its walk.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) graph: Rc<CompiledGraph>,
    pub(crate) scope: Scope,
    pub(crate) routing: Routing,
    pub(crate) state: State,
    pub(crate) log: String,
    history: History,
    /// Seconds since the first moment.
    pub(crate) now: u32,
    pub(crate) comments: Vec<Comment>,
    said: Option<CommentId>,
    /// How many comments there were.
    ids: usize,
    evidence: BTreeMap<String, Evidence>,
    shelf: Rc<Shelf>,
}

impl Item {
    pub(crate) fn start(graph: CompiledGraph, log: String, now: u32) -> Self {
        let scope = Scope {
            root: "/checkout".to_owned(),
            work_item: NAME.to_owned(),
            loop_name: graph.name().to_string(),
        };
        let start = graph.start().id().to_string();
        let state = State {
            loop_name: scope.loop_name.clone(),
            current: start.clone(),
            entered: [(start, moment(now))].into(),
            ..State::default()
        };
        let routing = Routing { authorized_users: vec![HUMAN.to_owned()], ..Routing::default() };
        let graph = Rc::new(graph);
        let (comments, ids, evidence, shelf) = (Vec::new(), 0, BTreeMap::new(), Rc::default());
        let history = History::read(log.as_bytes(), &scope, &graph);
        let mut item = Self {
            graph,
            scope,
            routing,
            state,
            log,
            now,
            comments,
            said: None,
            history,
            ids,
            evidence,
            shelf,
        };
        let started = Event::started(&item.scope, item.act());
        item.log(&[started]);
        item
    }

    pub(crate) fn act(&self) -> Act<'static> {
        Act { by: "operator", via: "cli", at: moment(self.now) }
    }

    pub(crate) fn log(&mut self, events: &[Event]) {
        self.log.extend(events.iter().map(Event::line));
        self.read_log();
    }

    /// Reads the log anew.
    pub(crate) fn read_log(&mut self) {
        self.history = History::read(self.log.as_bytes(), &self.scope, &self.graph);
    }

    /// Prints the checklist.
    pub(crate) fn checklist(&mut self) -> String {
        let token = Token::random().expect("random numbers");
        self.state.checklist.tokens.push(token.hash());
        let printed = Event::checklist_printed(&self.scope, self.act(), &token.hash());
        self.log(&[printed]);
        let standing = Standing { graph: &self.graph, state: &self.state, history: &self.history };
        checklist::text(&standing, NAME, &token, &self.routing.keywords.execute)
    }

    /// Leaves evidence behind for phases, in turns.
    pub(crate) fn leave(&mut self, evidence: &[Evidence]) {
        let mut texts: HashMap<String, String> = HashMap::new();
        for (node, evidence) in self.graph.nodes().iter().zip(evidence.iter().cycle()) {
            self.evidence.insert(node.id().to_string(), *evidence);
            for gate in node.exit() {
                for file in gate.files() {
                    for title in gate.sections() {
                        *texts.entry(file.to_string()).or_default() += &evidence.section(gate, title);
                    }
                }
            }
        }
        let read = texts.into_iter().map(|(path, text)| (path, Rc::new(Document::read(text))));
        self.shelf = Rc::new(Shelf(read.collect()));
    }

    /// A comment of that moment, with some members changed; its id is new.
    pub(crate) fn comment(&mut self, author: &str, body: &str, seconds: u32, changes: &[(&str, Value)]) {
        self.ids += 1;
        let (id, time) = (1_000 + self.ids, moment(seconds));
        let mut comment = json!({"id": id, "user": {"login": author}, "body": body, "created_at": time, "updated_at": time});
        for (key, value) in changes {
            comment[*key] = value.clone();
        }
        let text = json!([comment]).to_string();
        self.comments.extend(Comments::read(text.as_bytes()).expect("comments").readable);
    }

    /// What the human says when the next step is taken; what was said so before is not repeated.
    pub(crate) fn say(&mut self, words: &str) {
        let said = self.said.take();
        self.comments.retain(|comment| Some(&comment.id) != said.as_ref());
        self.comment(HUMAN, words, self.now + 10, &[]);
        self.said = self.comments.last().map(|comment| comment.id.clone());
    }

    fn case(&self) -> Case<'_> {
        let standing = Standing { graph: &self.graph, state: &self.state, history: &self.history };
        Case { standing, artifacts: &*self.shelf, routing: &self.routing, work_item: NAME }
    }

    /// Where the item stands: as stored, and as judged anew.
    pub(crate) fn reports(&self) -> [Report; 2] {
        [Pointer::Stored, Pointer::Recomputed].map(|pointer| self.case().report(pointer))
    }

    /// One step, logged and written down. `None` when the pointer names no node of the walk.
    pub(crate) fn advance(&mut self) -> Option<Step> {
        self.now += 10;
        let advance = Advance {
            case: self.case(),
            scope: &self.scope,
            comments: &self.comments,
            operator: "operator",
            now: moment(self.now),
        };
        let step = advance.decide().ok()?;
        self.state = State::parse(&step.state.text()).expect("a state");
        self.log(&step.events);
        Some(step)
    }

    /// Approves whatever asks for it from now on, and goes on until nothing moves. Gives the phases that ended.
    pub(crate) fn walk(&mut self) -> Vec<String> {
        let mut ended = Vec::new();
        for _ in 0..2 * self.graph.nodes().len() {
            self.say("the-loop approve");
            match self.advance() {
                Some(step) if matches!(step.outcome, StepOutcome::Left(_)) => {
                    ended.push(step.node.to_string());
                }
                _ => break,
            }
        }
        ended
    }

    /// The names of the opt-in phases.
    pub(crate) fn opt_ins(&self) -> Vec<String> {
        self.names(Node::is_opt_in)
    }

    /// The names of the phases of a kind.
    pub(crate) fn names(&self, kind: impl Fn(&Node) -> bool) -> Vec<String> {
        self.graph.nodes().iter().filter(|node| kind(node)).map(|node| node.id().to_string()).collect()
    }

    /// The phases that either report has as behind us: passed, or unable to run.
    pub(crate) fn passed(&self) -> BTreeSet<String> {
        let rows = self.reports().into_iter().flat_map(|report| report.nodes);
        let passed = rows.filter(|row| matches!(row.status, Status::Pass | Status::Unavailable));
        passed.map(|row| row.node.to_string()).collect()
    }

    /// Whether a phase has shown by itself that it may pass: by what it left behind, or by a logged answer.
    pub(crate) fn has_earned(&self, id: &str) -> bool {
        let node = self.graph.node(id).expect("a node");
        let files = node.exit().iter().any(|gate| !gate.files().is_empty());
        let record = node.exit().iter().any(|gate| matches!(gate, Gate::ValidateReviewRecord { .. }));
        let is_whole = match self.evidence.get(id) {
            Some(Evidence::Whole) => true,
            Some(Evidence::Unavailable) => record,
            _ => false,
        };
        (!files || is_whole) && (node.classifier().is_none() || self.is_answered(id))
    }

    /// Whether the log tells of an answer at this gate since it was entered, by its text alone.
    pub(crate) fn is_answered(&self, id: &str) -> bool {
        let lines = self.log.lines().rev().filter(|line| line.contains("graph.gate_"));
        let mut events = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let is_own = |event: &Value| {
            (&event["root"], &event["loop"]) == (&json!(self.scope.root), &json!(self.scope.loop_name))
        };
        let last = events.find(|event| event["node"] == id && is_own(event));
        last.is_some_and(|event| event["event"] == "graph.gate_decided")
    }
}
