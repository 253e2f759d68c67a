//! How long whole processes take, one after the other in turns, so that whatever else the machine does meets all of
//! them alike.
//!
//! [`Turns`] gives each contender its typical time: the lowest median of a block of turns, the quietest moment that
//! lasted. Marginal is what lies above the bare critic.

use std::env;
use std::error::Error;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::Options;
use super::place::Place;
use super::table::Table;

/// The most that a round may cost over the critic, in costs of `timeout`. The aim is 1.1.
const MOST: f64 = 1.3;
/// The most of what another implementation costs.
const MOST_OF_ANOTHER: f64 = 1.0 / 200.0;
/// Turns of one block: few, so that it is over before something else begins.
const BLOCK: usize = 9;

/// Contenders that take turns.
pub(crate) struct Turns {
    contenders: Vec<(String, Command)>,
}

impl Turns {
    pub(crate) const fn new() -> Self {
        Self { contenders: Vec::new() }
    }

    pub(crate) fn add(&mut self, name: impl Into<String>, command: Command) {
        self.contenders.push((name.into(), command));
    }

    /// The typical time of each contender, in seconds.
    pub(crate) fn typical(&mut self, blocks: usize, turns: usize) -> Result<Vec<f64>, Box<dyn Error>> {
        let mut typical = vec![f64::INFINITY; self.contenders.len()];
        for _ in 0..blocks {
            let mut times = vec![Vec::with_capacity(turns); self.contenders.len()];
            for _ in 0..turns {
                for ((name, command), times) in self.contenders.iter_mut().zip(&mut times) {
                    times.push(took(name, command)?);
                }
            }
            for (typical, times) in typical.iter_mut().zip(&mut times) {
                times.sort_unstable();
                *typical = typical.min(times[times.len() / 2].as_secs_f64());
            }
        }
        Ok(typical)
    }
}

fn took(name: &str, command: &mut Command) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    let status = command.status()?;
    let took = began.elapsed();
    if status.success() { Ok(took) } else { Err(format!("{name}: {status}").into()) }
}

pub(crate) fn measure(
    place: &Place,
    reference: &Path,
    critic: &Path,
    options: &Options,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let mut turns = Turns::new();
    let mut bare = place.command(critic);
    bare.arg("review");
    turns.add("the bare critic", bare);
    let timeout = on_path("timeout").ok_or("coreutils' `timeout` is not on PATH")?;
    let mut bounded = place.command(&timeout);
    bounded.arg("60").arg(critic).arg("review");
    turns.add("timeout", bounded);
    turns.add("a round", place.round(reference, "text", "review"));
    turns.add("a round with a temporary prompt file", place.round(reference, "file", "review"));
    let typical = turns.typical(options.effort.of(200), BLOCK)?;
    table.tell("the bare critic", format!("{:.3} ms", typical[0] * 1e3));
    for ((name, _), time) in turns.contenders.iter().zip(&typical).skip(1) {
        table.tell(format!("{name}: over the bare critic"), format!("{:.3} ms", (time - typical[0]) * 1e3));
    }
    let round = typical[2] - typical[0];
    table.bound("a round, in costs of `timeout`", round / (typical[1] - typical[0]), MOST, "");
    if let Some(jq) = on_path("jq") {
        let mut pipeline = place.command(Path::new("/bin/sh"));
        pipeline.args(["-c", "\"$0\" 60 \"$1\" review | \"$2\" -Rs '{output: .}'"]);
        pipeline.arg(&timeout).arg(critic).arg(jq);
        let name = "sh -c 'timeout … | jq'";
        let over = alone(name, pipeline, options.effort.of(20))? - typical[0];
        table.tell(format!("{name}: over the bare critic"), format!("{:.3} ms", over * 1e3));
        table.bound("a round, in costs of `timeout … | jq`", round / over, 1.0, "");
    } else {
        writeln!(
            io::stderr(),
            "SKIPPED: the comparison with `timeout … | jq`, since there is no jq on PATH"
        )?;
    }
    if let Some(other) = &options.against {
        let name = "the other implementation";
        let command = place.round(&std::path::absolute(other)?, "text", "review");
        let over = alone(name, command, options.effort.of(10))? - typical[0];
        table.tell(format!("{name}: over the bare critic"), format!("{:.1} ms", over * 1e3));
        table.bound(format!("a round, in costs of {name}"), round / over, MOST_OF_ANOTHER, "");
    }
    Ok(())
}

/// The typical time of something that takes long enough to be measured for itself.
fn alone(name: &str, command: Command, blocks: usize) -> Result<f64, Box<dyn Error>> {
    let mut turns = Turns::new();
    turns.add(name, command);
    Ok(turns.typical(blocks, 3)?[0])
}

/// The absolute path of a program, so that nobody pays for a search.
fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}
