//! An ultra-sparse block: rows, columns and values.

use std::ops::Range;

use nnz_core::Result;

use super::{Block, RowPosition};
use crate::file::{DataFile, Window};

/// Bytes that are read at once.
const WINDOW: usize = 256 << 10;

/// The largest number of groups of rows in which entries are counted.
const GROUPS: u64 = 4096;

/// Called with index, row, column and the bytes of the value of an entry.
pub(crate) type EachPlace<'a> = &'a mut dyn FnMut(u64, u32, u32, &[u8]) -> Result<()>;

/// The order of the entries of a block.
#[derive(Clone, Debug)]
pub(crate) enum CooOrder {
    /// Sorted by row.
    ByRow,
    /// Not sorted by row, with the number of entries in each group of `rows` consecutive rows.
    Any { rows: u64, counts: Vec<u64> },
}

/// The entries of an ultra-sparse block.
#[derive(Clone, Copy)]
pub(crate) struct Coo<'a> {
    pub(crate) file: &'a DataFile,
    pub(crate) block: &'a Block,
}

impl<'a> Coo<'a> {
    /// Visits a range of entries.
    pub(crate) fn scan(self, entries: Range<u64>, each: EachPlace<'_>) -> Result<()> {
        let stride = self.block.coo_stride();
        let two = self.block.cols != 1;
        let mut window = Window::new(self.file, WINDOW);
        let mut number = entries.start;
        while number < entries.end {
            let at = self.at(number);
            let held = window.at(at, stride, self.block.end)?;
            let left = usize::try_from(entries.end - number).unwrap_or(usize::MAX);
            for entry in held.chunks_exact(stride).take(left) {
                let (row, rest) = entry.split_at(4);
                let (col, value) = if two { rest.split_at(4) } else { (&[0; 4][..], rest) };
                each(number, word(row), word(col), value)?;
                number += 1;
            }
        }
        Ok(())
    }

    /// Returns the first byte of an entry.
    pub(crate) fn at(self, number: u64) -> u64 {
        self.block.data + number * self.block.coo_stride() as u64
    }

    /// Checks that an entry is inside the block.
    pub(crate) fn check(self, number: u64, row: u32, col: u32) -> Result<()> {
        let Block { rows, cols, .. } = *self.block;
        let sides = [("row", row, rows, 0), ("column", col, cols, 4)];
        for (side, found, all, at) in sides {
            if found >= all {
                let found = format!("{side} {found} in the {}", self.block);
                let expected = format!("a {side} less than {all}");
                return Err(self.file.mismatch(self.at(number) + at, found, expected));
            }
        }
        Ok(())
    }

    /// Reads all entries to find their order.
    pub(crate) fn order(self) -> Result<CooOrder> {
        let rows = u64::from(self.block.rows).div_ceil(GROUPS.min(1 + self.block.stored / 16));
        let mut counts = Vec::new();
        let mut last = 0;
        let mut by_row = true;
        self.scan(0..self.block.stored, &mut |number, row, col, _| {
            self.check(number, row, col)?;
            by_row &= last <= row;
            last = row;
            let group = usize::try_from(u64::from(row) / rows).unwrap_or(usize::MAX);
            if counts.len() <= group {
                counts.resize(group + 1, 0);
            }
            counts[group] += 1;
            Ok(())
        })?;
        Ok(if by_row { CooOrder::ByRow } else { CooOrder::Any { rows, counts } })
    }

    /// Finds the first entry whose row is at least `row`, if entries are sorted by row.
    pub(crate) fn lower_bound(self, row: u64) -> Result<u64> {
        let (mut low, mut high) = (0, self.block.stored);
        while low < high {
            let middle = low + (high - low) / 2;
            if u64::from(self.row(middle)?) < row {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Reads the row of an entry.
    pub(crate) fn row(self, number: u64) -> Result<u32> {
        let mut word = [0; 4];
        self.file.read(self.at(number), &mut word)?;
        Ok(u32::from_le_bytes(word))
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(u32::MAX, u32::from_le_bytes)
}

impl CooOrder {
    /// Finds the rows from a position up to `to` that have at most `budget` entries together, but
    /// at least one row or one group of rows. Returns the row after the last, and a range that
    /// contains their entries.
    pub(crate) fn advance(
        &self,
        coo: Coo<'_>,
        RowPosition { row, entry, .. }: RowPosition,
        to: u64,
        budget: u64,
    ) -> Result<(u64, Range<u64>)> {
        match self {
            Self::ByRow => {
                let beyond = entry.saturating_add(budget);
                if beyond >= coo.block.stored {
                    return Ok((to, entry..coo.lower_bound(to)?));
                }
                let end = u64::from(coo.row(beyond)?).clamp(row + 1, to);
                Ok((end, entry..coo.lower_bound(end)?))
            }
            Self::Any { rows, counts } => {
                let first = row / rows;
                let following = counts.iter().skip(usize::try_from(first).unwrap_or(usize::MAX));
                let mut passed = 0;
                let full = (first..).zip(following).find(|&(group, count)| {
                    passed += count;
                    passed > budget && group > first
                });
                let end = full.map_or(to, |(group, _)| to.min(group * rows));
                Ok((end, 0..coo.block.stored))
            }
        }
    }
}
