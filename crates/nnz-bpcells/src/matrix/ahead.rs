//! Announcing what a scan will read, so that a storage with a latency fetches it while entries are decoded.

use std::ops::Range;

use nnz_core::{Projection, readable};

use super::source::MatrixSource;
use crate::Packing;

/// Entries of which the data is announced before it is read: packed, with about a byte each, and not, with four or more.
const PACKED: u64 = 16 << 20;
const UNPACKED: u64 = 4 << 20;

/// Entries of which the positions of packed data are announced, which have 4 bytes for each 128.
const POSITIONS: u64 = 16 * PACKED;

/// Pointers that are announced at the start.
const POINTERS: u64 = 1 << 18;

/// The ends of what a scan of all entries has announced.
pub(super) struct Ahead {
    positions: u64,
    entries: u64,
    /// Entries that are announced before they are read.
    window: u64,
}

impl Ahead {
    /// Starts a scan, unless it is of a part of the matrix or has no latency. Nothing was read yet, so the end of the first
    /// packed data is estimated.
    pub(super) fn start(
        source: &MatrixSource,
        majors: &Range<u64>,
        fields: Projection,
    ) -> Option<Self> {
        let (header, array) = (&source.header, &source.pointers.array);
        let all = header.shape.major(header.order);
        if *majors != (0..all) || !array.has_latency() {
            return None;
        }
        array.will_read(std::slice::from_ref(&(0..array.len().min(POINTERS))));
        let total = source.pointers.entries;
        let is_packed = source.version.packing == Packing::Packed;
        let window = if is_packed { PACKED } else { UNPACKED };
        let (positions, entries) = (total.min(POSITIONS), total.min(window));
        let ahead = Self { positions, entries, window };
        source.announce_positions(std::slice::from_ref(&(0..ahead.positions)), fields);
        for array in source.integers(fields) {
            array.will_read_first(ahead.entries, total);
        }
        source.announce_floats(std::slice::from_ref(&(0..ahead.entries)), fields);
        Some(ahead)
    }

    /// Announces what comes after the entries that are read next.
    pub(super) fn advance(&mut self, source: &MatrixSource, entry: u64, fields: Projection) {
        let total = source.pointers.entries;
        let near = |end: u64, window: u64| end < total && end <= entry.saturating_add(window / 2);
        if near(self.positions, POSITIONS) {
            let end = entry.saturating_add(POSITIONS).min(total);
            source.announce_positions(std::slice::from_ref(&(self.positions..end)), fields);
            self.positions = end;
        }
        if near(self.entries, self.window) {
            self.entries = entry.saturating_add(self.window).min(total);
            // An array that cannot be read is an error when it is read.
            let _ = readable(
                source.announce_entries(std::slice::from_ref(&(entry..self.entries)), fields),
            );
        }
    }
}
