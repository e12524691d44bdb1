//! Cancelling an operation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

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
/// Operations that share open data are [members](Self::member) of a token: each is cancelled by itself.
///
/// ```
/// use nnz_core::Cancellation;
///
/// let shared = Cancellation::new();
/// let (first, second) = (shared.member(), shared.member());
/// first.cancel();
/// assert!(first.is_cancelled() && !second.is_cancelled() && !shared.is_cancelled());
/// // Nobody waits for the shared data any longer.
/// second.cancel();
/// assert!(shared.is_cancelled());
/// drop((first, second));
/// assert!(!shared.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    of: Option<Cancellation>,
    members: OnceLock<Mutex<Vec<Weak<State>>>>,
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
    /// all of its members that still exist are.
    #[must_use]
    pub fn member(&self) -> Self {
        let state = State { of: Some(self.clone()), ..State::default() };
        let member = Self(Arc::new(state));
        let members = self.0.members.get_or_init(Mutex::default);
        let mut members = members.lock().unwrap_or_else(PoisonError::into_inner);
        members.retain(|member| member.strong_count() > 0);
        members.push(Arc::downgrade(&member.0));
        member
    }

    /// Returns whether this is the other token or one of its [members](Self::member).
    #[must_use]
    pub fn is_in(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.of.as_ref().is_some_and(|of| of.is_in(other))
    }

    /// Returns whether the token is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_set() || self.0.members.get().is_some_and(all_set)
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

/// Returns whether there are members, all of which are cancelled.
fn all_set(members: &Mutex<Vec<Weak<State>>>) -> bool {
    let members = members.lock().unwrap_or_else(PoisonError::into_inner);
    let mut living = members.iter().filter_map(Weak::upgrade).peekable();
    living.peek().is_some() && living.all(|member| member.is_set())
}
