//! Text that is made on any thread, and what the threads that make it share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::Error;

/// What all that make text for one sink share.
#[derive(Default)]
pub(super) struct Shared {
    /// Buffers that nobody uses at the moment: as many as were ever in use at once.
    spare: Mutex<Vec<Vec<u8>>>,
    failed: AtomicBool,
}

impl Shared {
    /// Returns a buffer with anything in it.
    pub(super) fn buffer(&self) -> Vec<u8> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps in mind that a batch could not be made ready, so that the matrix is not complete.
    pub(super) fn fail(&self) {
        self.failed.store(true, Ordering::Release);
    }

    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }
}

/// Text at the start of a buffer, which is handed back when it is dropped.
pub(super) struct Ready {
    buffer: Vec<u8>,
    len: usize,
    shared: Arc<Shared>,
}

impl Ready {
    pub(super) fn new((len, buffer): (usize, Vec<u8>), shared: &Arc<Shared>) -> Self {
        Self { buffer, len, shared: Arc::clone(shared) }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.len]
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        self.shared.spare.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// Makes the error for what another sink has made ready.
pub(super) fn unknown() -> Error {
    Error::argument("a batch that was made ready for another sink")
}
