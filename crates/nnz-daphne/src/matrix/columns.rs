//! Removing entries of columns that are not selected.

use std::ops::Range;

use nnz_core::{Batch, Minors, Values};

/// Keeps the entries of some columns. Runs are kept even if they become empty.
pub(super) fn keep_columns(batch: &mut Batch, cols: &Range<u64>) {
    let mut kept = Vec::new();
    let mut offsets = vec![0];
    for run in 0..batch.runs() {
        let inside = |entry: &usize| cols.contains(&batch.minor(run, *entry));
        // A batch has far fewer entries than 2^32.
        let positions = batch.run(run).filter(inside);
        kept.extend(positions.map(|entry| u32::try_from(entry).unwrap_or(u32::MAX)));
        offsets.push(kept.len());
    }
    if kept.len() == batch.entries() {
        return;
    }
    match &mut batch.minors {
        Minors::U32(list) => pick(list, &kept),
        Minors::U64(list) => pick(list, &kept),
        // Sparse sources have no spans.
        Minors::Spans(_) => return,
    }
    let mut values = Values::new(batch.values.value_type());
    values.gather(&batch.values, &kept);
    batch.values = values;
    batch.offsets = offsets;
}

/// Moves the elements at ascending positions to the front, and removes all others.
fn pick<T: Copy>(list: &mut Vec<T>, positions: &[u32]) {
    for (place, &position) in positions.iter().enumerate() {
        if let Some(&number) = usize::try_from(position).ok().and_then(|at| list.get(at)) {
            list[place] = number;
        }
    }
    list.truncate(positions.len());
}
