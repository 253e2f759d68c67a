//! What a terminal gets: tables that fit it, and the line that says that a round is running.
//!
//! The main type is [`Terminal`], a pseudo-terminal of its own. What a pipe gets is tested elsewhere.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "what cannot be set up fails its test")]

use std::fs::{self, File};
use std::io::Read as _;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::TempDir;

/// A terminal: our end, and the end of who writes on it.
struct Terminal {
    ours: File,
    theirs: File,
}

impl Terminal {
    /// A terminal that says to be so many columns wide.
    fn of(columns: u16) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&ours, size).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        // A test that leads a session would get it as its own, and a HUP once it is closed.
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let theirs = open(name.as_c_str(), flags, Mode::empty()).unwrap();
        Self { ours: ours.into(), theirs: theirs.into() }
    }

    fn writer(&self) -> Stdio {
        self.theirs.try_clone().unwrap().into()
    }

    /// What stands on it once everybody has closed it.
    fn shown(self) -> String {
        drop(self.theirs);
        let (mut ours, mut bytes, mut chunk) = (self.ours, Vec::new(), [0; 4096]);
        // Its end is an error: nobody has the other side open.
        while let Ok(read @ 1..) = ours.read(&mut chunk) {
            bytes.extend_from_slice(&chunk[..read]);
        }
        String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
    }
}

/// A home with a critic `c` and a checkout with a work item.
struct Place {
    home: TempDir,
}

impl Place {
    fn new(script: &str) -> Self {
        let place = Self { home: TempDir::new().unwrap() };
        let home = place.home.path();
        fs::create_dir_all(home.join("checkout")).unwrap();
        fs::create_dir(home.join(".the-loop")).unwrap();
        fs::write(home.join("script"), script).unwrap();
        let config = format!(
            "critics:\n  - {{name: c, harness: a-harness-of-some-length, model: a-model-of-some-length, \
             command: /bin/sh, args: ['{}/script', '{{prompt}}']}}\n",
            home.display()
        );
        fs::write(home.join(".the-loop/cli-config.yaml"), config).unwrap();
        assert!(place.command(&["graph", "start", "w1"]).output().unwrap().status.success());
        place
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_the-loop"));
        command.args(arguments).current_dir(self.home.path().join("checkout")).env_clear();
        command.env("HOME", self.home.path()).env("PATH", "/usr/bin:/bin").env("TERM", "xterm");
        command.stdin(Stdio::null());
        command
    }

    fn piped(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.command(arguments).output().unwrap().stdout).unwrap()
    }

    /// What a call prints on a terminal.
    fn printed(&self, arguments: &[&str], columns: u16) -> String {
        let terminal = Terminal::of(columns);
        let mut command = self.command(arguments);
        let mut child = command.stdout(terminal.writer()).stderr(Stdio::null()).spawn().unwrap();
        drop(command);
        let shown = terminal.shown();
        child.wait().unwrap();
        shown
    }

    /// What a terminal for standard error shows of a round, and what came out on standard output.
    fn round(&self, arguments: &[&str], set: (&str, &str)) -> (String, String) {
        let terminal = Terminal::of(80);
        let mut command = self.command(&["critic", "run", "c", "--prompt", "review"]);
        command.args(arguments).env(set.0, set.1);
        let child = command.stdout(Stdio::piped()).stderr(terminal.writer()).spawn().unwrap();
        drop(command);
        let shown = terminal.shown();
        let output = child.wait_with_output().unwrap();
        (shown, String::from_utf8(output.stdout).unwrap())
    }
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or_default()
}

#[test]
fn a_table_fits_its_terminal() {
    let place = Place::new("");
    for arguments in [&["critic", "list"][..], &["check", "w1"], &["graph", "show"]] {
        assert!(widest(&place.piped(arguments)) > 70, "{arguments:?}");
        let shown = place.printed(arguments, 70);
        assert!(!shown.is_empty() && widest(&shown) <= 70, "{arguments:?}: {shown}");
    }
}

#[test]
fn a_terminal_that_does_not_know_its_width_gets_what_a_pipe_gets() {
    let place = Place::new("");
    for arguments in [&["critic", "list"][..], &["check", "w1"], &["graph", "show"]] {
        assert_eq!(place.printed(arguments, 0), place.piped(arguments), "{arguments:?}");
    }
}

/// Says a word on standard error, and after a second how often the parent has asked for something to read.
const ROUND: &str = "echo 'looking at it' >&2
sleep 1
sed -n 's/^syscr: //p' /proc/$PPID/io
";

#[test]
fn a_running_round_is_shown_with_its_last_words_and_the_line_goes_away() {
    let (shown, _) = Place::new(ROUND).round(&[], ("X", "y"));
    let last = shown.rfind("looking at it").unwrap_or_else(|| panic!("{shown:?}"));
    assert!(shown[..last].contains(" c 0s"), "{shown:?}");
    assert!(shown[last..].contains("\u{1b}[2K"), "{shown:?}");
}

#[test]
fn waiting_costs_next_to_nothing_watched_or_not() {
    let place = Place::new(ROUND);
    let (_, watched) = place.round(&[], ("X", "y"));
    for printed in [watched, place.piped(&["critic", "run", "c", "--prompt", "review"])] {
        let envelope: serde_json::Value = serde_json::from_str(&printed).unwrap();
        let reads: u32 = envelope["output"].as_str().unwrap().trim().parse().unwrap();
        assert!(reads < 1000, "{reads} reads in a second in which there was nothing to read");
    }
}

#[test]
fn nothing_is_drawn_where_nobody_wants_it() {
    let place = Place::new(ROUND);
    for (arguments, set) in
        [(&[][..], ("NO_COLOR", "1")), (&[], ("TERM", "dumb")), (&["--quiet"], ("TERM", "xterm"))]
    {
        let (shown, _) = place.round(arguments, set);
        assert!(!shown.contains("looking at it") && !shown.contains('\u{1b}'), "{set:?}: {shown:?}");
    }
    let (shown, _) = place.round(&[], ("NO_COLOR", ""));
    assert!(shown.contains("looking at it"), "{shown:?}");
}

#[test]
fn help_is_coloured_on_terminals_that_want_it() {
    let place = Place::new("");
    assert!(!place.piped(&["--help"]).contains('\u{1b}'));
    assert!(place.printed(&["--help"], 80).contains("\u{1b}["));
}
