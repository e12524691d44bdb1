//! How arrays are stored.

use std::num::NonZeroUsize;

use nnz_core::{Error, Result};

use crate::compress::Compression;

/// Elements of a chunk unless told. Each chunk is a file: smaller ones make many files, of larger
/// ones more has to be read for a few elements.
const CHUNK: u32 = 1 << 20;

/// Bytes that are collected before several threads compress them, unless one chunk is longer.
const BATCH: usize = 64 << 20;

/// How the arrays in a group are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZarrOptions {
    /// Elements of a chunk. `None`: 1,048,576, and fewer for an array that is shorter.
    pub chunk: Option<u32>,
    /// How chunks are compressed.
    pub compress: Compression,
    /// How many threads compress.
    pub threads: usize,
}

impl Default for ZarrOptions {
    /// Uncompressed, on all cores.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { chunk: None, compress: Compression::None, threads }
    }
}

impl ZarrOptions {
    pub(super) fn check(&self) -> Result<()> {
        // The widest element has 16 bytes, and one chunk of each array is kept in memory.
        if self.chunk.is_some_and(|chunk| chunk == 0 || chunk > 1 << 26) {
            return Err(Error::argument("Zarr chunks have 1 to 67,108,864 elements"));
        }
        self.compress.check()
    }

    /// Returns the elements of a chunk.
    pub(super) fn chunk_elements(&self) -> usize {
        usize::try_from(self.chunk.unwrap_or(CHUNK)).unwrap_or(usize::MAX)
    }

    /// Returns the elements of a chunk, for an array known to be of a length.
    pub(super) fn fitting_chunk(&self, len: u64) -> usize {
        let chunk = self.chunk_elements();
        match self.chunk {
            Some(_) => chunk,
            None => usize::try_from(len).unwrap_or(chunk).clamp(1, chunk),
        }
    }

    /// Returns how many chunks of so many bytes are collected before they are written.
    pub(super) fn batch(&self, chunk_bytes: usize) -> usize {
        match self.compress {
            Compression::None => 1,
            _ => (BATCH / chunk_bytes.max(1)).clamp(1, self.threads.max(1)),
        }
    }
}
