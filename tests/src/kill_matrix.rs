//! Whether the suite bites: what the list of faults says, held against faults, checks and rules. Main type: [`KillMatrix`].
//!
//! Every complaint names its remedy. Runs nothing: what a fault really turns red is measured in `bench`.

use std::collections::{BTreeMap, BTreeSet};

use crate::bench::{Check, Planted};
use crate::fault_list::{Entry, FaultList};

/// A fault that turns more than one in so many checks red counts as a crash, and a crash proves nothing.
const CRASH: usize = 10;

/// The list of faults beside the checks of the suite.
#[derive(Clone, Debug)]
pub struct KillMatrix<'a> {
    list: &'a FaultList,
    checks: BTreeMap<&'a str, &'a Check>,
}

impl<'a> KillMatrix<'a> {
    /// The matrix of `list` and `checks`.
    pub fn new(list: &'a FaultList, checks: &'a [Check]) -> Self {
        Self { list, checks: checks.iter().map(|check| (check.id.as_str(), check)).collect() }
    }

    /// Whether the fault breaks so much that it proves nothing.
    pub fn is_crash(&self, entry: &Entry) -> bool {
        entry.level == "crash" || entry.fails.len() * CRASH > self.checks.len()
    }

    /// Check to the faults that kill it, those that turn the fewest others red first.
    pub fn kills(&self) -> BTreeMap<&'a str, Vec<&'a Entry>> {
        let mut kills: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in self.list.0.iter().filter(|entry| !self.is_crash(entry)) {
            for check in &entry.fails {
                kills.entry(check).or_default().push(entry);
            }
        }
        for faults in kills.values_mut() {
            faults.sort_by_key(|entry| (entry.fails.len(), &entry.name));
        }
        kills
    }

    /// What is wrong with the list by itself: each a sentence with its remedy.
    pub fn complaints(&self, planted: &[Planted]) -> Vec<String> {
        let mut complaints = self.untrue_words(planted);
        for entry in self.list.0.iter().filter(|entry| entry.level != "crash") {
            complaints.extend(self.unknown_checks(entry));
            complaints.extend(Self::of_survival(entry));
            if !self.is_crash(entry) {
                complaints.extend(self.of_requirements(entry));
                complaints.extend(self.of_level(entry));
            }
        }
        complaints.extend(self.of_checks());
        complaints
    }

    /// What it means that `differs` are red with the fault and not in its list, or the other way round.
    pub fn of_difference(entry: &Entry, differs: &BTreeSet<String>) -> Vec<String> {
        let name = &entry.name;
        let differs = differs.iter().filter(|check| !entry.sometimes.contains(*check));
        let sentence = |check: &String| {
            if entry.fails.contains(check) {
                format!(
                    "`{name}` does not turn `{check}` red any more: did the check get weaker, or the fault? If it has to be so, \
                     `cargo kill-matrix {name}`"
                )
            } else {
                format!(
                    "`{name}` turns `{check}` red, which is not among what it `fails`: did the check begin to ask for more than its \
                     requirement? If it has to be so, `cargo kill-matrix {name}`, and a reason under `collateral` unless the fault \
                     breaks that requirement"
                )
            }
        };
        differs.map(sentence).collect()
    }

    fn untrue_words(&self, planted: &[Planted]) -> Vec<String> {
        let offered: BTreeMap<&str, &Planted> =
            planted.iter().map(|fault| (fault.slug.as_str(), fault)).collect();
        let listed: BTreeSet<&str> = self.list.0.iter().map(|entry| entry.name.as_str()).collect();
        let missing = offered.keys().filter(|slug| !listed.contains(*slug)).map(|slug| {
            format!("fault `{slug}` of the strawman is not in tests/faults.yaml: `cargo kill-matrix {slug}`")
        });
        let untrue = self.list.0.iter().filter_map(|entry| {
            let name = &entry.name;
            let Some(fault) = offered.get(name.as_str()) else {
                return Some(format!("the strawman has no fault `{name}`: take it out of tests/faults.yaml"));
            };
            let told = (&fault.level, &fault.source, &fault.sentence);
            (told != (&entry.level, &entry.source, &entry.does)).then(|| {
                format!(
                    "the strawman says of `{name}`: {told:?}; `cargo kill-matrix {name}` writes that down"
                )
            })
        });
        missing.chain(untrue).collect()
    }

    fn unknown_checks(&self, entry: &Entry) -> Vec<String> {
        let name = &entry.name;
        let all = entry.fails.iter().chain(&entry.sometimes);
        all.filter(|check| !self.checks.contains_key(check.as_str()))
            .map(|check| {
                format!("`{name}` fails `{check}`, which the suite does not have: `cargo kill-matrix {name}`")
            })
            .collect()
    }

    fn of_survival(entry: &Entry) -> Option<String> {
        let name = &entry.name;
        match (entry.level.as_str(), entry.fails.is_empty(), &entry.unseen) {
            ("harmless", true, _) => None,
            ("harmless", false, _) => Some(format!(
                "`{name}` breaks no rule and yet turns checks red: let these ask less: {:?}",
                entry.fails
            )),
            (_, true, None) => Some(format!(
                "`{name}` survives, no check notices it: write the scenario that does, then `cargo kill-matrix {name}`; or say \
                 under `unseen` why there can be none and what holds it instead"
            )),
            (_, false, Some(_)) => Some(format!("`{name}` is noticed: take `unseen` away")),
            _ => None,
        }
    }

    /// The requirements of what fails are those that the fault breaks, and those with a reason.
    fn of_requirements(&self, entry: &Entry) -> Vec<String> {
        let name = &entry.name;
        let failing: BTreeSet<&str> = entry
            .fails
            .iter()
            .filter_map(|check| self.checks.get(check.as_str()))
            .map(|c| c.requirement.as_str())
            .collect();
        let named = |requirement: &str| {
            entry.breaks.contains(requirement) || entry.collateral.contains_key(requirement)
        };
        let unexplained = failing.iter().filter(|requirement| !named(requirement)).map(|requirement| {
            format!(
                "`{name}` turns checks of `{requirement}` red: if it breaks that requirement, add it to `breaks`, else give the reason \
                 under `collateral`, or let the checks ask less"
            )
        });
        let quiet = entry.breaks.iter().chain(entry.collateral.keys());
        let quiet = quiet.filter(|requirement| !failing.contains(requirement.as_str())).map(|requirement| {
            format!("`{name}` turns no check of `{requirement}` red: take it away, or write the check that notices")
        });
        let both = entry.breaks.iter().filter(|requirement| entry.collateral.contains_key(*requirement));
        let both = both
            .map(|requirement| format!("`{name}` has `{requirement}` as broken and as collateral: keep one"));
        let empty = (entry.breaks.is_empty() && !entry.fails.is_empty())
            .then(|| format!("`{name}` breaks nothing: say under `breaks` which requirement it is about"));
        let unreasoned = entry.collateral.iter().filter(|(_, reason)| reason.trim().is_empty());
        let unreasoned = unreasoned.map(|(requirement, _)| {
            format!("`{name}`: give the reason why checks of `{requirement}` turn red")
        });
        unexplained.chain(quiet).chain(both).chain(empty).chain(unreasoned).collect()
    }

    /// A rule that binds has to be noticed by a check that binds as much, and of a requirement that the fault is about. What
    /// the contract leaves open turns no check red that binds.
    fn of_level(&self, entry: &Entry) -> Option<String> {
        let (name, level) = (&entry.name, &entry.level);
        let broken = entry.fails.iter().filter_map(|check| self.checks.get(check.as_str()));
        let broken = broken.filter(|check| entry.breaks.contains(&check.requirement));
        let found = broken.map(|check| rank(&check.level)).min()?;
        let all = entry.fails.iter().filter_map(|check| self.checks.get(check.as_str()));
        let stricter: Vec<&str> =
            all.filter(|check| rank(&check.level) < rank(level)).map(|check| check.id.as_str()).collect();
        match (stricter.is_empty(), &entry.stricter) {
            (false, None) => {
                return Some(format!(
                    "`{name}` breaks a rule of level {level} only, and yet turns checks red that bind more: {stricter:?}: let them ask \
                     less, or give the fault the level of what it breaks, or say why it has to be so under `stricter`"
                ));
            }
            (true, Some(_)) => {
                return Some(format!("`{name}` turns nothing stricter red: take `stricter` away"));
            }
            _ => {}
        }
        (found > rank(level)).then(|| {
            format!(
                "`{name}` is said to break a rule of level {level}, and no check of that level of what it `breaks` notices: give it \
                 the level that the ledger gives what it breaks, or write the {level}-scenario that notices it"
            )
        })
    }

    fn of_checks(&self) -> Vec<String> {
        let kills = self.kills();
        let bound = self.checks.values().filter(|check| check.level != "open");
        bound
            .filter(|check| !kills.contains_key(check.id.as_str()))
            .map(|Check { id, level, requirement }| {
                format!(
                    "no fault turns `{id}` ({level}) red: plant one in tests/src/bin/strawman/fault.rs that breaks `{requirement}`, then \
                     `cargo kill-matrix NAME`; what turns over a tenth of all checks red does not count"
                )
            })
            .collect()
    }
}

/// How much a level binds; 0 is most.
fn rank(level: &str) -> usize {
    ["must", "should", "open"].iter().position(|known| *known == level).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks() -> Vec<Check> {
        let check = |id: String, requirement: &str, level: &str| Check {
            id,
            requirement: requirement.into(),
            level: level.into(),
        };
        let mut checks: Vec<Check> =
            (0..40).map(|number| check(format!("open/{number}/x"), "row.open", "open")).collect();
        checks.push(check("a/b/must".into(), "row.must", "must"));
        checks.push(check("a/b/other".into(), "row.other", "must"));
        checks
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn sound() -> FaultList {
        let entry = |name: &str, requirement: &str, check: &str| Entry {
            name: name.into(),
            level: "must".into(),
            breaks: set(&[requirement]),
            fails: set(&[check]),
            ..Entry::default()
        };
        FaultList(vec![entry("one", "row.must", "a/b/must"), entry("two", "row.other", "a/b/other")])
    }

    fn planted(list: &FaultList) -> Vec<Planted> {
        let fault = |entry: &Entry| Planted {
            slug: entry.name.clone(),
            level: entry.level.clone(),
            source: entry.source.clone(),
            sentence: entry.does.clone(),
        };
        list.0.iter().map(fault).collect()
    }

    fn complaints(list: &FaultList) -> Vec<String> {
        KillMatrix::new(list, &checks()).complaints(&planted(list))
    }

    /// The only complaint about the sound list after `change` to its first entry.
    fn complaint(change: impl FnOnce(&mut Entry)) -> String {
        let mut list = sound();
        change(&mut list.0[0]);
        let complaints = complaints(&list);
        assert_eq!(complaints.len(), 1, "{complaints:#?}");
        complaints.concat()
    }

    #[test]
    fn a_sound_list_has_no_complaint() {
        assert_eq!(complaints(&sound()), Vec::<String>::new());
    }

    #[test]
    fn a_fault_that_nobody_notices_survives_unless_it_is_said_why() {
        let mut list = sound();
        list.0.push(Entry { name: "third".into(), level: "must".into(), ..Entry::default() });
        assert!(complaints(&list).concat().starts_with("`third` survives"));
        list.0[2].unseen = Some("a reason".into());
        assert_eq!(complaints(&list), Vec::<String>::new());
        list.0[0].unseen = Some("a reason".into());
        assert!(complaints(&list).concat().starts_with("`one` is noticed"));
    }

    #[test]
    fn what_is_harmless_may_turn_nothing_red() {
        let mut list = sound();
        let fails = set(&["open/1/x"]);
        let breaks = set(&["row.open"]);
        list.0.push(Entry {
            name: "third".into(),
            level: "harmless".into(),
            fails,
            breaks,
            ..Entry::default()
        });
        assert!(complaints(&list).concat().starts_with("`third` breaks no rule and yet"));
    }

    #[test]
    fn a_requirement_that_is_hit_needs_a_place_and_a_place_needs_to_be_hit() {
        let extra = complaint(|entry| entry.fails.extend(set(&["open/1/x"])));
        assert!(extra.starts_with("`one` turns checks of `row.open` red"), "{extra}");
        let quiet = complaint(|entry| entry.breaks.extend(set(&["row.open"])));
        assert!(quiet.starts_with("`one` turns no check of `row.open` red"), "{quiet}");
        let unreasoned = complaint(|entry| {
            entry.fails.extend(set(&["open/1/x"]));
            entry.collateral.insert("row.open".into(), " ".into());
        });
        assert!(unreasoned.starts_with("`one`: give the reason"), "{unreasoned}");
        let both = complaint(|entry| drop(entry.collateral.insert("row.must".into(), "why".into())));
        assert!(both.contains("as broken and as collateral"), "{both}");
    }

    #[test]
    fn what_only_a_crash_turns_red_is_not_killed() {
        let unkilled = complaint(|entry| {
            entry.breaks.insert("row.open".into());
            entry.fails.extend((0..40).map(|number| format!("open/{number}/x")));
        });
        assert!(unkilled.starts_with("no fault turns `a/b/must` (must) red"), "{unkilled}");
    }

    #[test]
    fn a_fault_is_noticed_at_its_level_by_what_it_is_about() {
        let mut list = sound();
        let fails = set(&["a/b/must", "open/1/x"]);
        let collateral = BTreeMap::from([("row.must".to_owned(), "why".to_owned())]);
        let breaks = set(&["row.open"]);
        list.0.push(Entry {
            name: "third".into(),
            level: "must".into(),
            fails,
            breaks,
            collateral,
            ..Entry::default()
        });
        assert!(complaints(&list).concat().starts_with("`third` is said to break a rule of level must"));
        list.0[2].level = "open".into();
        assert!(complaints(&list).concat().starts_with("`third` breaks a rule of level open only"));
        list.0[2].stricter = Some("a reason".into());
        assert_eq!(complaints(&list), Vec::<String>::new());
        list.0[2].fails.remove("a/b/must");
        list.0[2].collateral.clear();
        assert!(complaints(&list).concat().starts_with("`third` turns nothing stricter red"));
    }

    #[test]
    fn list_and_strawman_and_suite_know_the_same_names() {
        let mut list = sound();
        let mut offered = planted(&list);
        let said = |list: &FaultList, offered: &[Planted]| {
            KillMatrix::new(list, &checks()).complaints(offered).concat()
        };
        offered[0].sentence = "other words".into();
        assert!(said(&list, &offered).contains("other words"));
        offered[0].slug = "new".into();
        let both = said(&list, &offered);
        assert!(
            both.contains("fault `new` of the strawman is not in") && both.contains("has no fault `one`"),
            "{both}"
        );
        list.0[1].fails.insert("gone/b/c".into());
        assert!(said(&list, &planted(&list)).contains("`gone/b/c`, which the suite does not have"));
    }

    #[test]
    fn a_difference_is_told_both_ways_but_not_of_what_is_red_only_sometimes() {
        let mut list = sound();
        list.0[0].sometimes = set(&["open/2/x"]);
        let told = KillMatrix::of_difference(&list.0[0], &set(&["a/b/must", "open/1/x", "open/2/x"]));
        assert_eq!(told.len(), 2, "{told:#?}");
        assert!(told[0].starts_with("`one` does not turn `a/b/must` red any more"));
        assert!(told[1].starts_with("`one` turns `open/1/x` red, which is not"));
    }

    #[test]
    fn the_most_exact_fault_comes_first() {
        let mut list = sound();
        list.0[0].fails.insert("a/b/other".into());
        let checks = checks();
        let names: Vec<&str> = KillMatrix::new(&list, &checks).kills()["a/b/other"]
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        assert_eq!(names, ["two", "one"]);
    }
}
