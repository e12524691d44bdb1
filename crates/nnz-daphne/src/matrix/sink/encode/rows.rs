//! Encoding rows: the count of each, and its pairs of column and value.

use nnz_bitpack::{interleave_u32, interleave_u64};
use nnz_core::{Batch, Element, Majors, Minors};

use super::encoded::{EncodedBatch, Stretch};
use super::put_value;

/// The largest gap of empty rows that is written together with the rows around it.
const SMALL_GAP: u64 = 64;

impl EncodedBatch {
    /// Encodes the rows of a batch, with counts and columns of `WIDTH` bytes.
    pub(super) fn put_rows<T: Element, const WIDTH: usize>(&mut self, batch: &Batch) {
        let values = T::slice(&batch.values).unwrap_or_default();
        let stride = WIDTH + size_of::<T>();
        let len = batch.entries() * stride + rows_at_most(batch) * WIDTH;
        if self.bytes.len() < len {
            self.bytes.resize(len, 0);
        }
        if WIDTH == 4 && self.put_neighbours(batch, values).is_some() {
            return;
        }
        let mut end = 0;
        for run in 0..batch.runs() {
            let range = batch.run(run);
            if range.is_empty() {
                continue;
            }
            let start = self.begin_row::<WIDTH>(end, batch.majors.get(run), range.len() as u64);
            end = start + range.len() * stride;
            let out = &mut self.bytes[start..end];
            let values = &values[range.clone()];
            match &batch.minors {
                Minors::U32(list) => {
                    put_pairs::<T, WIDTH>(out, list[range].iter().map(|&col| col.into()), values);
                }
                Minors::U64(list) => {
                    put_pairs::<T, WIDTH>(out, list[range].iter().copied(), values);
                }
                Minors::Spans(starts) => put_pairs::<T, WIDTH>(out, starts[run].., values),
            }
            if let Some(stretch) = self.stretches.last_mut() {
                stretch.end = end;
            }
        }
    }

    /// Encodes consecutive rows with 32-bit counts and columns, if the batch is of this form.
    fn put_neighbours<T: Element>(&mut self, batch: &Batch, values: &[T]) -> Option<()> {
        let (Majors::Consecutive(row), Minors::U32(columns)) = (&batch.majors, &batch.minors)
        else {
            return None;
        };
        let last = batch.runs().checked_sub(1)?;
        let [first_count, last_count] = [0, last].map(|run| batch.run(run).len());
        // Empty rows at either end are written with the batches before and after.
        if first_count == 0 || last_count == 0 || cfg!(target_endian = "big") {
            return None;
        }
        let (ends, bytes) = (&batch.offsets, &mut self.bytes);
        let end = match size_of::<T>() {
            4 => interleave_u32(ends, columns, bytemuck::cast_slice(values), bytes)?,
            8 => interleave_u64(ends, columns, bytemuck::cast_slice(values), bytes)?,
            _ => return None,
        };
        self.stretches.push(Stretch {
            start: 0,
            end,
            first_row: *row,
            first_count: first_count as u64,
            last_row: row + last as u64,
            last_count: last_count as u64,
            last_at: end - last_count * (4 + size_of::<T>()) - 4,
        });
        Some(())
    }

    /// Appends the count of a row after byte `end`, and before it the counts of a few empty rows.
    /// Returns the end of the count.
    fn begin_row<const WIDTH: usize>(&mut self, end: usize, row: u64, count: u64) -> usize {
        let Self { bytes, stretches, .. } = self;
        let mut put = |at: usize, count: u64| {
            bytes[at..at + WIDTH].copy_from_slice(&count.to_le_bytes()[..WIDTH]);
            at + WIDTH
        };
        if let Some(last) = stretches.last_mut() {
            if last.last_row == row {
                last.last_count += count;
                put(last.last_at, last.last_count);
                if last.first_row == row {
                    last.first_count = last.last_count;
                }
                return end;
            }
            let gap = row - last.last_row - 1;
            if gap <= SMALL_GAP {
                let at = (0..gap).fold(end, |at, _| put(at, 0));
                (last.last_row, last.last_count, last.last_at) = (row, count, at);
                return put(at, count);
            }
        }
        stretches.push(Stretch {
            start: end,
            end,
            first_row: row,
            first_count: count,
            last_row: row,
            last_count: count,
            last_at: end,
        });
        put(end, count)
    }
}

/// Returns an upper bound of the number of rows with a count.
fn rows_at_most(batch: &Batch) -> usize {
    let Majors::Listed(rows) = &batch.majors else { return batch.runs() };
    let gaps = rows.windows(2).map(|pair| {
        let gap = pair[1].saturating_sub(pair[0]).saturating_sub(1);
        usize::try_from(gap.min(SMALL_GAP)).unwrap_or(0)
    });
    gaps.sum::<usize>() + batch.runs()
}

// Inlined, so that the length of a pair is a constant.
#[inline(always)]
fn put_pairs<T: Element, const WIDTH: usize>(
    out: &mut [u8],
    columns: impl Iterator<Item = u64>,
    values: &[T],
) {
    let pairs = out.chunks_exact_mut(WIDTH + size_of::<T>());
    for ((pair, column), value) in pairs.zip(columns).zip(values) {
        let (lead, rest) = pair.split_at_mut(WIDTH);
        lead.copy_from_slice(&column.to_le_bytes()[..WIDTH]);
        put_value(value, rest);
    }
}
