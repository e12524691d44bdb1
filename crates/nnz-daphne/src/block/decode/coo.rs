//! Decoding entries of an ultra-sparse block.

use nnz_core::{Element, Error, ErrorKind, Place, Result};

use super::{BlockPart, Decoder};
use crate::block::Coo;
use crate::file::swap_on_big_endian;

/// The largest number of entries in a part. If a part with more entries cannot be split, decoding
/// fails.
const MOST: u64 = 1 << 26;

impl Decoder<'_> {
    /// Decodes the entries of some rows, sorted by row.
    pub(super) fn coo<T: Element>(
        &self,
        BlockPart { block, rows, entries, .. }: &BlockPart,
        majors: &mut Vec<u64>,
        offsets: &mut Vec<usize>,
        columns: &mut Vec<u32>,
        values: &mut Vec<T>,
    ) -> Result<()> {
        let coo = Coo { file: self.file, block };
        let mut picked: Vec<(u32, u32, T)> = Vec::new();
        let mut by_row = true;
        coo.scan(entries.clone(), &mut |number, row, col, value| {
            coo.check(number, row, col)?;
            if !rows.contains(&u64::from(row)) {
                return Ok(());
            }
            if picked.len() as u64 == MOST {
                let needed = (MOST + 1) * size_of::<(u32, u32, T)>() as u64;
                let kind = ErrorKind::Memory { needed, allowed: needed - 1 };
                return Err(Error::new(kind, Place::path(self.file.path())));
            }
            by_row &= picked.last().is_none_or(|&(last, ..)| last <= row);
            let mut own: T = bytemuck::pod_read_unaligned(value);
            swap_on_big_endian(bytemuck::bytes_of_mut(&mut own), size_of::<T>());
            picked.push((row, col, own));
            Ok(())
        })?;
        if !by_row {
            picked.sort_by_key(|&(row, ..)| row);
        }
        columns.clear();
        values.clear();
        for run in picked.chunk_by(|a, b| a.0 == b.0) {
            majors.extend(run.first().map(|&(row, ..)| block.row + u64::from(row)));
            columns.extend(run.iter().map(|&(_, col, _)| col));
            values.extend(run.iter().map(|&(.., value)| value));
            offsets.push(columns.len());
        }
        Ok(())
    }
}
