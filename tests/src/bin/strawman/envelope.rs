//! The record of a round. Main type: [`Envelope`].
//!
//! It turns an ending and a reply into the object that is printed, and knows whether the round counts as a success.
//! It writes nothing.

use serde_json::{Map, Value, json};

use crate::fault::{self, Fault};
use crate::reply::Reply;
use crate::roster::Critic;
use crate::round::{End, Ending};

/// Stands for the exit code of a critic that had none.
const NO_CODE: i32 = -1;

/// The record of one round.
pub(crate) struct Envelope {
    fields: Map<String, Value>,
    /// Whether the round succeeded.
    pub(crate) ok: bool,
    /// The critic's own exit code.
    pub(crate) code: i32,
    raw: Vec<u8>,
}

impl Envelope {
    /// Judges a round and records it.
    pub(crate) fn new(critic: &Critic, ending: &Ending) -> Self {
        let stdout = match ending.end {
            End::TimedOut(_) if fault::on(Fault::TimeoutDropsOutput) => &[],
            End::Exited(0) => ending.stdout.as_slice(),
            _ if fault::on(Fault::FailureDropsOutput) => &[],
            _ => ending.stdout.as_slice(),
        };
        let mut reply = Reply::read(stdout, critic.reading);
        if !ending.stderr.is_empty() && fault::on(Fault::StderrMerged) {
            reply.text.push_str(&String::from_utf8_lossy(&ending.stderr));
        }
        let error = cause(ending, &reply);
        let ok = error.is_none();
        let code = match ending.end {
            End::Exited(code) if code != 0 && fault::on(Fault::ExitCodeFlattened) => 1,
            End::Exited(code) => code,
            _ => NO_CODE,
        };
        let shown = match error {
            None if fault::on(Fault::ErrorOnSuccess) => json!("exit status 0"),
            None if fault::on(Fault::HarmlessNullError) => Value::Null,
            None => json!(""),
            Some(_) if fault::on(Fault::ErrorEmptyOnFailure) => json!(""),
            Some(_) if fault::on(Fault::ErrorNamesNoCause) => json!("failed"),
            Some(cause) => json!(cause),
        };
        let exit_code =
            if code == NO_CODE && !fault::on(Fault::NoCodeIsNumber) { Value::Null } else { json!(code) };
        let fields = json!({
            "envelopeOf": "strawman",
            "ok": if !ok && fault::on(Fault::OkText) { json!("false") } else { json!(ok) },
            "error": shown,
            "output": reply.text,
            "critic": if fault::on(Fault::CriticIsHarness) { &critic.harness } else { &critic.name },
            "attribution": attribution(critic),
            "model": critic.model,
            "harness": critic.harness,
            "usage": reply.usage,
            "exitCode": exit_code,
            "durationSeconds": duration(ending),
            "timedOut": matches!(ending.end, End::TimedOut(_)),
        });
        let Value::Object(mut fields) = fields else {
            return Self { fields: Map::new(), ok, code, raw: Vec::new() };
        };
        for (key, missing) in MISSING {
            let only_of_failures = matches!(missing, Fault::MissingOk | Fault::MissingOutput);
            if !(ok && only_of_failures) && fault::on(missing) {
                fields.shift_remove(key);
            }
        }
        if fault::on(Fault::HarmlessFewKeys) {
            fields.shift_remove("envelopeOf");
            fields.shift_remove("timedOut");
        }
        Self { fields, ok, code, raw: stdout.to_vec() }
    }

    /// The object as it is printed, with a line feed at its end.
    pub(crate) fn render(&self) -> Vec<u8> {
        let object = Value::Object(self.fields.clone());
        let mut text =
            if fault::on(Fault::HarmlessCompact) { object.to_string() } else { format!("{object:#}") };
        if fault::on(Fault::HarmlessAscii) {
            text = ascii(&text);
        }
        if self.code == NO_CODE && fault::on(Fault::DurationNan) {
            let duration = self.fields.get("durationSeconds").map(Value::to_string).unwrap_or_default();
            text = text.replacen(&format!("\"durationSeconds\": {duration}"), "\"durationSeconds\": NaN", 1);
        }
        if !self.output().is_ascii() && fault::on(Fault::LoneSurrogate) {
            text = text.replacen("\"output\": \"", "\"output\": \"\\ud800", 1);
        }
        let says = |word: &[u8]| self.raw.windows(word.len()).any(|window| window == word);
        if says(br"\ud8") && fault::on(Fault::HalfPairPassedOn) {
            text = text.replace(r"\\ud8", r"\ud8");
        }
        if says(b"NaN") && fault::on(Fault::NanPassedOn) {
            text = text.replacen("null", "NaN", 1);
        }
        let mut bytes = text.into_bytes();
        bytes.push(b'\n');
        if std::str::from_utf8(&self.raw).is_err() && fault::on(Fault::RawBytes) {
            let at = bytes.windows(11).position(|window| window == b"\"output\": \"").unwrap_or(0) + 11;
            bytes.splice(at..at, self.raw.iter().copied());
        }
        bytes
    }

    /// Whether the critic said what the round cost.
    pub(crate) fn tells_usage(&self) -> bool {
        self.fields.get("usage").and_then(|usage| usage.get("present")) == Some(&Value::Bool(true))
    }

    /// The reviewer's text alone.
    pub(crate) fn output(&self) -> &str {
        self.fields.get("output").and_then(Value::as_str).unwrap_or_default()
    }
}

const MISSING: [(&str, Fault); 10] = [
    ("critic", Fault::MissingCritic),
    ("harness", Fault::MissingHarness),
    ("model", Fault::MissingModel),
    ("attribution", Fault::MissingAttribution),
    ("ok", Fault::MissingOk),
    ("exitCode", Fault::MissingExitCode),
    ("durationSeconds", Fault::MissingDuration),
    ("output", Fault::MissingOutput),
    ("error", Fault::MissingError),
    ("usage", Fault::MissingUsage),
];

/// Why the round failed, or nothing if it succeeded.
fn cause(ending: &Ending, reply: &Reply) -> Option<String> {
    let stderr = String::from_utf8_lossy(&ending.stderr);
    if !stderr.is_empty() && fault::on(Fault::StderrIsFailure) {
        return Some("the critic wrote to standard error".to_owned());
    }
    if std::str::from_utf8(&ending.stdout).is_err() && fault::on(Fault::BadUtf8Fails) {
        return Some("the output is not UTF-8".to_owned());
    }
    match &ending.end {
        End::Exited(0) => reply.flaw.clone(),
        End::Exited(_) if fault::on(Fault::OkOnNonZero) => None,
        End::Exited(code) if stderr.trim().is_empty() => {
            Some(format!("the critic exited with status {code}"))
        }
        End::Exited(code) => Some(format!("the critic exited with status {code}: {}", stderr.trim())),
        End::Killed(signal) => Some(format!("the critic was killed by signal {signal}")),
        End::TimedOut(_) if fault::on(Fault::TimeoutIsSuccess) => None,
        End::TimedOut(_) if fault::on(Fault::TimeoutWithoutCause) => {
            Some("the critic did not finish".to_owned())
        }
        End::TimedOut(limit) => Some(format!("timed out: the limit is {} s", limit.as_secs_f64())),
        End::Interrupted(signal) => Some(format!("interrupted by signal {signal}")),
        End::Flooded => Some("the critic printed too much".to_owned()),
        End::NotStarted(reason) => Some(reason.clone()),
    }
}

fn attribution(critic: &Critic) -> String {
    let harness = match critic.harness.as_str() {
        "" if !fault::on(Fault::AttributionWithoutName) => &critic.name,
        harness => harness,
    };
    let model = match critic.model.as_str() {
        "" if !fault::on(Fault::AttributionWithoutDefault) => "default",
        model => model,
    };
    match () {
        () if fault::on(Fault::AttributionIsName) => format!("[{}]", critic.name),
        () if fault::on(Fault::AttributionUnbracketed) => format!("{harness}/{model}"),
        () => format!("[{harness}/{model}]"),
    }
}

fn duration(ending: &Ending) -> Value {
    let seconds = ending.duration.as_secs_f64();
    match () {
        () if fault::on(Fault::DurationText) => json!(format!("{seconds:.3}")),
        () if fault::on(Fault::DurationMilliseconds) => json!(seconds * 1000.0),
        () => json!(seconds),
    }
}

fn ascii(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut units = [0; 2];
    for letter in text.chars() {
        if letter.is_ascii() {
            escaped.push(letter);
        } else {
            let units = letter.encode_utf16(&mut units);
            escaped.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    escaped
}
