//! Decoding dense blocks into entries, and blocks of any type into panels of elements.

use std::ops::Range;

use nnz_core::{At, Batch, Element, Error, ErrorKind, Order, Place, Result, Values};

use super::{BlockPart, Decoder};
use crate::block::{Block, BlockType};
use crate::file::{Window, swap_on_big_endian};
use crate::zeroed::zeroed;

/// Bytes of a row up to which it is read as a whole, even if only some columns are needed.
const SHORT_ROW: u64 = 4096;

/// Bytes of such rows that are read at once.
const WINDOW: usize = 256 << 10;

impl Decoder<'_> {
    /// Decodes the elements whose bits are not all zero, as entries.
    pub(super) fn dense_entries<T: Element>(
        &self,
        part: &BlockPart,
        offsets: &mut Vec<usize>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<()> {
        let BlockPart { block, rows, entries, .. } = part;
        let first = rows.start * u64::from(block.cols);
        let cols = match part.is_one_row() {
            true => entries.start - first..entries.end - first,
            false => 0..block.cols.into(),
        };
        let mut panel = Values::new(T::TYPE);
        self.dense_elements(block, rows.clone(), cols.clone(), &mut panel)?;
        let elements = T::slice(&panel).unwrap_or_default();
        columns.clear();
        values.clear();
        let width = usize::try_from(cols.end - cols.start).unwrap_or(usize::MAX).max(1);
        for row in elements.chunks_exact(width) {
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

    /// Fills `values` with the elements of some columns of a part, in the type of its block.
    ///
    /// Columns are counted from the first of the block.
    pub(crate) fn panel(
        &self,
        part: &BlockPart,
        cols: Range<u64>,
        values: &mut Values,
    ) -> Result<()> {
        let block = &part.block;
        let Some(value_type) = block.value_type else {
            return Err(Error::argument("elements of an empty block"));
        };
        if values.value_type() != value_type {
            *values = Values::new(value_type);
        }
        if block.block_type == BlockType::Dense {
            return self.dense_elements(block, part.rows.clone(), cols, values);
        }
        let mut batch = Batch::new(Order::Row, Values::new(value_type));
        self.entries(part, &mut batch)?;
        let mut panel = zeroed(value_type, part.rows.end - part.rows.start, cols.end - cols.start)?;
        // At most the number of elements of the panel, which are in memory.
        let width = usize::try_from(cols.end - cols.start).unwrap_or(usize::MAX);
        scatter(&batch, part, &cols, width, &mut panel)?;
        *values = panel;
        Ok(())
    }

    /// Reads some rows and columns of a dense block, in the type of the block.
    fn dense_elements(
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
            return Err(Error::argument("elements outside of a block"));
        };
        // The elements are in the file, so there are no more than its bytes.
        let bytes = values.resize_bytes(count);
        let first = |row: u64| block.data + (row * all + cols.start) * size as u64;
        if width == all {
            self.file.read(first(rows.start), bytes)?;
        } else if all * size as u64 <= SHORT_ROW {
            // Rows are so short that reading the other columns is cheaper than seeking.
            let [skip, len, row] = [cols.start, width, all]
                .map(|elements| usize::try_from(elements).unwrap_or(usize::MAX) * size);
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

/// Copies entries into a panel. Duplicate entries are an error.
fn scatter(
    batch: &Batch,
    part: &BlockPart,
    cols: &Range<u64>,
    width: usize,
    panel: &mut Values,
) -> Result<()> {
    let size = panel.value_type().size();
    let first = part.block.row + part.rows.start;
    let from = batch.values.bytes();
    let into = panel.bytes_mut();
    let mut sorted = Vec::new();
    for run in 0..batch.runs() {
        let major = batch.majors.get(run);
        let row = usize::try_from(major - first).unwrap_or(usize::MAX);
        let mut last = None;
        let mut ascends = true;
        for entry in batch.run(run) {
            let minor = batch.minor(run, entry);
            ascends &= last.is_none_or(|last| last < minor);
            last = Some(minor);
            let col = minor - part.block.col;
            if cols.contains(&col) {
                // Inside the panel, so it fits into memory.
                let col = usize::try_from(col - cols.start).unwrap_or(usize::MAX);
                let element = (row * width + col) * size;
                into[element..element + size]
                    .copy_from_slice(&from[entry * size..(entry + 1) * size]);
            }
        }
        if !ascends {
            sorted.clear();
            sorted.extend(batch.run(run).map(|entry| batch.minor(run, entry)));
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                let place = Place::default().at(At::Entry { row: major, col: pair[0] });
                return Err(Error::new(ErrorKind::Duplicate { other: None }, place));
            }
        }
    }
    Ok(())
}
