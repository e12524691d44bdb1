//! Standard output, where a closed pipe is no failure and a full disk is one; messages.

use std::io::{self, Write};

use nnz::storage::stdio::TerminalEscapes;
use nnz::{Error, ErrorKind, Place};

/// Runs `write` on standard output, buffered, and makes sure that all of it has arrived. On a
/// terminal, control characters are escaped.
pub fn with_stdout(
    escapes: TerminalEscapes,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut out = io::BufWriter::with_capacity(64 << 10, nnz::storage::stdio::stdout(escapes));
    write(&mut out)?;
    out.flush().map_err(failed)
}

/// Prints a line to standard error, without control characters. That nobody can read it is no reason
/// to fail.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{}", nnz::text::escaped(line));
}

/// Prints an error to standard error, which may have several lines, and what to do about it.
pub fn tell_error(program: &str, error: &Error, hint: &str) {
    let (place, kind) = (error.place(), error.kind());
    let place = if place.is_unknown() { String::new() } else { format!("{place}: ") };
    let _ = writeln!(io::stderr(), "{program}: {place}{kind}{hint}");
}

/// Makes an error of what the system said of standard output.
pub fn failed(error: io::Error) -> Error {
    Error::new(ErrorKind::Io(error), Place::path("standard output"))
}

/// Prints an answer that the exit status gives as well: a closed pipe does not change it.
pub fn print_answer(
    escapes: TerminalEscapes,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Error>,
) -> Result<(), Error> {
    match with_stdout(escapes, write) {
        Err(error) if is_closed_pipe(&error) => Ok(()),
        printed => printed,
    }
}

/// Whether whoever reads standard output has closed it.
pub fn is_closed_pipe(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(io) if io.kind() == io::ErrorKind::BrokenPipe)
}
