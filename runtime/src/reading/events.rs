//! The event forms of a built-in's output: an array of events, or one event a line.
//!
//! [`last_result`] finds the event that holds the outcome. Anything in between that is no object makes the whole
//! thing prose.

use std::fmt;

use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::object::{Object, first_value};
use super::strip::strip;

/// The last event of type `result`.
pub(super) fn last_result(printed: &str) -> Option<Object<'_>> {
    let text = strip(printed);
    let mut last = Last::default();
    if text.starts_with('[') {
        let array = first_value(text)?;
        if !strip(&text[array.len()..]).is_empty() {
            return None;
        }
        last = serde_json::Deserializer::from_str(array).deserialize_seq(Events).ok()?;
    } else {
        for line in text.lines().map(strip).filter(|line| !line.is_empty()) {
            let event = line.starts_with('{').then(|| first_value(line)).flatten()?;
            if !strip(&line[event.len()..]).is_empty() {
                return None;
            }
            last.meet(event);
        }
    }
    last.result
}

#[derive(Default)]
struct Last<'a> {
    result: Option<Object<'a>>,
}

impl<'a> Last<'a> {
    fn meet(&mut self, event: &'a str) {
        if let Some(event) = Object::parse(event).filter(|event| event.is("type", "result")) {
            self.result = Some(event);
        }
    }
}

struct Events;

impl<'de> Visitor<'de> for Events {
    type Value = Last<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<Last<'de>, A::Error> {
        let mut last = Last::default();
        while let Some(event) = events.next_element::<&RawValue>()? {
            last.meet(event.get());
        }
        Ok(last)
    }
}
