//! Comment lines between the banner and the sizes.

use nnz_core::{COMMENT, Metadata};

use nnz_lines::Comments;

/// The comments of a file.
#[derive(Debug, Default)]
pub(super) struct Comment {
    /// The lines, without the last line end.
    text: String,
    /// Whether there were more than are kept.
    too_long: bool,
}

impl Comment {
    /// Keeps lines literally, including `%`. Text that is not UTF-8 is decoded as Latin-1.
    pub(super) fn of(comments: &Comments) -> Self {
        if comments.too_long {
            return Self { text: String::new(), too_long: true };
        }
        let text = match std::str::from_utf8(&comments.text) {
            Ok(text) => text.to_owned(),
            Err(_) => comments.text.iter().map(|&byte| char::from(byte)).collect(),
        };
        let lines = text.lines().filter(|line| !line.trim_matches([' ', '\t']).is_empty());
        let text = lines.collect::<Vec<_>>().join("\n");
        Self { text, too_long: false }
    }

    /// Returns the comments as metadata of the matrix.
    pub(super) fn metadata(&self) -> Metadata {
        let keys = match &*self.text {
            "" => Vec::new(),
            text => vec![(COMMENT.to_owned(), serde_json::Value::from(text).to_string())],
        };
        Metadata::default().keys(keys)
    }

    /// Notes that comments are dropped.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = "comments of more than 1 MiB are not kept".to_owned();
        if self.too_long { vec![note] } else { Vec::new() }
    }
}

/// Returns the comment in the metadata of a matrix, if it is a non-empty string.
#[must_use]
pub fn comment(metadata: &Metadata) -> Option<String> {
    let (_, json) = metadata.keys.iter().find(|(key, _)| key == COMMENT)?;
    serde_json::from_str(json).ok().filter(|text: &String| !text.is_empty())
}

/// Returns comment lines, each with a line end. Lines that start with `%` are kept as they are.
pub(super) fn lines(comment: &str) -> String {
    let lines = comment.split(['\n', '\r']).map(|line| match line.trim_start() {
        signed if signed.starts_with('%') => format!("{signed}\n"),
        "" => "%\n".to_owned(),
        _ => format!("% {line}\n"),
    });
    lines.collect()
}
