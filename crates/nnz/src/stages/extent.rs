//! What a batch tells of the order of its entries.

use nnz_core::{Batch, Minors};

/// Where the entries of a batch begin and end, and whether they ascend between.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    /// Major and minor of the first and of the last entry.
    pub(crate) ends: Option<[(u64, u64); 2]>,
    /// Whether no entry comes before the one it follows.
    pub(crate) ascends: bool,
    /// The first place that two neighbours share.
    pub(crate) repeated: Option<(u64, u64)>,
}

impl Extent {
    pub(crate) fn of(batch: &Batch) -> Self {
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
                Minors::U32(minors) if nnz_bitpack::ascends(&minors[entries.clone()]) => {
                    (true, None)
                }
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
    // Mostly each is greater, which is told at once for all of them.
    let strictly = numbers.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1]));
    if strictly {
        return (true, None);
    }
    let equal = numbers.windows(2).find(|pair| pair[0] == pair[1]);
    (numbers.is_sorted(), equal.map(|pair| pair[0].into()))
}
