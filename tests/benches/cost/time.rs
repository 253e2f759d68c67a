//! How long whole processes take, one after the other in turns, so that whatever else the machine does meets all of
//! them alike.
//!
//! [`Turns`] gives each contender its typical [`Cost`]: the lowest median of a block of turns, the quietest moment
//! that lasted. Marginal is what lies above the bare critic.

use std::env;
use std::error::Error;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

use super::Options;
use super::place::Place;
use super::table::Table;

/// The most that a round may cost over the critic, in costs of `timeout`. The aim is 1.1.
const MOST: f64 = 1.3;
/// The most of what another implementation costs.
const MOST_OF_ANOTHER: f64 = 1.0 / 200.0;
/// Turns of one block: few, so that it is over before something else begins.
const BLOCK: usize = 9;

/// What one process costs, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// From its start until it was waited for.
    pub(crate) wall: f64,
    /// Of a processor, with everything that it waited for itself.
    pub(crate) processor: f64,
}

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

    /// The typical cost of each contender.
    pub(crate) fn typical(&mut self, blocks: usize, turns: usize) -> Result<Vec<Cost>, Box<dyn Error>> {
        let never = Cost { wall: f64::INFINITY, processor: f64::INFINITY };
        let mut typical = vec![never; self.contenders.len()];
        for _ in 0..blocks {
            let mut costs = vec![Vec::with_capacity(turns); self.contenders.len()];
            for _ in 0..turns {
                for ((name, command), costs) in self.contenders.iter_mut().zip(&mut costs) {
                    costs.push(Cost::of(name, command)?);
                }
            }
            for (typical, costs) in typical.iter_mut().zip(&mut costs) {
                typical.wall = typical.wall.min(median(costs, |cost| cost.wall));
                typical.processor = typical.processor.min(median(costs, |cost| cost.processor));
            }
        }
        Ok(typical)
    }
}

impl Cost {
    fn of(name: &str, command: &mut Command) -> Result<Self, Box<dyn Error>> {
        let (before, began) = (processor()?, Instant::now());
        let status = command.status()?;
        let cost = Self { wall: began.elapsed().as_secs_f64(), processor: processor()? - before };
        if status.success() { Ok(cost) } else { Err(format!("{name}: {status}").into()) }
    }
}

/// What all children so far have used, and theirs.
fn processor() -> nix::Result<f64> {
    let used = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let both = used.user_time() + used.system_time();
    let both = Duration::from_micros(u64::try_from(both.num_microseconds()).unwrap_or_default());
    Ok(both.as_secs_f64())
}

fn median(costs: &mut [Cost], part: fn(&Cost) -> f64) -> f64 {
    costs.sort_unstable_by(|one, other| part(one).total_cmp(&part(other)));
    part(&costs[costs.len() / 2])
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
    let over = |at: usize| typical[at].wall - typical[0].wall;
    table.tell("the bare critic", format!("{:.3} ms", typical[0].wall * 1e3));
    for (at, (name, _)) in turns.contenders.iter().enumerate().skip(1) {
        table.tell(format!("{name}: over the bare critic"), format!("{:.3} ms", over(at) * 1e3));
    }
    let round = over(2);
    table.bound("a round, in costs of `timeout`", round / over(1), MOST, "");
    let processor = |at: usize| typical[at].processor - typical[0].processor;
    table.bound("a round, in costs of `timeout`, processor time", processor(2) / processor(1), MOST, "");
    if let Some(jq) = on_path("jq") {
        let mut pipeline = place.command(Path::new("/bin/sh"));
        pipeline.args(["-c", "\"$0\" 60 \"$1\" review | \"$2\" -Rs '{output: .}'"]);
        pipeline.arg(&timeout).arg(critic).arg(jq);
        let name = "sh -c 'timeout … | jq'";
        let over = alone(name, pipeline, options.effort.of(20))? - typical[0].wall;
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
        let over = alone(name, command, options.effort.of(10))? - typical[0].wall;
        table.tell(format!("{name}: over the bare critic"), format!("{:.1} ms", over * 1e3));
        table.bound(format!("a round, in costs of {name}"), round / over, MOST_OF_ANOTHER, "");
    }
    Ok(())
}

/// The typical time of something that takes long enough to be measured for itself.
fn alone(name: &str, command: Command, blocks: usize) -> Result<f64, Box<dyn Error>> {
    let mut turns = Turns::new();
    turns.add(name, command);
    Ok(turns.typical(blocks, 3)?[0].wall)
}

/// The absolute path of a program, so that nobody pays for a search.
fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}
