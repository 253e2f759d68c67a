//! Plays a script. Main type: [`Stage`]; [`play_if_scripted`] is the way in.
//!
//! Journals before it acts. A step that cannot be done ends the fake with 70, so that it is never taken for a critic
//! that did what the scenario wanted.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nix::unistd::{getpgrp, getppid, getsid};
use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process};
use signal_hook::consts::FORBIDDEN;
use signal_hook::iterator::{Handle, Signals};

use crate::bytes::Bytes;
use crate::family::{self, Role};
use crate::journal::{ChildStarted, Ending, Event, Journal, Started};
use crate::place::Place;
use crate::script::{Script, Step, Stream};
use crate::signal::SignalName;
use crate::streams;

const STEP_FAILED: u8 = 70;

/// So often a signal is tried that should end the process.
const DEATHS: usize = 1000;

/// Plays the script beside this executable; `None` where there is none.
///
/// The kit calls this before anything else: hard-linked under another name, its own file is the fake.
pub fn play_if_scripted() -> Option<ExitCode> {
    let place = Place::beside(&std::env::current_exe().ok()?)?;
    let script = match place.read_script() {
        Ok(script) => script?,
        Err(error) => return Some(complain(&format!("cannot read `{}`: {error}", place.script().display()))),
    };
    let journal = match Journal::open(&place.journal()) {
        Ok(journal) => journal,
        Err(error) => {
            return Some(complain(&format!("cannot open `{}`: {error}", place.journal().display())));
        }
    };
    let stage = Arc::new(Stage {
        place,
        script,
        journal,
        arguments: std::env::args_os().collect(),
        children: AtomicUsize::new(0),
        handlers: Mutex::default(),
    });
    Some(stage.perform().unwrap_or_else(|error| stage.give_up(&error)))
}

/// Everything that playing needs, shared with the thread that handles signals.
struct Stage {
    place: Place,
    script: Script,
    journal: Journal,
    arguments: Vec<OsString>,
    children: AtomicUsize,
    handlers: Mutex<Handlers>,
}

/// What signals start.
#[derive(Default)]
struct Handlers {
    thread: Option<Handle>,
    plans: HashMap<i32, Plan>,
}

/// What one signal starts, and where these steps stand in the script.
#[derive(Clone)]
struct Plan {
    steps: Vec<Step>,
    path: Vec<usize>,
}

impl Stage {
    fn perform(self: &Arc<Self>) -> io::Result<ExitCode> {
        match Role::of(&self.arguments) {
            Role::Critic => {
                self.journal.record(Event::Started(Box::new(self.surroundings()?)))?;
                self.play(&self.script.0, &[])?;
            }
            Role::Relay(path, ready) => {
                family::relay(&self.place, self.child(&path)?, &path, &ready)?;
                return Ok(ExitCode::SUCCESS);
            }
            Role::Child(path, ready) => {
                let child = self.child(&path)?;
                if child.session == crate::script::Membership::Own {
                    rustix::process::setsid()?;
                }
                self.journal.record(Event::ChildStarted(ChildStarted {
                    parent: getppid().as_raw(),
                    group: getpgrp().as_raw(),
                    session: getsid(None)?.as_raw(),
                }))?;
                std::fs::write(ready, [])?;
                self.play(&child.steps, &path)?;
            }
        }
        self.journal.record(Event::Exiting(Ending::Code(0)))?;
        Ok(ExitCode::SUCCESS)
    }

    fn surroundings(&self) -> io::Result<Started> {
        let environment = match std::fs::read("/proc/self/environ") {
            Ok(raw) => {
                let entries = raw.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
                entries.map(|entry| Bytes(entry.to_vec())).collect()
            }
            Err(_) => std::env::vars_os().map(|(name, value)| variable(name, &value)).collect(),
        };
        Ok(Started {
            parent: getppid().as_raw(),
            group: getpgrp().as_raw(),
            session: getsid(None)?.as_raw(),
            argv: self.arguments.iter().cloned().map(Bytes::from).collect(),
            environment,
            cwd: std::env::current_dir().map(|path| path.into_os_string().into()).unwrap_or_default(),
            stdin: streams::stdin_kind(),
        })
    }

    fn child(&self, path: &[usize]) -> io::Result<&crate::script::Child> {
        self.script.child_at(path).ok_or_else(|| io::Error::other(format!("no `child` step at `{path:?}`")))
    }

    fn play(self: &Arc<Self>, steps: &[Step], path: &[usize]) -> io::Result<()> {
        for (index, step) in steps.iter().enumerate() {
            let here: Vec<usize> = path.iter().copied().chain([index]).collect();
            match self.act(step, &here) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.lose_reader()?,
                other => other?,
            }
        }
        Ok(())
    }

    fn act(self: &Arc<Self>, step: &Step, path: &[usize]) -> io::Result<()> {
        match step {
            Step::Print(text) => self.print(Stream::Stdout, text.as_bytes()),
            Step::PrintBytes(bytes) => self.print(Stream::Stdout, &bytes.0),
            Step::PrintError(text) => self.print(Stream::Stderr, text.as_bytes()),
            Step::PrintArgv(_) => self.print(Stream::Stdout, &self.arguments_as_json()?),
            Step::PrintFile(number) => self.print(Stream::Stdout, &self.named_file(*number)?),
            Step::PrintStdin(limit) => {
                let input = self.read_input(limit.seconds.0)?;
                self.print(Stream::Stdout, &input)
            }
            Step::Flood(flood) => {
                let bytes = streams::flood(flood.stream, flood.content(), flood.bytes)?;
                self.journal.record(Event::Printed { stream: flood.stream, bytes })
            }
            Step::ReadStdin(limit) => self.read_input(limit.seconds.0).map(drop),
            Step::Sleep(seconds) => {
                self.journal.record(Event::Sleeping { seconds: *seconds })?;
                std::thread::sleep(seconds.0);
                Ok(())
            }
            Step::Exit(code) => {
                self.journal.record(Event::Exiting(Ending::Code(*code)))?;
                std::process::exit((*code).into())
            }
            Step::DieBy(signal) => self.die(*signal),
            Step::Ignore(signal) => self.handle(*signal, Plan { steps: Vec::new(), path: path.to_vec() }),
            Step::OnSignal(handler) => {
                self.handle(handler.signal, Plan { steps: handler.steps.clone(), path: path.to_vec() })
            }
            Step::Stop(_) => Ok(kill_process(getpid(), Signal::STOP)?),
            Step::Child(child) => {
                let number = self.children.fetch_add(1, Ordering::Relaxed);
                family::start(&self.place, child, path, &format!("{}-{number}", std::process::id()))
            }
            Step::WriteFile(file) => std::fs::write(&file.path, &file.text),
            Step::ReopenStdout(text) => {
                streams::reopen_stdout(text)?;
                self.journal.record(Event::Printed { stream: Stream::Stdout, bytes: text.len() as u64 })
            }
            Step::CloseStdout(_) => streams::close_stdout(),
        }
    }

    fn print(&self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        streams::write(stream, bytes)?;
        self.journal.record(Event::Printed { stream, bytes: bytes.len() as u64 })
    }

    fn arguments_as_json(&self) -> io::Result<Vec<u8>> {
        let arguments: Vec<_> = self.arguments.iter().skip(1).map(|text| text.to_string_lossy()).collect();
        let mut line = serde_json::to_vec(&arguments)?;
        line.push(b'\n');
        Ok(line)
    }

    fn named_file(&self, number: usize) -> io::Result<Vec<u8>> {
        let argument = self.arguments.get(number + 1);
        let path =
            argument.ok_or_else(|| io::Error::other(format!("there is no argument number `{number}`")))?;
        streams::read_file(path)
    }

    fn read_input(&self, limit: std::time::Duration) -> io::Result<Vec<u8>> {
        let input = streams::read_input(limit)?;
        let event = Event::ReadStdin { bytes: Bytes(input.bytes.clone()), ended: input.ended };
        self.journal.record(event)?;
        Ok(input.bytes)
    }

    /// Puts a plan in the place of what the signal did before, and starts the thread that waits for signals.
    fn handle(self: &Arc<Self>, signal: SignalName, plan: Plan) -> io::Result<()> {
        let number = signal.number();
        if FORBIDDEN.contains(&number) {
            return Err(io::Error::other(format!("`{signal:?}` can be neither ignored nor handled")));
        }
        let mut handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
        handlers.plans.insert(number, plan);
        if let Some(thread) = &handlers.thread {
            return thread.add_signal(number);
        }
        let mut signals = Signals::new([number])?;
        handlers.thread = Some(signals.handle());
        drop(handlers);
        let stage = Arc::clone(self);
        std::thread::Builder::new().spawn(move || {
            for number in signals.forever() {
                if let Err(error) = stage.arrived(number) {
                    stage.give_up(&error);
                    std::process::exit(STEP_FAILED.into());
                }
            }
        })?;
        Ok(())
    }

    fn arrived(self: &Arc<Self>, number: i32) -> io::Result<()> {
        if let Some(name) = SignalName::from_number(number) {
            self.journal.record(Event::Signal { name })?;
        }
        let plan = self.handlers.lock().unwrap_or_else(PoisonError::into_inner).plans.get(&number).cloned();
        plan.map_or(Ok(()), |plan| self.play(&plan.steps, &plan.path))
    }

    fn die(&self, signal: SignalName) -> io::Result<()> {
        self.journal.record(Event::Exiting(Ending::Signal(signal)))?;
        // Scenarios die by signals that would leave a core file in the checkout.
        rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        if !FORBIDDEN.contains(&signal.number()) {
            signal_hook::low_level::emulate_default_handler(signal.number())?;
        }
        // The runtime of Rust takes the first SEGV for itself, and lets the second one have its effect.
        for _ in 0..DEATHS {
            kill_process(getpid(), signal.signal())?;
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Err(io::Error::other(format!("still alive after `{signal:?}`")))
    }

    /// The runtime of Rust ignores PIPE; other programs die of it, unless their script says otherwise.
    fn lose_reader(&self) -> io::Result<()> {
        let handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
        let handled = handlers.plans.contains_key(&SignalName::Pipe.number());
        drop(handlers);
        if handled { Ok(()) } else { self.die(SignalName::Pipe) }
    }

    fn give_up(&self, error: &io::Error) -> ExitCode {
        let text = error.to_string();
        // Where even the journal cannot be written, standard error is all that is left.
        let _ = self.journal.record(Event::Failed { error: text.clone() });
        complain(&text)
    }
}

fn variable(mut name: OsString, value: &std::ffi::OsStr) -> Bytes {
    name.push("=");
    name.push(value);
    Bytes(name.as_bytes().to_vec())
}

fn complain(text: &str) -> ExitCode {
    // A standard error that is closed must not change the exit code.
    let _ = streams::write(Stream::Stderr, format!("fake critic: {text}\n").as_bytes());
    ExitCode::from(STEP_FAILED)
}
