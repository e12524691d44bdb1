//! Entries that come in order already.

use std::sync::atomic::{AtomicBool, Ordering};

use nnz_core::{Batch, BatchReader, Minors, Result};

use super::Batches;

/// Hands on entries whose majors ascend, and minors inside each major.
///
/// At the first batch that is not in order the entries end, and `violated` is set: what was handed
/// on until then has to be thrown away, and the entries sorted.
pub(crate) struct InOrder<'a> {
    inner: Batches<'a>,
    last: Option<(u64, u64)>,
    violated: &'a AtomicBool,
}

impl<'a> InOrder<'a> {
    pub(crate) fn new(inner: Batches<'a>, violated: &'a AtomicBool) -> Self {
        Self { inner, last: None, violated }
    }

    fn follows(&mut self, batch: &Batch) -> bool {
        for run in 0..batch.runs() {
            let entries = batch.run(run);
            let Some(end) = entries.end.checked_sub(1).filter(|end| *end >= entries.start) else {
                continue;
            };
            let major = batch.majors.get(run);
            let first = (major, batch.minor(run, entries.start));
            let sorted = match &batch.minors {
                Minors::U32(minors) => minors[entries].is_sorted(),
                Minors::U64(minors) => minors[entries].is_sorted(),
                Minors::Spans(_) => true,
            };
            if !sorted || self.last.is_some_and(|last| last > first) {
                return false;
            }
            self.last = Some((major, batch.minor(run, end)));
        }
        true
    }
}

impl BatchReader for InOrder<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        if !self.inner.next_batch(batch)? {
            return Ok(false);
        }
        let follows = self.follows(batch);
        if !follows {
            self.violated.store(true, Ordering::Relaxed);
        }
        Ok(follows)
    }
}
