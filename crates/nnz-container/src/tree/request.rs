//! A read, cut into the parts that lie in one chunk each.

use std::ops::Range;

use super::copy::Dimension;
use super::grid::{Grid, strides};
use super::selection;

/// What is the same for all parts of a read.
pub(super) struct Request {
    /// Bytes from one element to the next in `out`.
    to: Vec<usize>,
    /// The same for the dimensions of a field, in the array.
    own: Vec<u64>,
    /// Where the field starts in an element of the array.
    offset: u64,
}

/// Where elements lie.
pub(super) struct Placed {
    pub(super) at: u64,
    pub(super) dimensions: Vec<Dimension>,
}

/// The part of a read that lies in one chunk.
pub(super) struct Inside {
    /// Ranges in the chunk.
    pub(super) ranges: Vec<Range<u64>>,
    /// Where the part starts in `out`.
    pub(super) to: usize,
    /// Whether it is not the whole chunk.
    pub(super) part: bool,
}

impl Request {
    /// Prepares a read of elements of `width` bytes, which start `offset` bytes into those of the
    /// array, and have dimensions of their `own`.
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

    /// Finds ranges of elements in storage with these strides.
    pub(super) fn placed(&self, ranges: &[Range<u64>], strides: &[u64]) -> Option<Placed> {
        let mut at = self.offset;
        let mut dimensions = Vec::with_capacity(ranges.len());
        let strides = strides.iter().chain(&self.own);
        for ((range, &stride), &to) in ranges.iter().zip(strides).zip(&self.to) {
            at = at.checked_add(range.start.checked_mul(stride)?)?;
            let count = usize::try_from(range.end - range.start).ok()?;
            dimensions.push(Dimension { count, from: usize::try_from(stride).ok()?, to });
        }
        Some(Placed { at, dimensions })
    }

    /// Cuts out what lies in the chunk at a place of the grid.
    pub(super) fn inside(
        &self,
        grid: &Grid,
        at: &[u64],
        selection: &[Range<u64>],
    ) -> Option<Inside> {
        let mut inside = Inside { ranges: selection.to_vec(), to: 0, part: false };
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
