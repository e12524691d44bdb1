//! Output and the format of numbers in it.

use std::io::Write;

use nnz::Error;
use nnz::storage::stdio::TerminalEscapes;
use serde::Serialize;

pub(crate) use crate::stdio::{failed, print_message};

/// Runs `write` on standard output, buffered, and flushes it.
pub(crate) fn with_stdout(
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Error>,
) -> Result<(), Error> {
    crate::stdio::with_stdout(TerminalEscapes::Text, write)
}

/// Prints an answer that the exit status states as well, so that a closed pipe is no error.
pub(crate) fn print_answer(
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Error>,
) -> Result<(), Error> {
    crate::stdio::print_answer(TerminalEscapes::Text, write)
}

/// A JSON document, with the keys of `docs/json.md`.
#[derive(Serialize)]
struct Document<'a, T> {
    schema: &'static str,
    #[serde(flatten)]
    value: &'a T,
}

/// Prints a value as JSON, with the name and version of its schema.
pub(crate) fn print_json(schema: &'static str, value: &impl Serialize) -> Result<(), Error> {
    crate::stdio::print_answer(TerminalEscapes::Json, |out| {
        serde_json::to_writer_pretty(&mut *out, &Document { schema, value })
            .map_err(|error| failed(error.into()))?;
        writeln!(out).map_err(failed)
    })
}

/// Formats a number of bytes with a unit.
pub(crate) fn bytes(count: u64) -> String {
    scaled(count.into(), ["B", "kB", "MB", "GB", "TB"])
}

/// Formats a large number with a suffix.
pub(crate) fn rounded(count: u128) -> String {
    scaled(count, ["", "k", "M", "G", "T"]).trim_end().to_owned()
}

fn scaled(count: u128, units: [&str; 5]) -> String {
    let mut unit = 0;
    let mut whole = count;
    let mut tenths = 0;
    while whole >= 1000 && unit + 1 < units.len() {
        tenths = whole % 1000 / 100;
        whole /= 1000;
        unit += 1;
    }
    if unit == 0 || whole >= 100 {
        format!("{whole} {}", units[unit])
    } else {
        format!("{whole}.{tenths} {}", units[unit])
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_are_readable() {
        assert_eq!(super::bytes(999), "999 B");
        assert_eq!(super::bytes(1_234), "1.2 kB");
        assert_eq!(super::bytes(123_456_789), "123 MB");
        assert_eq!(super::bytes(u64::MAX), "18446744 TB");
        assert_eq!(super::rounded(57), "57");
        assert_eq!(super::rounded(57_312_000), "57.3 M");
    }
}
