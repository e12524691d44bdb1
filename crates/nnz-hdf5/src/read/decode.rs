//! Reading elements in parallel.

use std::sync::{Arc, PoisonError};

use nnz_core::{At, Error, Place, Result, parallel};

use super::chunk_table::{ChunkEntry, ChunkTable};
use super::dataset::Dataset;
use super::layout::{Chunked, Layout};
use super::pieces::{ReadPiece, ReadPieces};
use crate::filters::Scratch;

/// Number of bytes for which starting a thread is worthwhile.
const INFLATED_BY_THREAD: usize = 256 << 10;
const COPIED_BY_THREAD: usize = 8 << 20;

/// Size of a chunk up to which no stored data is required.
const UNCHECKED_BYTES: u64 = 64 << 20;

/// A chunk that was looked up.
#[derive(Clone, Debug)]
pub enum ChunkData {
    /// Not stored: all elements are the fill value.
    Missing,
    /// Stored unchanged.
    Plain(ChunkEntry),
    /// Decoded.
    Decoded(Arc<[u8]>),
}

/// The buffers of a thread.
#[derive(Default)]
pub(crate) struct Worker {
    scratch: Scratch,
    stored: Vec<u8>,
}

impl Dataset {
    /// Fills `out` with decoded elements from `first` on, in file byte order and in the order of storage: for chunks of more
    /// than one dimension, one chunk after another.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    pub fn read(&self, first: u64, out: &mut [u8]) -> Result<()> {
        // The dataset was opened with a check that its size in bytes fits.
        let start = first * self.size as u64;
        match &self.layout {
            Layout::Compact(_) | Layout::Contiguous(_) => self.read_bytes(start, out),
            Layout::External(_) => self.layout().map(drop),
            Layout::Unallocated { .. } => {
                self.fill(out);
                Ok(())
            }
            Layout::Chunked(chunked) => {
                let table = self.table(chunked)?;
                let (bytes, end) = (chunked.bytes as u64, start + out.len() as u64);
                let wanted = start / bytes..end.div_ceil(bytes);
                table.prepare(chunked, std::slice::from_ref(&wanted))?;
                let pieces = ReadPieces::new(chunked, table, start, out);
                let by_thread = if chunked.pipeline.is_plain(0) {
                    COPIED_BY_THREAD
                } else {
                    INFLATED_BY_THREAD.max(chunked.bytes)
                };
                self.read_pieces(chunked, pieces, by_thread)
            }
        }
    }

    /// Returns the chunk index, after reading it at the first call.
    pub(crate) fn table<'a>(&self, chunked: &'a Chunked) -> Result<&'a ChunkTable> {
        if let Some(table) = chunked.table.get() {
            return Ok(table);
        }
        let _one_finds = chunked.finding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = chunked.table.get() {
            return Ok(table);
        }
        let found = ChunkTable::find(&self.file, chunked, &self.place)
            .map_err(|error| error.with_context(&self.place))?;
        Ok(chunked.table.get_or_init(|| found))
    }

    /// Returns the chunk at a position in the grid. With `keep`, a decoded chunk is kept for other reads.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn chunk(&self, at: &[u64], keep: bool) -> Result<ChunkData> {
        let Layout::Chunked(chunked) = &self.layout else { return Ok(ChunkData::Missing) };
        let number = chunked.grid.number(at);
        let Some(entry) = self.table(chunked)?.get(chunked, number)? else {
            return Ok(ChunkData::Missing);
        };
        if chunked.pipeline.is_plain(entry.skipped) {
            return Ok(ChunkData::Plain(entry));
        }
        if let Some(kept) = chunked.cache.get(number) {
            return Ok(ChunkData::Decoded(kept));
        }
        let decoded = self.decode_new(chunked, entry, &mut Worker::default())?;
        if keep {
            chunked.cache.put(number, Arc::clone(&decoded));
        }
        Ok(ChunkData::Decoded(decoded))
    }

    /// Reads bytes from an offset in a contiguous or compact dataset on.
    ///
    /// # Errors
    ///
    /// Fails if they are outside of it, or cannot be read.
    pub fn read_bytes(&self, at: u64, out: &mut [u8]) -> Result<()> {
        match &self.layout {
            Layout::Contiguous(address) => self.read_at(address.saturating_add(at), out),
            Layout::Compact(bytes) => {
                let start = usize::try_from(at).unwrap_or(usize::MAX);
                let part = bytes.get(start..).and_then(|rest| rest.get(..out.len()));
                out.copy_from_slice(part.ok_or_else(|| self.past_end())?);
                Ok(())
            }
            _ => Err(self.past_end()),
        }
    }

    /// Reads bytes from an offset in a chunk that is stored unchanged on.
    ///
    /// # Errors
    ///
    /// Fails if they are outside of it, or cannot be read.
    pub fn read_plain(&self, entry: ChunkEntry, at: u64, out: &mut [u8]) -> Result<()> {
        let end = at.checked_add(out.len() as u64);
        if end.is_none_or(|end| end > u64::from(entry.bytes)) {
            let found = format!("a chunk of {} bytes", entry.bytes);
            return Err(Error::mismatch(self.place.clone(), found, "more bytes"));
        }
        self.read_at(entry.address + at, out)
    }

    fn read_pieces(
        &self,
        chunked: &Chunked,
        pieces: ReadPieces<'_, '_>,
        by_thread: usize,
    ) -> Result<()> {
        let threads = self.threads.min(pieces.bytes() / by_thread).max(1);
        parallel::for_each_with(threads, pieces, Worker::default, |worker, piece| {
            self.read_piece(chunked, piece?, worker)
        })
    }

    fn read_piece(
        &self,
        chunked: &Chunked,
        piece: ReadPiece<'_>,
        worker: &mut Worker,
    ) -> Result<()> {
        match piece {
            ReadPiece::Absent(out) => {
                self.fill(out);
                Ok(())
            }
            ReadPiece::Plain(address, out) => self.read_at(address, out),
            ReadPiece::Packed(entry, _, out) if out.len() == chunked.bytes => {
                if let Some(kept) = chunked.cache.get(entry.chunk) {
                    out.copy_from_slice(&kept);
                    return Ok(());
                }
                self.decode(chunked, entry, out, worker)
            }
            ReadPiece::Packed(entry, from, out) => {
                let kept = chunked.cache.get(entry.chunk);
                let chunk = match kept {
                    Some(chunk) => chunk,
                    None => {
                        let chunk = self.decode_new(chunked, entry, worker)?;
                        chunked.cache.put(entry.chunk, Arc::clone(&chunk));
                        chunk
                    }
                };
                out.copy_from_slice(&chunk[from..from + out.len()]);
                Ok(())
            }
        }
    }

    /// Decodes a chunk, if the stored bytes can be decoded to its size.
    pub(crate) fn decode_new(
        &self,
        chunked: &Chunked,
        entry: ChunkEntry,
        worker: &mut Worker,
    ) -> Result<Arc<[u8]>> {
        let most = u64::from(entry.bytes).saturating_mul(chunked.pipeline.most_ratio());
        if chunked.bytes as u64 > most.saturating_add(UNCHECKED_BYTES) {
            let found = format!("{} bytes for a chunk of {}", entry.bytes, chunked.bytes);
            let place = chunked.place_of(entry.chunk, &self.place);
            return Err(Error::mismatch(place, found, "enough bytes to decode"));
        }
        // Zeroed memory is committed only when it is written.
        let zeroed = bytemuck::allocation::try_zeroed_vec(chunked.bytes);
        let mut decoded = zeroed.map_err(|()| {
            let found = format!("a chunk of {} bytes", chunked.bytes);
            let place = chunked.place_of(entry.chunk, &self.place);
            Error::mismatch(place, found, "a chunk that fits in memory")
        })?;
        self.decode(chunked, entry, &mut decoded, worker)?;
        Ok(decoded.into())
    }

    /// Decodes a chunk into `out`, which has its length.
    fn decode(
        &self,
        chunked: &Chunked,
        entry: ChunkEntry,
        out: &mut [u8],
        worker: &mut Worker,
    ) -> Result<()> {
        let Worker { scratch, stored } = worker;
        stored.resize(entry.bytes as usize, 0);
        self.read_at(entry.address, stored)?;
        chunked.pipeline.decode(stored, entry.skipped, out, scratch).map_err(|why| {
            let place = chunked.place_of(entry.chunk, &self.place);
            let found = |what: &str| format!("a damaged chunk at byte {}: {what}", entry.address);
            why.error(place, found, format!("a chunk that decodes to {} bytes", chunked.bytes))
        })
    }

    fn read_at(&self, address: u64, out: &mut [u8]) -> Result<()> {
        self.file.read_at(address, out).map_err(|error| error.with_context(&self.place))
    }

    /// Fills `out` with the fill value.
    pub fn fill(&self, out: &mut [u8]) {
        if self.fill.iter().all(|&byte| byte == 0) {
            out.fill(0);
            return;
        }
        for element in out.chunks_exact_mut(self.size) {
            element.copy_from_slice(&self.fill);
        }
    }

    fn past_end(&self) -> Error {
        let place: Place = self.place.clone().at(At::Element(self.len));
        Error::mismatch(place, "the end of the dataset", "more elements")
    }
}
