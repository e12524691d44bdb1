//! Reading minor indices, and checking that they are in range and ascending in each run.

use std::ops::Range;

use nnz_core::{Minors, Result};

use crate::store::{Index, Integers};

/// Longest minor axis whose indices all fit into 32 bits.
const NARROW: u64 = 1 << 32;

/// Reads minor indices, and checks that they are in range and ascending in each run. `before` is
/// the index of the previous entry, if that belongs to the first run.
pub(super) fn read_minors(
    array: &Integers,
    entries: Range<u64>,
    axis: u64,
    offsets: &[usize],
    before: Option<u64>,
    minors: &mut Minors,
    in_any_order: bool,
) -> Result<()> {
    let count = usize::try_from(entries.end - entries.start).unwrap_or(usize::MAX);
    let first = entries.start;
    if axis <= NARROW {
        let minors = minors.u32_buffer();
        minors.resize(count, 0);
        array.read(first, minors)?;
        check(array, first, axis, (offsets, before), minors, in_any_order)
    } else {
        if !matches!(minors, Minors::U64(_)) {
            minors.u64_mut();
        }
        let Minors::U64(minors) = minors else {
            return Ok(());
        };
        minors.resize(count, 0);
        array.read(first, minors)?;
        check(array, first, axis, (offsets, before), minors, in_any_order)
    }
}

fn check<T: Index>(
    array: &Integers,
    first: u64,
    axis: u64,
    (offsets, before): (&[usize], Option<u64>),
    minors: &[T],
    in_any_order: bool,
) -> Result<()> {
    if in_any_order {
        return match minors.iter().position(|&minor| minor.into() >= axis) {
            None => Ok(()),
            Some(at) => Err(out_of_range(array, first, at, axis, minors)),
        };
    }
    // Counting is faster than checking each run: the number of decreases must equal the number of
    // those at run boundaries. In ascending runs, the last index is the largest.
    let mut allowed = 0;
    let mut outside = false;
    let mut last = 0;
    for &start in offsets.iter().filter(|&&start| start > 0) {
        let Some(&end_of_run) = minors.get(start - 1) else {
            continue;
        };
        outside |= end_of_run.into() >= axis;
        if let Some(next) = minors.get(start).filter(|_| start > last) {
            allowed += usize::from(end_of_run >= *next);
            last = start;
        }
    }
    let after_before = match (before, minors.first()) {
        (Some(before), Some(&minor)) => before < minor.into(),
        _ => true,
    };
    if !outside && after_before && count_descents(minors) == allowed {
        return Ok(());
    }
    if let Some(at) = minors.iter().position(|&minor| minor.into() >= axis) {
        return Err(out_of_range(array, first, at, axis, minors));
    }
    Err(out_of_order(array, first, offsets, before, minors))
}

#[cold]
fn out_of_range<T: Index>(
    array: &Integers,
    first: u64,
    at: usize,
    axis: u64,
    minors: &[T],
) -> nnz_core::Error {
    let expected = format!("less than {axis}, the length of the axis");
    array.wrong(first + at as u64, minors[at].into(), expected)
}

/// Counts the elements that are not less than the next.
fn count_descents<T: Ord>(minors: &[T]) -> usize {
    /// Few enough for 16-bit counters, so that the loop is vectorized.
    const BLOCK: usize = 1 << 12;
    let (Some((_, next)), Some((_, these))) = (minors.split_first(), minors.split_last()) else {
        return 0;
    };
    let blocks = these.chunks(BLOCK).zip(next.chunks(BLOCK));
    let counts = blocks.map(|(these, next)| {
        these.iter().zip(next).map(|(a, b)| u16::from(a >= b)).fold(0_u16, u16::wrapping_add)
    });
    counts.map(usize::from).sum()
}

/// Returns the error for the first index that is not greater than the previous one.
#[cold]
fn out_of_order<T: Index>(
    array: &Integers,
    first: u64,
    offsets: &[usize],
    before: Option<u64>,
    minors: &[T],
) -> nnz_core::Error {
    let mut previous = before;
    for (at, &minor) in minors.iter().enumerate() {
        if at > 0 && offsets.binary_search(&at).is_ok() {
            previous = None;
        }
        let minor = minor.into();
        if let Some(previous) = previous.filter(|&previous| previous >= minor) {
            let expected = match previous == minor {
                true => "no duplicates".to_owned(),
                false => format!("more than {previous}, since indices are sorted"),
            };
            return array.wrong(first + at as u64, minor, expected);
        }
        previous = Some(minor);
    }
    array.wrong(first, 0, "sorted indices")
}
