//! Files that are in memory, and files as a stream.

use std::io::{self, Read};
use std::sync::Arc;

use nnz_storage::ReadAt;

/// A small file that is in memory.
#[derive(Debug)]
pub(super) struct Text(pub(super) Vec<u8>);

impl ReadAt for Text {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let part = self.0.get(at..).unwrap_or_default();
        let count = part.len().min(out.len());
        out[..count].copy_from_slice(&part[..count]);
        Ok(count)
    }
}

/// An object that is read from its start to its end.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) file: Arc<dyn ReadAt>,
    pub(super) position: u64,
}

impl Read for Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(out, self.position)?;
        self.position = self.position.saturating_add(count as u64);
        Ok(count)
    }
}
