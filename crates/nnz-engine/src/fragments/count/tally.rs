//! Counting cells by row.

use std::ops::Range;

use nnz_core::{Batch, Error, Majors, Order, Place, Result, Values};

/// Counts of cells, one row after the other. Buffers are reused.
#[derive(Default)]
pub(super) struct Tally {
    /// The count of each cell in this row.
    counts: Vec<u32>,
    /// The first `len` are the cells with counts. There is space for one more than there are cells.
    seen: Vec<u32>,
    so_many: usize,
    /// A bit for each cell, all zero between rows.
    bits: Vec<u64>,
    /// Whether a count overflowed.
    wrong: bool,
    /// The entries of finished rows, and the start of each row.
    minors: Vec<u32>,
    values: Vec<u32>,
    rows: Vec<Range<usize>>,
    /// The last finished row, and whether all were in order.
    last: u32,
    ascending: bool,
}

impl Tally {
    /// Prepares for a number of cells and rows.
    pub(super) fn start(&mut self, cells: u64, rows: usize) -> Result<()> {
        // State left by an error.
        for &cell in &self.seen[..std::mem::take(&mut self.so_many)] {
            self.counts[cell as usize] = 0;
        }
        let len = usize::try_from(cells).unwrap_or(usize::MAX);
        if self.counts.len() != len {
            let words = len.div_ceil(64);
            self.counts.clear();
            self.seen.clear();
            self.bits.clear();
            let reserved = self.counts.try_reserve(len).is_ok()
                && self.seen.try_reserve(len + 1).is_ok()
                && self.bits.try_reserve(words).is_ok();
            if !reserved {
                return Err(Error::argument(format!(
                    "not enough memory for the counts of {len} cells"
                )));
            }
            self.seen.resize(len + 1, 0);
            self.counts.resize(len, 0);
            self.bits.resize(words, 0);
        }
        self.wrong = false;
        self.minors.clear();
        self.values.clear();
        self.rows.clear();
        self.rows.resize(rows, 0..0);
        (self.last, self.ascending) = (0, true);
        Ok(())
    }

    /// Counts some cells once each.
    pub(super) fn add(&mut self, cells: &[u32]) {
        let (counts, seen) = (&mut *self.counts, &mut *self.seen);
        let (mut so_many, mut wrong) = (self.so_many, false);
        for &cell in cells {
            // Readers only return cells that have a name.
            let Some(count) = counts.get_mut(cell as usize) else { continue };
            let before = *count;
            *count = before.wrapping_add(1);
            wrong |= before == u32::MAX;
            // Written whether it is the first time or not, as a branch would be mispredicted.
            if let Some(seen) = seen.get_mut(so_many) {
                *seen = cell;
            }
            so_many += usize::from(before == 0);
        }
        self.so_many = so_many;
        self.wrong |= wrong;
    }

    /// Finishes a row.
    pub(super) fn close(&mut self, row: u32) {
        let begin = self.minors.len();
        // A few of many cells are sorted; many are found by scanning all.
        let seen = &mut self.seen[..std::mem::take(&mut self.so_many)];
        if seen.len() * 8 < self.bits.len() {
            seen.sort_unstable();
            for &cell in &*seen {
                self.minors.push(cell);
                self.values.push(std::mem::take(&mut self.counts[cell as usize]));
            }
        } else {
            let end = begin + seen.len();
            for &cell in &*seen {
                self.bits[cell as usize / 64] |= 1 << (cell % 64);
            }
            // With spare space, so that bits need not be listed one by one.
            self.minors.resize(end + 16, 0);
            nnz_bitpack::take_bits(&mut self.bits, &mut self.minors[begin..]);
            self.minors.truncate(end);
            let counts = &mut self.counts;
            let cells = self.minors[begin..].iter();
            self.values.extend(cells.map(|&cell| std::mem::take(&mut counts[cell as usize])));
        }
        if let Some(entries) = self.rows.get_mut(row as usize) {
            *entries = begin..self.minors.len();
        }
        self.ascending &= row >= self.last;
        self.last = row;
    }

    /// Returns a batch of the rows, the first of which has this number.
    pub(super) fn finish(&mut self, first_row: u64, batch: &mut Batch) -> Result<()> {
        if self.wrong {
            let what = format!("a count is larger than {}", u32::MAX);
            return Err(Error::unsupported(Place::default(), what));
        }
        batch.order = Order::Row;
        batch.majors = Majors::Consecutive(first_row);
        batch.offsets.clear();
        batch.offsets.push(0);
        let minors = batch.minors.u32_mut();
        if !matches!(batch.values, Values::U32(_)) {
            batch.values = Values::U32(Vec::new());
        }
        let Values::U32(values) = &mut batch.values else { return Ok(()) };
        values.clear();
        let mut sum = 0;
        for entries in &self.rows {
            sum += entries.len();
            batch.offsets.push(sum);
            if !self.ascending {
                minors.extend_from_slice(&self.minors[entries.clone()]);
                values.extend_from_slice(&self.values[entries.clone()]);
            }
        }
        if self.ascending {
            std::mem::swap(minors, &mut self.minors);
            std::mem::swap(values, &mut self.values);
        }
        Ok(())
    }
}
