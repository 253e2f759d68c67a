//! Reading: from what a critic printed to the reviewer's text, its usage, and its own word that it failed.
//!
//! [`read`] is pure and total: any bytes give a [`Review`]. Text inside JSON stays the string it was until somebody
//! writes it, so that a review of many megabytes is not copied. Prose is never searched for JSON.

mod events;
mod object;
mod strip;
mod text;
mod usage;

use std::ops::Range;

use crate::critic::Reading;
use object::Object;

pub use text::Text;
pub use usage::Usage;

/// JSON that is not valid UTF-8 is decoded into a copy before it is read; beyond this many bytes it stays verbatim.
const LARGEST_DECODED: usize = 8 << 20;

/// What a critic's standard output says.
#[derive(Debug)]
pub struct Review {
    /// The reviewer's text.
    pub text: Text,
    /// What it cost, as far as it was reported.
    pub usage: Usage,
    /// Why a success is none after all; `None` when the output says nothing against it (CR-FC).
    pub fault: Option<Fault>,
}

/// Why output that came with a success is no review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No text at all.
    Silence,
    /// The JSON reports a failure, in these words.
    Reported(String),
}

/// What was found in JSON: where the text stands, if there is one, and the rest.
#[derive(Debug)]
struct Found {
    literal: Option<Range<usize>>,
    usage: Usage,
    fault: Option<Fault>,
}

/// Reads what a critic printed.
pub fn read(reading: Reading, stdout: Vec<u8>) -> Review {
    let printed = match (reading, String::from_utf8(stdout)) {
        (Reading::Text, Ok(text)) => return verbatim(text.into_bytes()),
        (Reading::Text, Err(bytes)) => return verbatim(bytes.into_bytes()),
        (_, Ok(text)) => text,
        (_, Err(bytes))
            if bytes.as_bytes().len() > LARGEST_DECODED || !has_room_to_decode(bytes.as_bytes()) =>
        {
            return verbatim(bytes.into_bytes());
        }
        (_, Err(bytes)) => String::from_utf8_lossy(bytes.as_bytes()).into_owned(),
    };
    let Some(found) = find(reading, &printed) else { return verbatim(printed.into_bytes()) };
    let Found { literal, usage, fault } = found;
    let printed = printed.into_bytes();
    let text = match literal {
        Some(literal) => Text::literal(printed, literal),
        None => Text::verbatim(printed),
    };
    Review { text, usage, fault }
}

/// Whether there is memory for a copy in which every byte became a replacement character.
fn has_room_to_decode(bytes: &[u8]) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    std::hint::black_box(&mut probe).try_reserve_exact(3 * bytes.len() + LARGEST_DECODED / 8).is_ok()
}

fn find(reading: Reading, printed: &str) -> Option<Found> {
    if let Some(object) = Object::alone(printed) {
        return Some(object.found(printed));
    }
    match reading {
        Reading::AdapterOwn(_) => events::last_result(printed).map(|result| result.found(printed)),
        Reading::Text | Reading::Json => None,
    }
}

fn verbatim(printed: Vec<u8>) -> Review {
    let text = Text::verbatim(printed);
    let fault = text.is_silent().then_some(Fault::Silence);
    Review { text, usage: Usage::default(), fault }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critic::Adapter;

    const CLAUDE: Reading = Reading::AdapterOwn(Adapter::Claude);

    fn said(reading: Reading, printed: &str) -> (String, Option<Fault>) {
        let review = read(reading, printed.as_bytes().to_vec());
        (review.text.to_string(), review.fault)
    }

    fn assert_verbatim(reading: Reading, printed: &str) {
        assert_eq!(said(reading, printed), (printed.to_owned(), None));
    }

    #[test]
    fn of_a_member_that_comes_twice_the_last_counts() {
        assert_eq!(said(Reading::Json, r#"{"result":"a","result":"b"}"#).0, "b");
    }

    #[test]
    fn text_keys_count_in_their_order_not_in_the_objects() {
        let printed = r#"{"message":"m","content":"c","output":"o","text":"t","response":"s","result":"r"}"#;
        assert_eq!(said(Reading::Json, printed).0, "r");
    }

    #[test]
    fn an_object_nested_to_the_bound_is_read_and_one_deeper_is_not() {
        let nested =
            |depth: usize| format!("{{\"result\":\"x\",\"d\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(said(Reading::Json, &nested(127)).0, "x");
        assert_verbatim(Reading::Json, &nested(128));
    }

    #[test]
    fn brackets_and_digits_in_strings_are_no_structure() {
        let printed = format!(r#"{{"result":"x","s":"\\\"{}{}"}}"#, "[".repeat(500), "9".repeat(500));
        assert_eq!(said(Reading::Json, &printed).0, "x");
    }

    #[test]
    fn events_are_the_adapters_alone() {
        let printed = r#"[{"type":"result","result":"x"}]"#;
        assert_verbatim(Reading::Json, printed);
        assert_eq!(said(CLAUDE, printed).0, "x");
    }

    #[test]
    fn a_text_member_that_is_no_text_leaves_the_output_as_it_is() {
        for printed in [
            r#"{"result":{"a":1}}"#,
            r#"{"type":"result","result":{"a":1}}"#,
            r#"{"type":"result","is_error":false,"result":["a"]}"#,
            r#"[{"type":"result","result":5}]"#,
        ] {
            assert_verbatim(CLAUDE, printed);
        }
        assert_eq!(said(CLAUDE, r#"{"type":"result","result":"x","text":7}"#), ("x".to_owned(), None));
        for printed in
            [r#"{"type":"result"}"#, r#"{"type":"result","result":""}"#, r#"{"type":"result","result":null}"#]
        {
            assert_eq!(said(CLAUDE, printed).1, Some(Fault::Silence), "{printed}");
        }
    }

    #[test]
    fn prose_between_events_makes_all_of_it_prose() {
        for printed in [
            "note\n{\"type\":\"result\",\"result\":\"x\"}",
            "{\"type\":\"result\",\"result\":\"x\"}\nbye",
            "[1] {\"type\":\"result\"}",
        ] {
            assert_verbatim(CLAUDE, printed);
        }
    }

    #[test]
    fn an_error_of_any_shape_without_a_text_is_reported() {
        for (error, words) in [
            (r#""bad key""#, "bad key"),
            (r#"{"message":"m"}"#, "m"),
            (r#"{"data":{"message":"d"}}"#, "d"),
            ("true", "true"),
            (r#"{"code":7}"#, r#"{"code":7}"#),
        ] {
            let fault = said(Reading::Json, &format!("{{\"error\":{error}}}")).1;
            assert_eq!(fault, Some(Fault::Reported(words.to_owned())));
        }
        for none in ["null", "false", "\"\"", "{}", "0"] {
            assert_eq!(
                said(Reading::Json, &format!("{{\"error\":{none},\"text\":\"t\"}}")),
                ("t".to_owned(), None)
            );
        }
    }

    #[test]
    fn a_large_reply_that_is_no_utf8_stays_as_it_was_printed() {
        let printed = |filler: usize| {
            let mut bytes = br#"{"result":"x","filler":""#.to_vec();
            bytes.resize(bytes.len() + filler, b'f');
            bytes.extend_from_slice(b"\xff\"}");
            bytes
        };
        assert_eq!(read(Reading::Json, printed(0)).text.to_string(), "x");
        let most = (8 << 20) - printed(0).len();
        assert_eq!(read(Reading::Json, printed(most)).text.to_string(), "x");
        let review = read(Reading::Json, printed(most + 1));
        assert!(review.text.to_string().starts_with("{\"result\""));
    }

    #[test]
    fn an_error_without_a_text_is_one_unless_it_says_nothing() {
        for (error, words) in [("5", "5"), ("-1", "-1"), (r#"["a",{"message":"b"},3]"#, "a; b; 3")] {
            let fault = said(Reading::Json, &format!(r#"{{"error":{error}}}"#)).1;
            assert_eq!(fault, Some(Fault::Reported(words.to_owned())));
        }
        let long = |length: usize| {
            let text = "x".repeat(length - 2);
            match said(Reading::Json, &format!(r#"{{"error":"{text}"}}"#)).1 {
                Some(Fault::Reported(words)) if words == text => "in full".to_owned(),
                other => format!("{other:?}"),
            }
        };
        assert_eq!(long(64 << 10), "in full");
        assert_eq!(long((64 << 10) + 1), r#"Some(Reported("at length"))"#);
        for printed in [
            r#"{"error":0}"#,
            r#"{"error":0.0}"#,
            r#"{"error":{}}"#,
            r#"{"error":[],"errors":null}"#,
            r#"{"is_error":false}"#,
        ] {
            assert_verbatim(Reading::Json, printed);
        }
    }

    #[test]
    fn many_values_that_are_not_nested_are_read() {
        for sibling in ["[]", "{}", "[1]", "[-1.5e3]", r#"{"a":1}"#, r#"["]"]"#] {
            let siblings = vec![sibling; 500].join(",");
            assert_eq!(
                said(Reading::Json, &format!(r#"{{"result":"x","s":[{siblings}]}}"#)).0,
                "x",
                "{sibling}"
            );
        }
    }

    #[test]
    fn a_subtype_that_is_no_short_word_is_no_error() {
        let printed = |subtype: &str| format!(r#"{{"type":"result","subtype":{subtype},"result":"x"}}"#);
        for harmless in [r#""success""#, "null", "5", &format!("\"error{}\"", "r".repeat(300))] {
            assert_eq!(said(Reading::Json, &printed(harmless)), ("x".to_owned(), None), "{harmless}");
        }
        let of_length = |length: usize| format!("\"error{}\"", "r".repeat(length - 7));
        assert_eq!(said(Reading::Json, &printed(&of_length(256))), ("x".to_owned(), None));
        assert!(said(Reading::Json, &printed(&of_length(255))).1.is_some());
        let reported = said(Reading::Json, &printed(r#""error_max_turns""#)).1;
        assert_eq!(reported, Some(Fault::Reported("x".to_owned())));
    }
}
