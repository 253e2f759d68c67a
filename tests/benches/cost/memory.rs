//! The most memory that a round has held, as the kernel counts it (`VmHWM`).
//!
//! It is read at the moment when the round is over and its envelope cannot be written: standard output is a pipe
//! that is full already. Writing the envelope then needs no more, which is read again until the end.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead as _, BufReader, PipeReader, PipeWriter, Read as _};
use std::path::Path;
use std::process::Child;

use rustix::io::{Errno, ioctl_fionbio};

use super::place::Place;
use super::table::Table;

/// Printed by the critic, the critic's name, what the row says, and the most that it may take in MiB.
const CASES: [(&str, &str, &str, f64); 4] = [
    ("bytes 1024", "text", "with 1 KiB of output", 12.0),
    ("bytes 62914560", "text", "with 60 MiB of output", 150.0),
    ("noise 62914560", "text", "with 60 MiB that are no UTF-8", 150.0),
    ("json 62914560", "json", "with 60 MiB of text in JSON", 150.0),
];

pub(crate) fn measure(place: &Place, reference: &Path, table: &mut Table) -> Result<(), Box<dyn Error>> {
    for (prompt, critic, words, most) in CASES {
        let peak = peak(place, reference, critic, prompt)?;
        table.bound(format!("memory of a round {words}"), peak, most, " MiB");
    }
    Ok(())
}

/// In MiB.
fn peak(place: &Place, reference: &Path, critic: &str, prompt: &str) -> Result<f64, Box<dyn Error>> {
    let (reader, writer, filling) = full_pipe()?;
    let (log, log_writer) = io::pipe()?;
    let mut command = place.round(reference, critic, prompt);
    let mut child = command.stdout(writer).stderr(log_writer).spawn()?;
    // Whoever holds the writing ends too would keep the pipes open.
    drop(command);
    let mut lines = BufReader::new(log).lines();
    lines
        .find(|line| line.as_ref().is_ok_and(|line| line.contains("exit status 0")))
        .ok_or("no success in the log")??;
    while state(&child)? != 'S' {
        std::thread::yield_now();
    }
    let mut peak = high_water(&child)?;
    peak = peak.max(drain(&child, reader, filling, prompt)?);
    if !child.wait()?.success() {
        return Err(format!("the round with `{prompt}` failed").into());
    }
    Ok(peak / 1024.0)
}

/// A pipe without room, and how many bytes are in it.
fn full_pipe() -> io::Result<(PipeReader, PipeWriter, usize)> {
    let (reader, writer) = io::pipe()?;
    ioctl_fionbio(&writer, true)?;
    let mut filling = 0;
    loop {
        match rustix::io::write(&writer, &[0; 4096]) {
            Ok(written) => filling += written,
            Err(Errno::AGAIN) => break,
            Err(errno) => return Err(errno.into()),
        }
    }
    ioctl_fionbio(&writer, false)?;
    Ok((reader, writer, filling))
}

/// Reads to the end and gives the highest mark that was seen on the way.
fn drain(child: &Child, mut reader: PipeReader, filling: usize, prompt: &str) -> Result<f64, Box<dyn Error>> {
    let mut block = vec![0; 1 << 20];
    let (mut length, mut peak) = (0, 0.0_f64);
    loop {
        let taken = reader.read(&mut block)?;
        if taken == 0 {
            break;
        }
        length += taken;
        // Gone at the very end: what it held then was seen before.
        peak = peak.max(high_water(child).unwrap_or_default());
    }
    let printed: usize = prompt.split_once(' ').map_or(Ok(0), |(_, number)| number.parse())?;
    if length < filling + printed {
        return Err(format!("`{prompt}`: an envelope of {} bytes is too short", length - filling).into());
    }
    Ok(peak)
}

/// In KiB.
fn high_water(child: &Child) -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no `VmHWM`")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn state(child: &Child) -> Result<char, Box<dyn Error>> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id()))?;
    Ok(stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).ok_or("no state")?)
}
