//! Visiting entries in bands of minors, so that their tallies stay in the cache.

use nnz_core::Batch;

/// Minors per band: at eight bytes each, they take most of the first-level cache.
const BAND: usize = 4096;

/// Visits the entries of a batch by band: first the lowest minors of all runs.
///
/// Entries of a run usually ascend, so the entries of a band are adjacent. Otherwise they are visited in
/// a later band, at the latest in the last one, which takes the rest.
#[derive(Default)]
pub(super) struct Bands {
    /// The next entry of each run.
    next: Vec<usize>,
}

impl Bands {
    /// Calls `each` with minor and value of every entry, in any order.
    pub(super) fn each<T: Copy>(
        &mut self,
        batch: &Batch,
        minors: &[u32],
        values: &[T],
        len: usize,
        mut each: impl FnMut(u32, T),
    ) {
        let bands = len.div_ceil(BAND);
        // This is worthwhile only if runs have many entries in a band.
        if bands < 2 || batch.runs() < 4 || minors.len() / batch.runs() < 16 * bands {
            minors.iter().zip(values).for_each(|(&minor, &value)| each(minor, value));
            return;
        }
        self.next.clear();
        self.next.extend((0..batch.runs()).map(|run| batch.run(run).start));
        for band in 1..=bands {
            let limit = if band < bands { (band * BAND) as u64 } else { u64::MAX };
            for (run, next) in self.next.iter_mut().enumerate() {
                let entries = *next..batch.run(run).end;
                let (minors, values) = (&minors[entries.clone()], &values[entries]);
                let mut visited = 0;
                for (&minor, &value) in minors.iter().zip(values) {
                    if u64::from(minor) >= limit {
                        break;
                    }
                    each(minor, value);
                    visited += 1;
                }
                *next += visited;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nnz_core::{Minors, Order, Values};

    use super::*;

    #[test]
    fn all_entries_are_visited_once() {
        let mut minors: Vec<u32> =
            (0..5).flat_map(|run| (0..700).map(move |i| i * 17 + run)).collect();
        minors[700..1400].reverse();
        let offsets = (0..=5).map(|run| run * 700).collect();
        let batch = Batch {
            offsets,
            minors: Minors::U32(minors.clone()),
            ..Batch::new(Order::Col, Values::default())
        };
        let mut visited = Vec::new();
        let places: Vec<usize> = (0..minors.len()).collect();
        Bands::default().each(&batch, &minors, &places, 12_000, |minor, place| {
            assert_eq!(minors[place], minor);
            visited.push(place);
        });
        assert_ne!(visited, places, "there are bands");
        visited.sort_unstable();
        assert_eq!(visited, places);
    }
}
