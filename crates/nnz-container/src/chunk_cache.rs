//! The chunks last decoded, for small reads that come back to the same chunk.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Chunks kept, as long as they fit into what is allowed together; one is kept whatever its size.
/// A few, because several threads may each walk through a part of the same array.
const MOST_CHUNKS: usize = 8;

/// The default limit.
const MOST_BYTES: usize = 8 << 20;

/// What is allowed for chunks that lie beside each other in a row.
const STRIPE_CHUNKS: usize = 1 << 10;
const STRIPE_BYTES: usize = 32 << 20;

/// Decoded chunks by number, the last used first.
pub(crate) struct ChunkCache {
    kept: Mutex<VecDeque<(u64, Arc<[u8]>)>>,
    most_bytes: usize,
    most_chunks: usize,
}

impl Default for ChunkCache {
    fn default() -> Self {
        Self::of_bytes(MOST_BYTES)
    }
}

impl ChunkCache {
    /// Makes a cache of so many bytes.
    pub(crate) fn of_bytes(most_bytes: usize) -> Self {
        Self { kept: Mutex::default(), most_bytes, most_chunks: MOST_CHUNKS }
    }

    /// Makes a cache for arrays of several dimensions, where a row goes through many chunks.
    pub(crate) fn of_stripe() -> Self {
        Self { kept: Mutex::default(), most_bytes: STRIPE_BYTES, most_chunks: STRIPE_CHUNKS }
    }

    /// Returns a chunk that is kept. The lock is held for a look only, never while decoding.
    pub(crate) fn get(&self, chunk: u64) -> Option<Arc<[u8]>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(number, _)| *number == chunk)?;
        if at > 0 {
            kept.swap(0, at);
        }
        kept.front().map(|(_, bytes)| Arc::clone(bytes))
    }

    /// Keeps a chunk.
    pub(crate) fn put(&self, chunk: u64, bytes: Arc<[u8]>) {
        let most = (self.most_bytes / bytes.len().max(1)).clamp(1, self.most_chunks);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(most - 1);
        kept.push_front((chunk, bytes));
    }
}
