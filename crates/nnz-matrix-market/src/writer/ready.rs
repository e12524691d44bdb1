//! Encoded text, and the state shared by the threads that encode.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::Error;

/// State shared by all encoders of a sink.
#[derive(Default)]
pub(super) struct Shared {
    /// Unused buffers; no more than were ever in use at the same time.
    spare: Mutex<Vec<Vec<u8>>>,
    failed: AtomicBool,
}

impl Shared {
    /// Returns a buffer with any content.
    pub(super) fn buffer(&self) -> Vec<u8> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Records that a batch could not be encoded, so the matrix is incomplete.
    pub(super) fn fail(&self) {
        self.failed.store(true, Ordering::Release);
    }

    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }
}

/// Text at the start of a buffer, which is returned for reuse on drop.
pub(super) struct EncodedText {
    buffer: Vec<u8>,
    len: usize,
    shared: Arc<Shared>,
}

impl EncodedText {
    pub(super) fn new((len, buffer): (usize, Vec<u8>), shared: &Arc<Shared>) -> Self {
        Self { buffer, len, shared: Arc::clone(shared) }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.len]
    }
}

impl Drop for EncodedText {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        self.shared.spare.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// Returns the error for a batch encoded by another sink.
pub(super) fn unknown() -> Error {
    Error::argument("a batch that was encoded for another sink")
}
