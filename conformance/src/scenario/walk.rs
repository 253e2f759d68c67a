//! What steps and checks of the graph profile need of each other.
//!
//! [`step_faults`] and [`check_faults`] give what is missing, by pointer. They read values, no text.

use super::check::{Assertion, Check};
use super::graph_check::GraphAssertion;
use super::graph_step::GraphVerb;
use super::step::Step;
use crate::source::escape;

/// A pointer, what is wrong there, and what to do.
pub(super) type Lack = (String, String, String);

/// Comments that cannot be written.
pub(super) fn step_faults(steps: &[Step], place: &str) -> Vec<Lack> {
    let mut faults = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let Some(thread) = step.graph().and_then(|call| call.thread()) else { continue };
        let printed: Vec<&str> = steps[..number]
            .iter()
            .filter(|step| step.graph().is_some_and(|call| matches!(call.verb, GraphVerb::Checklist { .. })))
            .map(Step::id)
            .collect();
        for (at, comment) in thread.comments.iter().enumerate() {
            let pointer = format!("{place}/steps/{number}/advance/comments/{at}");
            let mut fault = |message: String, remedy: &str| {
                faults.push((pointer.clone(), message, remedy.to_owned()));
            };
            match &comment.checklist {
                None if comment.body.is_none() => {
                    fault("a comment without body and checklist".to_owned(), "add one of them");
                }
                Some(quoted) if quoted.of.as_ref().is_some_and(|of| !printed.contains(&of.as_str())) => {
                    let of = quoted.of.as_deref().unwrap_or_default();
                    let message = format!("step `{of}` prints no checklist before this one");
                    fault(message, "name the id of an earlier `checklist` step");
                }
                Some(_) if printed.is_empty() => {
                    fault(
                        "no checklist was printed before".to_owned(),
                        "add a `checklist` step before this one",
                    );
                }
                _ => {}
            }
        }
    }
    faults
}

/// Assertions that their step cannot answer, and premises that are none.
pub(super) fn check_faults(checks: &[Check], steps: &[Step]) -> Vec<Lack> {
    let mut faults = Vec::new();
    for (number, check) in checks.iter().enumerate() {
        let pointer = format!("/checks/{}", escape(check.name()));
        for name in check.given() {
            if !checks[..number].iter().any(|earlier| earlier.name() == name) {
                let message = format!("`given` names `{name}`, which is no check before this one");
                faults.push((format!("{pointer}/given"), message, "name an earlier check".to_owned()));
            }
        }
        let call = steps.get(check.step()).and_then(Step::graph);
        for assertion in check.assertions() {
            let Assertion::Graph(assertion) = assertion else { continue };
            let key = match assertion {
                GraphAssertion::State(_) if call.is_none_or(|call| call.item().is_none()) => "state",
                GraphAssertion::Frozen(_) if call.is_none_or(|call| call.item().is_none()) => "frozen",
                GraphAssertion::Events(_) if call.is_none() => "events",
                _ => continue,
            };
            let message = format!("`{key}` of a step that is about no work item");
            let remedy = "name a step of the graph profile with an item: `step: ID`".to_owned();
            faults.push((format!("{pointer}/{key}"), message, remedy));
        }
    }
    faults
}
