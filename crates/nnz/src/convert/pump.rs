//! Moving batches from a reader to a sink.

use std::sync::mpsc::sync_channel;

use nnz_core::{Batch, Error, MatrixSink, Values};

use super::plan::Plan;
use crate::Progress;
use crate::stages::Batches;

/// Batches that may be under way between the two threads.
const UNDER_WAY: usize = 4;

/// What failed.
pub(super) enum Failed {
    Reading(Error),
    Writing(Error),
}

/// Writes everything a reader hands out and returns the number of entries.
///
/// With two threads or more, one reads ahead while the other writes.
pub(super) fn pump(
    mut reader: Batches<'_>,
    sink: &mut dyn MatrixSink,
    plan: &Plan,
    progress: &dyn Progress,
) -> Result<u64, Failed> {
    let mut entries = 0;
    let mut write = |batch: &Batch| {
        sink.write(batch).map_err(Failed::Writing)?;
        progress.advance(batch.entries() as u64);
        Ok(batch.entries() as u64)
    };
    let empty = || Batch::new(plan.order, Values::new(plan.value_type));
    if plan.threads < 2 {
        let mut batch = empty();
        while reader.next_batch(&mut batch).map_err(Failed::Reading)? {
            entries += write(&batch)?;
        }
        return Ok(entries);
    }
    std::thread::scope(|scope| {
        let (filled, to_write) = sync_channel(UNDER_WAY);
        let (used, to_fill) = sync_channel(UNDER_WAY + 2);
        scope.spawn(move || {
            loop {
                let mut batch = to_fill.try_recv().unwrap_or_else(|_| empty());
                let step = match reader.next_batch(&mut batch) {
                    Ok(true) => Ok(batch),
                    Ok(false) => return,
                    Err(error) => Err(error),
                };
                let failed = step.is_err();
                // Nobody takes it if writing failed: there is no more to do then.
                if filled.send(step).is_err() || failed {
                    return;
                }
            }
        });
        for step in to_write {
            let batch = step.map_err(Failed::Reading)?;
            entries += write(&batch)?;
            // If the reader has ended already, the buffer is just dropped.
            let _ = used.try_send(batch);
        }
        Ok(entries)
    })
}
