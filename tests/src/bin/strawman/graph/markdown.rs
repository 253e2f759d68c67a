//! The lines of a Markdown text that a reader sees as text. Main function: [`visible`].
//!
//! Code fences and HTML comments are taken away, whatever stands in them; where it is unclear how far one reaches,
//! it reaches further. What the lines say is judged elsewhere.

/// What is taken away.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hidden {
    /// Code fences with what is in them.
    pub(crate) fences: bool,
    /// HTML comments.
    pub(crate) comments: bool,
}

/// Everything is taken away.
pub(crate) const ALL: Hidden = Hidden { fences: true, comments: true };

/// The lines that are left, in their order; a line inside a fence or a comment is empty.
pub(crate) fn visible(text: &str, hidden: Hidden) -> Vec<String> {
    let mut lines = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut comment = false;
    for line in text.lines() {
        if let Some((mark, length)) = fence {
            let inner = line.trim();
            let closing = inner.chars().count() >= length && inner.chars().all(|letter| letter == mark);
            fence = if closing { None } else { fence };
            lines.push(String::new());
            continue;
        }
        let (left, open) =
            if hidden.comments { without_comments(line, comment) } else { (line.to_owned(), false) };
        comment = open;
        fence = opening(&left).filter(|_| hidden.fences);
        lines.push(if fence.is_some() { String::new() } else { left.trim_end().to_owned() });
    }
    lines
}

/// The mark and length of a fence that begins with this line.
fn opening(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
    let length = line.chars().take_while(|letter| *letter == mark).count();
    // Three backticks with another one after them are code inside a line.
    let inline = mark == '`' && line.chars().skip(length).any(|letter| letter == '`');
    (length >= 3 && !inline).then_some((mark, length))
}

/// The line without comments, and whether one is open at its end.
fn without_comments(line: &str, open: bool) -> (String, bool) {
    let (mut left, mut rest, mut open) = (String::new(), line, open);
    loop {
        let mark = if open { "-->" } else { "<!--" };
        let Some((before, after)) = rest.split_once(mark) else {
            left.push_str(if open { "" } else { rest });
            return (left, open);
        };
        // A space, so that what stands around a comment does not grow together.
        left.push_str(if open { " " } else { before });
        (rest, open) = (after, !open);
    }
}

/// The cells of a line of a table; nothing if it is no such line.
pub(crate) fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut letters = inner.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'|') => cells.last_mut()?.extend(letters.next()),
            '|' => cells.push(String::new()),
            _ => cells.last_mut()?.push(letter),
        }
    }
    Some(cells.into_iter().map(|cell| cell.trim().to_owned()).collect())
}

/// Whether these cells are the line between the head of a table and its rows.
pub(crate) fn is_rule(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|letter| "-: ".contains(letter)))
}
