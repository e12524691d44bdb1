//! Visiting the entries of a block in the order of the file.

use std::ops::Range;

use nnz_core::Result;

use super::{ALL, Arrays, Block, BlockType, Coo, RowLayout, RowPosition};
use crate::file::{DataFile, Window};

/// Bytes that are read at once.
const WINDOW: usize = 256 << 10;

/// Rows of a block of arrays that are read at once.
const ROWS: u64 = 8192;

/// An entry of a block, and its position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) row: u64,
    pub(crate) col: u64,
    /// The first byte of its row or column.
    pub(crate) at: u64,
    /// The first byte of its value.
    pub(crate) value_at: u64,
    /// The value as stored in the file.
    pub(crate) value: &'a [u8],
}

/// Called with each entry.
pub(crate) type Each<'a> = &'a mut dyn FnMut(Entry<'_>) -> Result<()>;

/// Visits the stored entries of some rows, or all entries of an ultra-sparse block. Their positions
/// may be outside of the block. The elements of a dense block are not visited.
pub(crate) fn scan(file: &DataFile, block: &Block, rows: Range<u64>, each: Each<'_>) -> Result<()> {
    match block.block_type {
        BlockType::Sparse if block.layout == RowLayout::Arrays => {
            scan_arrays(file, block, rows, each)
        }
        BlockType::Sparse => scan_rows(file, block, rows, each),
        BlockType::UltraSparse => {
            let coo = Coo { file, block };
            let lead = (block.coo_stride() - block.size()) as u64;
            coo.scan(0..block.stored, &mut |number, row, col, value| {
                let at = coo.at(number);
                let (row, col) = (row.into(), col.into());
                each(Entry { row, col, at, value_at: at + lead, value })
            })
        }
        BlockType::Empty | BlockType::Dense => Ok(()),
    }
}

fn scan_rows(file: &DataFile, block: &Block, rows: Range<u64>, each: Each<'_>) -> Result<()> {
    let mut window = Window::new(file, WINDOW);
    let (width, stride) = (block.width(), block.stride());
    let mut position = RowPosition::default();
    position.advance(&mut window, block, rows.start, ALL)?;
    for row in rows {
        let entries = position.next_row(&mut window, block)?;
        position.check_end(file, block)?;
        let (mut at, end) =
            (block.row_at(row + 1, entries.start), block.row_at(row + 1, entries.end));
        while at < end {
            let held = window.at(at, stride, block.end)?;
            let own = usize::try_from(end - at).unwrap_or(usize::MAX).min(held.len());
            for pair in held[..own].chunks_exact(stride) {
                let col = block.layout.count(pair).unwrap_or(u64::MAX);
                each(Entry { row, col, at, value_at: at + width as u64, value: &pair[width..] })?;
                at += stride as u64;
            }
        }
    }
    Ok(())
}

fn scan_arrays(file: &DataFile, block: &Block, mut rows: Range<u64>, each: Each<'_>) -> Result<()> {
    let arrays = Arrays::of(block);
    let mut columns = Window::new(file, WINDOW);
    let mut values = Window::new(file, WINDOW);
    let size = block.size();
    while rows.start < rows.end {
        let last = rows.end.min(rows.start + ROWS);
        let starts = arrays.starts(file, block, rows.start, last)?;
        for (row, pair) in (rows.start..).zip(starts.windows(2)) {
            for entry in pair[0]..pair[1] {
                let at = arrays.columns + 8 * entry;
                let value_at = arrays.values + size as u64 * entry;
                let col = columns.u64(at, arrays.values)?;
                let value = &values.at(value_at, size, block.end)?[..size];
                each(Entry { row, col, at, value_at, value })?;
            }
        }
        rows.start = last;
    }
    Ok(())
}
