//! Decoding rows with their counts.

use std::ops::Range;

use nnz_core::{Element, Result};

use super::{Decoder, Piece};
use crate::block::{Block, Bounds, Rows, Stretch};

impl Decoder<'_> {
    /// Decodes all rows in a range of bytes.
    pub(super) fn whole_rows<T: Element>(
        &self,
        piece: &Piece,
        bytes: &Range<u64>,
        offsets: &mut Vec<usize>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<()> {
        let held = self.file.bytes(bytes.start, bytes.end - bytes.start)?;
        let rows = piece.rows.end - piece.rows.start;
        let bounds = Bounds { rows, entries: piece.block.cols, size: size_of::<T>() };
        let passed = self.layout.pass(&held, bounds, offsets);
        if (passed.rows, passed.bytes) != (rows, held.len()) {
            return Err(piece.block.changed(self.file));
        }
        self.rows(&piece.block, (bytes.start, &held), false, offsets, columns, values)
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
        let opened = stretch.open(self.file, offsets)?;
        let first = opened.reached;
        self.rows(block, opened.bytes(), first.left > 0, offsets, columns, values)?;
        Ok(first.row)
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
        let rows = Rows { bytes, offsets, count_read };
        rows.split(self.layout, columns, values).ok_or_else(|| block.changed(self.file))?;
        if nnz_bitpack::max(columns).is_none_or(|largest| largest < block.cols) {
            return Ok(());
        }
        let width = self.layout.width();
        let stride = width + size_of::<T>();
        for (row, pair) in offsets.windows(2).enumerate() {
            let counts = row + usize::from(!count_read);
            let at = (pair[0] * stride + counts * width) as u64;
            let own = &columns[pair[0]..pair[1]];
            self.check_columns(block, own, first + at, stride as u64)?;
        }
        Ok(())
    }
}
