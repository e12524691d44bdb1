//! Checking that the last quote of a text is closed.

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
}

impl<R> Quotes<R> {
    pub(super) fn new(text: R, separator: u8) -> Self {
        Self { text, separator, state: State::Start, line: 1, opened: 1 }
    }

    fn step(&mut self, byte: u8) {
        self.line += u64::from(byte == b'\n');
        let ends = byte == self.separator || matches!(byte, b'\n' | b'\r');
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
        if count == 0 && !buffer.is_empty() && self.state == State::Quoted {
            let what = format!("quotes opened in line {} are not closed", self.opened);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(count)
    }
}
