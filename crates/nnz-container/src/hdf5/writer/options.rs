//! How arrays are stored.

use std::num::NonZeroUsize;

use nnz_core::{Error, Result, ValueType};

use crate::compress::Compression;

/// Default number of elements in a chunk. Programs that read one element read its whole chunk, and the
/// HDF5 library keeps 1 MiB of chunks per dataset: this is 64 or 128 KiB of what formats store.
/// Smaller chunks make the index large and everything slower; larger ones gain little.
const CHUNK: u32 = 16 << 10;

/// Elements of a chunk of an array that is shorter than [`CHUNK`], at least.
const SMALLEST: u32 = 1 << 10;

/// How the arrays of numbers in a group are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hdf5Options {
    /// Elements of a chunk. `None`: 16,384, and fewer for an array that is shorter.
    pub chunk: Option<u32>,
    /// How chunks are compressed.
    pub compress: Compression,
    /// How many threads compress.
    pub threads: usize,
}

impl Default for Hdf5Options {
    /// Uncompressed, on all cores.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { chunk: None, compress: Compression::None, threads }
    }
}

impl Hdf5Options {
    pub(super) fn check(&self) -> Result<()> {
        // The widest element has 8 bytes, and one chunk of each array is kept in memory.
        if self.chunk.is_some_and(|chunk| chunk == 0 || chunk > 1 << 27) {
            return Err(Error::argument("HDF5 chunks have 1 to 134,217,728 elements"));
        }
        self.compress.check()
    }

    /// Returns the elements of a chunk, for an array known to be short or not known to be.
    pub(super) fn chunk_elements(&self, short: Option<u64>) -> u32 {
        let fitting = |len: u64| u32::try_from(len).unwrap_or(CHUNK).next_power_of_two();
        match (self.chunk, short) {
            (Some(chunk), _) => chunk,
            (None, Some(len)) if len < u64::from(CHUNK) => fitting(len).max(SMALLEST),
            (None, _) => CHUNK,
        }
    }

    /// Returns the bytes that are collected before they are written: a chunk, or several for each
    /// thread that compresses.
    pub(super) fn batch_bytes(&self, value_type: ValueType) -> usize {
        let elements = usize::try_from(self.chunk_elements(None)).unwrap_or(usize::MAX);
        let chunk = elements * value_type.size();
        match self.compress {
            Compression::None => chunk,
            Compression::Gzip(_) | Compression::Zstd(_) => {
                let several = ((4 << 20) / chunk).clamp(1, 64);
                chunk * several * self.threads.max(1)
            }
        }
    }
}
