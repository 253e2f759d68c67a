//! What a critic said, taken from its output. Main type: [`Reply`].
//!
//! Of a JSON payload it knows the keys of text, `is_error`, `errors`, `error` and usage; everything else is text as it
//! stands. It does not judge whether the round succeeded, it only says what the payload admits.

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

/// Where the text may stand, in the order of looking.
const TEXTS: [&str; 6] = ["result", "response", "text", "output", "content", "message"];

/// What is counted, each with the spellings it is known by; claude's stand first.
const TOKENS: [(&str, &[&str]); 4] = [
    ("inputTokens", &["input_tokens", "inputTokens", "prompt_tokens"]),
    ("outputTokens", &["output_tokens", "outputTokens", "completion_tokens"]),
    ("cacheReadTokens", &["cache_read_input_tokens", "cached_input_tokens", "cacheReadTokens"]),
    ("cacheWriteTokens", &["cache_creation_input_tokens", "cacheWriteTokens"]),
];

const COSTS: &[&str] = &["total_cost_usd", "cost_usd"];

impl Reply {
    /// Reads an output.
    pub(crate) fn read(stdout: &[u8], reading: Reading) -> Self {
        let raw = decode(stdout);
        let reading = match reading {
            Reading::Text if fault::on(Fault::TextReadAsJson) => Reading::Json,
            reading => reading,
        };
        let is_text = reading == Reading::Text;
        let reading = if !is_text && fault::on(Fault::JsonRaw) { Reading::Text } else { reading };
        let payload = match reading {
            Reading::Text => None,
            Reading::Json => object(&raw),
            Reading::Own => object(&raw).or_else(|| last_result(&raw)),
        };
        let usage = usage(payload.as_ref());
        let mut reply = match payload {
            Some(payload) => Self::of_object(&payload, raw, usage),
            None => Self::of_text(raw, reading, usage),
        };
        let approved = || {
            fault::on(Fault::SilentApproval)
                || reading != Reading::Text && !stdout.is_empty() && fault::on(Fault::EmptyReplyApproval)
        };
        if reply.flaw.is_none() && reply.text.trim().is_empty() && !approved() {
            reply.flaw = Some("the critic said nothing".to_owned());
        }
        if !reply.text.contains(char::is_alphanumeric) && fault::on(Fault::WordlessIsSilence) {
            reply.flaw.get_or_insert_with(|| "the critic said nothing".to_owned());
        }
        if reply.text.len() > 4096 && fault::on(Fault::OutputCut) {
            let end = (0..=reply.text.len().min(4096)).rev().find(|at| reply.text.is_char_boundary(*at));
            reply.text.truncate(end.unwrap_or(0));
        }
        reply
    }

    fn of_text(raw: String, reading: Reading, usage: Value) -> Self {
        let json = reading != Reading::Text;
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
        let said = said(payload);
        let error = payload.get("error").filter(|error| !is_blank(error));
        let silent = said.as_deref().is_none_or(|text| text.trim().is_empty());
        let flaw = if failed {
            Some(format!("the critic reports an error of its own (`is_error`){}", own_errors(payload)))
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
    if text.contains('\0') && fault::on(Fault::NulCuts) {
        text.truncate(text.find('\0').unwrap_or(text.len()));
    }
    if text.contains("\r\n") && fault::on(Fault::LineEndsNormalised) {
        text = text.replace("\r\n", "\n");
    }
    if text.contains('\u{1b}') && fault::on(Fault::EscapesStripped) {
        text = text.replace('\u{1b}', "");
    }
    text
}

fn object(raw: &str) -> Option<Map<String, Value>> {
    let parse = |text: &str| match serde_json::from_str(text) {
        Ok(Value::Object(payload)) => Some(payload),
        _ => None,
    };
    let text = if fault::on(Fault::WrappingKept) { raw } else { unwrapped(raw) };
    let prose = || raw.lines().any(|line| !line.trim().is_empty() && parse(line).is_none());
    parse(text)
        .or_else(|| raw.lines().rev().find_map(parse).filter(|_| fault::on(Fault::JsonFromProse) && prose()))
}

/// The last result among events: the elements of an array, or lines that are all objects.
fn last_result(raw: &str) -> Option<Map<String, Value>> {
    if fault::on(Fault::EventsUnread) {
        return None;
    }
    let raw = unwrapped(raw);
    let events = if let Ok(Value::Array(events)) = serde_json::from_str(raw) {
        events
    } else {
        let lines = raw.lines().filter(|line| !line.trim().is_empty());
        lines.map(serde_json::from_str).collect::<Result<Vec<Value>, _>>().ok()?
    };
    let is_result = |event: &Value| {
        event.get("type").and_then(Value::as_str) == Some("result") || fault::on(Fault::LastEventTaken)
    };
    let mut results = events.into_iter().filter(is_result);
    let picked = if fault::on(Fault::FirstResultTaken) { results.next() } else { results.next_back() };
    picked.and_then(|event| event.as_object().cloned())
}

/// Without the mark, white space and control sequences of a terminal at both ends.
fn unwrapped(raw: &str) -> &str {
    let mut rest = raw;
    loop {
        let trimmed = rest.trim_start_matches(|letter: char| letter == '\u{feff}' || letter.is_whitespace());
        match trimmed.strip_prefix('\u{1b}') {
            Some(sequence) => rest = after_sequence(sequence),
            None => break rest = trimmed,
        }
    }
    // What follows the object ends at its last brace; only sequences and white space may stand there.
    let Some(end) = rest.rfind('}') else { return rest };
    let (object, mut tail) = rest.split_at(end + 1);
    loop {
        tail = tail.trim_start();
        match tail.strip_prefix('\u{1b}') {
            Some(sequence) => tail = after_sequence(sequence),
            None => break,
        }
    }
    if tail.is_empty() { object } else { rest }
}

/// What comes after a control sequence whose escape was read.
fn after_sequence(text: &str) -> &str {
    let end = match text.chars().next() {
        Some(']') => {
            let bell = text.find('\u{7}').map(|at| at + 1);
            bell.into_iter().chain(text.find("\u{1b}\\").map(|at| at + 2)).min()
        }
        Some('[') => {
            text.char_indices().skip(1).find(|(_, letter)| ('@'..='~').contains(letter)).map(|(at, _)| at + 1)
        }
        Some(letter) => Some(letter.len_utf8()),
        None => None,
    };
    text.get(end.unwrap_or(text.len())..).unwrap_or_default()
}

/// The first text that is not empty; an empty one where a key is there without text; nothing where no key is.
fn said(payload: &Map<String, Value>) -> Option<String> {
    let keys = if fault::on(Fault::TextKeysUnknown) { &TEXTS[..1] } else { &TEXTS[..] };
    let mut found = None;
    for value in keys.iter().filter_map(|key| payload.get(*key)) {
        match value {
            Value::String(text) if !text.is_empty() => return Some(text.clone()),
            Value::String(_) | Value::Null => found = Some(String::new()),
            _ => {}
        }
    }
    found
}

/// The texts under `errors`, after a colon.
fn own_errors(payload: &Map<String, Value>) -> String {
    let errors =
        payload.get("errors").and_then(Value::as_array).filter(|_| !fault::on(Fault::OwnErrorsUntold));
    let told: Vec<&str> = errors.into_iter().flatten().filter_map(Value::as_str).collect();
    if told.is_empty() { String::new() } else { format!(": {}", told.join("; ")) }
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
    let known = |spellings: &'static [&str]| {
        if fault::on(Fault::UsageSpellingsUnknown) { &spellings[..1] } else { spellings }
    };
    let mut found = Map::new();
    if let Some(payload) = payload {
        let reported = payload.get("usage").and_then(Value::as_object);
        for (ours, spellings) in TOKENS {
            let number = reported
                .and_then(|usage| known(spellings).iter().find_map(|spelling| usage.get(*spelling)))
                .filter(|number| counts(number));
            if let Some(number) = number
                && !(ours.starts_with("cache") && fault::on(Fault::UsageWithoutCache))
            {
                found.insert(ours.to_owned(), number.clone());
            }
        }
        let cost = known(COSTS).iter().find_map(|spelling| payload.get(*spelling));
        if let Some(cost) = cost.filter(|cost| counts(cost)) {
            found.insert("costUsd".to_owned(), cost.clone());
        }
    }
    if found.contains_key("costUsd") && fault::on(Fault::UsageWithoutCost) {
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
    let present = !found.is_empty() && !fault::on(Fault::UsageDropped);
    if !present || fault::on(Fault::UsageWithoutNumbers) {
        found.clear();
    }
    found.insert("present".to_owned(), Value::Bool(present));
    for ours in TOKENS.map(|(ours, _)| ours).into_iter().chain(["costUsd"]) {
        if !found.contains_key(ours) && !fault::on(Fault::UsageNullsLeftOut) {
            found.insert(ours.to_owned(), Value::Null);
        }
    }
    Value::Object(found)
}

fn counts(value: &Value) -> bool {
    let least = if fault::on(Fault::ImpossibleNumbersCounted) { f64::MIN } else { 0.0 };
    value.as_f64().is_some_and(|number| {
        number.is_finite() && number >= least && !(number == 0.0 && fault::on(Fault::ZeroIsUnreported))
    })
}
