//! The chunks last decoded, for small reads that come back to the same chunk.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Chunks kept, as long as they fit [`MOST_BYTES`] together; one is kept whatever its size. A few,
/// because several threads may each walk through a part of the same array.
const MOST_CHUNKS: usize = 8;
const MOST_BYTES: usize = 8 << 20;

/// Decoded chunks by number, the last used first.
#[derive(Default)]
pub(super) struct ChunkCache(Mutex<VecDeque<(u64, Arc<[u8]>)>>);

impl ChunkCache {
    /// Returns a chunk that is kept. The lock is held for a look only, never while decoding.
    pub(super) fn get(&self, chunk: u64) -> Option<Arc<[u8]>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(number, _)| *number == chunk)?;
        if at > 0 {
            kept.swap(0, at);
        }
        kept.front().map(|(_, bytes)| Arc::clone(bytes))
    }

    /// Keeps a chunk.
    pub(super) fn put(&self, chunk: u64, bytes: Arc<[u8]>) {
        let most = (MOST_BYTES / bytes.len().max(1)).clamp(1, MOST_CHUNKS);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(most - 1);
        kept.push_front((chunk, bytes));
    }
}
