//! Columns of a table of names.

use nnz_core::{At, Axis, Error, Place, Result, StringReader};

use nnz_lines::Input;
use nnz_lines::Lines;
use nnz_lines::digits::digits;
use nnz_storage::InputFile;

/// The first line of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FirstLine {
    /// The number of columns; 0 for an empty file.
    pub(super) columns: usize,
    /// A note, if its name is unusual.
    pub(super) oddity: Option<&'static str>,
}

impl FirstLine {
    /// Reads it.
    pub(super) fn of(file: &InputFile) -> Result<Self> {
        let mut lines = Lines::new(Input::start_of(file)?.reader, file.path());
        let Some(line) = lines.next_line()? else { return Ok(Self::default()) };
        let text = without_newline(line.text);
        let oddity = match text.first() {
            None | Some(b'\t') => Some("the first name is empty"),
            Some(b'"') => Some("names are in quotes, which are part of them"),
            Some(_) => None,
        };
        Ok(Self { columns: memchr::memchr_iter(b'\t', text).count() + 1, oddity })
    }
}

/// The columns to read from a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// The first, which has the names.
    First,
    /// One column, counted from 0; empty in lines that have fewer.
    Number(usize),
    /// The first three, as `chr:start-end`.
    Interval,
}

/// Reads columns of a table, whose number of lines must be the length of the axis.
pub(super) struct ColumnReader<'a> {
    columns: Columns,
    lines: Lines,
    file: &'a InputFile,
    given: u64,
    expected: u64,
    axis: Axis,
    text: Vec<u8>,
}

impl<'a> ColumnReader<'a> {
    pub(super) fn open(
        file: &'a InputFile,
        columns: Columns,
        expected: u64,
        axis: Axis,
    ) -> Result<Self> {
        let lines = Lines::new(Input::from_file(file)?.reader, file.path());
        Ok(Self { columns, lines, file, given: 0, expected, axis, text: Vec::new() })
    }
}

impl StringReader for ColumnReader<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let wrong = |found: u64| {
            let place = self.file.place();
            let expected = format_args!("{}, the number of {}", self.expected, self.axis);
            let names = if found == 1 { "name" } else { "names" };
            Error::mismatch(place, format_args!("{found} {names}"), expected)
        };
        if self.given == self.expected {
            // Additional names are only counted. Blank lines at the end are not names.
            let mut found = self.given;
            while let Some(line) = self.lines.next_line()? {
                if !without_newline(line.text).is_empty() {
                    found = line.line;
                }
            }
            return if found == self.expected { Ok(None) } else { Err(wrong(found)) };
        }
        match self.lines.next_line()? {
            Some(line) => {
                self.given += 1;
                let text = without_newline(line.text);
                let end = memchr::memchr(b'\t', text).unwrap_or(text.len());
                Ok(Some(match self.columns {
                    Columns::First => &text[..end],
                    Columns::Number(number) => {
                        text.split(|&byte| byte == b'\t').nth(number).unwrap_or_default()
                    }
                    Columns::Interval => {
                        check_interval(self.file, text, line.line)?;
                        self.text.clear();
                        let fields = text.split(|&byte| byte == b'\t').take(3);
                        for (field, before) in fields.zip([&b""[..], b":", b"-"]) {
                            self.text.extend_from_slice(before);
                            self.text.extend_from_slice(field);
                        }
                        &self.text
                    }
                }))
            }
            None => Err(wrong(self.given)),
        }
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.expected - self.given)
    }
}

/// Refuses an interval that ends before its start.
fn check_interval(file: &InputFile, text: &[u8], line: u64) -> Result<()> {
    let mut fields = text.split(|&byte| byte == b'\t').skip(1);
    let mut number = || {
        let field = fields.next()?;
        let (number, end) = digits(field, 0)?;
        (end == field.len()).then_some(number)
    };
    match (number(), number()) {
        (Some(start), Some(end)) if end < start => {
            let place = Place::path(file.path()).at(At::Line { line, column: 1 });
            let found = format!("a region from {start} to {end}");
            Err(Error::mismatch(place, found, "an end after the start"))
        }
        _ => Ok(()),
    }
}

fn without_newline(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
