//! Whole rows with their counts.

use std::ops::Range;

use nnz_core::{Element, Error, Result};

use super::{Decoder, Piece, resize};
use crate::block::split_pairs;

impl Decoder<'_> {
    pub(super) fn rows<T: Element>(
        &self,
        piece: &Piece,
        bytes: &Range<u64>,
        offsets: &mut Vec<usize>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<()> {
        let held = self.file.bytes(bytes.start, bytes.end - bytes.start)?;
        let width = self.layout.width();
        let stride = width + size_of::<T>();
        let count = usize::try_from(piece.rows.end - piece.rows.start).unwrap_or(usize::MAX);
        // The walk that found the bytes has counted: all rows are there.
        resize(columns, values, held.len().saturating_sub(count * width) / stride);
        let (mut at, mut entry) = (0, 0);
        offsets.reserve(count);
        for _ in 0..count {
            let stored = held.get(at..at + width).map_or(0, |word| match width {
                4 => word.try_into().map_or(0, |w| u64::from(u32::from_le_bytes(w))),
                _ => word.try_into().map_or(0, u64::from_le_bytes),
            });
            let stored = usize::try_from(stored).unwrap_or(usize::MAX);
            let end = stored.checked_mul(stride).and_then(|len| len.checked_add(at + width));
            let pairs = end.and_then(|end| held.get(at + width..end));
            let Some(pairs) = pairs.filter(|_| stored <= columns.len() - entry) else {
                return Err(self.changed(piece));
            };
            let places = entry..entry + stored;
            let largest = split_pairs(
                self.layout,
                pairs,
                &mut columns[places.clone()],
                &mut values[places.clone()],
            );
            let first = bytes.start + (at + width) as u64;
            self.check_columns(&piece.block, largest, &columns[places], first, stride as u64)?;
            entry += stored;
            at += width + stored * stride;
            offsets.push(entry);
        }
        if entry != columns.len() || at != held.len() {
            return Err(self.changed(piece));
        }
        Ok(())
    }

    /// Makes the error that a file is not what it was when its rows were found.
    pub(super) fn changed(&self, piece: &Piece) -> Error {
        let found = format!("other rows in the {} than before", piece.block);
        self.file.mismatch(piece.block.start, found, "a file that does not change")
    }
}
