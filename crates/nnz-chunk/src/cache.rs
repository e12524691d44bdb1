//! A cache of decoded chunks, for small reads of the same chunk.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of cached chunks; the limit of bytes does not apply to the last one. Several,
/// because several threads may read different parts of the same array.
const MAX_CHUNKS: usize = 8;

/// The default limit of bytes.
const MAX_BYTES: usize = 8 << 20;

/// The limits for a row of adjacent chunks.
const STRIPE_CHUNKS: usize = 1 << 10;
const STRIPE_BYTES: usize = 32 << 20;

/// Decoded chunks by index, most recently used first.
#[derive(Debug)]
pub struct ChunkCache {
    kept: Mutex<VecDeque<(u64, Arc<[u8]>)>>,
    most_bytes: usize,
    most_chunks: usize,
}

impl Default for ChunkCache {
    fn default() -> Self {
        Self::of_bytes(MAX_BYTES)
    }
}

impl ChunkCache {
    /// Creates a cache with a limit of bytes.
    pub fn of_bytes(most_bytes: usize) -> Self {
        Self { kept: Mutex::default(), most_bytes, most_chunks: MAX_CHUNKS }
    }

    /// Creates a cache for arrays of several dimensions, in which a row has many chunks.
    pub fn of_stripe() -> Self {
        Self { kept: Mutex::default(), most_bytes: STRIPE_BYTES, most_chunks: STRIPE_CHUNKS }
    }

    /// Returns a cached chunk. The lock is not held while decoding.
    pub fn get(&self, chunk: u64) -> Option<Arc<[u8]>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(number, _)| *number == chunk)?;
        if at > 0 {
            kept.swap(0, at);
        }
        kept.front().map(|(_, bytes)| Arc::clone(bytes))
    }

    /// Adds a chunk.
    pub fn put(&self, chunk: u64, bytes: Arc<[u8]>) {
        let most = (self.most_bytes / bytes.len().max(1)).clamp(1, self.most_chunks);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(most - 1);
        kept.push_front((chunk, bytes));
    }
}
