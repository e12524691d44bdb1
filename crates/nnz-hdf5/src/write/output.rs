//! Buffered output with reserved space.

use std::io::{Error as IoError, Seek, SeekFrom, Write};

use nnz_core::{Error, ErrorKind, Place, Result};

/// Size of the buffer.
const BUFFER: usize = 1 << 20;

/// A file that is being written, buffered at its end.
pub(crate) struct Output<W> {
    target: W,
    /// The bytes after `written`.
    buffer: Vec<u8>,
    written: u64,
    /// The position of the target, from the end of the user block on.
    position: u64,
    /// The size of the user block, which precedes address 0.
    base: u64,
}

impl<W: Write + Seek> Output<W> {
    pub(crate) fn new(target: W) -> Self {
        Self { target, buffer: Vec::new(), written: 0, position: 0, base: 0 }
    }

    /// Writes a user block to an empty target.
    pub(crate) fn with_user_block(mut target: W, block: &[u8]) -> Result<Self> {
        target.write_all(block).map_err(failed)?;
        Ok(Self { base: block.len() as u64, ..Self::new(target) })
    }

    /// Returns the size of the user block.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Appends to an existing target with a user block of `base` bytes, from address `end` on.
    pub(crate) fn append_to(target: W, base: u64, end: u64) -> Self {
        // The position of the target is unknown.
        Self { written: end, position: u64::MAX, base, ..Self::new(target) }
    }

    /// Returns the address of the next appended bytes.
    pub(crate) fn end(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Appends bytes and returns their address.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<u64> {
        let address = self.end();
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= BUFFER {
            self.put(self.written, bytes)?;
            self.written += bytes.len() as u64;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        Ok(address)
    }

    /// Pads to a multiple of 8 bytes.
    pub(crate) fn align(&mut self) -> Result<()> {
        let short = usize::try_from(self.end().wrapping_neg() % 8).unwrap_or(0);
        self.append(&[0; 8][..short]).map(drop)
    }

    /// Reserves space and returns its address, a multiple of 8.
    pub(crate) fn reserve(&mut self, bytes: u64) -> Result<u64> {
        self.align()?;
        self.flush()?;
        let address = self.written;
        let end = address.checked_add(bytes).filter(|end| i64::try_from(*end).is_ok());
        self.written = end.ok_or_else(|| failed(IoError::other("a file of 2^63 bytes or more")))?;
        Ok(address)
    }

    /// Writes to reserved space.
    pub(crate) fn write_at(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        self.put(address, bytes)
    }

    /// Flushes all bytes and returns the target.
    pub(crate) fn finish(mut self) -> Result<W> {
        self.flush()?;
        self.target.flush().map_err(failed)?;
        Ok(self.target)
    }

    fn flush(&mut self) -> Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        if !buffer.is_empty() {
            self.put(self.written, &buffer)?;
            self.written += buffer.len() as u64;
            buffer.clear();
        }
        self.buffer = buffer;
        Ok(())
    }

    fn put(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        if self.position != address {
            self.target.seek(SeekFrom::Start(self.base + address)).map_err(failed)?;
        }
        self.target.write_all(bytes).map_err(failed)?;
        self.position = address + bytes.len() as u64;
        Ok(())
    }
}

/// Creates the error of a failed write; the caller adds the location.
fn failed(error: IoError) -> Error {
    Error::new(ErrorKind::Io(error), Place::default())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn reserved_space_is_between_appended_bytes() {
        let mut output = Output::new(Cursor::new(Vec::new()));
        assert_eq!(output.append(b"abc").unwrap(), 0);
        assert_eq!(output.reserve(4).unwrap(), 8);
        assert_eq!(output.append(b"e").unwrap(), 12);
        output.write_at(8, b"dddd").unwrap();
        let large = vec![7; BUFFER + 1];
        assert_eq!(output.append(&large).unwrap(), 13);
        assert_eq!(output.append(b"z").unwrap(), 14 + BUFFER as u64);
        let bytes = output.finish().unwrap().into_inner();
        assert_eq!(bytes[..13], *b"abc\0\0\0\0\0dddde");
        assert_eq!(bytes.len(), 15 + BUFFER);
        assert_eq!(bytes.last(), Some(&b'z'));
    }
}
