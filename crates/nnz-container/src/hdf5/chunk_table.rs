//! The addresses of the chunks of a dataset.

use std::ops::Range;
use std::sync::Arc;

use hdf5_reader::btree_v1::{BTreeV1Key, collect_btree_v1_leaves_storage};
use hdf5_reader::chunk_index::{ChunkEntry, collect_v2_chunk_entries_storage};
use hdf5_reader::extensible_array::collect_extensible_array_chunk_entries_storage;
use hdf5_reader::fixed_array::collect_fixed_array_chunk_entries_storage;
use hdf5_reader::messages::layout::ChunkIndexing;
use nnz_core::{At, Error, Place, Result};

use super::chunk_tree::ChunkTree;
use super::layout::Chunked;
use super::opened::{Opened, call_library};
use crate::tree::shown;

/// A stored chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its index.
    pub(super) chunk: u64,
    pub(super) address: u64,
    /// Its stored size in bytes.
    pub(super) bytes: u32,
    /// Filter mask: bit n is set if filter n was not applied.
    pub(super) skipped: u32,
}

/// The addresses of the chunks of a dataset.
pub(super) enum ChunkTable {
    /// Contiguous from an address on, with all chunks stored.
    Row { address: u64, bytes: u32, count: u64 },
    /// A list of stored chunks, by index. Chunks that are not stored have the fill value.
    Listed(Vec<Entry>),
    /// Found one by one, where each read has a latency.
    Tree(ChunkTree),
}

impl Entry {
    /// Checks that a chunk is in the file, and that one that is not encoded has the size of a chunk.
    pub(super) fn check(&self, opened: &Opened, chunked: &Chunked, place: &Place) -> Result<()> {
        opened.check(self.address, u64::from(self.bytes), place)?;
        let whole = self.bytes as usize == chunked.bytes;
        if whole || !chunked.pipeline.is_plain(self.skipped) {
            return Ok(());
        }
        let place = chunked.place_of(self.chunk, place);
        let found = format!("a chunk of {} bytes", self.bytes);
        Err(Error::mismatch(place, found, format!("{} bytes", chunked.bytes)))
    }
}

impl ChunkTable {
    /// Finds the chunks of a dataset.
    pub(super) fn find(opened: &Arc<Opened>, chunked: &Chunked, place: &Place) -> Result<Self> {
        let bytes = u32::try_from(chunked.bytes).unwrap_or(u32::MAX);
        let count = chunked.grid.count();
        let one = |address, bytes, skipped| {
            Ok(Self::Listed(vec![Entry { chunk: 0, address, bytes, skipped }]))
        };
        let table = match &chunked.indexing {
            Some(ChunkIndexing::Implicit) => {
                chunked.check_most(place)?;
                let all = u64::from(bytes).saturating_mul(count);
                opened.check(chunked.address, all, place)?;
                Ok(Self::Row { address: chunked.address, bytes, count })
            }
            Some(ChunkIndexing::SingleChunk { .. }) if count > 1 => {
                let found = format!("the index of a single chunk for {count} chunks");
                Err(Error::mismatch(place.clone(), found, "an index of many"))
            }
            Some(ChunkIndexing::SingleChunk { filtered_size: 0, .. }) => {
                one(chunked.address, bytes, 0)
            }
            Some(ChunkIndexing::SingleChunk { filtered_size, filters }) => {
                let stored = u32::try_from(*filtered_size).unwrap_or(u32::MAX);
                one(chunked.address, stored, *filters)
            }
            None if opened.file().has_latency() && chunked.grid.shape().len() == 1 => {
                Ok(Self::Tree(ChunkTree::new(opened, place)))
            }
            _ => read_index(opened, chunked, place).map(Self::Listed),
        }?;
        table.check(opened, chunked, place)?;
        Ok(table)
    }

    /// Checks that chunks are in the file and do not overlap, so that the decoded size is bounded
    /// by the size of the file.
    fn check(&self, opened: &Opened, chunked: &Chunked, place: &Place) -> Result<()> {
        let Self::Listed(entries) = self else { return Ok(()) };
        let mut all = 0_u64;
        for entry in entries {
            entry.check(opened, chunked, place)?;
            all += u64::from(entry.bytes);
        }
        if all > opened.bytes {
            let found = format!("chunks of {all} bytes in all, some of them overlapping");
            let expected = format!("at most {} bytes, the size of the file", opened.bytes);
            return Err(Error::mismatch(place.clone(), found, expected));
        }
        Ok(())
    }

    /// Returns a chunk, if it is stored.
    pub(super) fn get(&self, chunked: &Chunked, chunk: u64) -> Result<Option<Entry>> {
        Ok(match self {
            Self::Tree(tree) => return tree.get(chunked, chunk),
            Self::Row { address, bytes, count } => (chunk < *count).then(|| Entry {
                chunk,
                address: address + chunk * u64::from(*bytes),
                bytes: *bytes,
                skipped: 0,
            }),
            Self::Listed(entries) => {
                // Usually all chunks are stored.
                let guess = usize::try_from(chunk).ok().and_then(|at| entries.get(at));
                if let Some(entry) = guess.filter(|entry| entry.chunk == chunk) {
                    return Ok(Some(*entry));
                }
                let found = entries.binary_search_by_key(&chunk, |entry| entry.chunk);
                found.ok().and_then(|at| entries.get(at)).copied()
            }
        })
    }

    /// Prepares for finding ranges of chunks, with few requests.
    pub(super) fn prepare(&self, chunked: &Chunked, ranges: &[Range<u64>]) -> Result<()> {
        match self {
            Self::Tree(tree) => tree.prepare(chunked, ranges),
            _ => Ok(()),
        }
    }

    /// Returns the number of stored chunks and their size in bytes.
    pub(super) fn size(&self, chunked: &Chunked) -> Result<(u64, u64)> {
        Ok(match self {
            Self::Tree(tree) => return tree.size(chunked),
            Self::Row { bytes, count, .. } => (*count, count * u64::from(*bytes)),
            Self::Listed(entries) => {
                let bytes = entries.iter().map(|entry| u64::from(entry.bytes)).sum();
                (entries.len() as u64, bytes)
            }
        })
    }
}

/// Reads an index with an entry for each chunk.
fn read_index(opened: &Opened, chunked: &Chunked, place: &Place) -> Result<Vec<Entry>> {
    let meta = &opened.meta;
    let (offset, length) = (meta.superblock().offset_size, meta.superblock().length_size);
    let (storage, address) = (meta.storage(), chunked.address);
    let shape = chunked.grid.shape();
    let narrow = |&length: &u64| u32::try_from(length).unwrap_or(u32::MAX);
    let dims: Vec<u32> = chunked.grid.chunk().iter().map(narrow).collect();
    let rank = u32::try_from(dims.len()).unwrap_or(u32::MAX);
    let found = call_library(place, || match &chunked.indexing {
        None => {
            let leaves = collect_btree_v1_leaves_storage(
                storage,
                address,
                offset,
                length,
                Some(rank),
                &dims,
                None,
            )?;
            Ok(leaves.into_iter().filter_map(of_leaf).collect())
        }
        Some(ChunkIndexing::FixedArray { .. }) => collect_fixed_array_chunk_entries_storage(
            storage,
            address,
            offset,
            length,
            &chunked.counted_shape(),
            &dims,
            None,
        ),
        Some(ChunkIndexing::ExtensibleArray { .. }) => {
            collect_extensible_array_chunk_entries_storage(
                storage,
                address,
                offset,
                length,
                shape,
                chunked.most.as_deref(),
                &dims,
                None,
            )
        }
        Some(_) => {
            collect_v2_chunk_entries_storage(storage, address, offset, length, rank, &dims, None)
        }
    })?;
    let mut entries = Vec::with_capacity(found.len());
    for entry in found {
        let Some(first) = entry.offsets.get(..shape.len()) else { continue };
        // Chunks past the end are left from when the dataset was longer.
        let past_end = first.iter().zip(shape).any(|(first, length)| first >= length);
        if past_end || opened.is_undefined(entry.address) {
            continue;
        }
        let multiple =
            first.iter().zip(chunked.grid.chunk()).all(|(at, by)| at.is_multiple_of(*by));
        if !multiple {
            let place = match first {
                [first] => place.clone().at(At::Element(*first)),
                _ => place.clone(),
            };
            let found = format!("a chunk that starts at element {}", shown(first));
            let expected = format!("a multiple of {}", shown(chunked.grid.chunk()));
            return Err(Error::mismatch(place, found, expected));
        }
        let at: Vec<u64> =
            first.iter().zip(chunked.grid.chunk()).map(|(first, by)| first / by).collect();
        let chunk = chunked.grid.number(&at);
        let place = || chunked.place_of(chunk, place);
        let stored = if entry.size == 0 { chunked.bytes as u64 } else { entry.size };
        let bytes = u32::try_from(stored).map_err(|_| {
            Error::mismatch(place(), format!("a chunk of {stored} bytes"), "at most 4 GiB")
        })?;
        entries.push(Entry { chunk, address: entry.address, bytes, skipped: entry.filter_mask });
    }
    entries.sort_unstable_by_key(|entry| entry.chunk);
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].chunk == pair[1].chunk) {
        let place = chunked.place_of(pair[0].chunk, place);
        return Err(Error::mismatch(place, "two chunks", "one"));
    }
    Ok(entries)
}

fn of_leaf((key, address): (BTreeV1Key, u64)) -> Option<ChunkEntry> {
    match key {
        BTreeV1Key::RawData { chunk_size, filter_mask, offsets } => {
            Some(ChunkEntry { address, size: u64::from(chunk_size), filter_mask, offsets })
        }
        BTreeV1Key::Group { .. } => None,
    }
}
