//! Comments, as GitHub's REST interface gives them.
//!
//! [`Comments::read`] takes what `gh api --paginate` prints: an array, several after one another, or arrays in an array.
//! Who wrote a comment and whether it counts is not judged here.

use serde::{Serialize, Serializer};
use serde_json::{Deserializer, Value};

use super::Moment;

/// Most bytes of comments that are read.
pub const LARGEST: usize = 64 * 1024 * 1024;

/// All comments that can be read, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comments {
    /// Those with an id, an author and a text.
    pub readable: Vec<Comment>,
    /// How many there are besides.
    pub unreadable: usize,
}

/// One comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// By which it is told from others.
    pub id: CommentId,
    /// The login of whoever wrote it.
    pub author: String,
    /// Its Markdown.
    pub body: String,
    /// When it was written; `None` when that is not said, or cannot be read.
    pub created: Option<Moment>,
    /// Whether it was changed since.
    pub edit: Edit,
}

/// Whether and when a comment was changed after it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Nothing says so.
    Never,
    /// Last then.
    At(Moment),
    /// It says when, and that cannot be read.
    Unreadable,
}

/// The id of a comment: a number at GitHub, a text elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommentId(String);

/// Why nothing can be read. Exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum CommentsError {
    /// The text is no JSON.
    #[error(
        "the comments are not JSON: {0}; give an array as `gh api --paginate repos/O/R/issues/7/comments` prints it"
    )]
    NotJson(#[from] serde_json::Error),
    /// Something else than an array.
    #[error(
        "the comments are {0}; expected an array as `gh api --paginate repos/O/R/issues/7/comments` prints it"
    )]
    NotAnArray(&'static str),
    /// More than [`LARGEST`].
    #[error("the comments are larger than 64 MiB; give those of one work item only")]
    TooLarge,
}

impl Comments {
    /// Reads them.
    ///
    /// # Errors
    /// When the text is not made of JSON arrays, or too large.
    pub fn read(bytes: &[u8]) -> Result<Self, CommentsError> {
        if bytes.len() > LARGEST {
            return Err(CommentsError::TooLarge);
        }
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Err(CommentsError::NotAnArray("empty"));
        }
        let mut comments = Self::default();
        for value in Deserializer::from_slice(bytes).into_iter::<Value>() {
            match value? {
                Value::Array(values) => comments.take(values),
                Value::Object(_) => return Err(CommentsError::NotAnArray("an object")),
                _ => return Err(CommentsError::NotAnArray("a single value")),
            }
        }
        Ok(comments)
    }

    /// Depth is bounded by the reader of JSON.
    fn take(&mut self, values: Vec<Value>) {
        for value in values {
            match value {
                Value::Array(values) => self.take(values),
                value => match Comment::of(&value) {
                    Some(comment) => self.readable.push(comment),
                    None => self.unreadable += 1,
                },
            }
        }
    }
}

impl Comment {
    fn of(value: &Value) -> Option<Self> {
        let moment = |key: &str| match value.get(key) {
            None | Some(Value::Null) => None,
            Some(time) => Some(time.as_str().and_then(Moment::parse)),
        };
        let created = moment("created_at").flatten();
        Some(Self {
            id: CommentId::of(value.get("id")?)?,
            author: value.get("user")?.get("login")?.as_str()?.to_owned(),
            body: value.get("body")?.as_str()?.to_owned(),
            created,
            edit: match moment("updated_at") {
                None => Edit::Never,
                Some(None) => Edit::Unreadable,
                Some(Some(updated)) if created.is_some_and(|created| updated <= created) => Edit::Never,
                Some(Some(updated)) => Edit::At(updated),
            },
        })
    }

    /// Whether it stood as it stands at that moment.
    pub fn is_unchanged_since(&self, moment: Moment) -> bool {
        let written = self.created.is_some_and(|created| created <= moment);
        written
            && match self.edit {
                Edit::Never => true,
                Edit::At(updated) => updated <= moment,
                Edit::Unreadable => false,
            }
    }

    /// By which comments are put in the order of their writing; later ones are greater. Ids of one time grow.
    pub fn order(&self) -> (Option<Moment>, usize, &str) {
        (self.created, self.id.0.len(), &self.id.0)
    }
}

impl CommentId {
    /// The id that a JSON value says: a whole number, or a text that is not empty.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_u64().map(|number| Self(number.to_string())),
            Value::String(text) if !text.is_empty() => Some(Self(text.clone())),
            _ => None,
        }
    }

    /// As a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for CommentId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.parse::<u64>() {
            Ok(number) if number.to_string() == self.0 => serializer.serialize_u64(number),
            _ => serializer.serialize_str(&self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"id": 1, "user": {"login": "ada"}, "body": "hi", "created_at": "2026-01-01T00:00:00Z", "x": [5]}"#;

    fn count(text: &str) -> (usize, usize) {
        let comments = Comments::read(text.as_bytes()).unwrap();
        (comments.readable.len(), comments.unreadable)
    }

    #[test]
    fn pages_come_after_one_another_or_in_an_array() {
        assert_eq!(count("[]"), (0, 0));
        assert_eq!(count(&format!("[{ONE}, {ONE}]")), (2, 0));
        assert_eq!(count(&format!("[{ONE}][{ONE}]\n\n[]")), (2, 0));
        assert_eq!(count(&format!("\u{feff}[[{ONE}], [], [[{ONE}]]]")), (2, 0));
    }

    #[test]
    fn what_is_no_comment_is_counted_apart() {
        assert_eq!(count(&format!(r#"[5, null, {{}}, "x", {ONE}]"#)), (1, 4));
        for broken in [
            r#"{"user": {"login": "a"}, "body": "b"}"#,
            r#"{"id": 1.5, "user": {"login": "a"}, "body": "b"}"#,
            r#"{"id": "", "user": {"login": "a"}, "body": "b"}"#,
            r#"{"id": 1, "user": null, "body": "b"}"#,
            r#"{"id": 1, "user": {"login": 5}, "body": "b"}"#,
            r#"{"id": 1, "user": {"login": "a"}, "body": null}"#,
        ] {
            assert_eq!(count(&format!("[{broken}]")), (0, 1), "{broken}");
        }
    }

    #[test]
    fn what_is_no_array_is_refused() {
        for text in ["", " \n", "{}", "5", "null", "[", "[] x", &"[".repeat(100_000)] {
            assert!(Comments::read(text.as_bytes()).is_err(), "{text:.20}");
        }
        assert!(Comments::read(b"[\"\xff\"]").is_err());
    }

    #[test]
    fn a_change_is_told_from_none() {
        let edit = |times: &str| {
            let text = format!(r#"[{{"id": "x", "user": {{"login": "a"}}, "body": "", {times}}}]"#);
            Comments::read(text.as_bytes()).unwrap().readable.remove(0).edit
        };
        let later = Moment::parse("2026-01-01T00:00:09Z").unwrap();
        assert_eq!(edit(r#""created_at": "2026-01-01T00:00:00Z""#), Edit::Never);
        assert_eq!(
            edit(r#""created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z""#),
            Edit::Never
        );
        assert_eq!(
            edit(r#""created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:09Z""#),
            Edit::At(later)
        );
        assert_eq!(edit(r#""created_at": "2026-01-01T00:00:00Z", "updated_at": 5"#), Edit::Unreadable);
        assert_eq!(edit(r#""updated_at": "2026-01-01T00:00:09Z""#), Edit::At(later));
    }

    #[test]
    fn ids_keep_their_type() {
        let id = |value: Value| serde_json::to_value(CommentId::of(&value).unwrap()).unwrap();
        for value in [Value::from(7), Value::from(u64::MAX), Value::from("IC_x"), Value::from("007")] {
            assert_eq!(id(value.clone()), value);
        }
    }

    #[test]
    fn sixty_four_mebibytes_are_read_and_one_byte_more_is_not() {
        let mut bytes = vec![b' '; 64 << 20];
        bytes[..2].copy_from_slice(b"[]");
        assert!(Comments::read(&bytes).is_ok());
        bytes.push(b' ');
        assert!(matches!(Comments::read(&bytes), Err(CommentsError::TooLarge)));
    }

    #[test]
    fn what_is_no_list_is_told_as_what_it_is() {
        for (text, told) in [("{}", "an object"), ("5", "a single value"), (" ", "empty")] {
            assert!(
                matches!(Comments::read(text.as_bytes()), Err(CommentsError::NotAnArray(found)) if found == told)
            );
        }
    }
}
