//! The blocks that intersect a band of rows.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::Result;

use super::{ALL, ActiveBlock, BlockPart, Finder, RowLayout, RowPosition, Stretches};
use crate::file::{Buffers, Window};
use crate::{Block, BlockType};

/// Blocks in the order of their rows, and those that the current rows intersect.
pub(crate) struct BlockQueue<'a> {
    blocks: &'a [Block],
    finder: &'a Finder,
    /// The selected columns.
    cols: Range<u64>,
    /// The first block that was not entered yet.
    next: usize,
    /// The blocks that were entered, by column.
    active: Vec<ActiveBlock>,
}

impl<'a> BlockQueue<'a> {
    /// Starts before all rows. Blocks outside of the selected columns are skipped.
    pub(crate) fn new(blocks: &'a [Block], finder: &'a Finder, cols: Range<u64>) -> Self {
        Self { blocks, finder, cols, next: 0, active: Vec::new() }
    }

    /// Returns the first row of the next block.
    pub(crate) fn next_row(&self) -> Option<u64> {
        self.blocks.get(self.next).map(|block| block.row)
    }

    /// Moves to a row. Returns the row up to which the same blocks are intersected; `None` if there
    /// are none.
    pub(crate) fn enter(
        &mut self,
        window: &mut Window<'_>,
        rows: &Range<u64>,
    ) -> Result<Option<u64>> {
        self.active.retain(|active| active.block.row_end() > rows.start);
        while let Some(block) = self.blocks.get(self.next).filter(|block| block.row <= rows.start) {
            self.next += 1;
            let meets = block.col < self.cols.end && self.cols.start < block.col_end();
            if meets && block.row_end() > rows.start && !block.stores_nothing() {
                let active = self.finder.enter(window, *block, rows.start)?;
                let at = self.active.partition_point(|other| other.block.col < block.col);
                self.active.insert(at, active);
            }
        }
        let ends = self.active.iter().map(|active| active.block.row_end());
        Ok(ends.min().map(|end| end.min(rows.end).min(self.next_row().unwrap_or(u64::MAX))))
    }

    /// Splits rows into stretches if only one block intersects them, its rows have counts, and the
    /// rest of it is not needed otherwise. `last` is whether no other rows follow.
    pub(crate) fn stretches(
        &self,
        rows: &Range<u64>,
        last: bool,
        buffers: &Arc<Buffers>,
    ) -> Option<Stretches> {
        let [ActiveBlock { block, position, .. }] = self.active.as_slice() else { return None };
        let counted = block.block_type == BlockType::Sparse && block.layout != RowLayout::Arrays;
        let whole = last || rows.end == block.row_end();
        let end = rows.end - block.row;
        (counted && whole).then(|| Stretches::new(*block, *position, end, Arc::clone(buffers)))
    }

    /// Returns the first of some rows, and as many more as have at most `budget` entries, with the
    /// parts of the blocks in them. Moves past these rows.
    pub(crate) fn parts(
        &mut self,
        window: &mut Window<'_>,
        mut rows: Range<u64>,
        budget: u64,
    ) -> Result<(Range<u64>, Vec<BlockPart>)> {
        let each = (budget / self.active.len().max(1) as u64).max(1);
        let mut parts = Vec::new();
        for active in &self.active {
            let part = active.part(window, rows.end - active.block.row, each)?;
            rows.end = active.block.row + part.rows.end;
            parts.push(part);
        }
        for (active, part) in self.active.iter_mut().zip(&mut parts) {
            let end = rows.end - active.block.row;
            if part.rows.end > end {
                *part = active.part(window, end, ALL)?;
            }
            active.position = RowPosition { row: end, entry: part.entries.end, left: 0 };
        }
        Ok((rows, parts))
    }
}
