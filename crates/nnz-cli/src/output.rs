//! Output and the format of numbers in it.

use std::io::Write;

use nnz::Error;
use nnz::storage::stdio::TerminalEscapes;
use serde::Serialize;

pub(crate) use crate::stdio::{failed, print_message};
pub(crate) use nnz::text::{format_count as rounded, format_size as bytes};

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
