//! How arrays are stored.

use std::num::NonZeroUsize;

use nnz_core::{Error, Result};

use crate::compress::Compression;
use crate::tree::{ArraySpec, ElementType};

/// Default number of elements in a chunk. Each chunk is a file: smaller ones make many files, of larger
/// ones more has to be read for a few elements.
const CHUNK: u64 = 1 << 20;

/// Default bytes of a chunk, at most.
const CHUNK_BYTES: u64 = 64 << 20;

/// Default number of strings in a chunk, and the largest.
const STRINGS: u64 = 16 << 10;
const LONGEST_STRINGS: u64 = 1 << 26;

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

    /// Describes an array of one dimension that is stored so.
    pub(super) fn spec(&self, element: ElementType) -> ArraySpec {
        let spec = ArraySpec::growing(element, &[]).compress(self.compress);
        match self.chunk {
            Some(chunk) => spec.chunk(&[chunk.into()]),
            None => spec,
        }
    }
}

/// The version of the format: that of `.zarray`, or that of `zarr.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZarrVersion {
    /// Version 2, which every program of Zarr reads.
    V2,
    /// Version 3.
    V3,
}

/// How a tree is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZarrTreeOptions {
    /// The version of the format.
    pub version: ZarrVersion,
    /// Whether the metadata of all groups and arrays is repeated at the root, as programs in Python do, so
    /// that one file has to be read to open the store.
    pub consolidate: bool,
    /// How many threads compress. What they write does not depend on it.
    pub threads: usize,
}

impl Default for ZarrTreeOptions {
    /// Version 3, consolidated, on all cores.
    fn default() -> Self {
        let ZarrOptions { threads, .. } = ZarrOptions::default();
        Self { version: ZarrVersion::V3, consolidate: true, threads }
    }
}

/// Returns how many chunks of so many bytes are collected before they are written.
pub(super) fn batch(chunk_bytes: usize, compression: Compression, threads: usize) -> usize {
    match compression {
        Compression::None => 1,
        _ => (BATCH / chunk_bytes.max(1)).clamp(1, threads.max(1)),
    }
}

/// Returns the lengths of a chunk of elements of so many bytes.
pub(super) fn chunk_of_elements(spec: &ArraySpec, bytes: usize) -> Result<Vec<u64>> {
    let fitting = CHUNK_BYTES / (bytes as u64).max(1);
    spec.chunk_shape(fitting.clamp(1, CHUNK))
}

/// Returns the lengths of a chunk of strings that follow each other.
pub(super) fn chunk_of_strings(spec: &ArraySpec) -> Result<Vec<u64>> {
    let set = match &spec.chunk {
        Some(_) => Some(spec.chunk_shape(STRINGS)?),
        None => None,
    };
    let most = set.iter().flatten().try_fold(1_u64, |all, len| all.checked_mul(*len));
    let most = if set.is_some() { most.unwrap_or(u64::MAX) } else { STRINGS };
    let unset = ArraySpec { chunk: None, shard: None, ..spec.clone() };
    let mut chunk = unset.chunk_shape(most.clamp(1, LONGEST_STRINGS))?;
    // Only the first that is cut may be longer than 1.
    let cut = chunk.iter().zip(&spec.shape).rposition(|(by, len)| by < len);
    if let Some(cut) = cut {
        chunk.iter_mut().take(cut).for_each(|by| *by = 1);
    }
    Ok(chunk)
}
