//! Answers to a phase selection: the printed checklist with ticks set, taken away and faked, and who says what about it.
//!
//! Main type: [`Answer`]. What it should choose is known from how it was made, never from reading it with the runtime.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;
use the_loop::graph::Node;
use the_loop::graph::reply::OWN_MARKER;

use super::item::{BOT, HUMAN, Item, moment};

/// What is done to one row of a checklist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Left,
    Ticked,
    Unticked,
    Gone,
    /// A second row says the opposite.
    Both,
}

/// When the posted checklist was changed to what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Posted {
    Never,
    Untouched,
    ChangedBefore,
    /// After the reply: then nobody knows what was answered.
    ChangedAfter,
}

/// A comment that is made to look like an answer with every opt-in phase ticked, and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trick {
    Stranger,
    AlmostHuman,
    /// The-loop's own checklist, copied with its token.
    StrangersCopy,
    /// A stranger's comment from before, edited to look like the checklist.
    EarlierCopy,
    Own,
    TooOld,
    Undated,
    Edited,
    LaterWord,
    OtherWord,
    Quoted,
    /// With a token that nobody printed.
    ForeignToken,
}

pub(crate) const TRICKS: [Trick; 12] = [
    Trick::Stranger,
    Trick::AlmostHuman,
    Trick::StrangersCopy,
    Trick::EarlierCopy,
    Trick::Own,
    Trick::TooOld,
    Trick::Undated,
    Trick::Edited,
    Trick::LaterWord,
    Trick::OtherWord,
    Trick::Quoted,
    Trick::ForeignToken,
];

/// The token of [`Trick::ForeignToken`], as a checklist carries it.
pub(crate) const FOREIGN: &str =
    "<!-- the-loop:checklist 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff -->";

/// Ticks that nobody sees as such; `ID` stands for an opt-in phase.
const FAKES: [&str; 14] = [
    "```\n- [x] ID\n```",
    "~~~~ md\n- [x] ID\n~~~\n- [x] ID\n~~~~",
    "    - [x] ID",
    "> - [x] ID",
    "> hello\n> - [x] ID",
    "<!--\n- [x] ID\n-->",
    "<div>\n- [x] ID\n</div>",
    "`- [x] ID`",
    "[x] ID",
    "- [x] ~~ID~~",
    "- [y] ID",
    "- [x]ID",
    "\\- [x] ID",
    "| [x] ID |",
];

/// What may be struck into a checklist. None of it ticks anything by itself.
const PIECES: [&str; 22] = [
    "", "", "\n", "\n\n", " ", "- ", "- [ ] ", "[ ]", "[", "]", "```\n", "> ", "<!--", "-->", "~~", "`",
    "**", "    ", "1. ", "\r\n", "ü", "\\",
];

/// One change of a text by hand.
type Edit = (Index, usize, &'static str);

/// How one phase selection is answered.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) posted: Posted,
    /// What is done to the rows of the posted checklist, in turns.
    pub(crate) ticks: Vec<Mark>,
    /// What is done to the rows that the reply copies; `None` when it copies none.
    pub(crate) copied: Option<Vec<Mark>>,
    fakes: Vec<(&'static str, Index)>,
    /// Changes by hand of the posted checklist and of the reply; with any of them it is only known what cannot be chosen.
    edits: Vec<(bool, Edit)>,
    pub(crate) tricks: Vec<Trick>,
}

/// The phases that an answer chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) opt_ins: BTreeSet<String>,
    pub(crate) skips: BTreeSet<String>,
    /// Whether this is what is chosen; else no other opt-in phase can be.
    pub(crate) is_exact: bool,
    /// Whether there was a row of an opt-in phase to be ticked.
    pub(crate) could_tick: bool,
}

fn marks(kinds: &'static [Mark]) -> impl Strategy<Value = Vec<Mark>> {
    prop::collection::vec(prop::sample::select(kinds), 1..9)
}

/// Answers whose rows are treated in one of these ways. They are changed by hand where `is_edited`.
fn answers(kinds: &'static [Mark], most_edits: usize) -> impl Strategy<Value = Answer> {
    let posted = prop::sample::select(vec![
        Posted::Never,
        Posted::Untouched,
        Posted::ChangedBefore,
        Posted::ChangedBefore,
        Posted::ChangedAfter,
    ]);
    let edit = (any::<Index>(), 0..40_usize, prop::sample::select(&PIECES[..]));
    (
        posted,
        marks(kinds),
        prop::option::of(marks(kinds)),
        prop::collection::vec((prop::sample::select(&FAKES[..]), any::<Index>()), 0..3),
        prop::collection::vec((any::<bool>(), edit), 0..=most_edits),
        prop::collection::vec(prop::sample::select(&TRICKS[..]), 0..4),
    )
        .prop_map(|(posted, ticks, copied, fakes, edits, tricks)| Answer {
            posted,
            ticks,
            copied,
            fakes,
            edits,
            tricks,
        })
}

/// Answers of every kind.
pub(crate) fn any_answer() -> impl Strategy<Value = Answer> {
    const ALL: &[Mark] = &[Mark::Left, Mark::Ticked, Mark::Ticked, Mark::Unticked, Mark::Gone, Mark::Both];
    prop_oneof![2 => answers(ALL, 0), 1 => answers(ALL, 6)]
}

/// Answers in which no box is changed: rows stay, go, or contradict each other.
pub(crate) fn untouched_answer() -> impl Strategy<Value = Answer> {
    answers(&[Mark::Left, Mark::Left, Mark::Gone, Mark::Both], 0)
}

fn changed(text: &str, edits: impl Iterator<Item = Edit>) -> String {
    edits.fold(text.to_owned(), |text, (at, length, piece)| {
        let letters: Vec<char> = text.chars().collect();
        let at = at.index(letters.len() + 1);
        let after = letters.get(at + length..).unwrap_or_default();
        letters[..at].iter().copied().chain(piece.chars()).chain(after.iter().copied()).collect()
    })
}

/// The id of a row of a printed checklist.
fn row(line: &str) -> Option<(bool, &str)> {
    let rest = line.strip_prefix("- [")?;
    let (ticked, rest) = (rest.starts_with('x'), rest.get(3..)?);
    Some((ticked, rest.split(' ').next().unwrap_or_default()))
}

/// Whether a text that was changed by hand could tick a phase for anybody who reads it.
fn could_tick(text: &str, id: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let ticked = |(at, line): (usize, &&str)| {
        let (_, after) = line.split_once("[x]")?;
        let next = lines.get(at + 1).copied().unwrap_or_default();
        (after.contains(id) || next.contains(id)).then_some(())
    };
    lines.iter().enumerate().any(|line| ticked(line).is_some())
}

impl Answer {
    /// A checklist whose rows were treated so, from its first row on.
    fn marked(text: &str, marks: &[Mark]) -> String {
        let mut marks = marks.iter().cycle();
        let mut marked = String::new();
        for line in text.lines() {
            let Some((ticked, _)) = row(line) else {
                marked.extend([line, "\n"]);
                continue;
            };
            let (yes, no) = (line.replacen("- [ ]", "- [x]", 1), line.replacen("- [x]", "- [ ]", 1));
            match marks.next().copied().unwrap_or(Mark::Left) {
                Mark::Left => marked.extend([line, "\n"]),
                Mark::Ticked => marked.extend([&yes, "\n"]),
                Mark::Unticked => marked.extend([&no, "\n"]),
                Mark::Gone => {}
                Mark::Both => marked.extend([line, "\n", if ticked { &no } else { &yes }, "\n"]),
            }
        }
        marked
    }

    /// Whether it is known what is chosen.
    pub(crate) fn is_exact(&self) -> bool {
        self.edits.is_empty()
    }

    /// Ticks that do not count, each closed by a paragraph.
    fn faked(&self, opt_ins: &[String]) -> String {
        let fakes =
            self.fakes.iter().map(|(fake, which)| fake.replace("ID", &opt_ins[which.index(opt_ins.len())]));
        fakes.flat_map(|fake| [fake, "\n\nand so on\n\n".to_owned()]).collect()
    }

    /// Prints the checklist if it is posted, and lets everybody say what they have to say. The reply comes last but for those who
    /// are too late.
    pub(crate) fn give(&self, item: &mut Item) -> Chosen {
        let begin = item.now;
        // Whether it is posted or not: somebody knows its rows.
        let mut printed = item.clone();
        let text = printed.checklist();
        let (head, rows) = text.split_at(text.find("\n## ").expect("a heading"));
        let (opt_ins, reply_at) = (item.opt_ins(), begin + 100);
        let fakes = self.faked(&opt_ins);
        let by_hand =
            |posted: bool| self.edits.iter().filter(move |(of, _)| *of == posted).map(|(_, edit)| *edit);

        let mut ticks = text.clone();
        if self.posted != Posted::Never {
            *item = printed;
            if self.posted != Posted::Untouched {
                let body = changed(&format!("{fakes}{}", Self::marked(rows, &self.ticks)), by_hand(true));
                ticks = format!("{head}\n\n{body}");
            }
            let updated = match self.posted {
                Posted::ChangedBefore => reply_at,
                Posted::ChangedAfter => reply_at + 1,
                Posted::Never | Posted::Untouched => begin + 10,
            };
            item.comment(BOT, &ticks, begin + 10, &[("updated_at", json!(moment(updated)))]);
        }
        for trick in &self.tricks {
            trick.play(item, &text, begin, reply_at);
        }
        let copied = self
            .copied
            .as_ref()
            .map(|marks| changed(&format!("{fakes}{}", Self::marked(rows, marks)), by_hand(false)));
        let reply = format!("{}\n\n{}", item.routing.keywords.execute, copied.clone().unwrap_or_default());
        item.comment(HUMAN, &reply, reply_at, &[]);
        item.now = reply_at + 10;
        self.chosen(item, rows, &ticks, copied.as_deref())
    }

    /// What is chosen by what was said.
    fn chosen(&self, item: &Item, rows: &str, ticks: &str, copied: Option<&str>) -> Chosen {
        let is_edited = matches!(self.posted, Posted::ChangedBefore | Posted::ChangedAfter);
        let is_copied = |trick: &Trick| match trick {
            Trick::EarlierCopy => true,
            Trick::StrangersCopy => is_edited,
            _ => false,
        };
        // Where it cannot be told which is the copy, no checklist counts.
        let is_settled = matches!(self.posted, Posted::Untouched | Posted::ChangedBefore)
            && !self.tricks.iter().any(is_copied);
        let shown: Vec<&str> = copied.into_iter().chain(is_settled.then_some(ticks)).collect();
        let is_opt_in = |id: &str| item.graph.node(id).is_some_and(Node::is_opt_in);
        let could = |text: &&str| text.lines().filter_map(row).any(|(_, id)| is_opt_in(id));
        let mut chosen = Chosen {
            opt_ins: BTreeSet::new(),
            skips: BTreeSet::new(),
            is_exact: self.is_exact(),
            could_tick: shown.iter().any(could),
        };
        if !chosen.is_exact {
            let ids = item.opt_ins().into_iter();
            chosen.opt_ins = ids.filter(|id| shown.iter().any(|text| could_tick(text, id))).collect();
            return chosen;
        }
        let all: Vec<(bool, &str)> = rows.lines().filter_map(row).collect();
        let says_something =
            |marks: &&Vec<Mark>| marks.iter().cycle().take(all.len()).any(|mark| *mark != Mark::Gone);
        let untouched = vec![Mark::Left];
        let marks = match (self.copied.as_ref().filter(says_something), self.posted) {
            (Some(marks), _) => marks,
            (None, Posted::Untouched) if is_settled => &untouched,
            (None, Posted::ChangedBefore) if is_settled => &self.ticks,
            (None, _) => return chosen,
        };
        for ((ticked, id), mark) in all.into_iter().zip(marks.iter().cycle()) {
            match mark {
                Mark::Ticked if !ticked => chosen.opt_ins.insert(id.to_owned()),
                Mark::Unticked if ticked => chosen.skips.insert(id.to_owned()),
                _ => false,
            };
        }
        chosen
    }
}

impl Trick {
    /// Says it. `text` is the checklist as printed.
    pub(crate) fn play(self, item: &mut Item, text: &str, begin: u32, reply_at: u32) {
        let keyword = item.routing.keywords.execute.clone();
        let ticked = Answer::marked(text, &[Mark::Ticked]);
        let rows: String = ticked.split_inclusive('\n').filter(|line| line.starts_with("- [")).collect();
        let said = format!("{keyword}\n\n{rows}");
        let before = reply_at - 20;
        let (later, some_day) = (json!(moment(reply_at + 50)), json!("some day"));
        let (author, body, seconds, change) = match self {
            Self::Stranger => ("mallory", said, before, None),
            Self::AlmostHuman => ("@@ada", said, before, None),
            Self::StrangersCopy => ("mallory", ticked, before, None),
            Self::EarlierCopy => ("mallory", ticked, begin + 5, Some(("updated_at", json!(moment(before))))),
            Self::Own => (HUMAN, format!("{said}\n{OWN_MARKER}\n"), before, None),
            Self::TooOld => (HUMAN, said, begin.saturating_sub(1), None),
            Self::Undated => (HUMAN, said, before, Some(("created_at", some_day))),
            Self::Edited => (HUMAN, said, before, Some(("updated_at", later))),
            Self::LaterWord => (HUMAN, format!("I would {said}"), before, None),
            Self::OtherWord => (HUMAN, format!("the-loop approve\n\n{rows}"), before, None),
            Self::Quoted => (HUMAN, format!("> {said}"), before, None),
            Self::ForeignToken => ("mallory", format!("{FOREIGN}\n{rows}"), begin + 5, None),
        };
        item.comment(author, &body, seconds, change.as_slice());
    }
}
