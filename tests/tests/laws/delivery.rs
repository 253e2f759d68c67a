//! Any prompt without NUL arrives whole and once by each way of delivery (contract 3.10).
//!
//! Up to the invocation by the thousand, through the finished binary and real processes by the dozen.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use proptest::prelude::*;
use tempfile::TempDir;
use tests::binaries::{Binary, Profile};
use the_loop::invocation::{Flags, Invocation, Prompt, PromptSource, StandardInput, WorkItem};

use super::cases;
use super::material::{critic, prompt};

/// One entry for each way of delivery, by its name.
const ENTRIES: [(&str, &str); 6] = [
    ("argument", "name: argument, command: record, args: ['{prompt}'], outputFormat: text"),
    ("file", "name: file, command: record, args: ['{promptFile}'], outputFormat: text"),
    ("claude", "name: claude, harness: claude, outputFormat: text"),
    ("claude-args", "name: claude-args, harness: claude, args: ['{prompt}'], outputFormat: text"),
    ("cursor", "name: cursor, harness: cursor, outputFormat: text"),
    ("cursor-model", "name: cursor-model, harness: cursor, model: m, args: [--force], outputFormat: text"),
];

/// Writes down what it was given: its arguments, each ended by a NUL, its standard input, the file it was told of.
const RECORD: &str = "#!/bin/sh
printf '%s\\0' \"$@\" >\"$SEEN/arguments\"
cat >\"$SEEN/input\"
if [ -f \"$1\" ]; then cat \"$1\" >\"$SEEN/file\"; fi
echo done
";

/// The other arguments of these entries; a prompt that equals one could not be told from it.
const OTHERS: [&str; 6] = ["-p", "--output-format", "json", "--model", "m", "--force"];

fn without_nul() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prompt().prop_map(|bytes| bytes.into_iter().filter(|byte| *byte != 0).collect::<Vec<u8>>());
    bytes.prop_filter("is no other argument", |bytes| !OTHERS.iter().any(|other| other.as_bytes() == bytes))
}

/// How often the prompt is on its way: in arguments, in the file that one of them names, on standard input.
fn deliveries(invocation: &Invocation, prompt: &[u8]) -> usize {
    let arrives = |argument: &OsStr| {
        argument.as_bytes() == prompt || fs::read(argument).is_ok_and(|content| content == prompt)
    };
    let by_argument = invocation.arguments.iter().filter(|argument| arrives(argument)).count();
    let by_input = match &invocation.stdin {
        StandardInput::File(path) => fs::read(path).is_ok_and(|content| content == prompt).into(),
        StandardInput::Nothing => 0,
    };
    by_argument + by_input
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_prompt_is_delivered_whole_and_once(
        bytes in without_nul(),
        (_, entry) in prop::sample::select(&ENTRIES[..]),
        from_file: bool,
    ) {
        let folder = TempDir::new().expect("a folder");
        let own = folder.path().join("prompt.md");
        let source = if from_file {
            fs::write(&own, &bytes).expect("written");
            PromptSource::File(own)
        } else {
            PromptSource::Text(OsStr::from_bytes(&bytes).to_owned())
        };
        let mut prompt = Prompt::read(source, Path::new("/"), folder.path()).expect("not blank");
        let flags = Flags {
            here: "/".into(),
            root: ".".into(),
            cwd: None,
            work_item: WorkItem::default(),
            spec_dir: None,
            timeout: None,
        };
        let resolved = flags.resolve(&critic(entry), "/x".into(), Path::new("docs"), &mut prompt);
        prop_assert_eq!(deliveries(&resolved.expect("resolved"), &bytes), 1);
    }
}

static REFERENCE: LazyLock<PathBuf> =
    LazyLock::new(|| Binary::Reference.build(Profile::Development).expect("the reference"));

/// A home with every entry, and a recording critic by the three names they look for.
static HOME: LazyLock<TempDir> = LazyLock::new(|| {
    let home = TempDir::new().expect("a folder");
    let list = ENTRIES.map(|(_, entry)| format!("- {{{entry}}}\n")).concat();
    fs::write(home.path().join("config.yaml"), format!("critics:\n{list}")).expect("written");
    for name in ["record", "claude", "cursor-agent"] {
        let path = home.path().join(name);
        fs::write(&path, RECORD).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    }
    home
});

/// How often the recording critic of this round was given the prompt.
fn received(entry: &str, bytes: &[u8]) -> usize {
    let seen = TempDir::new().expect("a folder");
    let read = |name: &str| fs::read(seen.path().join(name)).unwrap_or_default();
    let prompt = seen.path().join("prompt.md");
    fs::write(&prompt, bytes).expect("written");
    let mut command = Command::new(&*REFERENCE);
    command.arg("--config").arg(HOME.path().join("config.yaml")).args(["critic", "run", entry]);
    if bytes.len() < 100_000 {
        command.arg("--prompt").arg(OsStr::from_bytes(bytes));
    } else {
        command.arg("--prompt-file").arg(prompt);
    }
    let output = command
        .env("SEEN", seen.path())
        .env("PATH", format!("{}:/usr/bin:/bin", HOME.path().display()))
        .current_dir(seen.path())
        .stdin(Stdio::null())
        .output()
        .expect("a round");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{entry}: {log}");
    let arguments = read("arguments");
    let by_argument = arguments.split(|byte| *byte == 0).filter(|argument| *argument == bytes).count();
    by_argument + usize::from(read("input") == bytes) + usize::from(read("file") == bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 20, ..cases() })]

    #[test]
    fn a_prompt_arrives_whole_and_once(bytes in without_nul()) {
        for (name, _) in ENTRIES {
            // What no single argument can hold is a failed round there, and said so by other tests.
            if bytes.len() <= the_loop::critic::LONGEST_ARGUMENT || !["argument", "claude-args"].contains(&name) {
                prop_assert_eq!(received(name, &bytes), 1, "{}", name);
            }
        }
    }
}
