//! Dividing a read into parts, one for each chunk.

use std::ops::Range;

use super::copy::Dimension;
use super::selection;
use nnz_chunk::grid::{Grid, strides};

/// The common properties of all parts of a read.
pub(super) struct Request {
    /// The strides in `out`.
    to: Vec<usize>,
    /// The strides of the dimensions of a field, in the array.
    own: Vec<u64>,
    /// The offset of the field in an element of the array.
    offset: u64,
}

/// The positions of elements in storage.
pub(super) struct Positions {
    pub(super) at: u64,
    pub(super) dimensions: Vec<Dimension>,
}

/// The part of a read that is in one chunk.
pub(super) struct ChunkSelection {
    /// The ranges in the chunk.
    pub(super) ranges: Vec<Range<u64>>,
    /// The offset of the part in `out`.
    pub(super) to: usize,
    /// Whether it is not the whole chunk.
    pub(super) part: bool,
}

impl Request {
    /// Prepares a read of elements of `width` bytes, which start at byte `offset` of each element of
    /// the array, and have their `own` dimensions.
    pub(super) fn new(
        selection: &[Range<u64>],
        own: &[u64],
        offset: usize,
        width: usize,
    ) -> Option<Self> {
        let width = width as u64;
        let to = strides(&selection::lengths(selection), width)?;
        let to =
            to.into_iter().map(|stride| usize::try_from(stride).ok()).collect::<Option<_>>()?;
        let own = strides(own, width)?;
        Some(Self { to, own, offset: offset as u64 })
    }

    /// Finds ranges of elements in storage with the given strides.
    pub(super) fn positions(&self, ranges: &[Range<u64>], strides: &[u64]) -> Option<Positions> {
        let mut at = self.offset;
        let mut dimensions = Vec::with_capacity(ranges.len());
        let strides = strides.iter().chain(&self.own);
        for ((range, &stride), &to) in ranges.iter().zip(strides).zip(&self.to) {
            at = at.checked_add(range.start.checked_mul(stride)?)?;
            let count = usize::try_from(range.end - range.start).ok()?;
            dimensions.push(Dimension { count, from: usize::try_from(stride).ok()?, to });
        }
        Some(Positions { at, dimensions })
    }

    /// Returns the part that is in the chunk at a position of the grid.
    pub(super) fn inside(
        &self,
        grid: &Grid,
        at: &[u64],
        selection: &[Range<u64>],
    ) -> Option<ChunkSelection> {
        let mut inside = ChunkSelection { ranges: selection.to_vec(), to: 0, part: false };
        let lengths = grid.chunk().iter().zip(grid.shape());
        for (dimension, (&chunk, &length)) in lengths.enumerate() {
            let range = &mut inside.ranges[dimension];
            let first = at[dimension].checked_mul(chunk)?;
            let end = first.saturating_add(chunk).min(length);
            let (start, stop) = (range.start.max(first), range.end.min(end));
            let before = usize::try_from(start - range.start).ok()?;
            inside.to += before.checked_mul(self.to[dimension])?;
            inside.part |= start > first || stop < end;
            *range = start - first..stop - first;
        }
        Some(inside)
    }
}
