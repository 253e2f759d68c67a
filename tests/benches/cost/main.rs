//! What a round costs, measured on whole processes: time, memory, what a thousand rounds leave behind, `list`.
//!
//! `cargo bench -p tests` prints one table, and fails where a bound is broken. [`Options`] is what can be typed after
//! `--`. How the figures are made, and what they were, stands in `docs/performance.md`.

mod built;
mod endurance;
mod listing;
mod memory;
mod place;
mod table;
mod time;

use std::error::Error;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use place::Place;
use table::Table;

/// What can be typed after `cargo bench -p tests --`.
#[derive(Debug, Default)]
struct Options {
    effort: Effort,
    /// `--reference PATH`: a binary that is installed already, instead of building one.
    reference: Option<PathBuf>,
    /// `--against PATH`: another implementation, called in the same way.
    against: Option<PathBuf>,
}

/// How long to measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Effort {
    /// Figures to write down.
    #[default]
    Full,
    /// `--quick`: seconds; whether the bounds hold.
    Quick,
}

impl Effort {
    /// How often something is done, given how often it is for good figures.
    fn of(self, full: usize) -> usize {
        match self {
            Self::Full => full,
            Self::Quick => full.div_ceil(10),
        }
    }
}

impl Options {
    fn parse(mut typed: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(word) = typed.next() {
            let mut path =
                || typed.next().map(PathBuf::from).ok_or_else(|| format!("`{word}` needs a path after it"));
            match word.as_str() {
                // What cargo adds.
                "--bench" => {}
                "--quick" => options.effort = Effort::Quick,
                "--reference" => options.reference = Some(path()?),
                "--against" => options.against = Some(path()?),
                _ => {
                    return Err(format!(
                        "`{word}` is no option; there are `--quick`, `--reference PATH`, `--against PATH`"
                    ));
                }
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)).map_err(Into::into).and_then(|options| measure(&options)) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn measure(options: &Options) -> Result<ExitCode, Box<dyn Error>> {
    let place = Place::new()?;
    let critic = built::critic(&place)?;
    let reference = match &options.reference {
        Some(path) => std::path::absolute(path)?,
        None => built::installed(&place)?,
    };
    place.configure(&critic)?;
    let mut table = Table::new();
    time::measure(&place, &reference, &critic, options, &mut table)?;
    memory::measure(&place, &reference, &mut table)?;
    endurance::measure(&place, &reference, &critic, options.effort, &mut table)?;
    listing::measure(&place, &reference, options.effort, &mut table)?;
    io::stdout().write_all(table.to_string().as_bytes())?;
    Ok(if table.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
