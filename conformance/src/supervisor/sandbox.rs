//! A place of its own for one scenario: directories, fakes, configuration, files. Main type: [`Sandbox`].
//!
//! Made once, from a [`Setup`]; what the target changes in it is seen by `observe`. It starts no process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use fake_critics::place::{FOLDER, Place};
use fake_critics::script::Script;
use thiserror::Error;

use super::dialect::{self, Told, tell};
use crate::observation::Places;
use crate::scenario::content::{FileContent, FileKind};
use crate::scenario::step::Environment;
use crate::scenario::{Configuration, Setup};
use crate::target::Target;
use crate::text::{Names, expand_json};

/// A sandbox that is ready for its first step.
#[derive(Debug)]
pub(super) struct Sandbox {
    places: Places,
    path: OsString,
    overlay: Environment,
    fakes: Vec<String>,
    config: Option<PathBuf>,
    told: Told,
}

/// Why a sandbox could not be made: a fault of the machine or of the scenario, not of the target.
#[derive(Debug, Error)]
pub enum SandboxError {
    /// A file could not be put where it belongs.
    #[error("cannot set up `{path}`: {cause}")]
    File {
        /// Where.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The configuration cannot be put into the target's dialect.
    #[error("{0}")]
    Dialect(String),
    /// A script does not survive the replacement of its names.
    #[error("the script of `{fake}` is none after replacement: {cause}")]
    Script {
        /// Whose.
        fake: String,
        /// Why.
        cause: serde_json::Error,
    },
}

trait At<T> {
    fn at(self, path: &Path) -> Result<T, SandboxError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, SandboxError> {
        self.map_err(|cause| SandboxError::File { path: path.to_owned(), cause })
    }
}

impl Sandbox {
    /// Makes the sandbox of a setup in a directory that does not exist yet.
    ///
    /// # Errors
    /// When something cannot be put where it belongs.
    pub(super) fn create(
        directory: &Path,
        setup: &Setup,
        target: &Target,
        kit: &Path,
    ) -> Result<Self, SandboxError> {
        let places = Places::below(directory, target.graph());
        let prompt = setup.steps().iter().rev().find_map(|step| step.prompt());
        let unprompted = places.names(None, 0);
        let prompt = prompt.map(|prompt| prompt.bytes(&unprompted));
        let names = places.names(prompt.as_deref(), 0);
        for folder in [&places.bin.join(FOLDER), &places.root, &places.home, &places.tmp] {
            fs::create_dir_all(folder).at(folder)?;
        }
        for (name, script) in setup.fakes() {
            write_fake(&places.bin.join(name), name, script, kit, &names)?;
        }
        let (config, told) = write_config(setup.configuration(), target, &places, &names)?;
        if let Configuration::Parts(parts) = setup.configuration() {
            for (name, text) in &parts.graphs {
                let path = dialect::graph_file(&places, name);
                make_parent(&path)?;
                fs::write(&path, text.expand(&names)).at(&path)?;
            }
        }
        for (path, content) in setup.files() {
            write_entry(&places.root.join(path.expand(&names)), content, &places, kit, &names)?;
        }
        let mut path = places.bin.clone().into_os_string();
        if let Some(inherited) = std::env::var_os("PATH") {
            path.push(":");
            path.push(inherited);
        }
        let fakes = setup.fakes().keys().cloned().collect();
        Ok(Self { places, path, overlay: setup.env().clone(), fakes, config, told })
    }

    /// Its directories.
    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    /// The names of its fakes.
    pub(super) fn fakes(&self) -> &[String] {
        &self.fakes
    }

    /// The journal of a fake.
    pub(super) fn journal(&self, fake: &str) -> PathBuf {
        self.places.bin.join(FOLDER).join(format!("{fake}.journal"))
    }

    /// Where the comments lie that a step is given.
    pub(super) fn comments(&self, step: &str) -> PathBuf {
        self.places.bin.with_file_name("comments").join(format!("{}.json", step.replace('/', "_")))
    }

    /// The scenario's own variables, over [`Sandbox::environment`].
    pub(super) fn overlay(&self) -> &Environment {
        &self.overlay
    }

    /// The configuration file, if there is one.
    pub(super) fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// How the target is told of it.
    pub(super) fn told(&self) -> Told {
        self.told
    }

    /// The environment of every start: nothing of the kit's but the rest of PATH.
    pub(super) fn environment(&self, target: &Target, names: &Names) -> BTreeMap<String, OsString> {
        let mut environment = BTreeMap::from([
            ("HOME".to_owned(), self.places.home.clone().into_os_string()),
            ("PATH".to_owned(), self.path.clone()),
            ("TMPDIR".to_owned(), self.places.tmp.clone().into_os_string()),
            ("LANG".to_owned(), OsString::from("C.UTF-8")),
        ]);
        for (name, value) in target.env() {
            environment.insert(name.clone(), crate::text::expand(value, names).into());
        }
        tell(&mut environment, self.told, self.config());
        environment
    }
}

fn write_fake(
    path: &Path,
    name: &str,
    script: &Script,
    kit: &Path,
    names: &Names,
) -> Result<(), SandboxError> {
    let faulty = |cause| SandboxError::Script { fake: name.to_owned(), cause };
    let value = expand_json(&serde_json::to_value(script).map_err(faulty)?, names);
    let script: Script = serde_json::from_value(value).map_err(faulty)?;
    let json = serde_json::to_vec(&script).map_err(faulty)?;
    let target = path.parent().unwrap_or(path).join(FOLDER).join(format!("{name}.json"));
    fs::write(&target, json).at(&target)?;
    link_or_copy(kit, path).at(path)
}

/// Hard links do not reach over file systems, and some refuse them altogether.
fn link_or_copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop))
}

fn write_config(
    configuration: &Configuration,
    target: &Target,
    places: &Places,
    names: &Names,
) -> Result<(Option<PathBuf>, Told), SandboxError> {
    let config = dialect::place(configuration, target, places, names).map_err(SandboxError::Dialect)?;
    let Some((path, text)) = config.file else { return Ok((None, config.told)) };
    make_parent(&path)?;
    fs::write(&path, text).at(&path)?;
    Ok((Some(path), config.told))
}

fn make_parent(path: &Path) -> Result<(), SandboxError> {
    path.parent().map_or(Ok(()), |parent| fs::create_dir_all(parent).at(parent))
}

/// Puts something where it belongs, with the folders above it.
pub(super) fn write_entry(
    path: &Path,
    content: &FileContent,
    places: &Places,
    kit: &Path,
    names: &Names,
) -> Result<(), SandboxError> {
    make_parent(path)?;
    match content.kind() {
        FileKind::Regular(content) => fs::write(path, content.bytes(names)).at(path)?,
        FileKind::Directory => fs::create_dir_all(path).at(path)?,
        FileKind::Link(target) => return symlink(target.expand(names), path).at(path),
        FileKind::Fake(name) => write_further_fake(path, name, content.mode(), places, kit)?,
        FileKind::Pipe(text) => feed_pipe(path, text.expand(names).into_bytes())?,
    }
    match content.mode() {
        Some(mode) => fs::set_permissions(path, fs::Permissions::from_mode(mode)).at(path),
        None => Ok(()),
    }
}

/// A fake under a second path shares script and journal. With a mode of its own it needs a file of its own.
fn write_further_fake(
    path: &Path,
    name: &str,
    mode: Option<u32>,
    places: &Places,
    kit: &Path,
) -> Result<(), SandboxError> {
    match mode {
        None => link_or_copy(kit, path).at(path)?,
        Some(_) => fs::copy(kit, path).map(drop).at(path)?,
    }
    let (Some(here), Some(origin)) = (Place::beside(path), Place::beside(&places.bin.join(name))) else {
        return Ok(());
    };
    fs::create_dir_all(here.folder()).at(here.folder())?;
    for (from, to) in [(here.script(), origin.script()), (here.journal(), origin.journal())] {
        symlink(to, &from).at(&from)?;
    }
    Ok(())
}

/// The thread waits for a reader; when none comes, it ends with the supervisor.
fn feed_pipe(path: &Path, bytes: Vec<u8>) -> Result<(), SandboxError> {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from_raw_mode(0o600))
        .map_err(io::Error::from)
        .at(path)?;
    let pipe = path.to_owned();
    let feed = move || {
        let opened = fs::OpenOptions::new().write(true).open(pipe);
        // A reader that goes away early is the target's own affair.
        opened.and_then(|mut pipe| pipe.write_all(&bytes))
    };
    std::thread::Builder::new().spawn(feed).at(path)?;
    Ok(())
}

/// Removes a sandbox, also where its permissions forbid it. One that is gone already is fine.
///
/// # Errors
/// When something in it cannot be removed.
pub fn discard(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(_) => {
            open_up(directory)?;
            fs::remove_dir_all(directory)
        }
        Ok(()) => Ok(()),
    }
}

fn open_up(directory: &Path) -> io::Result<()> {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}
