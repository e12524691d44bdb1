//! Detecting the separator and the names of a table from its first records.

use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringList};

use super::fault::{Expected, Fault, position};
use super::field::{Field, line_end, record};
use super::layout::Layout;
use super::number::{Words, classify};
use super::options::{Decimal, ReadOptions, Separator};

/// The records that are considered.
const SAMPLE: usize = 64;

/// Returns whether a file starts like GCT.
#[must_use]
pub fn looks_like_gct(start: &[u8]) -> bool {
    let version = start.strip_prefix(b"#1.2").or_else(|| start.strip_prefix(b"#1.3"));
    version.is_some_and(|rest| matches!(rest.first(), Some(b'\n' | b'\r' | b'\t')))
}

/// Returns the bytes of the comment lines before the header.
///
/// The last line that starts with `#` is the header if it has as many fields as the next line.
pub(super) fn comment_bytes(text: &[u8]) -> usize {
    let (mut at, mut last) = (0, 0);
    while text.get(at) == Some(&b'#') {
        let rest = text.get(at..).unwrap_or_default();
        let Some(len) = memchr::memchr(b'\n', rest) else { break };
        last = at;
        at += len + 1;
    }
    let count = |at, separator| record(text, at, separator).map_or(0, |(fields, _)| fields.len());
    let is_header = |separator| {
        let fields = count(last, separator);
        fields > 1 && count(at, separator) == fields
    };
    let separators = [Separator::Byte(b'\t'), Separator::Byte(b';'), Separator::Byte(b',')];
    if at > 0 && separators.into_iter().any(is_header) { last } else { at }
}

/// The first whole records of a text, whose first line has a number.
pub(super) struct Start<'a> {
    pub(super) text: &'a [u8],
    pub(super) line: u64,
    pub(super) path: &'a Path,
}

impl Start<'_> {
    pub(super) fn error(&self, fault: &Fault) -> Error {
        fault.report(self.path, self.text, self.line)
    }

    fn place(&self, at: usize) -> Place {
        Place::path(self.path).at(position(self.text, self.line, at))
    }

    /// Returns up to `most` records.
    fn records(&self, separator: Separator, most: usize) -> Result<Vec<Vec<Field>>, Fault> {
        let (mut records, mut at) = (Vec::new(), 0);
        while at < self.text.len() && records.len() < most {
            if !records.is_empty()
                && let Some(next) = line_end(self.text, at)
            {
                at = next;
                continue;
            }
            let (fields, next) = record(self.text, at, separator)?;
            records.push(fields);
            at = next;
        }
        Ok(records)
    }

    /// Detects how the rows are written. The header is the first record.
    pub(super) fn detect(&self, options: &ReadOptions) -> Result<Layout> {
        if line_end(self.text, 0).is_some() {
            return Err(self.error(&Fault::new(0, Expected::Row)));
        }
        let separator = match options.separator {
            Some(separator) => separator,
            None => self.separator(options),
        };
        if separator == Separator::Byte(b',') && options.decimal == Decimal::Comma {
            let what = "a comma cannot be both the separator and the decimal character";
            return Err(Error::new(ErrorKind::Argument(what.to_owned()), Place::path(self.path)));
        }
        let records = self.records(separator, SAMPLE).map_err(|fault| self.error(&fault))?;
        let Some((first, rows)) = records.split_first() else {
            return Err(self.error(&Fault::new(0, Expected::Row)));
        };
        let header = self.has_header(first, rows, options)?;
        let rows = if header { rows } else { &records };
        let ids = self.ids(header.then_some(first), rows, options)?;
        // A row of another length is refused where it ends.
        let fields = match rows.first() {
            Some(row) if !header || row.len() == first.len() + 1 => row.len(),
            _ => first.len(),
        };
        let cols = fields.checked_sub(ids).filter(|cols| *cols > 0).ok_or_else(|| {
            let what = format!("no columns of numbers in {}", counted(fields));
            Error::unsupported(self.place(0), what)
        })?;
        let labelled = first.len() == fields;
        if header && !labelled && first.len() != cols {
            let end = rows.first().and_then(|row| row.first()).map_or(0, |field| field.at);
            let expected = first.len() as u64;
            let fault = Expected::Fields { found: fields as u64, expected };
            return Err(self.error(&Fault::new(end, fault)));
        }
        let names = first.get(if labelled { ids } else { 0 }..).unwrap_or_default();
        let labels = first.get(..if labelled && header { ids } else { 0 }).unwrap_or_default();
        let text = |field: &Field| String::from_utf8_lossy(&field.text).into_owned();
        let after = record(self.text, 0, separator).map_or(0, |(_, next)| next);
        Ok(Layout {
            separator,
            decimal: options.decimal,
            na: options.na.clone(),
            ids,
            cols: cols as u64,
            id_labels: labels.iter().map(text).collect(),
            col_names: header.then(|| names.iter().map(|field| &*field.text).collect()),
            col_annotations: Vec::new(),
            preamble: [0, if header { after } else { 0 }],
            stated_rows: None,
            gct: None,
        })
    }

    /// Detects the separator.
    fn separator(&self, options: &ReadOptions) -> Separator {
        let header_of = |separator| self.records(separator, 1).unwrap_or_default();
        let tab = Separator::Byte(b'\t');
        if header_of(tab).first().is_some_and(|header| header.len() > 1) {
            return tab;
        }
        let others = [Separator::Byte(b';'), Separator::Byte(b','), tab, Separator::Blanks];
        let agreeing = others.into_iter().find(|separator| self.agrees(*separator, options));
        let divides = |separator: &Separator| {
            header_of(*separator).first().is_some_and(|header| header.len() > 1)
        };
        let likely = [Separator::Byte(b','), Separator::Byte(b';'), Separator::Blanks];
        let found = agreeing.or_else(|| likely.into_iter().find(divides));
        found.unwrap_or(Separator::Byte(b','))
    }

    /// Returns whether all records have as many fields, the header perhaps one less, and end with a
    /// number.
    fn agrees(&self, separator: Separator, options: &ReadOptions) -> bool {
        let Ok(records) = self.records(separator, SAMPLE) else { return false };
        let Some((header, rows)) = records.split_first() else { return false };
        let Some(first) = rows.first() else { return header.len() > 1 };
        let fields = first.len();
        let is_number = |row: &Vec<Field>| {
            row.last().is_some_and(|field| !matches!(kind(&field.text, options), FieldKind::Text))
        };
        fields > 1
            && (header.len() == fields || header.len() + 1 == fields)
            && rows.iter().all(|row| row.len() == fields && is_number(row))
    }

    /// Returns whether the first record has the names of columns.
    fn has_header(
        &self,
        first: &[Field],
        rows: &[Vec<Field>],
        options: &ReadOptions,
    ) -> Result<bool> {
        if let Some(header) = options.header {
            return Ok(header);
        }
        let shorter = rows.first().is_some_and(|row| row.len() == first.len() + 1);
        // An empty corner is no name of a row.
        let no_corner = first.first().is_some_and(|corner| corner.text.is_empty());
        if shorter || no_corner {
            return Ok(true);
        }
        let is_number = |field: &Field| matches!(kind(&field.text, options), FieldKind::Number);
        let is_text = |field: &Field| matches!(kind(&field.text, options), FieldKind::Text);
        // A row may have names before its numbers, of which some may be missing.
        let ids = options.id_columns.unwrap_or(1);
        let cells = first.get(ids..).unwrap_or_default();
        let what = match first.iter().all(is_number) {
            true => "the first line has only numbers, which can be column names or a row",
            false if cells.iter().any(is_number) && !cells.iter().any(is_text) => {
                "the first line has only numbers after the name, which can be column names or a row"
            }
            false => return Ok(true),
        };
        let error = Error::unsupported(self.place(0), what);
        Err(error.with_hint("header", "yes or no states whether they are names"))
    }

    /// Returns the number of columns of names.
    fn ids(
        &self,
        header: Option<&Vec<Field>>,
        rows: &[Vec<Field>],
        options: &ReadOptions,
    ) -> Result<usize> {
        if let Some(ids) = options.id_columns {
            return Ok(ids);
        }
        let is_text = |row: &Vec<Field>, column: usize| {
            row.get(column)
                .is_some_and(|field| matches!(kind(&field.text, options), FieldKind::Text))
        };
        let first = rows.first();
        let shorter =
            header.is_some_and(|header| first.is_some_and(|row| row.len() == header.len() + 1));
        let no_corner = header
            .is_some_and(|header| header.first().is_some_and(|corner| corner.text.is_empty()));
        let named = shorter || no_corner || rows.iter().any(|row| is_text(row, 0));
        if !named {
            if header.is_none() {
                return Ok(0);
            }
            let what = match first {
                Some(_) => "the first column has only numbers, which can be row names or values",
                None => "the table has no rows, so the first column may have names or values",
            };
            let at = first.or(header).and_then(|row| row.first()).map_or(0, |field| field.at);
            let error = Error::unsupported(self.place(at), what);
            return Err(error.with_hint("id_columns", "1 or 0 states whether they are names"));
        }
        if let Some(second) = first.and_then(|row| row.get(1))
            && rows.iter().all(|row| is_text(row, 1))
            && rows.iter().any(|row| row.len() > 2)
        {
            let error = self.error(&Fault::new(second.at, Expected::Number));
            return Err(error.with_hint("id_columns", "states how many columns have names"));
        }
        Ok(1)
    }
}

fn counted(fields: usize) -> String {
    format!("{fields} field{}", if fields == 1 { "" } else { "s" })
}

/// The kind of a field.
enum FieldKind {
    Number,
    /// A missing value, or a number of another form.
    Maybe,
    Text,
}

fn kind(text: &[u8], options: &ReadOptions) -> FieldKind {
    let words = Words { na: options.na.as_deref().map(str::as_bytes), decimal: options.decimal };
    match classify(text, words) {
        Ok(_) => FieldKind::Number,
        Err(Expected::Number) if !matches!(text.trim_ascii(), b"" | b"NA" | b"na") => {
            FieldKind::Text
        }
        Err(_) => FieldKind::Maybe,
    }
}

/// Returns the names of a list of fields.
pub(super) fn names(fields: &[Field]) -> StringList {
    fields.iter().map(|field| &*field.text).collect()
}
