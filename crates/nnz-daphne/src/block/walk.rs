//! Finding rows after rows of any length.

use std::sync::Mutex;

use nnz_core::Result;

use super::{Block, RowLayout};
use crate::file::{DataFile, Window};
use crate::lock::lock;

/// The smallest number of rows between two landmarks.
const APART: u64 = 1024;

/// The largest number of landmarks of a block.
const MOST: u64 = 1 << 16;

/// Bytes that are read at once while walking.
const WINDOW: usize = 64 << 10;

/// No limit for the number of entries.
pub(crate) const ALL: u64 = u64::MAX;

/// A row of a sparse block, and the position of its count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) row: u64,
    pub(crate) at: u64,
}

impl Walk {
    /// Starts at the first row.
    pub(crate) fn start(block: &Block) -> Self {
        Self { row: 0, at: block.data }
    }

    /// Walks to row `to`, but past at most `budget` entries, unless the first row has more.
    ///
    /// Returns the number of entries passed.
    pub(crate) fn advance(
        &mut self,
        window: &mut Window<'_>,
        block: &Block,
        layout: RowLayout,
        to: u64,
        budget: u64,
    ) -> Result<u64> {
        let width = layout.width();
        let stride = (width + block.size()) as u64;
        let cols = u64::from(block.cols);
        let file = window.file;
        let first = self.row;
        let mut passed = 0;
        'read: while self.row < to {
            let held = window.at(self.at, width, block.end)?;
            let mut skip = 0;
            // The window often has many short rows.
            while self.row < to {
                let Some(count) = held.get(skip..skip + width) else { continue 'read };
                let count = layout.count(count).unwrap_or(u64::MAX);
                let left = block.end - self.at - width as u64;
                // There are less than 2^32 columns, so the length in bytes does not overflow.
                if count > cols || count * stride > left {
                    let end = count.saturating_mul(stride).saturating_add(self.at + width as u64);
                    if count <= cols && end <= file.len() {
                        // The row is complete, but the block ends too early.
                        let rows = format!("row {}, which ends at byte {end}", self.row);
                        return Err(Self::too_few(file, block, &rows));
                    }
                    return Err(Self::too_many(file, block, *self, count));
                }
                let end = self.at + width as u64 + count * stride;
                if self.row > first && passed + count > budget {
                    return Ok(passed);
                }
                passed += count;
                self.row += 1;
                self.at = end;
                match usize::try_from(count * stride) {
                    Ok(bytes) if bytes < held.len() => skip += width + bytes,
                    _ => continue 'read,
                }
            }
        }
        self.check_end(file, block)?;
        Ok(passed)
    }

    #[cold]
    fn too_many(
        file: &DataFile,
        block: &Block,
        Self { row, at }: Self,
        count: u64,
    ) -> nnz_core::Error {
        if count > u64::from(block.cols) {
            let found = format!("{count} entries in row {row} of the {block}");
            let expected = format!("at most {}, the number of columns", block.cols);
            return file.mismatch(at, found, expected);
        }
        let found = format!("the end of the file in row {row} of the {block}");
        file.mismatch(at, found, format!("{count} entries; the file is truncated"))
    }

    /// Checks that the last row ends at the end of the block.
    fn check_end(self, file: &DataFile, block: &Block) -> Result<()> {
        if self.row < u64::from(block.rows) || self.at == block.end {
            return Ok(());
        }
        let rows = format!("its rows, which end at byte {}", self.at);
        Err(Self::too_few(file, block, &rows))
    }

    #[cold]
    fn too_few(file: &DataFile, block: &Block, rows: &str) -> nnz_core::Error {
        let found = format!("{} entries in the {block}", block.stored);
        file.mismatch(block.data - 8, found, format!("the number in {rows}"))
    }

    /// Checks that the counts of all rows add up to the length of the block.
    pub(crate) fn check_all(file: &DataFile, block: &Block, layout: RowLayout) -> Result<()> {
        if layout == RowLayout::Arrays {
            return Ok(());
        }
        let mut window = Window::new(file, WINDOW);
        Self::start(block).advance(&mut window, block, layout, block.rows.into(), ALL)?;
        Ok(())
    }

    /// Checks that the counts of all rows fit into the bytes of the block.
    pub(crate) fn check_counts(file: &DataFile, block: &Block, layout: RowLayout) -> Result<()> {
        let mut walk = Self::start(block);
        let mut window = Window::new(file, WINDOW);
        let last = u64::from(block.rows).saturating_sub(1);
        walk.advance(&mut window, block, layout, last, ALL)?;
        if last < u64::from(block.rows) {
            window.at(walk.at, layout.width(), block.end)?;
        }
        Ok(())
    }
}

/// Known positions of rows, from which other rows are found.
#[derive(Debug)]
pub(crate) struct Landmarks {
    every: u64,
    /// The first byte of each `every`-th row, for all rows reached so far.
    known: Mutex<Vec<u64>>,
}

impl Landmarks {
    pub(crate) fn new(block: &Block) -> Self {
        let every = u64::from(block.rows).div_ceil(MOST).max(APART);
        Self { every, known: Mutex::new(vec![block.data]) }
    }

    /// Finds the position of a row.
    pub(crate) fn find(
        &self,
        window: &mut Window<'_>,
        block: &Block,
        layout: RowLayout,
        row: u64,
    ) -> Result<Walk> {
        let target = usize::try_from(row / self.every).unwrap_or(usize::MAX);
        let mut known = lock(&self.known);
        let last = known.len() - 1;
        let nearest = last.min(target);
        let mut walk = Walk { row: nearest as u64 * self.every, at: known[nearest] };
        while walk.row + self.every <= row {
            let next = walk.row + self.every;
            walk.advance(window, block, layout, next, ALL)?;
            known.push(walk.at);
        }
        drop(known);
        walk.advance(window, block, layout, row, ALL)?;
        Ok(walk)
    }
}
