//! Decoding pieces of blocks into entries.

mod arrays;
mod coo;
mod dense;
mod rows;

use std::ops::Range;

use nnz_core::{Batch, Element, Majors, Minors, Order, Result};

use super::cast::with_type;
use super::{Block, RowLayout, Stretch, split_pairs};
use crate::file::{DataFile, swap_on_big_endian};

/// The cells of a piece.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Whole rows with their counts, in a range of bytes.
    Rows(Range<u64>),
    /// The rows of a stretch of bytes, or parts of them.
    Stretch(Stretch),
    /// Some pairs of one row, in a range of bytes.
    Pairs(Range<u64>),
    /// Whole rows of a block of arrays.
    Arrays,
    /// Some entries of one row of a block of arrays.
    ArrayEntries(Range<u64>),
    /// Some columns of a dense block.
    Cells(Range<u64>),
    /// The entries of a range that are in the rows of the piece.
    Coo(Range<u64>),
}

/// A part of a block: some of its rows, counted from its first.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) block: Block,
    pub(crate) rows: Range<u64>,
    pub(crate) part: Part,
}

/// Decodes pieces of the blocks of a file.
#[derive(Clone, Copy)]
pub(crate) struct Decoder<'a> {
    pub(crate) file: &'a DataFile,
    pub(crate) layout: RowLayout,
    /// The number of columns of the object.
    pub(crate) cols: u64,
}

impl Decoder<'_> {
    /// Decodes a piece into entries with values of the type of the block.
    ///
    /// Cells of a dense block whose bits are all zero are skipped.
    pub(crate) fn entries(&self, piece: &Piece, batch: &mut Batch) -> Result<()> {
        batch.order = Order::Row;
        batch.offsets.clear();
        batch.offsets.push(0);
        let Some(value_type) = piece.block.value_type else {
            batch.majors = Majors::Listed(Vec::new());
            batch.minors.u32_mut();
            batch.values.clear();
            return Ok(());
        };
        with_type!(value_type, T => self.decode::<T>(piece, batch))
    }

    fn decode<T: Element>(&self, piece: &Piece, batch: &mut Batch) -> Result<()> {
        let block = &piece.block;
        batch.majors = Majors::Consecutive(block.row + piece.rows.start);
        let mut columns = std::mem::take(batch.minors.u32_buffer());
        let values = T::vec_mut(&mut batch.values);
        match &piece.part {
            Part::Rows(bytes) => {
                self.whole_rows::<T>(piece, bytes, &mut batch.offsets, &mut columns, values)
            }
            Part::Stretch(stretch) => {
                let first =
                    self.stretch::<T>(block, stretch, &mut batch.offsets, &mut columns, values)?;
                batch.majors = Majors::Consecutive(block.row + first);
                Ok(())
            }
            Part::Pairs(bytes) => {
                let held = self.file.bytes(bytes.start, bytes.end - bytes.start)?;
                let stride = self.layout.width() + size_of::<T>();
                resize(&mut columns, values, held.len() / stride);
                split_pairs(self.layout, &held, &mut columns, values);
                batch.offsets.push(columns.len());
                self.check_columns(block, &columns, bytes.start, stride as u64)
            }
            Part::Arrays => self.arrays::<T>(piece, &mut batch.offsets, &mut columns, values),
            Part::ArrayEntries(entries) => {
                self.array_entries::<T>(block, entries.clone(), &mut columns, values)?;
                batch.offsets.push(columns.len());
                Ok(())
            }
            Part::Cells(cols) => {
                self.cells::<T>(piece, cols, &mut batch.offsets, &mut columns, values)
            }
            Part::Coo(entries) => {
                let rows = batch.majors.listed_mut();
                self.coo::<T>(piece, entries, rows, &mut batch.offsets, &mut columns, values)
            }
        }?;
        if !matches!(
            piece.part,
            Part::Cells(_) | Part::ArrayEntries(_) | Part::Arrays | Part::Coo(_)
        ) {
            swap_on_big_endian(bytemuck::cast_slice_mut(values), size_of::<T>());
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
        self.file.read(at, &mut column[..self.layout.width()])?;
        let found = format!("column {} in the {block}", u64::from_le_bytes(column));
        let expected = format!("a column less than {}", block.cols);
        Err(self.file.mismatch(at, found, expected))
    }
}

/// Resizes the buffers; all elements are overwritten.
fn resize<T: Element>(columns: &mut Vec<u32>, values: &mut Vec<T>, count: usize) {
    columns.resize(count, 0);
    values.resize(count, bytemuck::Zeroable::zeroed());
}
