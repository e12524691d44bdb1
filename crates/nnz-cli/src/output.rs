//! Output and the format of numbers in it.

use std::io::{self, Write};

use nnz::{Error, Place};
use nnz_storage::stdio::TerminalEscapes;
use serde::Serialize;

pub(crate) use crate::stdio::{failed, print_message};
pub(crate) use nnz::text::{format_count as rounded, format_size as bytes};

/// Prints notes, with the arguments for the options that they name.
pub(crate) fn print_notes<T: AsRef<str>>(notes: impl IntoIterator<Item = T>) {
    for note in notes {
        print_message(&format!("note: {}", crate::hints::with_arguments(note.as_ref())));
    }
}

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

/// A writer that records whether it failed: an error is then one of the target, otherwise of the source.
pub(crate) struct Recording<W> {
    out: W,
    failed: bool,
}

impl<W: Write> Recording<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, failed: false }
    }

    pub(crate) fn into_inner(self) -> W {
        self.out
    }

    /// Names the source or the target of an error.
    pub(crate) fn locate(&self, error: Error, source: &Place, target: &Place) -> Error {
        error.with_context(if self.failed { target } else { source })
    }

    fn record<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.failed |= done.is_err();
        done
    }
}

impl<W: Write> Write for Recording<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.write(bytes);
        self.record(done)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let done = self.out.write_all(bytes);
        self.record(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.record(done)
    }
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
