//! Strings of variable length of a hyperslab.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Result};

use super::array::Array;
use crate::tree::{NdArray, StringBlock, View};
use crate::zarr::strings;
use nnz_chunk::grid::strides;

/// Maximum size of the chunks for one block of strings.
const MAX_BYTES: u64 = 512 << 20;

/// The chunk of a string in the block, and its range in the chunk; `None` if it is not stored.
type Location = Option<(usize, Range<usize>)>;

/// The strings of a block, and their chunks.
pub(super) struct Texts {
    array: Arc<Array>,
    /// The chunks of the hyperslab that were not announced yet.
    next: Range<u64>,
    chunks: Vec<(u64, Arc<[u8]>)>,
    found: Vec<Location>,
}

impl Texts {
    pub(super) fn new(array: Arc<Array>, selection: &[Range<u64>]) -> Self {
        let stored = &array.elements.stored;
        let next = match (selection, stored.metadata.grid.chunk()) {
            ([range], [by]) if stored.directory.has_latency() => {
                range.start / by..range.end.div_ceil(*by)
            }
            _ => 0..0,
        };
        Self { array, next, chunks: Vec::new(), found: Vec::new() }
    }

    /// Returns a chunk, from the previous block if it has it; `None` if it is not stored.
    fn chunk(&self, number: u64) -> Result<Option<Arc<[u8]>>> {
        if let Some((_, bytes)) = self.chunks.iter().find(|(kept, _)| *kept == number) {
            return Ok(Some(Arc::clone(bytes)));
        }
        if let Some(bytes) = self.array.texts.get(number) {
            return Ok(Some(bytes));
        }
        let Some(bytes) = strings::read(&self.array.elements.stored, number)? else {
            return Ok(None);
        };
        let bytes: Arc<[u8]> = bytes.into();
        self.array.texts.put(number, Arc::clone(&bytes));
        Ok(Some(bytes))
    }
}

impl StringBlock for Texts {
    fn load(&mut self, view: &View, block: &[Range<u64>]) -> Result<()> {
        let metadata = &self.array.elements.stored.metadata;
        let grid = &metadata.grid;
        let lengths: Vec<u64> = block.iter().map(|range| range.end - range.start).collect();
        let steps = strides(&lengths, 1).unwrap_or_default();
        let count = lengths.iter().product::<u64>();
        // A block has few strings.
        let mut found: Vec<Location> = vec![None; usize::try_from(count).unwrap_or(0)];
        let mut chunks = Vec::new();
        let mut bytes = 0;
        for at in grid.touched(block) {
            let number = grid.number(&at);
            if self.next.contains(&number) {
                let soon = number..self.next.end.min(number + strings::ANNOUNCED);
                self.next.start = soon.end;
                self.array.elements.stored.will_read_chunks(soon);
            }
            let Some(chunk) = self.chunk(number)? else { continue };
            bytes += chunk.len() as u64;
            if bytes > MAX_BYTES {
                let what = format!("strings in chunks of {bytes} bytes are not supported");
                return Err(Error::unsupported(view.place(), what));
            }
            let first: Vec<u64> = at.iter().zip(grid.chunk()).map(|(at, by)| at * by).collect();
            let mut rest = 4;
            for place in 0..metadata.chunk {
                let string = next(&chunk, &mut rest).ok_or_else(|| {
                    Error::mismatch(view.place(), "the end of a chunk", "a string")
                })?;
                let to = to(&self.array.local(place), &first, block, &steps);
                if let Some(slot) = to.and_then(|to| found.get_mut(to)) {
                    *slot = Some((chunks.len(), string));
                }
            }
            chunks.push((number, chunk));
        }
        (self.chunks, self.found) = (chunks, found);
        Ok(())
    }

    fn get(&mut self, number: usize) -> Result<&[u8]> {
        let found = self.found.get(number);
        let missing = || Error::new(ErrorKind::Missing, self.array.elements.stored.place.clone());
        match found.ok_or_else(missing)? {
            None => Ok(&self.array.elements.stored.metadata.fill),
            Some((chunk, range)) => {
                let bytes = self.chunks.get(*chunk).and_then(|(_, bytes)| bytes.get(range.clone()));
                bytes.ok_or_else(missing)
            }
        }
    }
}

/// Returns the range of the next string of a chunk, and advances past it.
fn next(chunk: &[u8], at: &mut usize) -> Option<Range<usize>> {
    let length = chunk.get(*at..)?.first_chunk().map(|length| u32::from_le_bytes(*length))?;
    let start = *at + 4;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    *at = end;
    (end <= chunk.len()).then_some(start..end)
}

/// Returns the index in the block of an element of a chunk; `None` if it is not in the block.
fn to(local: &[u64], first: &[u64], block: &[Range<u64>], steps: &[u64]) -> Option<usize> {
    let mut to = 0;
    for (dimension, range) in block.iter().enumerate() {
        let at = first[dimension].checked_add(local[dimension])?;
        if !range.contains(&at) {
            return None;
        }
        to += (at - range.start) * steps[dimension];
    }
    usize::try_from(to).ok()
}
