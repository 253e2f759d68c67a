//! What laws are tried on: critics as the operator would declare them, JSON, bytes that mean harm.
//!
//! Strategies and small builders; no law stands here.

use std::path::Path;

use proptest::prelude::*;
use the_loop::config::OperatorConfig;
use the_loop::critic::{Critic, Lookup, Roster};

/// A YAML text in double quotes that stands for exactly this text.
pub(crate) fn quoted(text: &str) -> String {
    let letters = text.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        ' '..='~' => letter.to_string(),
        _ => format!("\\U{:08x}", u32::from(letter)),
    });
    format!("\"{}\"", letters.collect::<String>())
}

/// The critic of a config with this one entry, in flow style without its braces.
pub(crate) fn critic(entry: &str) -> Critic {
    let text = format!("critics:\n- {{{entry}}}\n");
    let config = OperatorConfig::parse(Path::new("/cli-config.yaml"), &text).expect(&text);
    let roster = Roster::read(&config).expect(&text);
    let name = roster.entries()[0].name().expect("a name").to_owned();
    match roster.find(&name) {
        Lookup::Valid(critic) => critic.clone(),
        other => panic!("{text}: {other:?}"),
    }
}

/// Text that tries to mean something: placeholders, shell, options, other configs, odd letters.
pub(crate) fn crafty() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "{prompt}",
        "{promptFile}",
        "{model}",
        "{workItem}",
        "{specDir}",
        "{cwd}",
        "{",
        "}",
        "{}",
        "{ model }",
        "$(id)",
        "`id`",
        "${HOME}",
        "; rm -rf x",
        "--config=other.yaml",
        "-",
        "---",
        " ",
        "\n",
        "\r",
        "\t",
        "'",
        "\"",
        "\\",
        "*",
        "%s",
        "\u{1b}[2J",
        "\u{feff}",
        "\u{202e}",
        "ü",
        "\u{1f600}",
    ]);
    prop_oneof![
        any::<String>(),
        prop::collection::vec(prop_oneof![words.prop_map(str::to_owned), "[a-z]{1,5}"], 0..8)
            .prop_map(|pieces| pieces.concat()),
    ]
}

/// A prompt that is not blank: crafty text or any bytes, sometimes longer than one argument can be.
pub(crate) fn prompt() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop_oneof![
        4 => crafty().prop_map(String::into_bytes),
        4 => prop::collection::vec(any::<u8>(), 1..200),
        1 => (131_060_usize..131_080).prop_map(|length| vec![b'x'; length]),
    ];
    bytes.prop_filter("says something", |bytes| bytes.iter().any(u8::is_ascii_alphanumeric))
}

/// Text of some JSON value, with the keys that mean something here among others.
pub(crate) fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|truth| truth.to_string()),
        any::<f64>().prop_map(|number| serde_json::json!(number).to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        Just("\"\"".to_owned()),
        crafty().prop_map(|text| serde_json::json!(text).to_string()),
        crafty().prop_map(|text| escaped(&text)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let pair = (key(), inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(pair, 0..8).prop_map(|pairs| format!("{{{}}}", pairs.join(" ,\n"))),
        ]
    })
}

/// Text of a JSON object whose keys mostly mean something.
pub(crate) fn object() -> impl Strategy<Value = String> {
    members().prop_map(|members| format!("{{{}}}", members.join(",")))
}

/// Text of the members of such an object.
pub(crate) fn members() -> impl Strategy<Value = Vec<String>> {
    let member = (key(), json()).prop_map(|(key, value)| format!("{key} : {value}"));
    prop::collection::vec(member, 0..6)
}

/// Whether everybody would say that there is something to read: before any escape sequence, which may be silent.
pub(crate) fn says_something(text: &str) -> bool {
    text.split('\u{1b}').next().unwrap_or_default().chars().any(char::is_alphanumeric)
}

/// Keys that readers know.
const KEYS: [&str; 14] = [
    "result",
    "response",
    "text",
    "output",
    "content",
    "message",
    "usage",
    "total_cost_usd",
    "input_tokens",
    "is_error",
    "error",
    "errors",
    "type",
    "subtype",
];

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(KEYS.as_slice()).prop_map(|key| serde_json::json!(key).to_string()),
        1 => prop::sample::select(KEYS.as_slice()).prop_map(escaped),
        1 => ".*".prop_map(|key| serde_json::json!(key).to_string()),
    ]
}

/// A JSON string in which every letter is escaped.
pub(crate) fn escaped(text: &str) -> String {
    let units: Vec<String> = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
    format!("\"{}\"", units.concat())
}

/// What a critic may print: any bytes, JSON, JSON that was damaged, surrogates without their other half.
pub(crate) fn printed() -> impl Strategy<Value = Vec<u8>> {
    let damaged = (object(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(text, at, byte)| {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes
    });
    let half = prop::sample::select(vec![
        r#"{"result":"\ud83d"}"#,
        r#"{"\udc00":1,"text":"a\ud83d\ud83dz"}"#,
        r#"{"result":"x","usage":{"input_tokens":18446744073709551616,"output_tokens":1e400}}"#,
        r#"{"result":"x","total_cost_usd":1e308,"usage":{"input_tokens":0.5e-300}}"#,
        r#"{"is_error":true,"result":"\udfff","errors":["\ud800"]}"#,
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        crafty().prop_map(String::into_bytes),
        object().prop_map(String::into_bytes),
        damaged,
        half.prop_map(|text| text.as_bytes().to_vec()),
    ]
}
