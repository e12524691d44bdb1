//! Objects for reuse.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

/// Unused objects; no more than were ever in use at the same time.
#[derive(Debug)]
pub(super) struct Spares<T>(Mutex<Vec<T>>);

impl<T> Default for Spares<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// An object that is returned for reuse on drop.
pub(super) struct Reused<T: Default> {
    thing: T,
    spares: Arc<Spares<T>>,
}

impl<T: Default> Spares<T> {
    /// Returns an unused object, or a new one.
    pub(super) fn get(self: &Arc<Self>) -> Reused<T> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Reused { thing: spare.unwrap_or_default(), spares: Arc::clone(self) }
    }
}

impl<T: Default> Deref for Reused<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.thing
    }
}

impl<T: Default> DerefMut for Reused<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.thing
    }
}

impl<T: Default> Drop for Reused<T> {
    fn drop(&mut self) {
        let thing = std::mem::take(&mut self.thing);
        self.spares.0.lock().unwrap_or_else(PoisonError::into_inner).push(thing);
    }
}
