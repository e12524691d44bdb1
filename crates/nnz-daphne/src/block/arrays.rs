//! A sparse block with arrays of row pointers, columns and values.

use std::ops::Range;

use nnz_core::Result;

use super::Block;
use crate::file::DataFile;

/// Row pointers that are read at once.
const TOGETHER: u64 = 8192;

/// The positions of the arrays of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrays {
    starts: u64,
    pub(crate) columns: u64,
    pub(crate) values: u64,
}

impl Arrays {
    pub(crate) fn of(block: &Block) -> Self {
        let columns = block.data + 8 * (u64::from(block.rows) + 1);
        Self { starts: block.data, columns, values: columns + 8 * block.stored }
    }

    /// Reads the pointers of rows `first..=last`, and checks them.
    pub(crate) fn starts(
        &self,
        file: &DataFile,
        block: &Block,
        first: u64,
        last: u64,
    ) -> Result<Vec<u64>> {
        let bytes = file.bytes(self.starts + 8 * first, 8 * (last - first + 1))?;
        let words = bytes.chunks_exact(8);
        let starts: Vec<u64> =
            words.map(|word| word.try_into().map_or(u64::MAX, u64::from_le_bytes)).collect();
        let fault = |row: u64, found: u64, expected: String| {
            let found = format!("{found} as the start of row {row} of the {block}");
            Err(file.mismatch(self.starts + 8 * row, found, expected))
        };
        for (row, pair) in (first..).zip(starts.windows(2)) {
            if pair[1] < pair[0] || pair[1] - pair[0] > block.cols.into() {
                let most = pair[0].saturating_add(block.cols.into());
                return fault(row + 1, pair[1], format!("{} to {most}", pair[0]));
            }
        }
        let ends = [(0, starts.first(), 0), (u64::from(block.rows), starts.last(), block.stored)];
        for (row, found, expected) in ends {
            let held = if row == 0 { first == 0 } else { last == row };
            if let Some(&found) = found.filter(|&&found| held && found != expected) {
                return fault(row, found, expected.to_string());
            }
        }
        if let Some(&last_start) = starts.last().filter(|&&start| start > block.stored) {
            return fault(last, last_start, format!("at most {}", block.stored));
        }
        Ok(starts)
    }

    /// Finds the rows from `first` up to `to` that have at most `budget` entries together, but at
    /// least one row. Returns the row after the last, and the entries.
    pub(crate) fn advance(
        &self,
        file: &DataFile,
        block: &Block,
        first: u64,
        to: u64,
        budget: u64,
    ) -> Result<(u64, Range<u64>)> {
        let mut row = first;
        let mut entries = 0..0;
        while row < to {
            for pair in self.starts(file, block, row, to.min(row + TOGETHER))?.windows(2) {
                if row == first {
                    entries.start = pair[0];
                } else if pair[1].saturating_sub(entries.start) > budget {
                    return Ok((row, entries));
                }
                entries.end = pair[1];
                row += 1;
            }
        }
        Ok((row, entries))
    }
}
