//! Cancelling an operation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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
///
/// Operations that share open data have tokens that are [members](Self::member) of one: each is cancelled by itself.
///
/// ```
/// use nnz_core::Cancellation;
///
/// let shared = Cancellation::new();
/// let (first, second) = (shared.member(), shared.member());
/// let running = (first.start(), second.start());
/// first.cancel();
/// assert!(first.is_cancelled() && !second.is_cancelled() && !shared.is_cancelled());
/// // Nobody waits for the shared data any longer.
/// second.cancel();
/// assert!(shared.is_cancelled());
/// drop(running);
/// assert!(!shared.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    of: Option<Cancellation>,
    /// The members whose operations run.
    running: OnceLock<Mutex<Vec<Arc<State>>>>,
}

/// Marks an operation as running until it is dropped; see [`Cancellation::start`].
#[derive(Debug)]
#[must_use]
pub struct RunningOperation(Cancellation);

impl Drop for RunningOperation {
    fn drop(&mut self) {
        let state = &self.0.0;
        let Some(of) = &state.of else { return };
        let mut running = of.running();
        if let Some(at) = running.iter().position(|other| Arc::ptr_eq(other, state)) {
            running.swap_remove(at);
        }
    }
}

impl Cancellation {
    /// Creates a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels all operations with this token.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Creates a token of one of several operations: it is cancelled with this token, which counts as cancelled while
    /// some of its members [run](Self::start) and all of those are cancelled.
    #[must_use]
    pub fn member(&self) -> Self {
        Self(Arc::new(State { of: Some(self.clone()), ..State::default() }))
    }

    /// Marks the operation of this token as running. Nothing changes if it is not a [member](Self::member).
    pub fn start(&self) -> RunningOperation {
        if let Some(of) = &self.0.of {
            of.running().push(Arc::clone(&self.0));
        }
        RunningOperation(self.clone())
    }

    /// Returns the members whose operations run.
    fn running(&self) -> MutexGuard<'_, Vec<Arc<State>>> {
        let running = self.0.running.get_or_init(Mutex::default);
        running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether this is the other token or one of its [members](Self::member).
    #[must_use]
    pub fn is_member_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.of.as_ref().is_some_and(|of| of.is_member_of(other))
    }

    /// Returns whether the token is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_set() || (self.0.running.get().is_some() && all_set(&self.running()))
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

impl State {
    /// Returns whether it was cancelled itself, or what it is a member of.
    fn is_set(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.of.as_ref().is_some_and(|of| of.0.is_set())
    }
}

/// Returns whether there are tokens, all of which are cancelled.
fn all_set(states: &[Arc<State>]) -> bool {
    !states.is_empty() && states.iter().all(|state| state.is_set())
}
