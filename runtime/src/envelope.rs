//! The envelope: what one round says about itself, as one line of strict JSON.
//!
//! [`Envelope::of`] is pure and total: every [`Round`] has an envelope. The text is decoded while it is written,
//! without a copy. Where the envelope goes is decided elsewhere.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use serde::Serializer;
use serde::ser::SerializeStruct as _;

use crate::critic::Critic;
use crate::process::{Ending, LONGEST_OUTPUT, Leftovers, Round};
use crate::reading::{Fault, Review, Text, Usage, read};

/// The ten keys (CR-3.1), in this order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    critic: String,
    harness: String,
    model: String,
    attribution: String,
    ok: bool,
    exit_code: Option<i32>,
    duration_seconds: f64,
    #[serde(serialize_with = "as_text")]
    output: Text,
    error: Option<String>,
    #[serde(skip)]
    summary: Option<String>,
    #[serde(serialize_with = "as_block")]
    usage: Usage,
}

impl Envelope {
    /// What `critic`'s round says.
    pub fn of(critic: &Critic, mut round: Round) -> Self {
        let Review { text, usage, fault } = read(critic.output(), std::mem::take(&mut round.stdout));
        let failure = Failure::of(&round, fault);
        Self {
            critic: critic.name().to_owned(),
            harness: critic.harness().to_owned(),
            model: critic.model().to_owned(),
            attribution: attribution(critic),
            ok: failure.is_none(),
            exit_code: match round.ending {
                Ending::Exited(code) => Some(code),
                _ => None,
            },
            duration_seconds: seconds(round.duration),
            output: text,
            error: failure.as_ref().map(Failure::in_full),
            summary: failure.as_ref().map(Failure::in_short),
            usage,
        }
    }

    /// Whether the round succeeded.
    pub const fn is_ok(&self) -> bool {
        self.ok
    }

    /// Why it did not, for the log: without the critic's words, which may quote the prompt.
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }

    /// Writes one line.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, writer: impl Write) -> io::Result<()> {
        let mut buffered = io::BufWriter::with_capacity(64 << 10, writer);
        serde_json::to_writer(&mut buffered, self)?;
        buffered.write_all(b"\n")?;
        buffered.flush()
    }
}

/// `[harness/model]`; the name stands in for a missing harness, `default` for a missing model.
fn attribution(critic: &Critic) -> String {
    let harness = if critic.harness().is_empty() { critic.name() } else { critic.harness() };
    let model = if critic.model().is_empty() { "default" } else { critic.model() };
    format!("[{harness}/{model}]")
}

/// To the millisecond.
fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1000.0).round() / 1000.0
}

/// Why a round failed (CR-3.5, CR-FC).
#[derive(Debug)]
struct Failure {
    /// In our words.
    what: String,
    /// In the critic's own, from its output.
    reported: Option<String>,
    /// The end of its standard error, without white space around it.
    last_words: String,
}

impl Failure {
    /// `None` for a success that says something and left nothing behind.
    fn of(round: &Round, fault: Option<Fault>) -> Option<Self> {
        let left = (round.leftovers != Leftovers::None).then_some(&round.leftovers);
        let (mut what, reported) = match (&round.ending, fault) {
            (Ending::Exited(0), Some(Fault::Silence)) => {
                ("the critic exited with status 0 but said nothing, which is no review".to_owned(), None)
            }
            (Ending::Exited(0), Some(Fault::Reported(words))) => {
                ("the critic reported a failure".to_owned(), Some(words))
            }
            (Ending::Exited(0), None) if left.is_none() => return None,
            (Ending::Exited(code), Some(Fault::Reported(words))) => {
                (format!("the critic exited with status {code} and reported a failure"), Some(words))
            }
            (ending, _) => (sentence(ending), None),
        };
        if let Some(left) = left {
            what = format!("{what}, and {left} could not be ended");
        }
        let last_words = String::from_utf8_lossy(&round.stderr).trim().to_owned();
        Some(Self { what, reported, last_words })
    }

    fn in_full(&self) -> String {
        let mut text = self.what.clone();
        if let Some(words) = &self.reported {
            text = text + ": " + words;
        }
        if self.last_words.is_empty() {
            text
        } else {
            text + "; its standard error ends:\n" + &self.last_words
        }
    }

    fn in_short(&self) -> String {
        if self.reported.is_none() && self.last_words.is_empty() {
            self.what.clone()
        } else {
            self.what.clone() + "; `error` in the envelope has the critic's own words"
        }
    }
}

fn sentence(ending: &Ending) -> String {
    match ending {
        Ending::Exited(code) => format!("the critic exited with status {code}"),
        Ending::Killed(signal) => format!("the critic was ended by {}", signal_name(*signal)),
        Ending::TimedOut(limit) => {
            format!("the critic timed out: it was ended at its limit of {} s", limit.as_secs_f64())
        }
        Ending::Interrupted(stop) => {
            format!("the round was interrupted by signal {stop}, and the critic ended")
        }
        Ending::Flooded => format!(
            "the critic printed more than {} MiB and was ended; what came first is kept",
            LONGEST_OUTPUT >> 20
        ),
        Ending::Starved => {
            "the critic printed more than there is memory for and was ended; what came first is \
                            kept"
                .to_owned()
        }
        Ending::NotStarted(error) => format!("the critic was not started: {error}"),
        Ending::Lost(error) => format!("the critic was lost: {error}"),
    }
}

fn signal_name(signal: i32) -> String {
    match signal_hook::low_level::signal_name(signal) {
        Some(name) => format!("signal {signal} ({name})"),
        None => format!("signal {signal}"),
    }
}

fn as_text<S: Serializer>(text: &Text, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(text)
}

fn as_block<S: Serializer>(usage: &Usage, serializer: S) -> Result<S::Ok, S::Error> {
    let mut block = serializer.serialize_struct("Usage", 6)?;
    block.serialize_field("present", &usage.is_present())?;
    block.serialize_field("inputTokens", &usage.input_tokens)?;
    block.serialize_field("outputTokens", &usage.output_tokens)?;
    block.serialize_field("cacheReadTokens", &usage.cache_read_tokens)?;
    block.serialize_field("cacheWriteTokens", &usage.cache_write_tokens)?;
    block.serialize_field("costUsd", &usage.cost_usd)?;
    block.end()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::OperatorConfig;
    use crate::critic::{Lookup, Roster};
    use crate::process::Stop;

    fn critic(keys: &str) -> Critic {
        let config = format!("critics: [{{name: n, command: x, args: ['{{prompt}}']{keys}}}]");
        let roster = Roster::read(&OperatorConfig::parse(Path::new("/c.yaml"), &config).unwrap()).unwrap();
        match roster.find("n") {
            Lookup::Valid(critic) => critic.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn round(ending: Ending, stdout: &[u8], stderr: &[u8]) -> Round {
        Round {
            ending,
            stdout: stdout.to_vec(),
            stderr: stderr.to_vec(),
            duration: Duration::from_micros(1_234_567),
            leftovers: Leftovers::None,
        }
    }

    fn line(envelope: &Envelope) -> String {
        let mut written = Vec::new();
        envelope.write(&mut written).unwrap();
        String::from_utf8(written).unwrap()
    }

    #[test]
    fn an_envelope_is_one_line_with_the_keys_in_order() {
        let envelope =
            Envelope::of(&critic(", harness: h"), round(Ending::Exited(0), b"a\n\xff", b"not said"));
        insta::assert_snapshot!(line(&envelope).trim_end(), @r#"{"critic":"n","harness":"h","model":"","attribution":"[h/default]","ok":true,"exitCode":0,"durationSeconds":1.235,"output":"a\n�","error":null,"usage":{"present":false,"inputTokens":null,"outputTokens":null,"cacheReadTokens":null,"cacheWriteTokens":null,"costUsd":null}}"#);
    }

    #[test]
    fn every_other_ending_is_a_failure_that_says_which() {
        let said = |ending| {
            let envelope = Envelope::of(&critic(""), round(ending, b"kept", b" last words\n"));
            assert!(!envelope.is_ok());
            assert_eq!(envelope.output.to_string(), "kept");
            envelope
                .error
                .unwrap_or_default()
                .replace("; its standard error ends:\nlast words", " + last words")
        };
        insta::assert_snapshot!(said(Ending::Exited(3)), @"the critic exited with status 3 + last words");
        insta::assert_snapshot!(said(Ending::Killed(11)), @"the critic was ended by signal 11 (SIGSEGV) + last words");
        insta::assert_snapshot!(said(Ending::TimedOut(Duration::from_millis(1500))), @"the critic timed out: it was ended at its limit of 1.5 s + last words");
        insta::assert_snapshot!(said(Ending::Interrupted(Stop::Terminate)), @"the round was interrupted by signal TERM, and the critic ended + last words");
        insta::assert_snapshot!(said(Ending::Flooded), @"the critic printed more than 64 MiB and was ended; what came first is kept + last words");
        insta::assert_snapshot!(said(Ending::Starved), @"the critic printed more than there is memory for and was ended; what came first is kept + last words");
        insta::assert_snapshot!(said(Ending::Lost(io::Error::other("why"))), @"the critic was lost: why + last words");
    }

    #[test]
    fn what_could_not_be_ended_fails_the_round_and_is_named() {
        let error = |ending, leftovers| {
            let envelope = Envelope::of(&critic(""), Round { leftovers, ..round(ending, b"fine", b"") });
            assert!(!envelope.is_ok());
            envelope.error.unwrap_or_default()
        };
        insta::assert_snapshot!(error(Ending::Exited(0), Leftovers::Left(vec![7])), @"the critic exited with status 0, and 1 process that it started (7) could not be ended");
        insta::assert_snapshot!(error(Ending::Exited(0), Leftovers::Left((1..=21).collect())), @"the critic exited with status 0, and 21 processes that it started (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, …) could not be ended");
        insta::assert_snapshot!(error(Ending::Exited(2), Leftovers::Left(Vec::new())), @"the critic exited with status 2, and processes that it started could not be ended");
        insta::assert_snapshot!(error(Ending::Exited(0), Leftovers::Unseen), @"the critic exited with status 0, and something that it started and that cannot be seen without /proc could not be ended");
    }

    #[test]
    fn the_summary_has_none_of_the_critics_words() {
        let short = |stdout: &[u8], stderr: &[u8]| {
            let envelope =
                Envelope::of(&critic(", outputFormat: json"), round(Ending::Exited(0), stdout, stderr));
            envelope.summary().unwrap_or_default().to_owned()
        };
        insta::assert_snapshot!(short(b"", b""), @"the critic exited with status 0 but said nothing, which is no review");
        insta::assert_snapshot!(short(b"", b"secret"), @"the critic exited with status 0 but said nothing, which is no review; `error` in the envelope has the critic's own words");
        insta::assert_snapshot!(short(br#"{"error":"secret"}"#, b""), @"the critic reported a failure; `error` in the envelope has the critic's own words");
        assert_eq!(short(b"fine", b"warning"), "");
    }
}
