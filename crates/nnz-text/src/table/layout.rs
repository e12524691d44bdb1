//! The layout of rows, from the start of a text and the options.

use nnz_core::StringList;

use super::number::Words;
use super::options::{Decimal, Separator};

/// How the rows of a table are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) separator: Separator,
    pub(super) decimal: Decimal,
    pub(super) na: Option<String>,
    /// The number of columns of names.
    pub(super) ids: usize,
    /// The number of columns of numbers.
    pub(super) cols: u64,
    /// The labels of the columns of names; empty if they have none.
    pub(super) id_labels: Vec<String>,
    pub(super) col_names: Option<StringList>,
    /// Label and values of each annotation of columns.
    pub(super) col_annotations: Vec<(String, StringList)>,
    /// The bytes before the header, and from there to the first row.
    pub(super) preamble: [usize; 2],
    /// The number of rows, if it is stated.
    pub(super) stated_rows: Option<u64>,
    /// The version, if it is GCT.
    pub(super) gct: Option<&'static str>,
}

impl Layout {
    pub(super) fn words(&self) -> Words<'_> {
        Words { na: self.na.as_deref().map(str::as_bytes), decimal: self.decimal }
    }

    /// Describes the separator and the names.
    pub(super) fn describe(&self) -> String {
        let mut text = match self.gct {
            Some(version) => format!("GCT {version}"),
            None => format!("{}-separated", self.separator),
        };
        if self.decimal == Decimal::Comma {
            text.push_str(", decimal comma");
        }
        if self.col_names.is_none() {
            text.push_str(", no header");
        }
        match self.ids {
            0 => text.push_str(", no names of rows"),
            1 => {}
            ids => text.push_str(&format!(", {ids} columns of names")),
        }
        text
    }
}
