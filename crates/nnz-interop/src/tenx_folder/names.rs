//! The first column of a table of names.

use std::path::Path;

use nnz_core::{Axis, Error, Place, Result, StringList};

use crate::input::Input;
use crate::lines::Lines;

/// Returns the number of columns of the first line; 0 for an empty file.
pub(super) fn columns(path: &Path) -> Result<usize> {
    let mut lines = Lines::new(Input::open(path)?.reader, path);
    let line = lines.next_line()?;
    Ok(line.map_or(0, |line| memchr::memchr_iter(b'\t', without_newline(line.text)).count() + 1))
}

/// Reads the names, of which there have to be as many as the axis is long.
pub(super) fn first_column(path: &Path, expected: u64, axis: Axis) -> Result<StringList> {
    let mut lines = Lines::new(Input::open(path)?.reader, path);
    let mut names = StringList::new();
    while let Some(line) = lines.next_line()? {
        // Names past the end are not kept, only counted.
        if line.line <= expected {
            let text = without_newline(line.text);
            let end = memchr::memchr(b'\t', text).unwrap_or(text.len());
            names.push(&text[..end]);
        }
    }
    // Lines are counted from 1, and the next one is not there.
    let found = lines.line() - 1;
    if found == expected {
        return Ok(names);
    }
    Err(Error::mismatch(
        Place::path(path),
        format_args!("{found} names"),
        format_args!("{expected}, as many as the matrix has {axis}"),
    ))
}

fn without_newline(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
