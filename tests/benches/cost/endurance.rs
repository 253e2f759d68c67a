//! What many rounds leave behind, in a row and at once: descriptors, processes, zombies, files.
//!
//! This process becomes the one that orphans come to, so that nothing which outlives a round stays unseen.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::process::{getpid, set_child_subreaper};

use super::Effort;
use super::place::Place;
use super::table::Table;

/// What is counted.
struct Count {
    descriptors: usize,
    processes: usize,
    zombies: usize,
    files: usize,
}

impl Count {
    fn now(place: &Place) -> Result<Self, Box<dyn Error>> {
        let mut count = Self {
            descriptors: fs::read_dir("/proc/self/fd")?.count(),
            processes: 0,
            zombies: 0,
            files: place.files()?,
        };
        for thread in fs::read_dir("/proc/self/task")? {
            let children = fs::read_to_string(thread?.path().join("children"))?;
            for child in children.split_ascii_whitespace() {
                count.processes += 1;
                let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
                count.zombies += usize::from(stat.contains(") Z"));
            }
        }
        Ok(count)
    }

    fn compare(&self, after: &Self, words: &str, table: &mut Table) {
        table.same(format!("descriptors before and after {words}"), self.descriptors, after.descriptors);
        table.same(format!("processes before and after {words}"), self.processes, after.processes);
        table.same(format!("zombies before and after {words}"), self.zombies, after.zombies);
        table.same(format!("files before and after {words}"), self.files, after.files);
    }
}

pub(crate) fn measure(
    place: &Place,
    reference: &Path,
    bare_critic: &Path,
    effort: Effort,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    set_child_subreaper(Some(getpid()))?;
    // Whoever started this program may have left it more than three; a round adds none.
    let bare = place.command(bare_critic).arg("descriptors").stdout(Stdio::piped()).output()?.stdout;
    let bare = String::from_utf8(bare)?.parse()?;
    let descriptors = output(start(place, reference, "text", "descriptors")?)?.parse()?;
    table.same("descriptors of a critic by itself and in a round", bare, descriptors);

    let rounds = effort.of(1_000);
    let before = Count::now(place)?;
    for number in 0..rounds {
        check(start(place, reference, critic(number), &prompt(number))?, number)?;
    }
    before.compare(&Count::now(place)?, &format!("{rounds} rounds in a row"), table);

    let before = Count::now(place)?;
    let started: Result<Vec<Child>, _> =
        (0..50).map(|number| start(place, reference, critic(number), &prompt(number))).collect();
    for (number, child) in started?.into_iter().enumerate() {
        check(child, number)?;
    }
    before.compare(&Count::now(place)?, "50 rounds at once", table);
    Ok(())
}

/// Every other round needs a temporary file.
const fn critic(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "text" } else { "file" }
}

fn prompt(number: usize) -> String {
    format!("prompt of round {number}")
}

fn start(place: &Place, reference: &Path, critic: &str, prompt: &str) -> Result<Child, Box<dyn Error>> {
    Ok(place.round(reference, critic, prompt).stdout(Stdio::piped()).spawn()?)
}

/// What the critic of a round that succeeded has said.
fn output(child: Child) -> Result<String, Box<dyn Error>> {
    let printed = child.wait_with_output()?.stdout;
    let envelope: serde_json::Value = serde_json::from_slice(&printed)?;
    match (&envelope["ok"], envelope["output"].as_str()) {
        (serde_json::Value::Bool(true), Some(output)) => Ok(output.to_owned()),
        _ => Err(format!("a round failed: {envelope}").into()),
    }
}

/// Each answer belongs to its prompt.
fn check(child: Child, number: usize) -> Result<(), Box<dyn Error>> {
    let output = output(child)?;
    let belongs = match critic(number) {
        "text" => output == prompt(number) + "\n",
        _ => output.contains("the-loop-prompt-"),
    };
    if belongs { Ok(()) } else { Err(format!("round {number} has the answer {output:?}").into()) }
}
