//! Reading all entries on many threads, to check them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_core::{Batch, Header, Result, Unit};

use super::uniqueness::{Ascent, BatchSummary};
use crate::flow::{Join, Work};
use crate::stages::empty_batch;

/// The parallel part.
pub(super) struct CheckWork<'a> {
    header: &'a Header,
    /// Whether the order of entries matters.
    ordered: bool,
    /// Batches to be reused.
    spare: Mutex<Vec<Batch>>,
}

impl<'a> CheckWork<'a> {
    pub(super) fn new(header: &'a Header, ordered: bool) -> Self {
        Self { header, ordered, spare: Mutex::default() }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Batch>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work for CheckWork<'_> {
    type Batch = Batch;
    type Decoded = Option<BatchSummary>;
    type Encoded = ();
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Option<BatchSummary>, Vec<u64>)> {
        let Header { order, value_type, structure, .. } = *self.header;
        let spare = self.spare().pop();
        let mut batch = spare.unwrap_or_else(|| empty_batch(order, value_type));
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            batch.check(self.header)?;
            stored.push(batch.entries() as u64);
        }
        let summary = self.ordered.then(|| BatchSummary::of(&batch, structure));
        self.spare().push(batch);
        Ok((summary, stored))
    }

    fn encode(&self, _: Option<BatchSummary>, (): ()) -> Result<()> {
        Ok(())
    }
}

/// The sequential part.
impl Join<CheckWork<'_>> for Ascent {
    fn join(&mut self, summary: &Option<BatchSummary>) -> Result<Option<()>> {
        if let Some(summary) = summary {
            self.add(summary);
        }
        Ok(Some(()))
    }
}
