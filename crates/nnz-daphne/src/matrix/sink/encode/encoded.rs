//! A batch as bytes.

use crate::matrix::sink::place::Position;

/// A batch as bytes.
#[derive(Default)]
pub(in crate::matrix::sink) struct EncodedBatch {
    /// The number of the first entry.
    pub(in crate::matrix::sink) first: u64,
    pub(in crate::matrix::sink) entries: u64,
    /// Entries that are written.
    pub(in crate::matrix::sink) kept: u64,
    pub(in crate::matrix::sink) ends: Option<[Position; 2]>,
    /// Where there are stretches, what is outside of them may be anything.
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
    /// Forgets what it held, but for the memory, and the bytes, which are written over.
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
