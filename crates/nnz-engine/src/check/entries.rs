//! Reading all entries on many threads, to check them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_core::{Batch, Header, Result, Unit};

use super::uniqueness::{Ascent, Seen};
use crate::flow::{Join, Work};
use crate::stages::empty_batch;

/// The parallel part.
pub(super) struct Checking<'a> {
    header: &'a Header,
    /// Whether the order of entries matters.
    watched: bool,
    /// Batches to be reused.
    spare: Mutex<Vec<Batch>>,
}

impl<'a> Checking<'a> {
    pub(super) fn new(header: &'a Header, watched: bool) -> Self {
        Self { header, watched, spare: Mutex::default() }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Batch>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work for Checking<'_> {
    type Batch = Batch;
    type BatchUnits = Option<Seen>;
    type Encoded = ();
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Option<Seen>, Vec<u64>)> {
        let Header { order, value_type, structure, .. } = *self.header;
        let spare = self.spare().pop();
        let mut batch = spare.unwrap_or_else(|| empty_batch(order, value_type));
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            stored.push(batch.entries() as u64);
        }
        let seen = self.watched.then(|| Seen::of(&batch, structure));
        self.spare().push(batch);
        Ok((seen, stored))
    }

    fn encode(&self, _: Option<Seen>, (): ()) -> Result<()> {
        Ok(())
    }
}

/// The sequential part.
impl Join<Checking<'_>> for Ascent {
    fn join(&mut self, seen: &Option<Seen>) -> Result<Option<()>> {
        if let Some(seen) = seen {
            self.add(seen);
        }
        Ok(Some(()))
    }
}
