//! Names of rows or columns in a text.

use std::io::Read;

use nnz_core::{Axis, Error, ErrorKind, Place, Result, StringList};

use super::parse::Lines;

/// The names of rows or columns, in their order, from a text of one line for each, perhaps after a header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NameList {
    /// The first value of each line.
    lines: StringList,
    /// The greatest number of values of a line.
    columns: usize,
    place: Place,
}

impl NameList {
    /// Reads the first value of each line, which ends at a separator, a comma or a tab. Values with the separator are in double
    /// quotes. The text may take `memory` bytes.
    ///
    /// ```
    /// use nnz_core::{Axis, Place};
    /// use nnz_engine::NameList;
    ///
    /// let list = NameList::from_text(&b"gene_id,gene_name\nENSG1,A\nENSG2,B\n"[..], b',', 1 << 20)?;
    /// let names = list.names(Axis::Rows, 2)?;
    /// assert_eq!(names.iter().collect::<Vec<_>>(), [b"ENSG1", b"ENSG2"]);
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if quotes are not closed, if names are not UTF-8, if the text takes more memory, or if reading fails. The error has
    /// the line.
    pub fn from_text(text: impl Read, separator: u8, memory: u64) -> Result<Self> {
        let mut read = Lines::new(text, separator);
        let mut lines = StringList::new();
        let (mut left, mut columns) = (memory, 0);
        while read.next()? {
            columns = columns.max(read.len());
            let mut name = read.first();
            if lines.is_empty() {
                name = name.strip_prefix("\u{feff}".as_bytes()).unwrap_or(name);
            }
            if let Err(error) = std::str::from_utf8(name) {
                let found = format!("the name {:?}", String::from_utf8_lossy(name));
                return Err(Error::mismatch(read.place(), found, "UTF-8").with_source(error));
            }
            left = left.checked_sub(name.len() as u64 + 16).ok_or_else(|| {
                let kind = ErrorKind::Memory { needed: memory.saturating_add(1), allowed: memory };
                Error::new(kind, read.place())
            })?;
            lines.try_push(name)?;
        }
        Ok(Self { lines, columns, place: Place::default() })
    }

    /// Returns a note for the user if lines have other values, which are not used.
    pub(super) fn note(&self) -> Option<String> {
        (self.columns > 1).then(|| {
            let last = self.lines.iter().last().map(String::from_utf8_lossy).unwrap_or_default();
            let what =
                format!("the first of {} columns has the names, such as {last:?}", self.columns);
            format!("{}: {what}; the others are not used", self.place)
        })
    }

    /// Sets the place of the text in messages.
    #[must_use]
    pub fn with_place(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// Returns the names of an axis of a length: of all lines, or of those after a header.
    ///
    /// # Errors
    ///
    /// Fails if there are more or fewer.
    pub fn names(&self, axis: Axis, len: u64) -> Result<StringList> {
        let lines = self.lines.len();
        let header = match lines.checked_sub(len) {
            Some(0) => 0,
            Some(1) => 1,
            _ => {
                let what = format!("{lines} lines for {len} {axis}");
                return Err(Error::new(ErrorKind::Argument(what), self.place.clone()));
            }
        };
        let mut names = StringList::new();
        self.lines.iter().skip(header).try_for_each(|name| names.try_push(name))?;
        Ok(names)
    }
}
