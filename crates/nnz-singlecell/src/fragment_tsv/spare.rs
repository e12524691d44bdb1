//! Things that are used again.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

/// Things that nobody uses at the moment: as many as were ever in use at once.
#[derive(Debug)]
pub(super) struct Spares<T>(Mutex<Vec<T>>);

impl<T> Default for Spares<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// Something that goes back to the others when it is dropped.
pub(super) struct Lent<T: Default> {
    thing: T,
    spares: Arc<Spares<T>>,
}

impl<T: Default> Spares<T> {
    /// Lends a thing that was used before, or a new one.
    pub(super) fn lend(self: &Arc<Self>) -> Lent<T> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lent { thing: spare.unwrap_or_default(), spares: Arc::clone(self) }
    }
}

impl<T: Default> Deref for Lent<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.thing
    }
}

impl<T: Default> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.thing
    }
}

impl<T: Default> Drop for Lent<T> {
    fn drop(&mut self) {
        let thing = std::mem::take(&mut self.thing);
        self.spares.0.lock().unwrap_or_else(PoisonError::into_inner).push(thing);
    }
}
