//! Decoding parts of blocks into entries.

mod arrays;
mod coo;
mod dense;
mod rows;

use std::ops::Range;

use nnz_core::{Batch, Element, Majors, Minors, Order, Result};

use super::cast::with_type;
use super::{Block, BlockType, RowLayout, Stretch};
use crate::file::DataFile;

/// Some rows of a block.
#[derive(Clone, Debug)]
pub(crate) struct BlockPart {
    pub(crate) block: Block,
    /// The rows, counted from the first of the block.
    pub(crate) rows: Range<u64>,
    /// Their entries, counted from the first of the block. All elements of a dense block are
    /// entries.
    pub(crate) entries: Range<u64>,
    /// Whether some of these entries may be in other rows.
    pub(crate) scattered: bool,
    /// A stretch of bytes in which rows and entries are found during decoding.
    pub(crate) stretch: Option<Stretch>,
}

impl BlockPart {
    /// Returns whether there is only one row, of which only some entries may be needed.
    fn is_one_row(&self) -> bool {
        self.rows.end - self.rows.start == 1
    }

    /// Splits one row into parts of at most `most` entries each.
    pub(crate) fn split(self, most: u64) -> impl Iterator<Item = Self> {
        let end = self.entries.end;
        let starts = self.entries.clone().step_by(usize::try_from(most).unwrap_or(usize::MAX));
        starts.map(move |start| {
            let entries = start..end.min(start.saturating_add(most));
            Self { entries, ..self.clone() }
        })
    }
}

/// Decodes parts of the blocks of a file.
#[derive(Clone, Copy)]
pub(crate) struct Decoder<'a> {
    pub(crate) file: &'a DataFile,
    /// The number of columns of the object.
    pub(crate) cols: u64,
}

impl Decoder<'_> {
    /// Decodes a part into entries with values of the type of the block.
    ///
    /// Elements of a dense block whose bits are all zero are skipped.
    pub(crate) fn entries(&self, part: &BlockPart, batch: &mut Batch) -> Result<()> {
        batch.order = Order::Row;
        batch.offsets.clear();
        batch.offsets.push(0);
        let Some(value_type) = part.block.value_type else {
            batch.majors = Majors::Listed(Vec::new());
            batch.minors.u32_mut();
            batch.values.clear();
            return Ok(());
        };
        with_type!(value_type, T => self.decode::<T>(part, batch))
    }

    fn decode<T: Element>(&self, part: &BlockPart, batch: &mut Batch) -> Result<()> {
        let BlockPart { block, rows, stretch, .. } = part;
        batch.majors = Majors::Consecutive(block.row + rows.start);
        let mut columns = std::mem::take(batch.minors.u32_buffer());
        let values = T::vec_mut(&mut batch.values);
        let offsets = &mut batch.offsets;
        match (block.block_type, stretch) {
            (BlockType::Empty, _) => {}
            (BlockType::Dense, _) => {
                self.dense_entries::<T>(part, offsets, &mut columns, values)?
            }
            (BlockType::Sparse, Some(stretch)) => {
                let first = self.stretch::<T>(block, stretch, offsets, &mut columns, values)?;
                batch.majors = Majors::Consecutive(block.row + first);
            }
            (BlockType::Sparse, None) if block.layout == RowLayout::Arrays => {
                self.arrays::<T>(part, offsets, &mut columns, values)?;
            }
            (BlockType::Sparse, None) => {
                self.counted_rows::<T>(part, offsets, &mut columns, values)?;
            }
            (BlockType::UltraSparse, _) => {
                let rows = batch.majors.listed_mut();
                self.coo::<T>(part, rows, offsets, &mut columns, values)?;
            }
        }
        batch.minors = self.placed(block, columns);
        Ok(())
    }

    /// Converts columns of a block to columns of the object.
    fn placed(&self, block: &Block, mut columns: Vec<u32>) -> Minors {
        match u32::try_from(self.cols - 1) {
            Ok(_) if block.col == 0 => Minors::U32(columns),
            // The sum is a column of the object, which has at most 2^32.
            Ok(_) => {
                let first = u32::try_from(block.col).unwrap_or(u32::MAX);
                columns.iter_mut().for_each(|column| *column = column.wrapping_add(first));
                Minors::U32(columns)
            }
            Err(_) => Minors::U64(
                columns.into_iter().map(|column| block.col + u64::from(column)).collect(),
            ),
        }
    }

    /// Checks columns that are `stride` bytes apart in the file, from byte `first` on.
    fn check_columns(&self, block: &Block, columns: &[u32], first: u64, stride: u64) -> Result<()> {
        if nnz_bitpack::max(columns).is_none_or(|largest| largest < block.cols) {
            return Ok(());
        }
        let entry = columns.iter().position(|&column| column >= block.cols).unwrap_or(0);
        let at = first + entry as u64 * stride;
        // Columns that are too large were replaced with the largest number.
        let mut column = [0; 8];
        self.file.read(at, &mut column[..block.width()])?;
        let found = format!("column {} in the {block}", u64::from_le_bytes(column));
        let expected = format!("a column less than {}", block.cols);
        Err(self.file.mismatch(at, found, expected))
    }
}
