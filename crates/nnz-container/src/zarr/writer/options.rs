//! Options for storing arrays.

use std::num::NonZeroUsize;

use nnz_core::Result;

use crate::tree::ArraySpec;
use nnz_chunk::Compression;

/// Default number of elements of a chunk. Each chunk is a file: small chunks make many files, large
/// chunks are slow for reads of few elements.
const CHUNK: u64 = 1 << 20;

/// Maximum size of a default chunk in bytes.
const CHUNK_BYTES: u64 = 64 << 20;

/// Default and maximum number of strings of a chunk.
const STRINGS: u64 = 16 << 10;
const MAX_STRINGS: u64 = 1 << 26;

/// Number of bytes that are buffered before several threads compress them, unless a chunk is
/// larger.
const BATCH: usize = 64 << 20;

/// The version of the Zarr format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZarrVersion {
    /// Version 2 (`.zarray`), which all programs can read.
    V2,
    /// Version 3 (`zarr.json`).
    V3,
}

/// Options for storing a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZarrOptions {
    /// The version of the format.
    pub version: ZarrVersion,
    /// Whether the metadata of all groups and arrays is consolidated at the root, as in
    /// zarr-python, so that opening the store reads one file.
    pub consolidate: bool,
    /// The number of threads that compress. The written bytes do not depend on it.
    pub threads: usize,
}

impl Default for ZarrOptions {
    /// Version 3, consolidated, all cores.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { version: ZarrVersion::V3, consolidate: true, threads }
    }
}

/// Returns how many chunks of `chunk_bytes` bytes are buffered before they are written.
pub(super) fn batch(chunk_bytes: usize, compression: Compression, threads: usize) -> usize {
    match compression {
        Compression::None => 1,
        _ => (BATCH / chunk_bytes.max(1)).clamp(1, threads.max(1)),
    }
}

/// Returns the shape of chunks of elements of `bytes` bytes.
pub(super) fn chunk_of_elements(spec: &ArraySpec, bytes: usize) -> Result<Vec<u64>> {
    let fitting = CHUNK_BYTES / (bytes as u64).max(1);
    spec.chunk_shape(fitting.clamp(1, CHUNK))
}

/// Returns the shape of chunks of adjacent strings.
pub(super) fn chunk_of_strings(spec: &ArraySpec) -> Result<Vec<u64>> {
    let set = match &spec.chunk {
        Some(_) => Some(spec.chunk_shape(STRINGS)?),
        None => None,
    };
    let most = set.iter().flatten().try_fold(1_u64, |all, len| all.checked_mul(*len));
    let most = if set.is_some() { most.unwrap_or(u64::MAX) } else { STRINGS };
    let unset = ArraySpec { chunk: None, shard: None, ..spec.clone() };
    let mut chunk = unset.chunk_shape(most.clamp(1, MAX_STRINGS))?;
    // Only the first dimension that is divided may be longer than 1.
    let cut = chunk.iter().zip(&spec.shape).rposition(|(by, len)| by < len);
    if let Some(cut) = cut {
        chunk.iter_mut().take(cut).for_each(|by| *by = 1);
    }
    Ok(chunk)
}
