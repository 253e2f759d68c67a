//! A bench: a home, a checkout and scripted critics of its own for one test.
//!
//! [`Bench`] calls the binary; [`Outcome`] is what came out. It asserts nothing by itself.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Held for writing while a script is written, for reading while a process starts: a descriptor that leaks into a
/// child for a moment would make the script "text file busy".
static SCRIPTS: RwLock<()> = RwLock::new(());

static SIGNALS: Once = Once::new();

/// Signals that this process ignores, because it was started by `nohup` or in the background, would be ignored below it as
/// well. Those that it handles are as usual again in what it starts.
fn give_usual_signals() {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    for signal in [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT, signal_hook::consts::SIGQUIT] {
        if ignored >> (signal - 1) & 1 == 1 {
            signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).unwrap();
        }
    }
}

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Bench {
    place: TempDir,
}

/// How a call ended.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) seconds: f64,
}

/// A call that is still running.
pub(crate) struct Running {
    pub(crate) child: Child,
    began: Instant,
}

impl Bench {
    /// A bench whose config holds these entries, in flow style after the dash.
    pub(crate) fn new(entries: &[&str]) -> Self {
        SIGNALS.call_once(give_usual_signals);
        let bench = Self { place: TempDir::new().unwrap() };
        for folder in ["bin", "checkout", "tmp"] {
            fs::create_dir(bench.path(folder)).unwrap();
        }
        let lines =
            entries.iter().fold(String::from("critics:\n"), |text, entry| text + "  - " + entry + "\n");
        bench.write(".the-loop/cli-config.yaml", lines.replace('%', bench.place.path().to_str().unwrap()));
        bench
    }

    /// A bench with the one critic `c`, a shell script that gets the prompt as `$1`.
    pub(crate) fn scripted(script: &str) -> Self {
        Self::with(script, "")
    }

    /// The same with more keys in its entry, each after a comma.
    pub(crate) fn with(script: &str, keys: &str) -> Self {
        let bench =
            Self::new(&[&format!("{{name: c, command: /bin/sh, args: ['%/script', '{{prompt}}']{keys}}}")]);
        bench.write("script", script);
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// An executable `bin/NAME`.
    pub(crate) fn script(&self, name: &str, script: &str) {
        self.file(&format!("bin/{name}"), script, 0o755);
    }

    pub(crate) fn file(&self, name: &str, content: &str, mode: u32) {
        let _alone = SCRIPTS.write().unwrap_or_else(PoisonError::into_inner);
        self.write(name, content);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The binary in the checkout, with an environment that holds nothing else than is needed.
    pub(crate) fn command(&self) -> Command {
        self.place(Command::new(env!("CARGO_BIN_EXE_the-loop")))
    }

    /// The binary below a shell line, as `"$@"`.
    pub(crate) fn command_below(&self, line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line, "sh", env!("CARGO_BIN_EXE_the-loop")]);
        self.place(command)
    }

    fn place(&self, mut command: Command) -> Command {
        command.env_clear().env("HOME", self.place.path()).env("TMPDIR", self.path("tmp"));
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        command.env("B", self.place.path());
        command.current_dir(self.path("checkout")).stdin(Stdio::null());
        command
    }

    /// `critic run c` with these arguments.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Outcome {
        let mut command = self.command();
        command.args(["critic", "run", "c"]).args(arguments);
        start(command).outcome()
    }

    /// A round of `c` with some prompt.
    pub(crate) fn round(&self) -> Outcome {
        self.run(["--prompt", "review"])
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Waits until a script has written a whole line into a file.
    pub(crate) fn wait_for(&self, name: &str) -> String {
        wait_until(|| self.read(name).ends_with('\n'), name);
        self.read(name).trim().to_owned()
    }

    /// Whether the process whose id a script has put into a file is alive.
    pub(crate) fn is_alive(&self, name: &str) -> bool {
        let id = self.wait_for(name);
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.rsplit_once(") ").unwrap().1.starts_with(['Z', 'X'])
    }

    /// Ends the process whose id a script has put into a file.
    pub(crate) fn end(&self, name: &str) {
        let id = self.wait_for(name);
        assert!(Command::new("/bin/kill").arg(id).status().unwrap().success());
    }

    /// What is left in the folder for temporary files.
    pub(crate) fn temporary_files(&self) -> usize {
        fs::read_dir(self.path("tmp")).unwrap().count()
    }
}

/// Starts a call whose output is read to its end later.
pub(crate) fn start(mut command: Command) -> Running {
    let _together = SCRIPTS.read().unwrap_or_else(PoisonError::into_inner);
    let began = Instant::now();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    Running { child, began }
}

/// Waits for a condition.
pub(crate) fn wait_until(condition: impl Fn() -> bool, what: &str) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl Running {
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("/bin/kill").args(["-s", name, &id]).status().unwrap().success());
    }

    pub(crate) fn outcome(mut self) -> Outcome {
        let mut errors = self.child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut text = Vec::new();
            errors.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut stdout = Vec::new();
        if let Some(mut output) = self.child.stdout.take() {
            output.read_to_end(&mut stdout).unwrap();
        }
        let code = self.child.wait().unwrap().code();
        let seconds = self.began.elapsed().as_secs_f64();
        Outcome { code, stdout, stderr: log.join().unwrap(), seconds }
    }
}

impl Outcome {
    /// The one JSON object on standard output, on a line of its own.
    pub(crate) fn envelope(&self) -> Value {
        let text = std::str::from_utf8(&self.stdout).unwrap();
        let line = text.strip_suffix('\n').unwrap_or_else(|| panic!("no envelope; log: {}", self.stderr));
        assert!(!line.contains('\n'), "more than one line: {line}");
        serde_json::from_str(line).unwrap()
    }

    pub(crate) fn output(&self) -> String {
        self.envelope()["output"].as_str().unwrap().to_owned()
    }

    pub(crate) fn error(&self) -> String {
        self.envelope()["error"].as_str().unwrap_or_default().to_owned()
    }

    /// A success with this text.
    pub(crate) fn assert_ok(&self, output: &str) {
        let envelope = self.envelope();
        assert_eq!(envelope["output"], output);
        assert_eq!((self.code, &envelope["ok"]), (Some(0), &Value::Bool(true)), "{envelope}");
        assert!(envelope["error"].is_null());
    }

    /// A failed round that says why in these words.
    pub(crate) fn assert_failed(&self, words: &str) {
        let envelope = self.envelope();
        assert_eq!((self.code, &envelope["ok"]), (Some(1), &Value::Bool(false)), "{envelope}");
        assert!(self.error().contains(words), "{envelope}");
    }

    /// A refusal that says why in these words, with nothing on standard output.
    pub(crate) fn assert_refused(&self, words: &str) {
        assert_eq!(self.code, Some(2), "{}", self.stderr);
        assert_eq!(self.stdout, b"");
        assert!(self.stderr.contains(words), "{}", self.stderr);
    }
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
