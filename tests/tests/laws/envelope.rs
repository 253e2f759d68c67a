//! Any bytes on both outputs with any ending give one line of strict JSON, and two readers that share no code agree
//! on it (contract 5.1).

use std::io;
use std::time::Duration;

use json_event_parser::{JsonEvent, SliceJsonParser};
use proptest::prelude::*;
use serde_json::Value;
use the_loop::envelope::Envelope;
use the_loop::process::{Ending, Leftovers, Round, StartError, Stop};

use super::cases;
use super::material::{crafty, critic, escaped, printed, quoted, says_something};

const KEYS: [&str; 10] = [
    "critic",
    "harness",
    "model",
    "attribution",
    "ok",
    "exitCode",
    "durationSeconds",
    "output",
    "error",
    "usage",
];

fn ending() -> impl Strategy<Value = Ending> {
    let stops =
        vec![Stop::Hangup, Stop::Interrupt, Stop::Quit, Stop::Terminate, Stop::Other(10), Stop::Other(40)];
    // What the system passes back about a path is bytes of any kind, too.
    let refused = (crafty(), any::<i32>(), 0..5).prop_map(|(text, number, which)| {
        let path = text.clone().into();
        let source = io::Error::from_raw_os_error(number);
        match which {
            0 => StartError::ArgumentWithNul { index: 1, offset: text.len() },
            1 => StartError::Variable { name: text, why: "it holds a NUL byte" },
            2 => StartError::Directory { path, source },
            3 => StartError::Interpreter { path, interpreter: text },
            _ => StartError::System { path, source },
        }
    });
    prop_oneof![
        4 => Just(()).prop_map(|()| Ending::Exited(0)),
        1 => any::<i32>().prop_map(Ending::Exited),
        1 => any::<i32>().prop_map(Ending::Killed),
        1 => any::<Duration>().prop_map(Ending::TimedOut),
        1 => prop::sample::select(stops).prop_map(Ending::Interrupted),
        1 => Just(()).prop_map(|()| Ending::Flooded),
        1 => Just(()).prop_map(|()| Ending::Starved),
        1 => refused.prop_map(Ending::NotStarted),
        1 => crafty().prop_map(|text| Ending::Lost(io::Error::other(text))),
    ]
}

/// The other keys of an entry, each after a comma.
fn keys() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec![
        "command: x, args: ['{prompt}']",
        "command: x, args: ['{prompt}'], outputFormat: json",
        "harness: claude",
        "harness: cursor, outputFormat: text",
    ]);
    (start, crafty(), crafty()).prop_map(|(start, name, model)| {
        format!("name: {}, model: {}, {start}", quoted(&format!("n{name}")), quoted(&model.replace('\0', "")))
    })
}

fn line(envelope: &Envelope) -> Vec<u8> {
    let mut written = Vec::new();
    envelope.write(&mut written).expect("a vector takes everything");
    written
}

/// What the second reader makes of a whole text.
fn second_reading(text: &[u8]) -> Result<Value, String> {
    let mut reader = SliceJsonParser::new(text);
    let mut next = || reader.parse_next().map_err(|error| error.to_string());
    let first = next()?;
    let value = built(first, &mut next)?;
    match next()? {
        JsonEvent::Eof => Ok(value),
        more => Err(format!("{more:?} after the value")),
    }
}

/// The value that begins with this event.
fn built<'a>(
    event: JsonEvent<'a>,
    next: &mut impl FnMut() -> Result<JsonEvent<'a>, String>,
) -> Result<Value, String> {
    match event {
        JsonEvent::Null => Ok(Value::Null),
        JsonEvent::Boolean(truth) => Ok(truth.into()),
        JsonEvent::String(text) => Ok(text.into()),
        JsonEvent::Number(digits) => Ok(Value::Number(digits.parse().map_err(|error| format!("{error}"))?)),
        JsonEvent::StartArray => {
            let mut items = Vec::new();
            loop {
                match next()? {
                    JsonEvent::EndArray => return Ok(items.into()),
                    event => items.push(built(event, next)?),
                }
            }
        }
        JsonEvent::StartObject => {
            let mut members = serde_json::Map::new();
            loop {
                match next()? {
                    JsonEvent::EndObject => return Ok(members.into()),
                    JsonEvent::ObjectKey(key) => {
                        let first = next()?;
                        if members.insert(key.clone().into_owned(), built(first, next)?).is_some() {
                            return Err(format!("`{key}` stands twice"));
                        }
                    }
                    other => return Err(format!("{other:?} in place of a key")),
                }
            }
        }
        other => Err(format!("{other:?} in place of a value")),
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_bytes_with_any_ending_give_one_line_of_strict_json(
        keys in keys(),
        ending in ending(),
        (stdout, stderr) in (printed(), printed()),
        duration: Duration,
        left: bool,
    ) {
        let succeeded = matches!(ending, Ending::Exited(0)) && !left;
        let code = if let Ending::Exited(code) = ending { Some(i64::from(code)) } else { None };
        let leftovers = if left { Leftovers::Left(vec![7]) } else { Leftovers::None };
        let round = Round { ending, stdout: stdout.clone(), stderr, duration, leftovers };
        let line = line(&Envelope::of(&critic(&keys), round));

        prop_assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        let value: Value = serde_json::from_slice(&line).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(line[0], b'{');
        let second = second_reading(&line).map_err(TestCaseError::fail)?;
        prop_assert_eq!(&value, &second);
        prop_assert!(value.as_object().expect("an object").keys().eq(KEYS), "{}", value);
        prop_assert_eq!(value["exitCode"].as_i64(), code);
        let error = value["error"].as_str();
        prop_assert_eq!(value["ok"].as_bool(), Some(error.is_none()), "{}", value);
        prop_assert!(succeeded || error.is_some_and(|error| !error.is_empty()), "{}", value);
        if keys.contains("outputFormat: text") || !keys.contains("outputFormat") && keys.contains("command") {
            prop_assert_eq!(value["output"].as_str(), Some(&*String::from_utf8_lossy(&stdout)));
        }
    }

    #[test]
    fn a_text_in_json_is_read_as_any_json_reader_reads_it(text in crafty(), all_escaped: bool) {
        let literal = if all_escaped { escaped(&text) } else { Value::from(text.as_str()).to_string() };
        let stdout = format!("{{\"result\": {literal}, \"text\": \"other\"}}").into_bytes();
        let round = Round {
            ending: Ending::Exited(0),
            stdout,
            stderr: Vec::new(),
            duration: Duration::ZERO,
            leftovers: Leftovers::None,
        };
        let critic = critic("name: n, command: x, args: ['{prompt}'], outputFormat: json");
        let value: Value = serde_json::from_slice(&line(&Envelope::of(&critic, round))).expect("JSON");
        prop_assert!(!says_something(&text) || value["output"] == *text, "{}", value);
    }
}

#[test]
fn the_second_reader_is_strict() {
    for wrong in ["{\"a\":1,\"a\":2}", "NaN", "\"\\ud800\"", "\"\n\"", "[1,]", "{} {}", "01", "'a'", "\"a"] {
        assert!(second_reading(wrong.as_bytes()).is_err(), "{wrong}");
    }
    assert!(second_reading(b"\"\xff\"").is_err());
    assert_eq!(
        second_reading(b"{\"a\":[1,null,\"\\u00e9\"]}\n"),
        Ok(serde_json::json!({"a": [1, null, "\u{e9}"]}))
    );
}
