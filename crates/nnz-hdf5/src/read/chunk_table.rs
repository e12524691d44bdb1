//! The addresses of the chunks of a dataset.

use std::ops::Range;
use std::sync::Arc;

use nnz_chunk::grid::{Grid, shown};
use nnz_core::{At, Error, Place, Result};

use super::chunk_tree::ChunkTree;
use super::file::File;
use super::layout::Chunked;
use crate::UNDEFINED;
use crate::btree_v1::{self, NodeType};
use crate::btree_v2::{self, RecordType};
use crate::bytes::Fields;
use crate::fault::invalid;
use crate::message::layout::Index;
use crate::{extensible_array, fixed_array};

/// A stored chunk.
#[derive(Clone, Copy, Debug)]
pub struct ChunkEntry {
    /// Its index.
    pub(crate) chunk: u64,
    pub(crate) address: u64,
    /// Its stored size in bytes.
    pub(crate) bytes: u32,
    /// Filter mask: bit n is set if filter n was not applied.
    pub(crate) skipped: u32,
}

/// The addresses of the chunks of a dataset.
#[derive(Debug)]
pub(crate) enum ChunkTable {
    /// A list of stored chunks, by index. Chunks that are not stored have the fill value.
    Listed(Vec<ChunkEntry>),
    /// All chunks of the grid of the maximum shape, one after another from an address on.
    Implicit { address: u64, grid: Grid },
    /// Found one by one, where each read has a latency.
    Tree(ChunkTree),
}

impl ChunkEntry {
    /// Checks that a chunk is in the file, and that one that is not encoded has the size of a chunk.
    pub(crate) fn check(&self, file: &File, chunked: &Chunked, place: &Place) -> Result<()> {
        file.check(self.address, u64::from(self.bytes))
            .map_err(|error| error.with_context(place))?;
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
    pub(crate) fn find(file: &Arc<File>, chunked: &Chunked, place: &Place) -> Result<Self> {
        let bytes = u32::try_from(chunked.bytes).unwrap_or(u32::MAX);
        let count = chunked.grid.count();
        let one = |bytes, mask| {
            let skipped = chunked.skipped(&vec![0; chunked.grid.shape().len()], mask);
            Ok(Self::Listed(vec![ChunkEntry {
                chunk: 0,
                address: chunked.address,
                bytes,
                skipped,
            }]))
        };
        let table = match chunked.index {
            Index::Single(_) if count > 1 => {
                let found = format!("a single-chunk index for {count} chunks");
                Err(Error::mismatch(place.clone(), found, "an index of several chunks"))
            }
            Index::Single(None) => one(bytes, 0),
            Index::Single(Some((bytes, mask))) => {
                one(u32::try_from(bytes).unwrap_or(u32::MAX), mask)
            }
            Index::Implicit => {
                let grid = chunked.numbering().map(|(grid, _)| grid);
                let grid = grid.ok_or_else(too_many)?;
                let all = u64::from(bytes).saturating_mul(grid.count());
                file.check(chunked.address, all)?;
                Ok(Self::Implicit { address: chunked.address, grid })
            }
            Index::BTreeV1 if file.file().has_latency() && chunked.grid.shape().len() == 1 => {
                Ok(Self::Tree(ChunkTree::new(file, place)))
            }
            _ => read_index(file, chunked, place).map(Self::Listed),
        }?;
        table.check(file, chunked, place)?;
        Ok(table)
    }

    /// Checks that chunks are in the file and do not overlap, so that the decoded size is bounded
    /// by the size of the file.
    fn check(&self, file: &File, chunked: &Chunked, place: &Place) -> Result<()> {
        let Self::Listed(entries) = self else { return Ok(()) };
        let mut all = 0_u64;
        for entry in entries {
            entry.check(file, chunked, place)?;
            all += u64::from(entry.bytes);
        }
        if all > file.bytes {
            let found = format!("overlapping chunks of {all} bytes in total");
            let expected = format!("at most {} bytes, the size of the file", file.bytes);
            return Err(Error::mismatch(place.clone(), found, expected));
        }
        Ok(())
    }

    /// Returns a chunk, if it is stored.
    pub(crate) fn get(&self, chunked: &Chunked, chunk: u64) -> Result<Option<ChunkEntry>> {
        Ok(match self {
            Self::Tree(tree) => return tree.get(chunked, chunk),
            Self::Implicit { address, grid } => (chunk < chunked.grid.count()).then(|| {
                let number = grid.number(&chunked.grid.place(chunk));
                // All chunks are in the file, and at most 4 GiB large.
                let address = address + number * chunked.bytes as u64;
                let bytes = u32::try_from(chunked.bytes).unwrap_or(u32::MAX);
                ChunkEntry { chunk, address, bytes, skipped: 0 }
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
    pub(crate) fn prepare(&self, chunked: &Chunked, ranges: &[Range<u64>]) -> Result<()> {
        match self {
            Self::Tree(tree) => tree.prepare(chunked, ranges),
            _ => Ok(()),
        }
    }

    /// Returns the number of stored chunks and their size in bytes.
    pub(crate) fn size(&self, chunked: &Chunked) -> Result<(u64, u64)> {
        Ok(match self {
            Self::Tree(tree) => return tree.size(chunked),
            Self::Implicit { .. } => {
                let count = chunked.grid.count();
                (count, count * chunked.bytes as u64)
            }
            Self::Listed(entries) => {
                let bytes = entries.iter().map(|entry| u64::from(entry.bytes)).sum();
                (entries.len() as u64, bytes)
            }
        })
    }
}

/// Reads an index with an entry for each chunk.
fn read_index(file: &File, chunked: &Chunked, place: &Place) -> Result<Vec<ChunkEntry>> {
    let mut entries = Entries { file, chunked, place, found: Vec::new() };
    let (sizes, rank, address) = (file.sizes, chunked.grid.shape().len(), chunked.address);
    match chunked.index {
        Index::BTreeV1 => {
            // Size, filter mask, and the offsets of the chunk and in the element.
            let key = 8 + 8 * (rank + 1);
            btree_v1::each_leaf(file, address, (NodeType::Chunk, key), &mut |key, address| {
                let mut key = Fields(key);
                let (bytes, mask) = (key.u32()?, key.u32()?);
                let first = (0..rank).map(|_| key.number(8)).collect::<Result<Vec<u64>>>()?;
                entries.add_at(&first, address, u64::from(bytes), mask)
            })?;
        }
        Index::BTreeV2 => {
            let types = [RecordType::CHUNKS, RecordType::FILTERED_CHUNKS];
            btree_v2::each_record(file, address, &types, &mut |kind, record| {
                let mut fields = Fields(record);
                let address = fields.address(sizes)?;
                let (bytes, mask) = match kind {
                    RecordType::CHUNKS => (0, 0),
                    _ => {
                        let rest = (4 + 8 * rank).min(fields.0.len());
                        let bytes = fields.number((fields.0.len() - rest).min(8))?;
                        (bytes, fields.u32()?)
                    }
                };
                let at = (0..rank).map(|_| fields.number(8)).collect::<Result<Vec<u64>>>()?;
                entries.add(&at, address, bytes, mask)
            })?;
        }
        _ => {
            let (grid, first) = chunked.numbering().ok_or_else(too_many)?;
            let mut each = |number: u64, element: &[u8]| {
                let mut fields = Fields(element);
                let address = fields.address(sizes)?;
                let (bytes, mask) = match fields.0.len().checked_sub(4) {
                    None => (0, 0),
                    Some(width) => (fields.number(width.min(8))?, fields.u32()?),
                };
                let mut at = grid.place(number);
                at[..=first].rotate_left(1);
                entries.add(&at, address, bytes, mask)
            };
            // An unlimited dimension has as many chunks as there are.
            let most = grid.count();
            match chunked.index {
                Index::FixedArray => fixed_array::each_element(file, address, most, &mut each)?,
                _ => extensible_array::each_element(file, address, most, &mut each)?,
            }
        }
    }
    let mut found = entries.found;
    found.sort_unstable_by_key(|entry| entry.chunk);
    if let Some(pair) = found.windows(2).find(|pair| pair[0].chunk == pair[1].chunk) {
        let place = chunked.place_of(pair[0].chunk, place);
        return Err(Error::mismatch(place, "two chunks at the same position", "one"));
    }
    Ok(found)
}

fn too_many() -> Error {
    invalid("a maximum shape with too many chunks")
}

/// The chunks of an index that is being read.
struct Entries<'a> {
    file: &'a File,
    chunked: &'a Chunked,
    place: &'a Place,
    found: Vec<ChunkEntry>,
}

impl Entries<'_> {
    /// Adds a chunk by the position of its first element.
    fn add_at(&mut self, first: &[u64], address: u64, bytes: u64, mask: u32) -> Result<()> {
        let chunk = self.chunked.grid.chunk();
        if first.iter().zip(chunk).all(|(at, by)| at.is_multiple_of(*by)) {
            let at: Vec<u64> = first.iter().zip(chunk).map(|(first, by)| first / by).collect();
            return self.add(&at, address, bytes, mask);
        }
        let place = match first {
            [first] => self.place.clone().at(At::Element(*first)),
            _ => self.place.clone(),
        };
        let found = format!("a chunk that starts at element {}", shown(first));
        let expected = format!("a multiple of {}", shown(chunk));
        Err(Error::mismatch(place, found, expected))
    }

    /// Adds a chunk by its position in the grid. A size of 0 means that the
    /// chunk has its full size.
    fn add(&mut self, at: &[u64], address: u64, bytes: u64, mask: u32) -> Result<()> {
        let Self { chunked, .. } = *self;
        // Chunks past the end are left from when the dataset was longer.
        let past_end = at.iter().zip(chunked.grid.counts()).any(|(at, count)| at >= count);
        if past_end || address == UNDEFINED {
            return Ok(());
        }
        let chunk = chunked.grid.number(at);
        let bytes = if bytes == 0 { chunked.bytes as u64 } else { bytes };
        let bytes = u32::try_from(bytes).map_err(|_| {
            let place = chunked.place_of(chunk, self.place);
            Error::mismatch(place, format!("a chunk of {bytes} bytes"), "at most 4 GiB")
        })?;
        // No more chunks than the file has room for.
        if self.found.len() as u64 > self.file.bytes {
            return Err(invalid("more chunks than the file has bytes"));
        }
        let skipped = chunked.skipped(at, mask);
        self.found.push(ChunkEntry { chunk, address, bytes, skipped });
        Ok(())
    }
}
