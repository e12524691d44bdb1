//! Numbers and bytes of the stream in all encodings.

use std::io::{self, BufRead, Read};

use crate::budget;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{SkipRead as _, Stream};

/// The encoding of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Big-endian (XDR), the default.
    Xdr,
    /// Little-endian, native on most machines.
    LittleEndian,
    /// Text.
    Ascii,
}

/// The number of bytes that are read at once, so that memory is proportional to the data.
pub(super) const BLOCK: usize = 64 << 10;

/// The stream, and the current position.
pub(super) struct Source<'a> {
    stream: Stream<'a>,
    offset: u64,
    pub(super) form: Form,
}

impl<'a> Source<'a> {
    pub(super) fn new(stream: Stream<'a>) -> Self {
        Self { stream, offset: 0, form: Form::Xdr }
    }

    /// Returns the number of bytes read so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn error(&self, error: io::Error) -> Error {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return self.ended("more R data; the file is truncated");
        }
        Error::new(ErrorKind::Io(error), self.offset)
    }

    pub(super) fn ended(&self, expected: impl std::fmt::Display) -> Error {
        Error::mismatch(self.offset, "the end of the data", expected)
    }

    pub(super) fn read_exact(&mut self, out: &mut [u8]) -> Result<()> {
        self.stream.read_exact(out).map_err(|error| self.error(error))?;
        self.offset += out.len() as u64;
        Ok(())
    }

    /// Returns the next byte without consuming it; `None` at the end.
    pub(super) fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            match self.stream.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(error)),
            }
        }
    }

    /// Consumes the byte returned by [`peek`](Self::peek).
    pub(super) fn skip(&mut self) {
        self.stream.consume(1);
        self.offset += 1;
    }

    /// Reads an integer.
    pub(super) fn int(&mut self) -> Result<i32> {
        let mut bytes = [0; 4];
        match self.form {
            Form::Xdr => {
                self.read_exact(&mut bytes)?;
                Ok(i32::from_be_bytes(bytes))
            }
            Form::LittleEndian => {
                self.read_exact(&mut bytes)?;
                Ok(i32::from_le_bytes(bytes))
            }
            Form::Ascii => self.ascii_int(),
        }
    }

    /// Reads the length of a vector, which may have more than 32 bits.
    pub(super) fn length(&mut self) -> Result<u64> {
        let at = self.offset;
        let length = self.int()?;
        if let Ok(length) = u64::try_from(length) {
            return Ok(length);
        }
        if length != -1 {
            return Err(Error::mismatch(at, format!("a vector of length {length}"), "0 or more"));
        }
        let high = self.int()?;
        let low = self.int()?;
        // R's own limit: vectors of up to 2^52 elements.
        match u64::try_from(high) {
            Ok(high) if high <= 65_536 => Ok((high << 32) | u64::from(low.cast_unsigned())),
            _ => {
                let found = format!("a long vector whose length has the upper half {high}");
                Err(Error::mismatch(at, found, "0 to 65536"))
            }
        }
    }

    /// Reads the bytes of a string.
    pub(super) fn text(&mut self, length: u32, into: &mut Vec<u8>) -> Result<()> {
        if self.form == Form::Ascii {
            return self.ascii_text(length, into);
        }
        self.bytes(u64::from(length), into)
    }

    /// Appends `length` bytes.
    pub(super) fn bytes(&mut self, length: u64, into: &mut Vec<u8>) -> Result<()> {
        let mut left = length;
        while left > 0 {
            let now = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
            budget::grow(into, now, length, self.offset)?;
            let start = into.len();
            into.resize(start + now, 0);
            let read = self.stream.read_exact(&mut into[start..]);
            if let Err(error) = read {
                return Err(match error.kind() {
                    io::ErrorKind::UnexpectedEof => self.ended(format!("{left} more bytes")),
                    _ => self.error(error),
                });
            }
            self.offset += now as u64;
            left -= now as u64;
        }
        Ok(())
    }

    /// Skips bytes.
    pub(super) fn skip_bytes(&mut self, count: u64) -> Result<()> {
        match self.stream.skip(count) {
            Ok(()) => {
                self.offset += count;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.ended(format!("{count} more bytes")))
            }
            Err(error) => Err(self.error(error)),
        }
    }

    /// Checks that the stream is at its end, including checksums.
    pub(super) fn expect_end(&mut self) -> Result<()> {
        while self.form == Form::Ascii && self.peek()?.is_some_and(|b| b.is_ascii_whitespace()) {
            self.skip();
        }
        match self.peek()? {
            None => Ok(()),
            Some(_) => Err(Error::mismatch(
                self.offset,
                "more data after the object",
                "the end of the stream",
            )),
        }
    }
}
