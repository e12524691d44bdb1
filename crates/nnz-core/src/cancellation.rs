//! Cancelling an operation.

use std::cell::RefCell;
use std::marker::PhantomData;
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

    /// Makes this the token of what the thread does, until the guard is dropped: what waits for a network in it
    /// ends soon after a cancellation.
    ///
    /// ```
    /// use nnz_core::Cancellation;
    ///
    /// let cancellation = Cancellation::new();
    /// let entered = cancellation.enter();
    /// cancellation.cancel();
    /// assert!(Cancellation::current().is_some_and(|current| current.is_cancelled()));
    /// drop(entered);
    /// assert!(Cancellation::current().is_none());
    /// ```
    pub fn enter(&self) -> Entered {
        let outer = CURRENT.replace(Some(self.clone()));
        Entered { outer, of_thread: PhantomData }
    }

    /// Returns the token of what the thread does, which a thread that works for it enters too.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Returns whether the token of what the thread does is cancelled.
    #[must_use]
    pub fn is_current_cancelled() -> bool {
        CURRENT.with_borrow(|current| current.as_ref().is_some_and(Self::is_cancelled))
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Cancellation>> = const { RefCell::new(None) };
}

/// Keeps the token of a thread until it is dropped.
#[derive(Debug)]
#[must_use = "the thread has the token until it is dropped"]
pub struct Entered {
    outer: Option<Cancellation>,
    of_thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.outer.take());
    }
}
