//! The two binaries that are measured: the reference as the README has people install it, and a bare critic.
//!
//! Both are linked with the flags of the alias `install-the-loop`, which are read from where they stand.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tests::workspace::root;

use super::place::Place;

const ALIAS: &str = "install-the-loop";

/// Runs `cargo install-the-loop` into the place.
pub(crate) fn installed(place: &Place) -> Result<PathBuf, Box<dyn Error>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args([ALIAS, "--quiet", "--root"]).arg(place.folder("installed"));
    succeed(&mut command)?;
    Ok(place.folder("installed/bin/the-loop"))
}

/// Compiles the bare critic: one file, no dependencies.
pub(crate) fn critic(place: &Place) -> Result<PathBuf, Box<dyn Error>> {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let binary = place.folder("critic");
    let mut command = Command::new(compiler);
    command.args(["--edition=2024", "-O", "-Cpanic=abort", "-Cstrip=symbols"]).args(linking()?);
    command.arg("-o").arg(&binary).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/cost/critic.rs"));
    succeed(&mut command)?;
    Ok(binary)
}

/// The flags that the alias gives the compiler.
fn linking() -> Result<Vec<String>, Box<dyn Error>> {
    let text = fs::read_to_string(root().join(".cargo/config.toml"))?;
    let words = text.lines().find_map(|line| line.strip_prefix(ALIAS)?.trim_start().strip_prefix('='));
    // Its words are written as JSON would have them, and the flags inside the last one with single quotes.
    let words: Vec<String> = serde_json::from_str(words.ok_or("no alias `install-the-loop`")?)?;
    let flags = words.iter().find_map(|word| Some(word.split_once("rustflags=")?.1.replace('\'', "\"")));
    Ok(serde_json::from_str(&flags.ok_or("the alias `install-the-loop` has no `rustflags`")?)?)
}

fn succeed(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)).into())
}
