//! Markdown, as far as gates and checklists read it: boxes, sections, and whether a section says anything.
//!
//! [`Document`] splits an artifact into its level-two sections; [`rows`] finds the boxes of a comment. Both see what a reader
//! sees: nothing in code, in a quote or in an HTML comment is a box or a heading.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A box, ticked or not, and the word that follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Whether it is ticked.
    pub ticked: bool,
    /// The first word after the box, as far as it can be the id of a node.
    pub id: String,
}

/// An artifact, split into its level-two sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    text: String,
    sections: Vec<(String, Range<usize>)>,
}

/// How everything here is parsed.
const fn options() -> Options {
    Options::ENABLE_TABLES.union(Options::ENABLE_TASKLISTS).union(Options::ENABLE_STRIKETHROUGH)
}

/// The parser of a piece of Markdown.
pub(super) fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, options())
}

/// The boxes of a text in their order.
pub fn rows(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut open: Option<(bool, String)> = None;
    let mut quotes = 0_usize;
    for event in parser(text) {
        match event {
            Event::TaskListMarker(ticked) if quotes == 0 => open = Some((ticked, String::new())),
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, words)) = &mut open {
                    words.push_str(&text);
                }
            }
            Event::Start(Tag::BlockQuote(_)) => {
                quotes += 1;
                rows.extend(open.take().and_then(row));
            }
            Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
            // Struck out is neither yes nor no.
            Event::Start(Tag::Strikethrough) => open = None,
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(TagEnd::Paragraph | TagEnd::Item)
            | Event::Start(Tag::List(_) | Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                rows.extend(open.take().and_then(row));
            }
            _ => {}
        }
    }
    rows
}

fn row((ticked, words): (bool, String)) -> Option<Row> {
    let words = words.trim_start();
    let end =
        words.find(|letter: char| !matches!(letter, 'a'..='z' | '0'..='9' | '-')).unwrap_or(words.len());
    let (id, rest) = words.split_at(end);
    let whole = !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    (whole && !id.is_empty()).then(|| Row { ticked, id: id.to_owned() })
}

impl Document {
    /// Splits a text.
    pub fn read(mut text: String) -> Self {
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        let options = options().union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);
        let mut sections: Vec<(String, Range<usize>)> = Vec::new();
        let (mut depth, mut in_title, mut is_open) = (0_usize, false, false);
        for (event, range) in Parser::new_ext(&text, options).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { level, .. }) if depth == 0 && level <= HeadingLevel::H2 => {
                    if let Some((_, open)) = sections.last_mut().filter(|_| is_open) {
                        open.end = range.start;
                    }
                    is_open = level == HeadingLevel::H2;
                    in_title = is_open;
                    if is_open {
                        sections.push((String::new(), range.end..text.len()));
                    }
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) => {
                    depth = depth.saturating_sub(1);
                    in_title &= depth > 0;
                }
                Event::Text(words) | Event::Code(words) if in_title => {
                    if let Some((title, _)) = sections.last_mut() {
                        title.push_str(&words);
                    }
                }
                Event::SoftBreak if in_title => {
                    if let Some((title, _)) = sections.last_mut() {
                        title.push(' ');
                    }
                }
                _ => {}
            }
        }
        Self { text, sections }
    }

    /// Whether there is nothing in it but white space.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// What stands below the level-two headings of that name, without case; more than one if the name stands more than once.
    pub fn sections<'a>(&'a self, title: &'a str) -> impl Iterator<Item = &'a str> {
        let wanted = folded(title);
        let named = self.sections.iter().filter(move |(title, _)| folded(title) == wanted);
        named.map(|(_, range)| &self.text[range.clone()])
    }
}

fn folded(title: &str) -> String {
    title.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Whether a section says anything: more than comments, placeholders, lone dashes, headings and tables without rows.
pub fn says_something(section: &str) -> bool {
    lines(section).iter().any(|line| is_substance(&line.text))
}

/// One line of a text that a reader sees, and what it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Its words.
    pub(super) text: String,
    /// Where it stands.
    pub(super) place: Place,
}

/// What a line stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A paragraph or an item of a list.
    Prose,
    /// A cell of a table's body.
    Cell,
    /// Code, a quote or raw HTML.
    Set,
}

/// The lines of a section, headings and heads of tables left out.
fn lines(section: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut text = String::new();
    let (mut headings, mut set) = (0_usize, 0_usize);
    for event in parser(section) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::TableHead) => headings += 1,
            Event::End(TagEnd::Heading(_) | TagEnd::TableHead) => {
                headings = headings.saturating_sub(1);
                text.clear();
            }
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::HtmlBlock) => {
                close(&mut lines, &mut text, Place::Prose);
                set += 1;
            }
            Event::End(TagEnd::HtmlBlock) => {
                text = shown_of_html(&text);
                close(&mut lines, &mut text, Place::Set);
                set = set.saturating_sub(1);
            }
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_)) => {
                close(&mut lines, &mut text, Place::Set);
                set = set.saturating_sub(1);
            }
            Event::End(TagEnd::TableCell) if headings == 0 => close(&mut lines, &mut text, Place::Cell),
            Event::Text(words) | Event::Code(words) | Event::Html(words) if headings == 0 => {
                text.push_str(&words);
            }
            Event::SoftBreak
            | Event::HardBreak
            | Event::Start(Tag::List(_) | Tag::Item)
            | Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                close(&mut lines, &mut text, if set > 0 { Place::Set } else { Place::Prose });
            }
            // A picture says something.
            Event::Start(Tag::Image { dest_url, .. }) => text.push_str(&dest_url),
            _ => {}
        }
    }
    close(&mut lines, &mut text, Place::Prose);
    lines
}

fn close(lines: &mut Vec<Line>, text: &mut String, place: Place) {
    let pieces = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.extend(pieces.map(|line| Line { text: line.to_owned(), place }));
    text.clear();
}

/// The lines of prose of a section.
pub(super) fn prose(section: &str) -> Vec<String> {
    let prose = lines(section).into_iter().filter(|line| line.place == Place::Prose);
    prose.map(|line| line.text).collect()
}

/// Raw HTML without its comments and tags.
fn shown_of_html(html: &str) -> String {
    let mut shown = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        shown.push_str(&rest[..at]);
        let (opening, ending) = if rest[at..].starts_with("<!--") { (4, "-->") } else { (1, ">") };
        let inside = &rest[at + opening..];
        rest = inside.find(ending).map_or("", |end| &inside[end + ending.len()..]);
    }
    shown + rest
}

/// Whether a line says something of its own.
pub(super) fn is_substance(line: &str) -> bool {
    const WORDS: [&str; 14] = [
        "todo",
        "tbd",
        "tba",
        "tbc",
        "fixme",
        "wip",
        "placeholder",
        "to do",
        "to be done",
        "to be decided",
        "to be determined",
        "to be written",
        "to be filled in",
        "coming soon",
    ];
    let line = line.trim();
    if !line.contains(char::is_alphanumeric) {
        return false;
    }
    let wrapped = [('<', '>'), ('[', ']'), ('{', '}')].iter();
    if wrapped.clone().any(|(opening, ending)| line.starts_with(*opening) && line.ends_with(*ending)) {
        return false;
    }
    let bare = line.trim_matches(|letter: char| !letter.is_alphanumeric());
    let shouted = bare.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let is_note = WORDS[..5].iter().any(|word| word.to_uppercase() == shouted);
    !is_note && !WORDS.contains(&bare.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(text: &str) -> String {
        let told =
            rows(text).into_iter().map(|row| format!("{}{}", if row.ticked { "+" } else { "-" }, row.id));
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn boxes_are_read_with_their_ids() {
        assert_eq!(
            ticks("- [x] build — makes it\n- [ ] ship\n* [X] `deep-review`: b\n1. [x] **a-1**\r\n"),
            "+build -ship +deep-review +a-1"
        );
        assert_eq!(ticks("- [x] build\n  more\n  - [ ] inner — x\n"), "+build -inner");
        assert_eq!(ticks("-   [x] a\n\n- [x] b\n"), "+a +b");
        assert_eq!(
            ticks(
                "| [x] a |\n- [y] b\n- [] c\n- [x]d\n[x] e\n- [x]\n- [x] ü\n- [x] Build\n- [x] a_b\n- [x] ~~f~~\n"
            ),
            ""
        );
    }

    #[test]
    fn boxes_that_nobody_sees_as_such_do_not_count() {
        for hidden in [
            "```\n- [x] a\n```\n",
            "~~~~ md\n- [x] a\n~~~\n- [x] b\n",
            "    - [x] a\n",
            "> - [x] a\n",
            "> hello\n> - [x] a\n",
            "- > - [x] a\n",
            "<!-- - [x] a -->\n",
            "<!--\n- [x] a\n\n- [x] b\n-->\n",
            "<!--\n\n- [x] a\n",
            "- [x] <!-- a -->\n",
            "<div>\n- [x] a\n</div>\n",
            "<pre>\n\n- [x] a\n</pre>\n",
            "<?php\n\n- [x] a\n?>\n",
            "`- [x] a`\n",
            "```\n- [x] a\n",
            "\\- [x] a\n",
            "- ```\n  - [x] a\n  ```\n",
        ] {
            assert_eq!(ticks(hidden), "", "{hidden}");
        }
        assert_eq!(ticks("> quote\n\n- [x] a\n"), "+a");
        assert_eq!(ticks("<!-- x --><!-- y -->\n- [x] a\n"), "+a");
        assert_eq!(ticks("<details>\n\n- [x] a\n\n</details>\n"), "+a");
    }

    #[test]
    fn sections_are_found_outside_code_and_quotes() {
        let text = "---\ntitle: x\n---\n# Top\n## One\na\n### Sub\nb\n## `Two` *fine* words\nc\n\n```\n## Three\n```\n> ## Four\n\n- ## Five\n\n<!--\n## Six\n-->\n# Next\n\nSeven\n-----\nd\n";
        let document = Document::read(text.to_owned());
        let titles: Vec<&str> = document.sections.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["One", "Two fine words", "Seven"]);
        assert_eq!(document.sections("ONE").collect::<Vec<_>>(), ["a\n### Sub\nb\n"]);
        assert!(document.sections("two  Fine Words").next().unwrap().ends_with("-->\n"));
        assert_eq!(document.sections("Top").count(), 0);
    }

    #[test]
    fn a_section_that_says_nothing_is_told() {
        for nothing in [
            "",
            "\n\n",
            "<!-- a long\n\nexplanation > here -->",
            "-",
            "- \n- \n",
            "—",
            "***",
            "…",
            "### Only\n\n#### Headings\n",
            "| a | b |\n|---|---|\n",
            "| a | b |\n|---|---|\n| | - |\n",
            "| ![](a.png) |\n|---|\n",
            "### ![](a.png)\n",
            "TBD",
            "_todo_",
            "- [ ] TODO: write this",
            "<what the design does>",
            "[describe it here]",
            "{{design}}",
            "<br>\n<!-- x -->\n",
            "to be done.",
            "```\n```\n",
            "<!-- never closed\n\ntext",
        ] {
            assert!(!says_something(nothing), "{nothing}");
        }
    }

    #[test]
    fn a_section_that_says_something_is_told() {
        for something in [
            "One sentence.",
            "<!-- x -->\nText",
            "- done",
            "### Head\ntext",
            "| a |\n|---|\n| 1 |\n",
            "```sh\nmake\n```\n",
            "> quoted",
            "![](drawing.png)",
            "none",
            "<details><summary>more</summary>\n",
            "Todos are kept apart",
            "[x](http://a)",
            "<a> is what it opens with",
            "it ends with {that}",
            "[one] or the [other",
            "5",
        ] {
            assert!(says_something(something), "{something}");
        }
    }

    #[test]
    fn a_heading_of_several_lines_is_one_title() {
        let document = Document::read("Some\n`long` title\n---\ntext\nmore\n".to_owned());
        assert_eq!(document.sections("some long title").collect::<Vec<_>>(), ["text\nmore\n"]);
        assert_eq!(document.sections[0].0, "Some long title");
    }

    #[test]
    fn html_is_shown_without_comments_and_tags() {
        assert_eq!(shown_of_html("a<br>b<!-- c > d -->e<"), "abe");
        assert_eq!(shown_of_html("<p class='x'>a</p>b"), "ab");
        assert_eq!(shown_of_html("a<!-- never > closed"), "a");
        assert_eq!(shown_of_html("words before<!-- c -->"), "words before");
    }

    #[test]
    fn prose_is_what_stands_in_paragraphs_and_items() {
        let section = "one\ntwo\n- three\n\n| a |\n|---|\n| cell |\n\n> quote\n> quote\n\n```\ncode\n```\n### head\nfour\n\nhead of\ntwo lines\n---\nfive";
        assert_eq!(prose(section), ["one", "two", "three", "four", "five"]);
    }
}
