//! A read, cut into pieces that can be done one by one, in any order, by any thread.

use super::chunk_table::{ChunkTable, Entry};
use super::layout::Chunked;

/// The most bytes a piece takes that is copied as it is, so that several threads find work.
const MOST_PLAIN: usize = 4 << 20;

/// A piece of a read and the memory it goes to.
pub(super) enum Piece<'a> {
    /// Stored nowhere: fill values.
    Absent(&'a mut [u8]),
    /// Stored as it is, at an address.
    Plain(u64, &'a mut [u8]),
    /// Part of an encoded chunk, from a byte of it on.
    Packed(Entry, usize, &'a mut [u8]),
}

/// The pieces of a read. Plain chunks that lie one behind the other in the file become one piece.
pub(super) struct Pieces<'a, 't> {
    chunked: &'t Chunked,
    table: &'t ChunkTable,
    /// The next byte of the dataset.
    next: u64,
    rest: &'a mut [u8],
}

impl<'a, 't> Pieces<'a, 't> {
    /// Starts at a byte of the dataset.
    pub(super) fn new(
        chunked: &'t Chunked,
        table: &'t ChunkTable,
        first: u64,
        out: &'a mut [u8],
    ) -> Self {
        Self { chunked, table, next: first, rest: out }
    }

    /// Returns how many bytes are wanted in all.
    pub(super) fn bytes(&self) -> usize {
        self.rest.len()
    }

    /// Looks at the chunk `ahead` bytes on: its entry, the byte to start from, and how many of its
    /// bytes are wanted.
    fn look(&self, ahead: usize) -> (Option<Entry>, usize, usize) {
        let bytes = self.chunked.bytes as u64;
        let at = self.next + ahead as u64;
        // Both are below the length of a chunk, which fits.
        let from = usize::try_from(at % bytes).unwrap_or(0);
        let wanted = (self.chunked.bytes - from).min(self.rest.len() - ahead);
        (self.table.get(at / bytes), from, wanted)
    }

    fn take(&mut self, bytes: usize) -> &'a mut [u8] {
        let (taken, rest) = std::mem::take(&mut self.rest).split_at_mut(bytes);
        self.rest = rest;
        self.next += bytes as u64;
        taken
    }
}

impl<'a> Iterator for Pieces<'a, '_> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (entry, from, mut wanted) = self.look(0);
        let Some(entry) = entry else {
            return Some(Piece::Absent(self.take(wanted)));
        };
        if !self.chunked.pipeline.is_plain(entry.skipped) {
            return Some(Piece::Packed(entry, from, self.take(wanted)));
        }
        let address = entry.address + from as u64;
        while wanted < MOST_PLAIN && wanted < self.rest.len() {
            let (Some(entry), _, more) = self.look(wanted) else { break };
            let behind = address + wanted as u64;
            if entry.address != behind || !self.chunked.pipeline.is_plain(entry.skipped) {
                break;
            }
            wanted += more;
        }
        Some(Piece::Plain(address, self.take(wanted)))
    }
}
