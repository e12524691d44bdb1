//! Skipping equal entries of two matrices, many at once.

use std::ops::Range;

use nnz_core::{Minors, Rounding, ValueType, Values};

use crate::entry_reader::EntryReader;

/// Maximum number of entries that are compared at once.
const AT_ONCE: usize = 1024;

/// Number of entries that are compared one by one after a difference.
const PAUSE: u32 = 64;

/// State that is kept between calls.
#[derive(Default)]
pub(super) struct RunComparison {
    /// The values of a batch of the first matrix, cast to the type of the second.
    cast: Values,
    /// The number of that batch, the type, and whether the whole batch could be cast.
    cast_from: Option<(u64, ValueType, bool)>,
    pause: u32,
}

impl RunComparison {
    /// Skips entries after the one at `last` that are equal in both matrices. Returns the position
    /// of the last one.
    ///
    /// Other entries, and some equal ones, are left to be compared one by one.
    pub(super) fn pass(
        &mut self,
        a: &mut EntryReader<'_>,
        b: &mut EntryReader<'_>,
        mut last: (u64, u64),
    ) -> (u64, u64) {
        if self.pause > 0 {
            self.pause -= 1;
            return last;
        }
        while let (Some((major, x)), Some((other, y))) = (a.ahead(), b.ahead()) {
            let count = x.len().min(y.len()).min(AT_ONCE);
            let (x, y) = (x.start..x.start + count, y.start..y.start + count);
            let shared = if major == other { self.shared(a, x, b, y) } else { None };
            let Some((_, end)) = shared.filter(|&(first, _)| (major, first) > last) else {
                self.pause = PAUSE;
                break;
            };
            last = (major, end);
            a.pass(count);
            b.pass(count);
        }
        last
    }

    /// Returns the first and last minor of equal, ascending entries.
    fn shared(
        &mut self,
        a: &EntryReader<'_>,
        x: Range<usize>,
        b: &EntryReader<'_>,
        y: Range<usize>,
    ) -> Option<(u64, u64)> {
        let ((first, number), (second, _)) = (a.batch(), b.batch());
        let (Minors::U32(minors), Minors::U32(others)) = (&first.minors, &second.minors) else {
            return None;
        };
        let (minors, others) = (minors.get(x.clone())?, others.get(y.clone())?);
        if minors != others || !nnz_bitpack::ascends(minors) {
            return None;
        }
        let value_type = second.values.value_type();
        let values = if first.values.value_type() == value_type {
            &first.values
        } else {
            if self.cast_from.is_none_or(|(of, to, _)| (of, to) != (number, value_type)) {
                let cast = first.values.cast_into(value_type, Rounding::Refused, &mut self.cast);
                self.cast_from = Some((number, value_type, cast.is_ok()));
            }
            self.cast_from.filter(|&(.., holds)| holds)?;
            &self.cast
        };
        let bits = |values, entries| bits(values, value_type.size(), entries);
        let same = bits(values, x)? == bits(&second.values, y)?;
        same.then_some((minors[0].into(), minors[minors.len() - 1].into()))
    }
}

/// Returns the bytes of values; `None` if all share one value.
fn bits(values: &Values, size: usize, entries: Range<usize>) -> Option<&[u8]> {
    let own = !matches!(values, Values::Iso(_));
    own.then(|| values.bytes())?.get(entries.start * size..entries.end * size)
}
