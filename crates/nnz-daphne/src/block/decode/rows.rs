//! Whole rows with their counts.

use nnz_core::{Element, Error, Result};

use super::{Decoder, Piece, resize};
use crate::block::{Apart, Rows};

impl Decoder<'_> {
    /// Decodes rows from the bytes there are from `first` on.
    pub(super) fn rows<T: Element>(
        &self,
        piece: &Piece,
        (first, bytes): (u64, &[u8]),
        offsets: &mut Vec<usize>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<()> {
        let width = self.layout.width();
        let stride = width + size_of::<T>();
        let count = usize::try_from(piece.rows.end - piece.rows.start).unwrap_or(usize::MAX);
        // The walk that found the bytes has counted: all rows are there.
        resize(columns, values, bytes.len().saturating_sub(count.saturating_mul(width)) / stride);
        let apart = Apart { offsets: &mut *offsets, columns, values };
        let Some(largest) = (Rows { bytes, count }).split(self.layout, apart) else {
            return Err(self.changed(piece));
        };
        if largest < piece.block.cols {
            return Ok(());
        }
        for (row, pair) in offsets.windows(2).enumerate() {
            let at = (pair[0] * stride + (row + 1) * width) as u64;
            let own = &columns[pair[0]..pair[1]];
            let largest = own.iter().copied().max().unwrap_or(0);
            self.check_columns(&piece.block, largest, own, first + at, stride as u64)?;
        }
        Ok(())
    }

    /// Makes the error that a file is not what it was when its rows were found.
    pub(super) fn changed(&self, piece: &Piece) -> Error {
        let found = format!("other rows in the {} than before", piece.block);
        self.file.mismatch(piece.block.start, found, "a file that does not change")
    }
}
