//! Positions in the rows of a block, and finding rows after rows of any length.

use std::ops::Range;
use std::sync::Mutex;

use nnz_core::{Error, Result};

use super::{Block, Bounds};
use crate::file::{DataFile, Window};
use crate::lock::lock;

/// The smallest number of rows between two landmarks.
const APART: u64 = 1024;

/// The largest number of landmarks of a block.
const MOST: u64 = 1 << 16;

/// Bytes that are read at once to check a block.
const WINDOW: usize = 64 << 10;

/// No limit for the number of entries.
pub(crate) const ALL: u64 = u64::MAX;

/// A position in a block: at the start of a row, or at a later entry of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowPosition {
    pub(crate) row: u64,
    /// The number of entries of the block before it.
    pub(crate) entry: u64,
    /// Entries of the row that are left; 0 if its count is next.
    pub(crate) left: u64,
}

impl RowPosition {
    /// Returns its byte in the file. The block is sparse, and its rows have counts.
    pub(crate) fn at(self, block: &Block) -> u64 {
        block.row_at(self.row + u64::from(self.left > 0), self.entry)
    }

    /// Advances to row `to`, but past at most `budget` entries, unless the first row has more.
    pub(crate) fn advance(
        &mut self,
        window: &mut Window<'_>,
        block: &Block,
        to: u64,
        budget: u64,
    ) -> Result<()> {
        let (file, first) = (window.file, *self);
        'read: while self.row < to {
            let start = self.at(block);
            let held = window.at(start, block.width(), block.end)?;
            // The window often has many short rows.
            while self.row < to {
                let skip = usize::try_from(self.at(block) - start).unwrap_or(usize::MAX);
                let count = held.get(skip..).and_then(|rest| block.layout.count(rest));
                let Some(count) = count else { continue 'read };
                let next = self.after_row(file, block, count)?;
                if self.row > first.row && next.entry - first.entry > budget {
                    return Ok(());
                }
                *self = next;
            }
        }
        self.check_end(file, block)
    }

    /// Advances past one row, and returns its entries.
    pub(crate) fn next_row(
        &mut self,
        window: &mut Window<'_>,
        block: &Block,
    ) -> Result<Range<u64>> {
        let count = block.layout.count(window.at(self.at(block), block.width(), block.end)?);
        let next = self.after_row(window.file, block, count.unwrap_or(u64::MAX))?;
        Ok(std::mem::replace(self, next).entry..next.entry)
    }

    /// Returns the position after a row with this count.
    #[inline(always)]
    fn after_row(mut self, file: &DataFile, block: &Block, count: u64) -> Result<Self> {
        self.begin_row(file, block, count)?;
        Ok(Self { row: self.row + 1, entry: self.entry + count, left: 0 })
    }

    /// Advances past complete and valid rows in some bytes, which start here. Appends to `ends` the
    /// end of each row among the entries.
    pub(super) fn pass_rows(
        &mut self,
        block: &Block,
        bytes: &[u8],
        to: u64,
        ends: &mut Vec<usize>,
    ) {
        let bounds = Bounds { rows: to - self.row, entries: block.cols, size: block.size() };
        let passed = block.layout.pass(bytes, bounds, ends);
        self.row += passed.rows;
        let pairs = passed.bytes as u64 - passed.rows * block.width() as u64;
        self.entry += pairs / block.stride() as u64;
    }

    /// Advances from the count of a row to its entries.
    #[inline(always)]
    pub(super) fn begin_row(&mut self, file: &DataFile, block: &Block, count: u64) -> Result<()> {
        let left = block.end.saturating_sub(self.at(block) + block.width() as u64);
        // There are less than 2^32 columns, so the length in bytes does not overflow.
        if count <= block.cols.into() && count * block.stride() as u64 <= left {
            self.left = count;
            return Ok(());
        }
        Err(self.refused(file, block, count))
    }

    /// Returns the error for a row with too many entries.
    #[cold]
    fn refused(self, file: &DataFile, block: &Block, count: u64) -> Error {
        let (row, at) = (self.row, self.at(block));
        if count > block.cols.into() {
            let found = format!("{count} entries in row {row} of the {block}");
            return file.mismatch(
                at,
                found,
                format!("at most {}, the number of columns", block.cols),
            );
        }
        let end = at + block.width() as u64 + count * block.stride() as u64;
        if end <= file.len() {
            // The row is complete, but the block ends too early.
            let expected = format!("more, since row {row} ends at byte {end}");
            return wrong_number(file, block, &expected);
        }
        let found = format!("the end of the file in row {row} of the {block}");
        file.mismatch(at, found, format!("{count} entries; the file is truncated"))
    }

    /// Advances past the entries of the current row that start before byte `end`, and returns their
    /// number.
    pub(super) fn pass_entries(&mut self, block: &Block, end: u64) -> usize {
        let within = end.saturating_sub(self.at(block)).div_ceil(block.stride() as u64);
        let passed = self.left.min(within);
        self.entry += passed;
        self.left -= passed;
        self.row += u64::from(self.left == 0);
        usize::try_from(passed).unwrap_or(usize::MAX)
    }

    /// Checks that the last row ends at the end of the block.
    pub(super) fn check_end(self, file: &DataFile, block: &Block) -> Result<()> {
        let at = self.at(block);
        if self.row < u64::from(block.rows) || at == block.end {
            return Ok(());
        }
        Err(wrong_number(file, block, &format!("fewer, since its rows end at byte {at}")))
    }

    /// Checks that the counts of all rows add up to the length of the block.
    pub(crate) fn check_all(file: &DataFile, block: &Block) -> Result<()> {
        let mut window = Window::new(file, WINDOW);
        Self::default().advance(&mut window, block, block.rows.into(), ALL)
    }

    /// Checks that the counts of all rows fit into the bytes of the block.
    pub(crate) fn check_counts(file: &DataFile, block: &Block) -> Result<()> {
        let mut position = Self::default();
        let mut window = Window::new(file, WINDOW);
        let last = u64::from(block.rows).saturating_sub(1);
        position.advance(&mut window, block, last, ALL)?;
        if last < u64::from(block.rows) {
            window.at(position.at(block), block.width(), block.end)?;
        }
        Ok(())
    }
}

/// Returns the error for a block with another number of entries than its rows.
#[cold]
fn wrong_number(file: &DataFile, block: &Block, expected: &str) -> Error {
    file.mismatch(block.data - 8, format!("{} entries in the {block}", block.stored), expected)
}

/// Known positions of rows, from which other rows are found.
#[derive(Debug)]
pub(crate) struct Landmarks {
    every: u64,
    /// The number of entries before each `every`-th row, for all rows reached so far.
    known: Mutex<Vec<u64>>,
}

impl Landmarks {
    pub(crate) fn new(block: &Block) -> Self {
        let every = u64::from(block.rows).div_ceil(MOST).max(APART);
        Self { every, known: Mutex::new(vec![0]) }
    }

    /// Finds the position of a row.
    pub(crate) fn find(
        &self,
        window: &mut Window<'_>,
        block: &Block,
        row: u64,
    ) -> Result<RowPosition> {
        let target = usize::try_from(row / self.every).unwrap_or(usize::MAX);
        let mut known = lock(&self.known);
        let nearest = target.min(known.len() - 1);
        let (row_before, entry) = (nearest as u64 * self.every, known[nearest]);
        let mut position = RowPosition { row: row_before, entry, left: 0 };
        while position.row + self.every <= row {
            position.advance(window, block, position.row + self.every, ALL)?;
            known.push(position.entry);
        }
        drop(known);
        position.advance(window, block, row, ALL)?;
        Ok(position)
    }
}
