//! Checking that a text follows the grammar of RFC 4180 strictly.

use std::fmt;
use std::io::{self, Read};

use nnz_core::BYTE_ORDER_MARK;

/// The largest record, so that a quote that is never closed does not fill the memory.
const LONGEST: u64 = 256 << 20;

/// A reader that passes on bytes up to the first violation of the grammar.
pub(super) struct Strict<R> {
    inner: R,
    state: State,
    /// Bytes since the end of the last record.
    record: u64,
    /// The line and column of the next byte, from 1.
    line: u64,
    column: u64,
    /// The position of the last opening quote.
    opened: (u64, u64),
    /// The rest of an expected byte order mark.
    mark: &'static [u8],
    /// A blank line, after which only blank lines may follow.
    blank: Option<u64>,
}

/// The position of the next byte in a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the beginning of a record.
    Record,
    /// At the beginning of a later field.
    Field,
    Plain,
    Quoted,
    /// After a quote, which closes the field unless another quote follows.
    Closed,
    /// After a carriage return.
    Return,
}

/// A violation of the grammar, and its position.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) found: &'static str,
    pub(super) expected: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, found, expected } = self;
        write!(f, "line {line}, column {column}: {found} instead of {expected}")
    }
}

impl std::error::Error for Fault {}

impl<R> Strict<R> {
    pub(super) fn new(inner: R) -> Self {
        let state = State::Record;
        let opened = (0, 0);
        let mark = BYTE_ORDER_MARK;
        Self { inner, state, record: 0, line: 1, column: 1, opened, mark, blank: None }
    }

    fn fault(&self, found: &'static str, expected: &'static str) -> Fault {
        Fault { line: self.line, column: self.column, found, expected }
    }

    fn watch(&mut self, byte: u8) -> Result<(), Fault> {
        if self.mark.first() == Some(&byte) {
            self.mark = &self.mark[1..];
            return Ok(());
        }
        self.mark = &[];
        if self.state == State::Return {
            // A lone carriage return ends a record, too.
            self.state = State::Record;
            self.line += 1;
            self.column = 1;
            if byte == b'\n' {
                return Ok(());
            }
        }
        let ends = matches!(byte, b'\r' | b'\n') && self.state != State::Quoted;
        if ends && self.state == State::Record {
            self.blank.get_or_insert(self.line);
        }
        if let Some(line) = self.blank.filter(|_| !ends) {
            return Err(Fault { line, column: 1, found: "a blank line", expected: "values" });
        }
        self.state = match (self.state, byte) {
            (State::Quoted, b'"') => State::Closed,
            (State::Quoted, _) => State::Quoted,
            (_, b'\n') => State::Record,
            (_, b'\r') => State::Return,
            (State::Closed, b'"') => State::Quoted,
            (_, b',') => State::Field,
            (State::Closed, _) => {
                return Err(
                    self.fault("text after a closing quote", "a comma or the end of the line")
                );
            }
            (State::Plain, b'"') => {
                return Err(
                    self.fault("a quote inside of a field", "quotes around the whole field")
                );
            }
            (_, b'"') => {
                self.opened = (self.line, self.column);
                State::Quoted
            }
            _ => State::Plain,
        };
        self.record = if ends { 0 } else { self.record + 1 };
        if self.record > LONGEST {
            return Err(self.fault("a record of more than 256 MiB", "a shorter one"));
        }
        self.column += 1;
        if byte == b'\n' {
            self.line += 1;
            self.column = 1;
        }
        Ok(())
    }
}

impl<R: Read> Read for Strict<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        if read == 0 && !bytes.is_empty() && self.state == State::Quoted {
            let (line, column) = self.opened;
            let (found, expected) = ("a quote that is never closed", "a closing quote");
            return Err(io::Error::other(Fault { line, column, found, expected }));
        }
        for &byte in bytes.get(..read).unwrap_or_default() {
            self.watch(byte).map_err(io::Error::other)?;
        }
        Ok(read)
    }
}
