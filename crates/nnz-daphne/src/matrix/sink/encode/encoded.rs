//! An encoded batch.

use crate::matrix::sink::place::Position;

/// An encoded batch.
#[derive(Default)]
pub(in crate::matrix::sink) struct EncodedBatch {
    /// The number of the first entry.
    pub(in crate::matrix::sink) first: u64,
    pub(in crate::matrix::sink) entries: u64,
    /// The number of entries written.
    pub(in crate::matrix::sink) kept: u64,
    pub(in crate::matrix::sink) ends: Option<[Position; 2]>,
    /// If there are stretches, bytes outside of them are undefined.
    pub(in crate::matrix::sink) bytes: Vec<u8>,
    /// The values, if they are stored separately.
    pub(in crate::matrix::sink) values: Vec<u8>,
    /// Consecutive rows, in order.
    pub(in crate::matrix::sink) stretches: Vec<Stretch>,
    /// Rows with entries, and their numbers of entries.
    pub(in crate::matrix::sink) counts: Vec<(u64, u64)>,
}

/// Rows with their counts, in a range of bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::matrix::sink) struct Stretch {
    pub(in crate::matrix::sink) start: usize,
    pub(in crate::matrix::sink) end: usize,
    pub(in crate::matrix::sink) first_row: u64,
    pub(in crate::matrix::sink) first_count: u64,
    pub(in crate::matrix::sink) last_row: u64,
    pub(in crate::matrix::sink) last_count: u64,
    /// The position of the count of the last row.
    pub(in crate::matrix::sink) last_at: usize,
}

impl EncodedBatch {
    /// Clears everything but the allocations, and the bytes, which are overwritten.
    pub(super) fn begin(
        &mut self,
        first: u64,
        entries: u64,
        kept: u64,
        ends: Option<[Position; 2]>,
    ) {
        (self.first, self.entries, self.kept, self.ends) = (first, entries, kept, ends);
        self.values.clear();
        self.stretches.clear();
        self.counts.clear();
    }
}
