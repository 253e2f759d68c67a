//! How long `critic list` takes with few and many entries, and with as many values as a config can hold.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::Effort;
use super::place::Place;
use super::table::Table;
use super::time::Turns;

const ENTRIES: [u16; 3] = [1, 100, 2_000];
/// The most that 2,000 entries may cost, in costs of 100. Linear is below 20, since starting costs something too;
/// quadratic would be far above.
const MOST: f64 = 22.0;

pub(crate) fn measure(
    place: &Place,
    reference: &Path,
    effort: Effort,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    for format in ["table", "json"] {
        let mut turns = Turns::new();
        for entries in ENTRIES {
            let name = format!("{entries}.yaml");
            fs::write(place.folder(&name), config(entries)?)?;
            turns.add(name.clone(), list(place, reference, &name, format));
        }
        let typical = turns.typical(effort.of(40), 5)?;
        for (entries, cost) in ENTRIES.iter().zip(&typical) {
            table.tell(format!("list --format {format} of {entries}"), format!("{:.2} ms", cost.wall * 1e3));
        }
        let growth = typical[2].processor / typical[1].processor;
        table.bound(format!("list --format {format} of 2000, in processor time of 100"), growth, MOST, "");
    }
    fs::write(place.folder("values.yaml"), format!("other: [{}]\n", "1,".repeat(500_000)))?;
    let mut turns = Turns::new();
    turns.add("values", list(place, reference, "values.yaml", "json"));
    let typical = turns.typical(effort.of(20), 3)?;
    table.tell("list of a config with 500,000 values", format!("{:.1} ms", typical[0].wall * 1e3));
    Ok(())
}

fn list(place: &Place, reference: &Path, config: &str, format: &str) -> Command {
    let mut command = place.command(reference);
    command.arg("--config").arg(place.folder(config)).args(["critic", "list", "--format", format]);
    command
}

/// Entries as an operator writes them.
fn config(entries: u16) -> Result<String, std::fmt::Error> {
    let mut text = String::from("critics:\n");
    for number in 0..entries {
        write!(
            text,
            "  - name: critic-{number}
    harness: local
    model: model-{number}
    command: /bin/cat
    args: [\"{{promptFile}}\"]
    env: {{LANG: C}}
    timeoutSeconds: 60
"
        )?;
    }
    Ok(text)
}
