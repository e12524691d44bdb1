//! Ending an operation early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A token that cancels the operations it was given to, from any thread.
///
/// Clones share their state. An operation checks its token at each batch; once cancelled it fails with
/// [`ErrorKind::Cancelled`](nnz_core::ErrorKind::Cancelled) and leaves no output.
///
/// ```
/// use nnz_engine::Cancellation;
///
/// let cancellation = Cancellation::new();
/// let other = cancellation.clone();
/// other.cancel();
/// assert!(cancellation.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Makes a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels all operations that have this token.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
