//! Decoding rows with their counts.

use nnz_bitpack::PairRows;
use nnz_core::{Element, Result};

use super::{BlockPart, Decoder};
use crate::block::{Block, Bounds, Stretch};
use crate::file::swap_on_big_endian;

impl Decoder<'_> {
    /// Decodes rows, or some entries of one row.
    pub(super) fn counted_rows<T: Element>(
        &self,
        part: &BlockPart,
        offsets: &mut Vec<usize>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<()> {
        let BlockPart { block, rows, entries, .. } = part;
        // The count of a single row is not needed.
        let one = part.is_one_row();
        let first = block.row_at(rows.start + u64::from(one), entries.start);
        let held = self.file.bytes(first, block.row_at(rows.end, entries.end) - first)?;
        if one {
            offsets.push(held.len() / block.stride());
        } else {
            let rows = rows.end - rows.start;
            let bounds = Bounds { rows, entries: block.cols, size: size_of::<T>() };
            let passed = block.layout.pass(&held, bounds, offsets);
            if (passed.rows, passed.bytes) != (rows, held.len()) {
                return Err(block.changed(self.file));
            }
        }
        self.rows(block, (first, &held), one, offsets, columns, values)
    }

    /// Decodes the rows, or parts of rows, of a stretch. Returns the first row.
    pub(super) fn stretch<T: Element>(
        &self,
        block: &Block,
        stretch: &Stretch,
        offsets: &mut Vec<usize>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<u64> {
        stretch.read(self.file, offsets, |first, bytes, offsets| {
            let (at, count_read) = (first.at(block), first.left > 0);
            self.rows(block, (at, bytes), count_read, offsets, columns, values)?;
            Ok(first.row)
        })
    }

    /// Decodes rows from bytes; `first` is the position of the first byte. If `count_read`, the
    /// count of the first row is before these bytes.
    fn rows<T: Element>(
        &self,
        block: &Block,
        (first, bytes): (u64, &[u8]),
        count_read: bool,
        offsets: &[usize],
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<()> {
        let (width, stride) = (block.width(), block.stride());
        let pairs = bytes.get(if count_read { 0 } else { width }..).unwrap_or_default();
        let rows = PairRows { bytes: pairs, ends: offsets, between: width };
        let split = block.layout.split(rows, columns, values);
        split.ok_or_else(|| block.changed(self.file))?;
        swap_on_big_endian(bytemuck::cast_slice_mut(values), size_of::<T>());
        if nnz_bitpack::max(columns).is_none_or(|largest| largest < block.cols) {
            return Ok(());
        }
        for (row, pair) in offsets.windows(2).enumerate() {
            let counts = row + usize::from(!count_read);
            let at = (pair[0] * stride + counts * width) as u64;
            let own = &columns[pair[0]..pair[1]];
            self.check_columns(block, own, first + at, stride as u64)?;
        }
        Ok(())
    }
}
