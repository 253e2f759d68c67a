//! The comments of a ticket as JSON, as GitHub gives them. Main function: [`write`].
//!
//! What a comment says is the scenario's; only bodies that hold a checklist need what the target printed before.

use std::fs;
use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::observation::StepRecord;
use crate::scenario::checklist::Checklist;
use crate::scenario::graph_step::GraphVerb;
use crate::scenario::step::Step;
use crate::scenario::thread::{Comment, Earlier, Layout, Quoted, Thread};
use crate::text::Names;

/// The id of the first comment.
const FIRST: u64 = 41_001;

/// Comments on a page.
const PAGE: usize = 2;

/// The comments of a ticket so far.
#[derive(Debug, Default)]
pub(super) struct Ticket {
    comments: Vec<Value>,
    written: u64,
}

/// What the steps before printed.
pub(super) struct Printed<'a> {
    /// The steps of the setup.
    pub(super) steps: &'a [Step],
    /// Their records, as far as there are some.
    pub(super) records: &'a [StepRecord],
}

impl Ticket {
    /// Adds the comments of a step and writes all of them, or says what they lack.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(
        &mut self,
        thread: &Thread,
        printed: &Printed<'_>,
        names: &Names,
        path: &Path,
    ) -> io::Result<Option<String>> {
        if thread.earlier == Earlier::Dropped {
            self.comments.clear();
        }
        let now = Timestamp::now();
        for (number, comment) in (1..).zip(&thread.comments) {
            let body = match body(comment, printed, names) {
                Ok(body) => body,
                Err(lack) => return Ok(Some(lack)),
            };
            let created = comment.created.unwrap_or(number);
            let updated = comment.updated.unwrap_or(created);
            self.comments.push(json!({
                "id": FIRST + self.written,
                "user": {"login": comment.by.expand(names), "type": "User"},
                "body": body,
                "created_at": time(now, created),
                "updated_at": time(now, updated),
                "author_association": "NONE",
            }));
            self.written += 1;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, laid_out(&self.comments, thread.layout))?;
        Ok(None)
    }
}

fn body(comment: &Comment, printed: &Printed<'_>, names: &Names) -> Result<String, String> {
    let mut parts = Vec::new();
    parts.extend(comment.body.as_ref().map(|body| body.expand(names)));
    if let Some(quoted) = &comment.checklist {
        parts.push(printed.checklist(quoted)?);
    }
    Ok(parts.join("\n\n"))
}

impl Printed<'_> {
    fn checklist(&self, quoted: &Quoted) -> Result<String, String> {
        let is_meant = |step: &Step| match &quoted.of {
            Some(id) => step.id() == id,
            None => step.graph().is_some_and(|call| matches!(call.verb, GraphVerb::Checklist { .. })),
        };
        let steps = self.steps.iter().zip(self.records).rev();
        let printed = steps.into_iter().find(|(step, _)| is_meant(step));
        let copy = printed.and_then(|(_, record)| record.copies.first());
        let copy = copy.ok_or_else(|| "no checklist was printed".to_owned())?;
        Checklist::read(&copy.stdout.lossy()).changed(&quoted.change)
    }
}

fn time(now: Timestamp, offset: i64) -> String {
    let then = now.checked_add(SignedDuration::from_secs(offset)).unwrap_or(now);
    let whole = then.as_duration().as_secs();
    Timestamp::from_second(whole).map_or_else(|_| then.to_string(), |then| then.to_string())
}

fn laid_out(comments: &[Value], layout: Layout) -> String {
    let pages: Vec<Value> = comments.chunks(PAGE).map(|page| page.to_vec().into()).collect();
    match layout {
        Layout::Array => Value::from(comments.to_vec()).to_string(),
        Layout::Nested => Value::from(pages).to_string(),
        Layout::Concatenated if pages.is_empty() => "[]".to_owned(),
        Layout::Concatenated => pages.iter().map(Value::to_string).collect(),
    }
}
