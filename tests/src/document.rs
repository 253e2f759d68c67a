//! The fenced blocks of a Markdown document, so that its examples can be executed.
//!
//! Main type: [`Block`]. Parses fences only; what a block means is decided by the test that runs it.

/// One fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Line of the opening fence, from 1.
    pub line: usize,
    /// First word after the fence: `yaml`, `console`, `sh`, ….
    pub language: String,
    /// The path after `file=` in the fence's line: the block is that file's content.
    pub file: Option<String>,
    /// The text between the fences.
    pub text: String,
}

/// One command of a `console` block and what it must print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The command line after `$ `.
    pub line: String,
    /// Expected lines; `[..]` inside one stands for anything, a line `…` for any number of lines.
    pub expected: Vec<String>,
}

/// All fenced blocks of `document`, in order.
pub fn blocks(document: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (at, line) in document.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let mut words = info.split_whitespace();
                let language = words.next().unwrap_or_default().to_owned();
                let file = words.find_map(|word| word.strip_prefix("file=")).map(str::to_owned);
                open = Some(Block { line: at + 1, language, file, text: String::new() });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// The commands of a `console` block: lines that begin with `$ `, continued while they end in a backslash.
pub fn commands(block: &Block) -> Vec<Command> {
    let mut found: Vec<Command> = Vec::new();
    let mut continued = false;
    for line in block.text.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push(Command { line: command.to_owned(), expected: Vec::new() }),
            (None, Some(last)) if continued => {
                last.line.push('\n');
                last.line.push_str(line);
            }
            (None, Some(last)) => last.expected.push(line.to_owned()),
            (None, None) => {}
        }
        continued = line.ends_with('\\') && (continued || line.starts_with("$ "));
    }
    found
}

/// Whether `printed` is what `expected` describes.
pub fn agrees(expected: &[String], printed: &[&str]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "…" => {
            agrees(rest, printed) || printed.split_first().is_some_and(|(_, fewer)| agrees(expected, fewer))
        }
        (Some((wanted, more)), Some((line, rest))) => line_agrees(wanted, line) && agrees(more, rest),
        _ => false,
    }
}

fn line_agrees(wanted: &str, line: &str) -> bool {
    let mut pieces = wanted.trim_end().split("[..]");
    let mut rest = line.trim_end();
    let Some(opening) = pieces.next() else { return rest.is_empty() };
    let Some(after) = rest.strip_prefix(opening) else { return false };
    rest = after;
    let pieces: Vec<&str> = pieces.collect();
    let Some((closing, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(closing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn a_block_knows_its_file_and_line() {
        let found = blocks("a\n```yaml file=x.yaml\nk: 1\n```\n");
        assert_eq!(
            found,
            [Block { line: 2, language: "yaml".into(), file: Some("x.yaml".into()), text: "k: 1\n".into() }]
        );
    }

    #[test]
    fn a_command_is_continued_over_lines() {
        let block = &blocks("```console\n$ a \\\n  b\nout\n$ c\n```\n")[0];
        let found = commands(block);
        assert_eq!(found[0], Command { line: "a \\\n  b".into(), expected: lines(&["out"]) });
        assert_eq!(found[1].expected, lines(&[]));
    }

    #[test]
    fn wildcards_stand_for_anything_and_nothing_else_does() {
        assert!(agrees(&lines(&["took [..] s", "…", "end"]), &["took 1.2 s", "x", "y", "end"]));
        assert!(!agrees(&lines(&["took [..] s"]), &["took 1.2 m"]));
        assert!(!agrees(&lines(&["a"]), &["a", "b"]));
        assert!(!agrees(&lines(&["a", "b"]), &["a"]));
    }
}
