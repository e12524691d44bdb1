//! A batch as bytes.

use crate::matrix::sink::place::Position;

/// Rows without entries that are written with those around them.
const SMALL_GAP: u64 = 4096;

/// A batch as bytes.
#[derive(Default)]
pub(in crate::matrix::sink) struct EncodedBatch {
    /// The number of the first entry.
    pub(in crate::matrix::sink) first: u64,
    pub(in crate::matrix::sink) entries: u64,
    /// Entries that are written.
    pub(in crate::matrix::sink) kept: u64,
    pub(in crate::matrix::sink) ends: Option<[Position; 2]>,
    pub(in crate::matrix::sink) bytes: Vec<u8>,
    /// The values, where they lie apart.
    pub(in crate::matrix::sink) values: Vec<u8>,
    /// Rows that follow each other, in order.
    pub(in crate::matrix::sink) stretches: Vec<Stretch>,
    /// Rows with entries, and how many.
    pub(in crate::matrix::sink) counts: Vec<(u64, u64)>,
}

/// Rows with their counts, between two bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::matrix::sink) struct Stretch {
    pub(in crate::matrix::sink) start: usize,
    pub(in crate::matrix::sink) end: usize,
    pub(in crate::matrix::sink) first_row: u64,
    pub(in crate::matrix::sink) first_count: u64,
    pub(in crate::matrix::sink) last_row: u64,
    pub(in crate::matrix::sink) last_count: u64,
    /// Where the count of the last row stands.
    pub(in crate::matrix::sink) last_at: usize,
}

impl EncodedBatch {
    /// Puts the count of a row, and of those without entries before it where there are few.
    pub(super) fn begin_row(&mut self, row: u64, count: u64, width: usize) {
        if let Some(last) = self.stretches.last_mut() {
            if last.last_row == row {
                last.last_count += count;
                let place = &mut self.bytes[last.last_at..last.last_at + width];
                place.copy_from_slice(&last.last_count.to_le_bytes()[..width]);
                if last.first_row == row {
                    last.first_count = last.last_count;
                }
                return;
            }
            let gap = row - last.last_row - 1;
            if gap <= SMALL_GAP {
                let zeros = usize::try_from(gap).unwrap_or(0) * width;
                self.bytes.resize(self.bytes.len() + zeros, 0);
                (last.last_row, last.last_count, last.last_at) = (row, count, self.bytes.len());
                self.bytes.extend_from_slice(&count.to_le_bytes()[..width]);
                return;
            }
        }
        let start = self.bytes.len();
        self.stretches.push(Stretch {
            start,
            end: start,
            first_row: row,
            first_count: count,
            last_row: row,
            last_count: count,
            last_at: start,
        });
        self.bytes.extend_from_slice(&count.to_le_bytes()[..width]);
    }
}
