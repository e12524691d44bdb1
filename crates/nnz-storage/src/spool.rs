//! Buffering of bytes whose number is not known yet.

mod texts;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

pub use texts::Texts;

/// The number of bytes that are kept in memory.
const BUFFER: usize = 256 << 10;

/// The number of bytes passed on at once: whole elements of any type.
const BLOCK: usize = 64 << 10;

/// Bytes that are appended and then read once, in memory or in an unnamed file if there are many.
#[derive(Debug, Default)]
pub struct Spool {
    buffer: Vec<u8>,
    file: Option<File>,
    len: u64,
}

impl Spool {
    /// Returns the number of bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends bytes. If there are many, they go to an unnamed file in `directory`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn append(&mut self, bytes: &[u8], directory: &Path) -> io::Result<()> {
        self.len += bytes.len() as u64;
        if self.buffer.len() + bytes.len() <= BUFFER {
            self.buffer.extend_from_slice(bytes);
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile_in(directory)?),
        };
        file.write_all(&self.buffer)?;
        self.buffer.clear();
        file.write_all(bytes)
    }

    /// Calls `each` with all bytes, in blocks of whole elements of up to 8 bytes.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, or if `each` fails.
    pub fn drain<E: From<io::Error>>(
        mut self,
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut left = self.len;
        let head: Box<dyn Read> = match &mut self.file {
            Some(file) => {
                file.seek(SeekFrom::Start(0))?;
                Box::new(file)
            }
            None => Box::new(io::empty()),
        };
        let mut all = head.chain(&self.buffer[..]);
        let mut block = vec![0; usize::try_from(left).unwrap_or(BLOCK).min(BLOCK)];
        while left > 0 {
            let now = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
            all.read_exact(&mut block[..now])?;
            each(&block[..now])?;
            left -= now as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spooled_bytes_are_returned() {
        let directory = tempfile::tempdir().unwrap();
        for pieces in [0_usize, 1, 3, 1000] {
            let mut spool = Spool::default();
            let mut expected = Vec::new();
            for piece in 0..pieces {
                let bytes = vec![u8::try_from(piece % 251).unwrap(); 8 * (piece % 500)];
                spool.append(&bytes, directory.path()).unwrap();
                expected.extend(bytes);
            }
            assert_eq!(spool.len(), expected.len() as u64);
            let mut found = Vec::new();
            let drained: io::Result<()> = spool.drain(|bytes| {
                assert_eq!(bytes.len() % 8, 0);
                found.extend_from_slice(bytes);
                Ok(())
            });
            drained.unwrap();
            assert!(found == expected);
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
