//! Options for storing arrays.

use std::num::NonZeroUsize;

use nnz_core::{Error, Result, ValueType};

use crate::codec;
use crate::compress::{Compression, Filters};

/// Default number of elements of a chunk. Programs read whole chunks even for one element, and the
/// HDF5 library caches 1 MiB of chunks per dataset: this is 64 or 128 KiB for the types of most
/// formats. Smaller chunks have a large index and are slower; larger ones gain little.
const CHUNK: u32 = 16 << 10;

/// Minimum number of elements of a chunk of an array that is shorter than [`CHUNK`].
const SMALLEST: u32 = 1 << 10;

/// Options for storing arrays of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hdf5Options {
    /// Number of elements of a chunk. `None`: 16,384, or fewer for a shorter array.
    pub chunk: Option<u32>,
    /// The compression of chunks.
    pub compress: Compression,
    /// The number of threads for compression.
    pub threads: usize,
}

impl Default for Hdf5Options {
    /// Uncompressed, all cores.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { chunk: None, compress: Compression::None, threads }
    }
}

impl Hdf5Options {
    pub(super) fn check(&self) -> Result<()> {
        // Elements have at most 8 bytes, and one chunk of each array is kept in memory.
        if self.chunk.is_some_and(|chunk| chunk == 0 || chunk > 1 << 27) {
            return Err(Error::argument("HDF5 chunks have 1 to 134,217,728 elements"));
        }
        check(self.compress)
    }

    /// Returns the number of elements of a chunk. `short` is the length of the array, if it is
    /// known to be short.
    pub(super) fn chunk_elements(&self, short: Option<u64>) -> u32 {
        let fitting = |len: u64| u32::try_from(len).unwrap_or(CHUNK).next_power_of_two();
        match (self.chunk, short) {
            (Some(chunk), _) => chunk,
            (None, Some(len)) if len < u64::from(CHUNK) => fitting(len).max(SMALLEST),
            (None, _) => CHUNK,
        }
    }

    /// Returns the number of bytes to buffer: a chunk, or several for each thread that compresses.
    pub(super) fn batch_bytes(&self, value_type: ValueType) -> usize {
        let elements = usize::try_from(self.chunk_elements(None)).unwrap_or(usize::MAX);
        let chunk = elements * value_type.size();
        match self.compress {
            Compression::None => chunk,
            _ => {
                let several = ((4 << 20) / chunk).clamp(1, 64);
                chunk * several * self.threads.max(1)
            }
        }
    }
}

/// Refuses a compression that HDF5 does not have.
pub(in crate::hdf5) fn check(compression: Compression) -> Result<()> {
    let is_delta = matches!(compression, Compression::Filtered(Filters { delta: true, .. }));
    if is_delta || codec::of(compression).is_some_and(|(codec, _)| codec.hdf5.is_none()) {
        let what = format!("the option compress {compression} applies to Zarr, not to HDF5");
        return Err(Error::argument(what));
    }
    compression.check()
}
