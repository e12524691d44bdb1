//! Checking that the last quote of a text is closed, and finding values `NA` in quotes, which are not missing.

use std::collections::VecDeque;
use std::io::{self, Read};

/// The position in a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Plain,
    Quoted,
    /// After a quote inside quotes: the end of the value, or the first of two.
    Closed,
}

/// Passes separated values through; an end inside quotes is an error.
pub(super) struct Quotes<R> {
    text: R,
    separator: u8,
    state: State,
    line: u64,
    /// The line in which the last quotes were opened.
    opened: u64,
    /// The number of bytes read, the number of the value in its line, and the bytes of its quotes so far.
    offset: u64,
    field: usize,
    matched: usize,
    /// The offset and number of each quoted `NA` that was not taken.
    quoted: VecDeque<(u64, usize)>,
}

/// A missing value of R in quotes, which is text.
const QUOTED: &[u8] = b"\"NA\"";

impl<R> Quotes<R> {
    pub(super) fn new(text: R, separator: u8) -> Self {
        let quoted = VecDeque::new();
        let (offset, field, matched) = (0, 0, 0);
        Self {
            text,
            separator,
            state: State::Start,
            line: 1,
            opened: 1,
            offset,
            field,
            matched,
            quoted,
        }
    }

    /// Takes the numbers of values `NA` in quotes that end before an offset.
    pub(super) fn take_quoted(&mut self, end: u64) -> impl Iterator<Item = usize> + '_ {
        let count = self.quoted.partition_point(|(offset, _)| *offset < end);
        self.quoted.drain(..count).map(|(_, field)| field)
    }

    fn step(&mut self, byte: u8) {
        self.line += u64::from(byte == b'\n');
        let ends = byte == self.separator || matches!(byte, b'\n' | b'\r');
        let is_outside = self.state != State::Quoted;
        if is_outside && ends && self.matched == QUOTED.len() {
            self.quoted.push_back((self.offset.saturating_sub(1), self.field));
        }
        let at_start = self.state == State::Start;
        let next = if at_start { 0 } else { self.matched };
        let matches = (at_start || next > 0) && QUOTED.get(next) == Some(&byte);
        self.matched = if matches { next + 1 } else { 0 };
        if is_outside && ends {
            self.field = if byte == self.separator { self.field + 1 } else { 0 };
        }
        self.offset = self.offset.saturating_add(1);
        self.state = match (self.state, byte) {
            (State::Start, b'"') => {
                self.opened = self.line;
                State::Quoted
            }
            (State::Quoted, b'"') => State::Closed,
            (State::Quoted, _) | (State::Closed, b'"') => State::Quoted,
            _ if ends => State::Start,
            _ => State::Plain,
        };
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(buffer)?;
        for &byte in buffer.get(..count).unwrap_or_default() {
            self.step(byte);
        }
        if count == 0 && !buffer.is_empty() && self.matched == QUOTED.len() {
            // The last value of a text without a line break at the end.
            self.quoted.push_back((self.offset.saturating_sub(1), self.field));
            self.matched = 0;
        }
        if count == 0 && !buffer.is_empty() && self.state == State::Quoted {
            let what = format!("quotes opened in line {} are not closed", self.opened);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(count)
    }
}
