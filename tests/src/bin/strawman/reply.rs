//! What a critic said, taken from its output. Main type: [`Reply`].
//!
//! Of a JSON payload it knows `result`, `is_error`, `error` and usage in claude's spelling; everything else is text
//! as it stands. It does not judge whether the round succeeded, it only says what the payload admits.

use serde_json::{Map, Value, json};

use crate::fault::{self, Fault};
use crate::roster::Reading;

/// The reading of one output.
pub(crate) struct Reply {
    /// The reviewer's text.
    pub(crate) text: String,
    /// What was reported about cost, as it goes into the envelope.
    pub(crate) usage: Value,
    /// Why the reply is no review although the critic may have exited 0.
    pub(crate) flaw: Option<String>,
}

const TOKENS: [(&str, &str); 4] = [
    ("input_tokens", "inputTokens"),
    ("output_tokens", "outputTokens"),
    ("cache_read_input_tokens", "cacheReadTokens"),
    ("cache_creation_input_tokens", "cacheWriteTokens"),
];

impl Reply {
    /// Reads an output.
    pub(crate) fn read(stdout: &[u8], reading: Reading) -> Self {
        let raw = decode(stdout);
        let reading = if fault::on(Fault::TextReadAsJson) { Reading::Json } else { reading };
        let reading = if fault::on(Fault::JsonRaw) { Reading::Text } else { reading };
        let payload = match reading {
            Reading::Text => None,
            Reading::Json => object(&raw),
        };
        let usage = usage(payload.as_ref());
        let mut reply = match payload {
            Some(payload) => Self::of_object(&payload, raw, usage),
            None => Self::of_text(raw, reading, usage),
        };
        let approved = fault::on(Fault::SilentApproval)
            || (fault::on(Fault::EmptyReplyApproval) && reading == Reading::Json && !stdout.is_empty());
        if reply.flaw.is_none() && reply.text.trim().is_empty() && !approved {
            reply.flaw = Some("the critic said nothing".to_owned());
        }
        if fault::on(Fault::OutputCut) {
            let end = (0..=reply.text.len().min(4096)).rev().find(|at| reply.text.is_char_boundary(*at));
            reply.text.truncate(end.unwrap_or(0));
        }
        reply
    }

    fn of_text(raw: String, reading: Reading, usage: Value) -> Self {
        let json = reading == Reading::Json;
        let mut flaw = None;
        if json && fault::on(Fault::JsonBrokenFails) {
            flaw = Some("the output is not JSON".to_owned());
        }
        let text = match raw {
            _ if json && fault::on(Fault::JsonEmptyWhenNoObject) => String::new(),
            raw if json && fault::on(Fault::JsonFallbackTrimmed) => raw.trim().to_owned(),
            raw if !json && fault::on(Fault::StripOutput) => raw.trim().to_owned(),
            raw => raw,
        };
        Self { text, usage, flaw }
    }

    fn of_object(payload: &Map<String, Value>, raw: String, usage: Value) -> Self {
        let failed = payload.get("is_error") == Some(&Value::Bool(true)) && !fault::on(Fault::IsErrorIgnored);
        let said = match payload.get("result") {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Null) => Some(String::new()),
            _ => None,
        };
        let error = payload.get("error").filter(|error| !is_blank(error));
        let silent = said.as_deref().is_none_or(|text| text.trim().is_empty());
        let flaw = if failed {
            Some("the critic reports an error of its own (`is_error`)".to_owned())
        } else if silent && error.is_some() && !fault::on(Fault::ErrorPayloadIgnored) {
            Some("the critic reports an error and no text".to_owned())
        } else if said.is_some() && silent && !fault::on(Fault::EmptyReplyApproval) {
            Some("the critic's reply is empty".to_owned())
        } else {
            None
        };
        let text = match said {
            Some(text) => text,
            None if fault::on(Fault::JsonEmptyWhenNoKey) => String::new(),
            None => raw,
        };
        Self { text, usage, flaw }
    }
}

/// Bytes as text. Whatever is not UTF-8 becomes replacement characters.
fn decode(stdout: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(stdout).into_owned();
    if fault::on(Fault::NulCuts) {
        text.truncate(text.find('\0').unwrap_or(text.len()));
    }
    if fault::on(Fault::LineEndsNormalised) {
        text = text.replace("\r\n", "\n");
    }
    if fault::on(Fault::EscapesStripped) {
        text = text.replace('\u{1b}', "");
    }
    text
}

fn object(raw: &str) -> Option<Map<String, Value>> {
    let parse = |text: &str| match serde_json::from_str(text) {
        Ok(Value::Object(payload)) => Some(payload),
        _ => None,
    };
    parse(raw).or_else(|| raw.lines().rev().find_map(parse).filter(|_| fault::on(Fault::JsonFromProse)))
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn usage(payload: Option<&Map<String, Value>>) -> Value {
    let mut found = Map::new();
    if let Some(payload) = payload {
        let reported = payload.get("usage").and_then(Value::as_object);
        for (theirs, ours) in TOKENS {
            let cached = ours.starts_with("cache") && fault::on(Fault::UsageWithoutCache);
            if let Some(number) =
                reported.and_then(|usage| usage.get(theirs)).filter(|number| counts(number) && !cached)
            {
                found.insert(ours.to_owned(), number.clone());
            }
        }
        if let Some(cost) = payload.get("total_cost_usd").filter(|cost| counts(cost)) {
            found.insert("costUsd".to_owned(), cost.clone());
        }
    }
    if fault::on(Fault::UsageWithoutCost) {
        found.remove("costUsd");
    }
    if fault::on(Fault::UsageSwapped) {
        let (input, output) = (found.remove("inputTokens"), found.remove("outputTokens"));
        found.extend(output.map(|number| ("inputTokens".to_owned(), number)));
        found.extend(input.map(|number| ("outputTokens".to_owned(), number)));
    }
    if found.is_empty() && fault::on(Fault::UsageFabricated) {
        return json!({"present": true, "inputTokens": 0, "outputTokens": 0, "costUsd": 0});
    }
    if found.is_empty() || fault::on(Fault::UsageDropped) {
        return json!({"present": false});
    }
    if fault::on(Fault::UsageWithoutNumbers) {
        return json!({"present": true});
    }
    found.insert("present".to_owned(), Value::Bool(true));
    Value::Object(found)
}

fn counts(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.is_finite() && number >= 0.0)
}
