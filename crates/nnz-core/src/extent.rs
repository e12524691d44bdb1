//! What a batch tells of the order of its entries.

use crate::{Batch, Majors, Minors};

/// Entries of runs that are worth being looked at one by one.
const LONG_RUN: usize = 128;

/// Where the entries of a batch begin and end, and whether they ascend between.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Major and minor of the first and of the last entry.
    pub ends: Option<[(u64, u64); 2]>,
    /// Whether no entry comes before the one it follows.
    pub ascends: bool,
    /// The first place that two neighbours share.
    pub repeated: Option<(u64, u64)>,
}

/// Whether many indices ascend, by whatever instructions the processor has: those of `nnz-bitpack`, which
/// this crate does without.
#[derive(Clone, Copy, Debug)]
pub struct AscentKernels {
    /// Returns whether each index is greater than the one before it.
    pub ascends: fn(&[u32]) -> bool,
    /// Counts the indices that are no greater than the one before them.
    pub count_descents: fn(&[u32]) -> usize,
    /// Counts those of them that runs begin with, which start at the given positions.
    pub count_descents_between: fn(&[u32], &[usize]) -> usize,
}

impl Extent {
    /// Looks at a batch whose parts fit one another.
    #[must_use]
    pub fn of(batch: &Batch, kernels: &AscentKernels) -> Self {
        Self::of_short_runs(batch, kernels).unwrap_or_else(|| Self::run_by_run(batch, kernels))
    }

    /// Accepts many short runs at once that ascend without a place twice, as nearly all do.
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
        // All of them are where one run ends and another begins.
        let falls = (kernels.count_descents)(minors);
        let allowed = (kernels.count_descents_between)(minors, &batch.offsets);
        let place = |run: usize, entry| (batch.majors.get(run), batch.minor(run, entry));
        (falls == allowed).then(|| Self {
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
                Minors::U32(minors) => neighbours(&minors[entries]),
                Minors::U64(minors) => neighbours(&minors[entries]),
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

/// Whether no number is less than the one before it, and the first that is equal to it.
fn neighbours<T: Copy + Ord + Into<u64>>(numbers: &[T]) -> (bool, Option<u64>) {
    // Mostly each is greater, which one comparison shows for all of them.
    let strictly = numbers.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1]));
    if strictly {
        return (true, None);
    }
    let equal = numbers.windows(2).find(|pair| pair[0] == pair[1]);
    (numbers.is_sorted(), equal.map(|pair| pair[0].into()))
}

#[cfg(test)]
mod tests {
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
    fn short_runs_are_told_as_runs_one_by_one_are() {
        let mut state = 1_u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let (mut told, mut left) = (0, 0);
        for _ in 0..20_000 {
            let mut batch = Batch::new(Order::Row, Values::default());
            batch.majors = Majors::Consecutive(7);
            let mut minors = Vec::new();
            for _ in 0..draw(6) {
                let mut minor = draw(3);
                for _ in 0..draw(4) {
                    minors.push(minor);
                    minor += u32::from(draw(20) > 0);
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
                None => left += 1,
            }
            told += usize::from(ascends);
        }
        assert!(told > 1000 && left > 1000, "{told} and {left}");
    }
}
