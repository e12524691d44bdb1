//! Standard output, where a closed pipe is not an error but a full disk is, and messages.

use std::cell::RefCell;
use std::io::{self, Write};

use nnz::{Error, ErrorKind, Place};
use nnz_storage::stdio::TerminalEscapes;

/// What is printed on a thread whose output is captured.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    pub(crate) output: Vec<u8>,
    pub(crate) messages: Vec<String>,
}

thread_local! {
    static CAPTURED: RefCell<Option<Printed>> = const { RefCell::new(None) };
}

/// Runs `work`, and returns what this thread prints meanwhile, instead of printing it.
pub(crate) fn captured<T>(work: impl FnOnce() -> T) -> (T, Printed) {
    CAPTURED.set(Some(Printed::default()));
    let done = work();
    (done, CAPTURED.take().unwrap_or_default())
}

/// Runs `keep` if the output of this thread is captured, and returns whether it is.
fn capture(keep: impl FnOnce(&mut Printed)) -> bool {
    CAPTURED.with_borrow_mut(|captured| captured.as_mut().map(keep).is_some())
}

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
    if capture(|_| ()) {
        let mut output = Vec::new();
        write(&mut output)?;
        capture(|captured| captured.output.append(&mut output));
        return Ok(());
    }
    let mut out = io::BufWriter::with_capacity(64 << 10, nnz_storage::stdio::stdout(escapes));
    write(&mut out)?;
    out.flush().map_err(failed)
}

/// Prints a line to standard error, with control characters escaped. Errors of writing are ignored.
pub fn print_message(line: &str) {
    if !capture(|captured| captured.messages.push(line.to_owned())) {
        let _ = writeln!(io::stderr(), "{}", nnz::text::escaped(line));
    }
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
