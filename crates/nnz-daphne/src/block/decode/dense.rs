//! Decoding cells of a dense block.

use std::ops::Range;

use nnz_core::{Element, Error, Result, Values};

use super::{Decoder, Piece};
use crate::block::{Block, BlockType};
use crate::file::{Window, swap_on_big_endian};

/// Bytes of a row up to which it is read as a whole, even if only some columns are needed.
const SHORT_ROW: u64 = 4096;

/// Bytes of such rows that are read at once.
const WINDOW: usize = 256 << 10;

impl Decoder<'_> {
    pub(super) fn cells<T: Element>(
        &self,
        piece: &Piece,
        cols: &Range<u64>,
        offsets: &mut Vec<usize>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<()> {
        let mut panel = Values::new(T::TYPE);
        self.dense_cells(&piece.block, piece.rows.clone(), cols.clone(), &mut panel)?;
        let cells = T::slice(&panel).unwrap_or_default();
        columns.clear();
        values.clear();
        let width = usize::try_from(cols.end - cols.start).unwrap_or(usize::MAX).max(1);
        for row in cells.chunks_exact(width) {
            for (column, value) in (cols.start..).zip(row) {
                if bytemuck::bytes_of(value).iter().any(|&byte| byte != 0) {
                    columns.push(u32::try_from(column).unwrap_or(u32::MAX));
                    values.push(*value);
                }
            }
            offsets.push(columns.len());
        }
        Ok(())
    }

    /// Reads some rows and columns of a dense block, in the type of the block.
    pub(crate) fn dense_cells(
        &self,
        block: &Block,
        rows: Range<u64>,
        cols: Range<u64>,
        values: &mut Values,
    ) -> Result<()> {
        debug_assert_eq!(block.block_type, BlockType::Dense);
        let size = block.size();
        let all = u64::from(block.cols);
        let width = cols.end - cols.start;
        let count = (rows.end - rows.start).checked_mul(width);
        let count = count.and_then(|count| usize::try_from(count).ok());
        let Some(count) = count.filter(|&count| count as u64 <= block.stored) else {
            return Err(Error::argument("cells outside of a block"));
        };
        // The cells are in the file, so there are no more than its bytes.
        let bytes = values.resize_bytes(count);
        let first = |row: u64| block.data + (row * all + cols.start) * size as u64;
        if width == all {
            self.file.read(first(rows.start), bytes)?;
        } else if all * size as u64 <= SHORT_ROW {
            // Rows are so short that reading the other columns is cheaper than seeking.
            let [skip, len, row] = [cols.start, width, all]
                .map(|cells| usize::try_from(cells).unwrap_or(usize::MAX) * size);
            let mut window = Window::new(self.file, WINDOW);
            for (number, bytes) in rows.zip(bytes.chunks_exact_mut(len.max(1))) {
                let whole = window.at(first(number) - skip as u64, row, block.end)?;
                bytes.copy_from_slice(&whole[skip..skip + len]);
            }
        } else {
            let len = usize::try_from(width).unwrap_or(usize::MAX) * size;
            for (row, bytes) in rows.zip(bytes.chunks_exact_mut(len.max(1))) {
                self.file.read(first(row), bytes)?;
            }
        }
        swap_on_big_endian(values.bytes_mut(), size);
        Ok(())
    }
}
