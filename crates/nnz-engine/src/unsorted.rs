//! Finding rows or columns with unsorted entries.

use std::fmt;

use nnz_core::{Axis, Batch, MatrixSource, Minors, Projection, Result, Values};

use crate::flow::Workers;

/// Rows or columns with unsorted entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsorted {
    /// The axis.
    pub axis: Axis,
    /// The first one.
    pub first: u64,
    /// The number of them.
    pub count: u64,
}

impl fmt::Display for Unsorted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { axis, first, count } = self;
        let one = axis.singular();
        match count {
            1 => write!(f, "the entries of {one} {first} were sorted"),
            _ => {
                write!(f, "the entries of {count} {one}s, starting with {one} {first}, were sorted")
            }
        }
    }
}

/// Finds the major vectors of a matrix whose entries are not sorted. Returns `None` if there are none, if the
/// source guarantees order, or if the format has no majors.
///
/// # Errors
///
/// Fails if entries cannot be read, and if cancelled.
pub fn unsorted(source: &dyn MatrixSource, workers: Workers<'_>) -> Result<Option<Unsorted>> {
    let header = source.header();
    if header.sorted_indices == Some(true) || !header.sorted_majors {
        return Ok(None);
    }
    let axis = header.order.major();
    let mut batch = Batch::new(header.order, Values::default());
    let mut batches = source.batches(0..header.shape.major(header.order), Projection::MINORS)?;
    let mut found: Option<Unsorted> = None;
    let mut last: Option<(u64, u64)> = None;
    // A major that continues in the next batch counts once.
    let mut counted = None;
    while batches.next_batch(&mut batch)? {
        workers.check()?;
        for run in 0..batch.runs() {
            let (major, entries) = (batch.majors.get(run), batch.run(run));
            let before = last.filter(|(before, _)| *before == major).map_or(0, |(_, minor)| minor);
            let (ascends, end) = match &batch.minors {
                Minors::U32(minors) => ascends(minors.get(entries), before),
                Minors::U64(minors) => ascends(minors.get(entries), before),
                // All elements of a span.
                Minors::Spans(_) => (true, None),
            };
            last = end.map(|end| (major, end)).or(last);
            if !ascends && counted != Some(major) {
                counted = Some(major);
                let known = found.get_or_insert(Unsorted { axis, first: major, count: 0 });
                known.count += 1;
            }
        }
    }
    Ok(found)
}

/// Returns whether numbers ascend, starting after one, and the last of them.
fn ascends<T: Copy + Into<u64>>(minors: Option<&[T]>, from: u64) -> (bool, Option<u64>) {
    let (mut ascends, mut last) = (true, None);
    let mut before = from;
    for &minor in minors.unwrap_or_default() {
        let minor = minor.into();
        ascends &= minor >= before;
        before = minor;
        last = Some(minor);
    }
    (ascends, last)
}
