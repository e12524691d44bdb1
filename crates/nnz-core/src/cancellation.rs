//! Cancelling an operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, ErrorKind, Place, Result};

/// A token that cancels operations from any thread.
///
/// Clones share their state. An operation checks its token at each batch; after a cancellation it
/// fails with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) and leaves no output.
///
/// ```
/// use nnz_core::Cancellation;
///
/// let cancellation = Cancellation::new();
/// let other = cancellation.clone();
/// other.cancel();
/// assert!(cancellation.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Creates a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels all operations with this token.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the token is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails if the token is cancelled.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn check(&self) -> Result<()> {
        match self.is_cancelled() {
            true => Err(Error::new(ErrorKind::Cancelled, Place::default())),
            false => Ok(()),
        }
    }
}
