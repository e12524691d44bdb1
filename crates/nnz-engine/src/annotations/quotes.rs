//! Whether the last quote of a text is closed.

use std::io::{self, Read};

/// Where in a value a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Plain,
    Quoted,
    /// Behind a quote inside quotes: the end of the value, or the first of two.
    Closed,
}

/// Separated values as they are, up to an end inside quotes, which is an error.
pub(super) struct Quotes<R> {
    text: R,
    separator: u8,
    state: State,
    line: u64,
    /// The line that the last quotes were opened in.
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
            let what = format!("the quotes that begin in line {} are not closed", self.opened);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(count)
    }
}
