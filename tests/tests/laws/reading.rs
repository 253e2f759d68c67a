//! Reading any payload never loses text that says something (CR-3.2, CR-FC).

use proptest::prelude::*;
use serde_json::{Map, Value};
use the_loop::critic::{Adapter, Reading};
use the_loop::reading::{Fault, read};

use super::cases;
use super::material::{json, members, object, printed, says_something};

const CLAUDE: Reading = Reading::AdapterOwn(Adapter::Claude);
const READINGS: [Reading; 4] = [Reading::Text, Reading::Json, CLAUDE, Reading::AdapterOwn(Adapter::Cursor)];
const TEXT_KEYS: [&str; 6] = ["result", "response", "text", "output", "content", "message"];

/// The strings under text keys in the order in which they count, up to the first that surely says something, and
/// whether there is one. Those before it may be silent (escape sequences) or not.
fn texts(object: &Map<String, Value>) -> (Vec<&str>, bool) {
    let mut texts = Vec::new();
    for text in TEXT_KEYS.iter().filter_map(|key| object.get(*key)?.as_str()) {
        texts.push(text);
        if says_something(text) {
            return (texts, true);
        }
    }
    (texts, false)
}

/// Whether the object's text was taken, or, where it has none for sure, all that was printed.
fn is_kept(object: &Map<String, Value>, text: &str, whole: &str) -> bool {
    let (texts, surely) = texts(object);
    texts.contains(&text) && !text.trim().is_empty() || !surely && text == whole
}

fn said(reading: Reading, printed: &str) -> String {
    read(reading, printed.as_bytes().to_vec()).text.to_string()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn an_object_gives_its_first_text_that_says_something_or_itself(
        printed in object(),
        before in prop::sample::select(vec!["", "\u{feff}", " \r\n", "\u{1b}]0;title\u{7}", "\u{1b}[2K"]),
        after in prop::sample::select(vec!["", "\n", "\u{1b}[0m\n"]),
    ) {
        let whole = format!("{before}{printed}{after}");
        let object: Map<String, Value> = serde_json::from_str(&printed).expect("an object");
        for reading in READINGS {
            let text = said(reading, &whole);
            let kept = if reading == Reading::Text { text == whole } else { is_kept(&object, &text, &whole) };
            prop_assert!(kept, "{:?} of {}", text, whole);
        }
    }

    #[test]
    fn events_give_the_text_of_the_last_result_or_themselves(
        events in prop::collection::vec(object(), 0..3),
        result in members(),
        place in any::<prop::sample::Index>(),
        lines: bool,
    ) {
        let mut events = events;
        let result = result.into_iter().chain(["\"type\": \"result\"".to_owned()]);
        events.insert(place.index(events.len() + 1), format!("{{{}}}", result.collect::<Vec<_>>().join(", ")));
        for event in &mut events {
            *event = event.replace('\n', " ");
        }
        let whole = if lines && events.len() > 1 { events.join("\n") } else { format!("[{}]", events.join(",")) };
        let mut last = events.iter().map(|event| serde_json::from_str::<Map<String, Value>>(event).expect("an object"));
        let last = last.rfind(|event| event.get("type").is_some_and(|kind| kind == "result"));
        let text = said(CLAUDE, &whole);
        prop_assert!(is_kept(&last.expect("a result"), &text, &whole), "{:?} of {}", text, whole);
        prop_assert_eq!(said(Reading::Text, &whole), whole);
    }

    #[test]
    fn json_that_is_no_object_is_verbatim_for_whom_it_is_no_list_of_events(printed in json()) {
        if !printed.starts_with('{') {
            prop_assert_eq!(said(Reading::Json, &printed), &*printed);
        }
    }

    #[test]
    fn json_cut_anywhere_is_verbatim(printed in json(), at: prop::sample::Index) {
        let cut: String = printed.chars().take(at.index(printed.chars().count().max(1))).collect();
        let whole = serde_json::from_str::<Value>(&cut).is_ok();
        for reading in [Reading::Text, Reading::Json] {
            prop_assert!(whole || said(reading, &cut) == cut);
        }
    }

    #[test]
    fn silence_is_found_only_where_nothing_was_said(printed in printed()) {
        let lossy = String::from_utf8_lossy(&printed).into_owned();
        let object: Map<String, Value> = serde_json::from_str(&lossy).unwrap_or_default();
        for reading in READINGS {
            let review = read(reading, printed.clone());
            prop_assert!(review.fault.is_some() || !review.text.to_string().trim().is_empty(), "{:?}", lossy);
            prop_assert!(!lossy.trim().is_empty() || review.fault.is_some());
            if reading != Reading::Text && texts(&object).1 {
                prop_assert!(review.fault != Some(Fault::Silence), "{:?}", lossy);
            }
        }
    }
}
