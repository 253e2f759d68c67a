//! A scenario with something taken away, for seeing whether its verdicts change.
//!
//! Main type: [`Variant`]. It is a scenario of the same format: what cannot be written down as one is no variant. Which
//! parts can be taken away is worked out by `inputs`.

use super::inputs::{self, Cut, Weight};
use crate::observation::{Observation, Session};
use crate::scenario::check::Check;
use crate::scenario::{Scenario, Setup};
use crate::source::Source;
use crate::source::tree::Tree;

/// So many seconds longer than untouched may a step of a variant take, before it counts as hung.
const LONGER: f64 = 4.0;

/// A scenario without some part, and without what says that nothing is proved: control, evidence and given checks.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What was taken away, in words.
    pub taken: String,
    /// Which part of the scenario that is.
    pub part: Part,
    /// What a call is without it.
    pub weight: Weight,
    /// The rest, with the checks that are looked at.
    pub scenario: Scenario,
}

/// Parts of a scenario that can be its trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What the control replaces, all of it.
    Control,
    /// What the fakes do whose events are evidence.
    Evidence,
    /// One thing that the target is given.
    Input,
}

/// A scenario, reduced to some of its checks, from which variants are made.
#[derive(Debug)]
pub(super) struct Trunk<'a> {
    scenario: &'a Scenario,
    tree: Tree,
    control: Option<Tree>,
}

impl<'a> Trunk<'a> {
    /// The scenario with these checks only; what was seen of it untouched says how long steps may take. Nothing where its
    /// text cannot be taken apart.
    pub(super) fn new(scenario: &'a Scenario, checks: &[&Check], seen: &Observation) -> Option<Self> {
        let mut tree = Tree::read(scenario.source().text())?;
        let control = tree.remove("control");
        tree.remove("evidence");
        name_steps(tree.part_mut("steps")?, scenario.setup(), &seen.subject);
        let kept = tree.part_mut("checks")?;
        for check in scenario.checks() {
            if !checks.iter().any(|wanted| wanted.name() == check.name()) {
                kept.remove(check.name());
                continue;
            }
            let entry = kept.part_mut(check.name())?;
            entry.remove("given");
            let step = scenario.setup().steps().get(check.step())?;
            entry.set("step", Tree::Text(step.id().to_owned()));
        }
        // A fake that nobody names any more is a slip in a scenario that people write; here it is what was taken away.
        let fakes = scenario.setup().fakes().keys().map(|name| Tree::Text(name.clone()));
        tree.set("tags", Tree::List(fakes.collect()));
        Some(Self { scenario, tree, control })
    }

    /// Every variant, the most telling parts first.
    pub(super) fn variants(&self, seen: &Observation) -> Vec<Variant> {
        let mut found: Vec<Variant> = Vec::new();
        found.extend(self.with_control(seen));
        let evidence: Vec<&str> = self.scenario.evidence().iter().map(|(fake, _)| fake.as_str()).collect();
        let cuts = inputs::of_scripts(&self.tree, &evidence).into_iter().map(|cut| (Part::Evidence, cut));
        let cuts: Vec<(Part, Cut)> =
            cuts.chain(inputs::all(&self.tree).into_iter().map(|cut| (Part::Input, cut))).collect();
        for (part, cut) in cuts {
            let Some(tree) = cut.applied(&self.tree) else { continue };
            if let Some(scenario) = self.parsed(&tree)
                && !found.iter().any(|known| known.scenario.source().text() == scenario.source().text())
            {
                found.push(Variant { taken: cut.taken, part, weight: cut.weight, scenario });
            }
        }
        found
    }

    /// The checks on the control's values. Where it has fewer steps, its last one is judged.
    fn with_control(&self, seen: &Observation) -> Option<Variant> {
        let (given, setup) = (self.control.as_ref()?, self.scenario.control()?);
        let mut tree = self.tree.clone();
        let keys: Vec<String> = given.parts().into_iter().map(|(key, _)| key).collect();
        let whole = ["config", "no-config"];
        let parts = ["critics", "reviews", "routing", "event-log", "graphs"];
        let has = |names: &[&str]| names.iter().any(|name| keys.iter().any(|key| key == name));
        if has(&whole) {
            for key in parts.iter().chain(&whole) {
                tree.remove(key);
            }
        } else if has(&parts) {
            for key in whole {
                tree.remove(key);
            }
        }
        for (key, value) in given.parts() {
            tree.set(&key, value.clone());
        }
        let fakes = setup.fakes().keys().map(|name| Tree::Text(name.clone()));
        tree.set("tags", Tree::List(fakes.collect()));
        name_steps(tree.part_mut("steps")?, setup, seen.control.as_ref()?);
        let checks = tree.part_mut("checks")?;
        for check in self.scenario.checks() {
            if let Some(entry) = checks.part_mut(check.name()) {
                let step = setup.steps().get(check.step()).or(setup.steps().last())?;
                entry.set("step", Tree::Text(step.id().to_owned()));
            }
        }
        let scenario = self.parsed(&tree)?;
        let taken = format!("what the control replaces ({})", keys.join(", "));
        Some(Variant { taken, part: Part::Control, weight: Weight::Optional, scenario })
    }

    fn parsed(&self, tree: &Tree) -> Option<Scenario> {
        let path = self.scenario.source().path();
        Scenario::parse(self.scenario.id(), Source::new(path, tree.written())).ok()
    }
}

/// Steps keep their names when one before them goes, and end not much later than they did.
fn name_steps(steps: &mut Tree, setup: &Setup, seen: &Session) {
    for (number, (step, record)) in setup.steps().iter().zip(&seen.steps).enumerate() {
        let Some(written) = steps.part_mut(&number.to_string()) else { continue };
        written.set("id", Tree::Text(step.id().to_owned()));
        let longest = record.copies.iter().map(|copy| copy.wall.as_secs_f64()).fold(0.0, f64::max);
        let within = step.within().as_secs_f64().min(2.0 * longest + LONGER);
        written.set("within", Tree::Plain(format!("{within:.3}")));
    }
}
