//! The order of the entries of a batch.

use crate::{Batch, Majors, Minors};

/// Average number of entries from which runs are checked one by one.
const LONG_RUN: usize = 128;

/// The first and last entry of a batch, and whether its entries are sorted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Major and minor of the first and of the last entry.
    pub ends: Option<[(u64, u64); 2]>,
    /// Whether the entries are sorted.
    pub ascends: bool,
    /// The first position that two adjacent entries share.
    pub repeated: Option<(u64, u64)>,
}

/// Functions that check the order of indices, usually from `nnz-bitpack`, on which this crate does not
/// depend.
#[derive(Clone, Copy, Debug)]
pub struct AscentKernels {
    /// Returns whether each index is greater than the previous one.
    pub ascends: fn(&[u32]) -> bool,
    /// Counts the indices that are not greater than the previous one.
    pub count_descents: fn(&[u32]) -> usize,
    /// The same for the first index of each run; the runs start at the given positions.
    pub count_descents_between: fn(&[u32], &[usize]) -> usize,
}

impl Extent {
    /// Examines a batch whose parts have consistent lengths.
    #[must_use]
    pub fn of(batch: &Batch, kernels: &AscentKernels) -> Self {
        Self::of_short_runs(batch, kernels).unwrap_or_else(|| Self::run_by_run(batch, kernels))
    }

    /// Returns the extent of short runs that are strictly sorted, which is the common case, with
    /// one pass over all runs.
    fn of_short_runs(batch: &Batch, kernels: &AscentKernels) -> Option<Self> {
        let (Majors::Consecutive(_), Minors::U32(minors)) = (&batch.majors, &batch.minors) else {
            return None;
        };
        let held = |run: &usize| !batch.run(*run).is_empty();
        let first = (0..batch.runs()).find(held)?;
        let last = (0..batch.runs()).rev().find(held)?;
        if batch.entries() / batch.runs() >= LONG_RUN || batch.entries() != minors.len() {
            return None;
        }
        // All descents are at the start of a run.
        let descents = (kernels.count_descents)(minors);
        let allowed = (kernels.count_descents_between)(minors, &batch.offsets);
        let place = |run: usize, entry| (batch.majors.get(run), batch.minor(run, entry));
        (descents == allowed).then(|| Self {
            ends: Some([
                place(first, batch.run(first).start),
                place(last, batch.run(last).end - 1),
            ]),
            ascends: true,
            repeated: None,
        })
    }

    fn run_by_run(batch: &Batch, kernels: &AscentKernels) -> Self {
        let mut extent = Self { ends: None, ascends: true, repeated: None };
        for run in 0..batch.runs() {
            let entries = batch.run(run);
            let Some(end) = entries.end.checked_sub(1).filter(|end| *end >= entries.start) else {
                continue;
            };
            let major = batch.majors.get(run);
            let first = (major, batch.minor(run, entries.start));
            let last = (major, batch.minor(run, end));
            if let Some([_, before]) = extent.ends {
                extent.ascends &= before <= first;
                if before == first {
                    extent.repeated.get_or_insert(first);
                }
            }
            let (ascends, equal) = match &batch.minors {
                Minors::U32(minors) if (kernels.ascends)(&minors[entries.clone()]) => (true, None),
                Minors::U32(minors) => sorted_and_repeated(&minors[entries]),
                Minors::U64(minors) => sorted_and_repeated(&minors[entries]),
                Minors::Spans(_) => (true, None),
            };
            extent.ascends &= ascends;
            if let Some(minor) = equal {
                extent.repeated.get_or_insert((major, minor));
            }
            extent.ends = Some([extent.ends.map_or(first, |[first, _]| first), last]);
        }
        extent
    }
}

/// Returns whether the numbers are sorted, and the first that is equal to the previous one.
fn sorted_and_repeated<T: Copy + Ord + Into<u64>>(numbers: &[T]) -> (bool, Option<u64>) {
    // Usually they are strictly sorted, which is faster to check.
    let strictly = numbers.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1]));
    if strictly {
        return (true, None);
    }
    let equal = numbers.windows(2).find(|pair| pair[0] == pair[1]);
    (numbers.is_sorted(), equal.map(|pair| pair[0].into()))
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;
    use crate::{Order, Values};

    const KERNELS: AscentKernels = AscentKernels {
        ascends: |indices| indices.windows(2).all(|pair| pair[0] < pair[1]),
        count_descents: |indices| indices.windows(2).filter(|pair| pair[1] <= pair[0]).count(),
        count_descents_between: |indices, starts| {
            let mut inner: Vec<_> = starts.to_vec();
            inner.dedup();
            let inside = |start: &&usize| (1..indices.len()).contains(*start);
            inner.iter().filter(inside).filter(|at| indices[**at] <= indices[**at - 1]).count()
        },
    };

    #[test]
    fn short_runs_match_run_by_run() {
        let mut random = Random::new(1);
        let (mut sorted, mut unsorted) = (0, 0);
        for _ in 0..20_000 {
            let mut batch = Batch::new(Order::Row, Values::default());
            batch.majors = Majors::Consecutive(7);
            let mut minors = Vec::new();
            for _ in 0..random.below(6) {
                let mut minor = u32::try_from(random.below(3)).unwrap();
                for _ in 0..random.below(4) {
                    minors.push(minor);
                    minor += u32::from(random.below(20) > 0);
                }
                batch.offsets.push(minors.len());
            }
            batch.minors = Minors::U32(minors);
            let (short, each) =
                (Extent::of_short_runs(&batch, &KERNELS), Extent::run_by_run(&batch, &KERNELS));
            let ascends = each.ascends && each.repeated.is_none() && each.ends.is_some();
            assert_eq!(short.is_some(), ascends, "{batch:?}");
            match short {
                Some(short) => assert_eq!(short.ends, each.ends, "{batch:?}"),
                None => unsorted += 1,
            }
            sorted += usize::from(ascends);
        }
        assert!(sorted > 1000 && unsorted > 1000, "{sorted} and {unsorted}");
    }
}
