//! Checking that the other triangle of a matrix with a structure is empty.

use std::ops::Range;

use nnz_core::{Batch, Error, MatrixSource as _, Projection, Result, Structure};

use super::MatrixSource;
use crate::store::Integers;
use crate::structure;

/// Checks entries with indices, the first of which has the number `first`.
pub(super) fn check_triangle(
    source: &MatrixSource,
    minors: &Integers,
    first: u64,
    fields: Projection,
    batch: &Batch,
) -> Result<()> {
    let structure = source.header().structure;
    let Some(before) = structure::before_diagonal(structure, batch.order).filter(|_| fields.minors)
    else {
        return Ok(());
    };
    for run in 0..batch.runs() {
        let entries = batch.run(run);
        // Minors ascend: if any is on the wrong side, the last or the first one is.
        let Some(edge) = (if before { entries.clone().last() } else { entries.clone().next() })
        else {
            continue;
        };
        let (row, col) = batch.order.row_col(batch.majors.get(run), batch.minor(run, edge));
        if let Some(found) = structure::misplaced(structure, row, col) {
            let place = minors.place(first + edge as u64);
            return Err(Error::mismatch(place, found, format!("none in a {structure} matrix")));
        }
        if row == col && fields.values {
            check_diagonal(source, structure, batch, edge, first)?;
        }
    }
    Ok(())
}

fn check_diagonal(
    source: &MatrixSource,
    structure: Structure,
    batch: &Batch,
    entry: usize,
    first: u64,
) -> Result<()> {
    let Some(value) = batch.values.get(entry) else { return Ok(()) };
    match structure::diagonal(structure, value) {
        Some(expected) => {
            let place = source.values.place(first + entry as u64);
            Err(Error::mismatch(place, value, expected))
        }
        None => Ok(()),
    }
}

/// Removes the elements of the other triangle from a batch of consecutive elements. They must be zero.
/// `first` is the number of the first value.
pub(super) fn trim(
    source: &MatrixSource,
    first: u64,
    fields: Projection,
    batch: &mut Batch,
) -> Result<()> {
    let structure = source.header().structure;
    let Some(before) = structure::before_diagonal(structure, batch.order) else {
        return Ok(());
    };
    let mut kept: Vec<u32> = Vec::new();
    let mut offsets = vec![0];
    let mut starts = Vec::with_capacity(batch.runs());
    let mut count = 0;
    for run in 0..batch.runs() {
        let major = batch.majors.get(run);
        let entries = batch.run(run);
        let start = if entries.is_empty() { 0 } else { batch.minor(run, entries.start) };
        let inside = inside(start, entries.len(), major, before);
        starts.push(start + inside.start as u64);
        count += inside.len();
        offsets.push(count);
        if !fields.values {
            continue;
        }
        for (at, entry) in entries.enumerate() {
            if inside.contains(&at) {
                kept.push(u32::try_from(entry).unwrap_or(u32::MAX));
                if start + at as u64 == major {
                    check_diagonal(source, structure, batch, entry, first)?;
                }
            } else if let Some(value) = batch.values.get(entry)
                && !structure::is_zero(value)
            {
                let place = source.values.place(first + entry as u64);
                let expected = format!("zero, since the matrix is {structure}");
                return Err(Error::mismatch(place, value, expected));
            }
        }
    }
    if fields.values {
        let all = std::mem::take(&mut batch.values);
        batch.values.gather(&all, &kept);
    }
    batch.offsets = offsets;
    *batch.minors.spans_mut() = starts;
    Ok(())
}

/// Returns which of `len` elements from the minor `start` on are in the stored triangle.
fn inside(start: u64, len: usize, major: u64, before: bool) -> Range<usize> {
    let up_to = |minor: u64| usize::try_from(minor.saturating_sub(start)).unwrap_or(len).min(len);
    if before { 0..up_to(major.saturating_add(1)) } else { up_to(major)..len }
}
