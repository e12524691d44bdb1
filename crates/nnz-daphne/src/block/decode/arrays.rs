//! Decoding rows of a block of arrays.

use nnz_core::{Element, Result};

use super::{BlockPart, Decoder};
use crate::block::Arrays;
use crate::file::swap_on_big_endian;

impl Decoder<'_> {
    /// Decodes rows, or some entries of one row.
    pub(super) fn arrays<T: Element>(
        &self,
        BlockPart { block, rows, entries, .. }: &BlockPart,
        offsets: &mut Vec<usize>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<()> {
        let arrays = Arrays::of(block);
        let mut entries = entries.clone();
        if rows.end - rows.start == 1 {
            offsets.push(usize::try_from(entries.end - entries.start).unwrap_or(usize::MAX));
        } else {
            let starts = arrays.starts(self.file, block, rows.start, rows.end)?;
            let (Some(&first), Some(&last)) = (starts.first(), starts.last()) else {
                return Ok(());
            };
            entries = first..last;
            offsets.extend(
                starts
                    .iter()
                    .skip(1)
                    .map(|start| usize::try_from(start - first).unwrap_or(usize::MAX)),
            );
        }
        let at = arrays.columns + 8 * entries.start;
        let held = self.file.bytes(at, 8 * (entries.end - entries.start))?;
        columns.resize(held.len() / 8, 0);
        values.resize(held.len() / 8, bytemuck::Zeroable::zeroed());
        for (column, word) in columns.iter_mut().zip(held.chunks_exact(8)) {
            let wide = word.try_into().map_or(u64::MAX, u64::from_le_bytes);
            *column = u32::try_from(wide).unwrap_or(u32::MAX);
        }
        self.check_columns(block, columns, at, 8)?;
        let size = size_of::<T>();
        let bytes = bytemuck::cast_slice_mut(values);
        self.file.read(arrays.values + size as u64 * entries.start, bytes)?;
        swap_on_big_endian(bytes, size);
        Ok(())
    }
}
