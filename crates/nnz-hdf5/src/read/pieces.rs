//! Dividing a read into pieces that any thread can read in any order.

use nnz_core::Result;

use super::chunk_table::{ChunkEntry, ChunkTable};
use super::layout::Chunked;

/// Maximum size of a piece that is copied unchanged, so that there is work for several threads.
const MAX_PLAIN: usize = 4 << 20;

/// A piece of a read with its destination.
pub(crate) enum ReadPiece<'a> {
    /// Not stored: fill values.
    Absent(&'a mut [u8]),
    /// Stored unchanged at an address.
    Plain(u64, &'a mut [u8]),
    /// Part of an encoded chunk, from an offset on.
    Packed(ChunkEntry, usize, &'a mut [u8]),
}

/// The pieces of a read. Unencoded chunks that are contiguous in the file are one piece.
pub(crate) struct ReadPieces<'a, 't> {
    chunked: &'t Chunked,
    table: &'t ChunkTable,
    /// The next byte of the dataset.
    next: u64,
    rest: &'a mut [u8],
}

impl<'a, 't> ReadPieces<'a, 't> {
    /// Starts at a byte of the dataset.
    pub(crate) fn new(
        chunked: &'t Chunked,
        table: &'t ChunkTable,
        first: u64,
        out: &'a mut [u8],
    ) -> Self {
        Self { chunked, table, next: first, rest: out }
    }

    /// Returns the total number of bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.rest.len()
    }

    /// Returns the chunk `ahead` bytes further: its entry, the offset in it, and the number of
    /// bytes to read.
    fn look(&self, ahead: usize) -> Result<(Option<ChunkEntry>, usize, usize)> {
        let bytes = self.chunked.bytes as u64;
        let at = self.next + ahead as u64;
        // Both are less than the length of a chunk, which fits.
        let from = usize::try_from(at % bytes).unwrap_or(0);
        let wanted = (self.chunked.bytes - from).min(self.rest.len() - ahead);
        Ok((self.table.get(self.chunked, at / bytes)?, from, wanted))
    }

    fn take(&mut self, bytes: usize) -> &'a mut [u8] {
        let (taken, rest) = std::mem::take(&mut self.rest).split_at_mut(bytes);
        self.rest = rest;
        self.next += bytes as u64;
        taken
    }
}

impl<'a> Iterator for ReadPieces<'a, '_> {
    type Item = Result<ReadPiece<'a>>;

    fn next(&mut self) -> Option<Result<ReadPiece<'a>>> {
        if self.rest.is_empty() {
            return None;
        }
        let next = self.piece();
        if next.is_err() {
            self.rest = &mut [];
        }
        Some(next)
    }
}

impl<'a> ReadPieces<'a, '_> {
    fn piece(&mut self) -> Result<ReadPiece<'a>> {
        let (entry, from, mut wanted) = self.look(0)?;
        let Some(entry) = entry else {
            return Ok(ReadPiece::Absent(self.take(wanted)));
        };
        if !self.chunked.pipeline.is_plain(entry.skipped) {
            return Ok(ReadPiece::Packed(entry, from, self.take(wanted)));
        }
        let address = entry.address + from as u64;
        while wanted < MAX_PLAIN && wanted < self.rest.len() {
            let (Some(entry), _, more) = self.look(wanted)? else { break };
            let end = address + wanted as u64;
            if entry.address != end || !self.chunked.pipeline.is_plain(entry.skipped) {
                break;
            }
            wanted += more;
        }
        Ok(ReadPiece::Plain(address, self.take(wanted)))
    }
}
