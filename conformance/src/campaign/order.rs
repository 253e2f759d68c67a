//! In which order scenarios are begun: those that wait are spread among those that work.
//!
//! [`order`] changes when a scenario runs, never what is reported or in which order.

use fake_critics::script::Step;

use super::plan::{Part, Plan};

/// Sleeps from this on count as waiting, in seconds.
const WAITING: f64 = 0.5;

/// So many that work after each that waits: the waiting ones are all begun well before the end.
const BETWEEN: usize = 4;

/// The numbers of a plan's parts.
pub(super) fn order(plan: &Plan<'_>) -> Vec<usize> {
    let (waiting, working): (Vec<usize>, Vec<usize>) =
        (0..plan.parts.len()).partition(|number| waits(&plan.parts[*number]));
    let mut working = working.into_iter();
    let mut order = Vec::with_capacity(plan.parts.len());
    for number in waiting {
        order.push(number);
        order.extend(working.by_ref().take(BETWEEN));
    }
    order.extend(working);
    order
}

fn waits(part: &Part<'_>) -> bool {
    part.scenario.setup().fakes().values().any(|script| sleeps(&script.0))
}

fn sleeps(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Sleep(seconds) => seconds.0.as_secs_f64() >= WAITING,
        Step::Child(child) => sleeps(&child.steps),
        Step::OnSignal(handler) => sleeps(&handler.steps),
        _ => false,
    })
}
