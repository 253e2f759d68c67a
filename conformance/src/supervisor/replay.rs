//! `replay.sh`: repeats the steps of one scenario in its kept sandbox, without the kit. Main function: [`write`].
//!
//! A shell script made from the same [`Invocation`]s that were driven, for attaching a debugger or looking closer. It
//! judges nothing, and does not undo what the target changed in the sandbox.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::call::{Input, Invocation};
use super::photograph;
use super::sandbox::Sandbox;
use crate::scenario::step::{SignalPlan, Stdout, Step};
use crate::scenario::{Scenario, Setup};
use crate::target::Target;

const FILE: &str = "replay.sh";

/// Writes the script beside the sandbox of the scenario.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(
    scenario: &Scenario,
    setup: &Setup,
    sandbox: &Sandbox,
    target: &Target,
) -> io::Result<()> {
    let path = sandbox.places().bin.with_file_name(FILE);
    fs::write(&path, text(scenario, setup, sandbox, target))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
}

fn text(scenario: &Scenario, setup: &Setup, sandbox: &Sandbox, target: &Target) -> Vec<u8> {
    let mut script = Script(Vec::new());
    script.line("#!/usr/bin/env bash");
    script.line(&format!("# Repeats the steps of {} in this sandbox, without the kit.", scenario.id()));
    let walks = photograph::is_wanted(setup);
    if walks {
        script.line("# Checkout and home are put back before each step as they were then, edits included.");
    } else {
        script
            .line("# What the target wrote before is still there; only the journals and TMPDIR start empty.");
    }
    script.line("# Put `strace -f`, `gdb --args` or the like into WRAP to start the target below it.");
    // Without job control a shell makes what it starts in the background ignore INT.
    script.line("set -um");
    for fake in sandbox.fakes() {
        script.words("rm -f", [sandbox.journal(fake).as_os_str()]);
    }
    script.words("find", [sandbox.places().tmp.as_os_str()]);
    script.append(" -mindepth 1 -delete");
    for name in setup.bystanders() {
        let program = sandbox.places().bin.join(name);
        script.words("env -i", [program.as_os_str()]);
        script.append(" </dev/null >/dev/null 2>&1 &");
    }
    for (number, step) in setup.steps().iter().enumerate() {
        if walks {
            script.put_back(step, sandbox);
        }
        script.step(number, step, setup, sandbox, target);
    }
    script.line("for fake in "); // The journals come last: what each fake saw.
    script.append(
        &sandbox.fakes().iter().map(|fake| quoted_text(&sandbox.journal(fake))).collect::<Vec<_>>().join(" "),
    );
    script.append("; do [ -e \"$fake\" ] && echo \"-- $fake\" && cat \"$fake\"; done");
    script.line("kill $(jobs -p) 2>/dev/null");
    script.line("exit 0\n");
    script.0
}

struct Script(Vec<u8>);

impl Script {
    fn line(&mut self, text: &str) {
        if !self.0.is_empty() {
            self.0.push(b'\n');
        }
        self.append(text);
    }

    fn append(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    fn words<'a>(&mut self, start: &str, words: impl IntoIterator<Item = &'a OsStr>) {
        self.line(start);
        for word in words {
            self.word(word);
        }
    }

    fn word(&mut self, word: &OsStr) {
        self.0.push(b' ');
        self.0.extend(quoted(word));
    }

    fn put_back(&mut self, step: &Step, sandbox: &Sandbox) {
        let places = sandbox.places();
        self.line(&format!("\n# the sandbox before step {}", step.id()));
        self.words("rm -rf", [places.root.as_os_str(), places.home.as_os_str()]);
        let [checkout, home] = photograph::folders(step, sandbox);
        for (from, to) in [(checkout, &places.root), (home, &places.home)] {
            self.words("cp -a", [from.as_os_str(), to.as_os_str()]);
        }
    }

    fn step(&mut self, number: usize, step: &Step, setup: &Setup, sandbox: &Sandbox, target: &Target) {
        let id = step.id();
        for copy in 0..step.manner().copies as usize {
            let invocation = Invocation::new(step, copy, sandbox, target);
            self.line(&format!("\n# step {id}, copy {copy}\n("));
            self.input(&invocation, number);
            self.call(&invocation);
            self.line(") &");
            self.line(&format!("step_{number}_{copy}=$!"));
        }
        if let Some(plan) = step.signal() {
            self.signal(number, plan, step, setup, sandbox);
        }
        for copy in 0..step.manner().copies {
            self.line(&format!(
                "wait \"$step_{number}_{copy}\"; echo \"-- step {number}, copy {copy}: exit $?\" >&2"
            ));
        }
    }

    /// Descriptor 3 becomes the target's standard input, so that a pipeline does not hide its exit code.
    fn input(&mut self, invocation: &Invocation, number: usize) {
        match &invocation.stdin {
            Input::Null => self.line("exec 3</dev/null"),
            Input::File(path) => self.words("exec 3<", [path.as_os_str()]),
            Input::Held => self.line("exec 3< <(exec tail -f /dev/null --pid=$$)"),
            Input::Bytes(bytes) => {
                let encoded = STANDARD.encode(bytes);
                let end = format!("STANDARD_INPUT_{number}");
                self.line(&format!("exec 3< <(base64 -d <<'{end}'\n{encoded}\n{end}\n)"));
            }
        }
    }

    fn call(&mut self, invocation: &Invocation) {
        self.words("cd", [invocation.directory.as_os_str()]);
        self.append(" || exit 125");
        match invocation.stdout {
            Stdout::Captured => {}
            Stdout::Closed => self.line("exec > >(exec <&-)"),
            Stdout::Full => self.line("exec >/dev/full"),
        }
        self.line("exec ${WRAP-} env -i");
        for (name, value) in &invocation.environment {
            let mut pair = std::ffi::OsString::from(name);
            pair.push("=");
            pair.push(value);
            self.word(&pair);
        }
        self.append(" \\\n ");
        for word in &invocation.words {
            self.word(word);
        }
        self.append(" <&3 3<&-");
    }

    fn signal(&mut self, number: usize, plan: &SignalPlan, step: &Step, setup: &Setup, sandbox: &Sandbox) {
        let fake = plan.of.clone().or_else(|| setup.fakes().keys().next().cloned()).unwrap_or_default();
        let event = serde_json::to_string(&plan.after).unwrap_or_default();
        let journal = quoted_text(&sandbox.journal(&fake));
        self.line(&format!("until grep -qs '\"event\":[{{]*{event}' {journal}; do sleep 0.05; done"));
        let signal = serde_json::to_string(&plan.send).unwrap_or_default();
        let signal = signal.trim_matches('"');
        for turn in 0..plan.times {
            if turn > 0 {
                self.line("sleep 0.1");
            }
            for copy in 0..step.manner().copies {
                self.line(&format!("kill -{signal} \"$step_{number}_{copy}\""));
            }
        }
    }
}

fn quoted_text(path: &std::path::Path) -> String {
    String::from_utf8_lossy(&quoted(path.as_os_str())).into_owned()
}

/// A word for a POSIX shell, whatever it holds; where that is no text, in the form of bash that names bytes.
fn quoted(word: &OsStr) -> Vec<u8> {
    let bytes = word.as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return bytes.to_vec();
    }
    if bytes.iter().all(|byte| *byte == b'\n' || (b' '..0x7f).contains(byte)) {
        let text = String::from_utf8_lossy(bytes).replace('\'', "'\\''");
        return format!("'{text}'").into_bytes();
    }
    let mut text = String::from("$'");
    for byte in bytes {
        match byte {
            b'\'' | b'\\' => {
                text.push('\\');
                text.push(char::from(*byte));
            }
            b' '..0x7f => text.push(char::from(*byte)),
            other => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\{other:03o}");
            }
        }
    }
    text.push('\'');
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quote(text: &[u8]) -> String {
        String::from_utf8(quoted(OsStr::from_bytes(text))).unwrap()
    }

    #[test]
    fn words_are_quoted_only_where_needed() {
        assert_eq!(quote(b"--root=/a/b"), "--root=/a/b");
        assert_eq!(quote(b""), "''");
        assert_eq!(quote(b"it's $HOME"), r"'it'\''s $HOME'");
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        assert_eq!(quote(b"a\xff'\\\t"), r"$'a\377\'\\\011'");
    }
}
