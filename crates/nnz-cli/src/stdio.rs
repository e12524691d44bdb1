//! Standard output, where a closed pipe is not an error but a full disk is, and messages.

use std::io::{self, Write};

use nnz::{Error, ErrorKind, Place};
use nnz_storage::stdio::TerminalEscapes;

/// Runs `write` on standard output, buffered, and flushes it. Control characters are escaped on a
/// terminal.
///
/// # Errors
///
/// Fails if `write` does, and if standard output cannot take everything.
pub fn with_stdout(
    escapes: TerminalEscapes,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut out = io::BufWriter::with_capacity(64 << 10, nnz_storage::stdio::stdout(escapes));
    write(&mut out)?;
    out.flush().map_err(failed)
}

/// Prints a line to standard error, with control characters escaped. Errors of writing are ignored.
pub fn print_message(line: &str) {
    let _ = writeln!(io::stderr(), "{}", nnz::text::escaped(line));
}

/// Prints an error, which may have several lines, and a hint to standard error.
pub fn print_error(program: &str, error: &Error, hint: &str) {
    let _ = writeln!(io::stderr(), "{program}: {}{hint}", crate::hints::with_option(error));
}

/// Makes an error of an I/O error on standard output.
pub fn failed(error: io::Error) -> Error {
    Error::new(ErrorKind::Io(error), Place::path("standard output"))
}

/// Prints an answer that the exit status states as well, so that a closed pipe is no error.
///
/// # Errors
///
/// Fails if `write` does, and if standard output cannot take everything.
pub fn print_answer(
    escapes: TerminalEscapes,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Error>,
) -> Result<(), Error> {
    match with_stdout(escapes, write) {
        Err(error) if is_closed_pipe(&error) => Ok(()),
        printed => printed,
    }
}

/// Returns whether the reader of standard output closed it.
pub fn is_closed_pipe(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(io) if io.kind() == io::ErrorKind::BrokenPipe)
}
