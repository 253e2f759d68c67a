//! A bare critic: prints its argument, or what the argument asks for, and ends.
//!
//! `bytes N` prints N letters, `noise N` as many bytes that are no UTF-8, `json N` an object with so long a text,
//! `descriptors` how many it was born with. It has no dependencies: whatever it costs, everybody who starts it pays.

use std::io::{Result, Write as _, stdout};

fn main() -> Result<()> {
    let argument = std::env::args().nth(1).unwrap_or_default();
    let (what, number) = argument.split_once(' ').unwrap_or((&argument, ""));
    match (what, number.parse()) {
        ("bytes", Ok(number)) => print(&[b'x'; 1 << 16], number),
        ("noise", Ok(number)) => print(&[0xff; 1 << 16], number),
        ("json", Ok(number)) => {
            stdout().write_all(b"{\"result\":\"")?;
            print(&[b'x'; 1 << 16], number)?;
            stdout().write_all(b"\"}\n")
        }
        ("descriptors", _) => {
            // The listing itself is one.
            let number = std::fs::read_dir("/proc/self/fd")?.count() - 1;
            stdout().write_all(number.to_string().as_bytes())
        }
        _ => stdout().write_all(format!("{argument}\n").as_bytes()),
    }
}

fn print(block: &[u8], mut number: usize) -> Result<()> {
    while number > 0 {
        let now = number.min(block.len());
        stdout().write_all(&block[..now])?;
        number -= now;
    }
    stdout().flush()
}
