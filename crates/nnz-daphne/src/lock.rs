//! What threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also where a thread that had locked has panicked: nothing is left half done between.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
