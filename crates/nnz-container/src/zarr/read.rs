//! Reading elements in parallel.

use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Error, Result, parallel};

use super::chunks::{ChunkLocation, StoredArray, decode_error};
use super::codec::zeroed;
use nnz_chunk::ChunkCache;

/// Number of bytes for which starting a thread is worthwhile.
const DECODED_BY_THREAD: usize = 256 << 10;
const COPIED_BY_THREAD: usize = 8 << 20;

/// A stored chunk may have twice its decoded size and this many bytes more.
const OVERHEAD: u64 = 64 << 10;

/// Limit of cached chunks in bytes. Chunks of Zarr are large, and several are read at a time.
const CACHED_BYTES: usize = 32 << 20;

/// Maximum number of chunks that are decoded at a time for partial reads.
const AT_A_TIME: usize = 8;

/// Size of chunks for which no stored data is required.
const UNCHECKED_BYTES: u64 = 64 << 20;

/// Elements of fixed size, in stored form.
pub(super) struct Elements {
    pub(super) stored: StoredArray,
    /// Size of an element in bytes.
    size: usize,
    /// The fill value; zeros if empty.
    pub(super) fill: Vec<u8>,
    pub(super) threads: usize,
    /// Chunks that were partly read.
    cache: ChunkCache,
    /// Locked while such a chunk is decoded, so that other threads wait for it instead of decoding
    /// it again.
    decoding: [Mutex<()>; AT_A_TIME],
}

/// A part of a chunk with its destination.
struct ChunkRead<'a> {
    chunk: u64,
    from: usize,
    out: &'a mut [u8],
}

impl Elements {
    pub(super) fn new(stored: StoredArray, size: usize, fill: Vec<u8>, threads: usize) -> Self {
        let cache = match stored.metadata.grid.shape().len() {
            0 | 1 => ChunkCache::of_bytes(CACHED_BYTES),
            _ => ChunkCache::of_stripe(),
        };
        let decoding = Default::default();
        Self { stored, size, fill, threads, cache, decoding }
    }

    /// Returns the size of an element in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size as u64
    }

    /// Returns the decoded size of a chunk in bytes.
    pub(super) fn chunk_bytes(&self) -> u64 {
        // The array was opened with a check that it fits.
        self.stored.metadata.chunk * self.size as u64
    }

    /// Fills `out` with elements from `first` on.
    pub(super) fn read(&self, first: u64, out: &mut [u8]) -> Result<()> {
        let plain = self.stored.metadata.pipeline.is_plain();
        let by_thread = if plain { COPIED_BY_THREAD } else { DECODED_BY_THREAD };
        let threads = self.threads.min(out.len() / by_thread);
        if self.stored.directory.has_latency() {
            let range = first..first + (out.len() / self.size) as u64;
            self.will_read(std::slice::from_ref(&range));
        }
        let pieces = self.pieces(first, out);
        parallel::for_each(threads, pieces, |piece| self.read_piece(piece))
    }

    /// Divides a read into parts of chunks.
    fn pieces<'a>(
        &self,
        first: u64,
        out: &'a mut [u8],
    ) -> impl Iterator<Item = ChunkRead<'a>> + Send {
        let (bytes, mut next, mut rest) = (self.chunk_bytes(), first * self.size as u64, out);
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let wanted = usize::try_from(bytes - next % bytes).unwrap_or(usize::MAX);
            let wanted = wanted.min(rest.len());
            let (out, after) = std::mem::take(&mut rest).split_at_mut(wanted);
            rest = after;
            let from = usize::try_from(next % bytes).unwrap_or(usize::MAX);
            let piece = ChunkRead { chunk: next / bytes, from, out };
            next += piece.out.len() as u64;
            Some(piece)
        })
    }

    fn read_piece(&self, piece: ChunkRead<'_>) -> Result<()> {
        let ChunkRead { chunk, from, out } = piece;
        if let Some(cached) = self.cache.get(chunk) {
            out.copy_from_slice(&cached[from..from + out.len()]);
            return Ok(());
        }
        let Some(located) = self.stored.find(chunk)? else {
            self.fill(out);
            return Ok(());
        };
        if self.stored.metadata.pipeline.is_plain() {
            self.check_length(&located, chunk)?;
            return self.stored.read_part(&located, from, out);
        }
        if out.len() as u64 == self.chunk_bytes() {
            return self.decode(chunk, &located, out);
        }
        let decoded = self.decode_to_keep(chunk, &located)?;
        out.copy_from_slice(&decoded[from..from + out.len()]);
        Ok(())
    }

    /// Decodes a chunk, unless another thread has.
    pub(super) fn decode_to_keep(&self, chunk: u64, located: &ChunkLocation) -> Result<Arc<[u8]>> {
        let slot = usize::try_from(chunk % AT_A_TIME as u64).unwrap_or(0);
        let _held = self.decoding[slot].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = self.cache.get(chunk) {
            return Ok(cached);
        }
        let decoded = self.decode_chunk(chunk, located)?;
        self.cache.put(chunk, Arc::clone(&decoded));
        Ok(decoded)
    }

    /// Decodes a chunk.
    pub(super) fn decode_chunk(&self, chunk: u64, located: &ChunkLocation) -> Result<Arc<[u8]>> {
        let bytes = self.believed_length(chunk, located)?;
        let decoded = zeroed(bytes);
        let mut decoded = decoded
            .map_err(|why| decode_error(why, self.stored.place_of(chunk), "a chunk", bytes))?;
        self.decode(chunk, located, &mut decoded)?;
        Ok(decoded.into())
    }

    /// Returns a cached chunk.
    pub(super) fn cached(&self, chunk: u64) -> Option<Arc<[u8]>> {
        self.cache.get(chunk)
    }

    /// Checks the length of a chunk that is stored unchanged.
    pub(super) fn check_length(&self, located: &ChunkLocation, chunk: u64) -> Result<()> {
        if located.bytes == self.chunk_bytes() {
            return Ok(());
        }
        let found = format!("a chunk of {} bytes", located.bytes);
        let expected = format!("{} bytes", self.chunk_bytes());
        Err(Error::mismatch(self.stored.place_of(chunk), found, expected))
    }

    /// Returns the decoded size of a chunk, if the stored bytes can be decoded to that.
    fn believed_length(&self, chunk: u64, located: &ChunkLocation) -> Result<usize> {
        let bytes = self.chunk_bytes();
        let ratio = self.stored.metadata.pipeline.most_ratio();
        let borne_out = located.bytes.saturating_mul(ratio).saturating_add(UNCHECKED_BYTES);
        match usize::try_from(bytes) {
            Ok(length) if bytes <= borne_out => Ok(length),
            _ => {
                let found = format!("{} bytes for a chunk of {bytes}", located.bytes);
                let place = self.stored.place_of(chunk);
                Err(Error::mismatch(place, found, "enough bytes to decode"))
            }
        }
    }

    fn decode(&self, chunk: u64, located: &ChunkLocation, out: &mut [u8]) -> Result<()> {
        let place = || self.stored.place_of(chunk);
        let most = (out.len() as u64).saturating_mul(2).saturating_add(OVERHEAD);
        if located.bytes > most {
            let found = format!("a chunk of {} bytes", located.bytes);
            return Err(Error::mismatch(place(), found, format!("{} compressed bytes", out.len())));
        }
        let stored = self.stored.bytes(located)?;
        let pipeline = &self.stored.metadata.pipeline;
        pipeline
            .decode(&stored, out)
            .map_err(|why| decode_error(why, place(), "a chunk", out.len()))
    }

    fn fill(&self, out: &mut [u8]) {
        if self.fill.iter().all(|&byte| byte == 0) {
            out.fill(0);
            return;
        }
        for element in out.chunks_exact_mut(self.size) {
            element.copy_from_slice(&self.fill);
        }
    }
}
