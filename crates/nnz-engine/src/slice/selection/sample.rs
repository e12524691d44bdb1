//! Random positions.

use std::collections::HashSet;
use std::ops::Range;

use nnz_core::{Error, ErrorKind, Place, Result};

use crate::random::Random;

/// Bytes for each position that is drawn.
const BYTES: u64 = 48;

/// A number of positions, each set of them equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) count: u64,
    pub(super) seed: u64,
    /// Whether the other axis is sampled with the seed itself, so that this one needs other numbers.
    pub(super) is_second: bool,
}

impl Sample {
    /// Returns positions of an axis of length `len`, in order. `one` is the name of one of them in messages.
    pub(super) fn positions(self, len: u64, one: &str) -> Result<Vec<Range<u64>>> {
        let Some(rest) = len.checked_sub(self.count) else {
            let what = format!("cannot sample {} {one}s of {len}", self.count);
            return Err(Error::argument(what));
        };
        let needed = self.count.min(rest).saturating_mul(BYTES);
        let allowed = crate::default_memory();
        if needed > allowed {
            return Err(Error::new(ErrorKind::Memory { needed, allowed }, Place::default()));
        }
        // Those that are left out are drawn if they are fewer.
        Ok(match self.count <= rest {
            true => self.drawn(self.count, len).into_iter().map(|at| at..at + 1).collect(),
            false => between(&self.drawn(rest, len), len),
        })
    }

    /// Draws `count` positions (Floyd's algorithm), and sorts them.
    fn drawn(self, count: u64, len: u64) -> Vec<u64> {
        let mut random = Random::new(self.seed);
        if self.is_second {
            // The numbers from a random seed are independent of those from the seed.
            random = Random::new(random.next());
        }
        let mut found = HashSet::new();
        for last in len - count..len {
            let at = random.up_to(last);
            if !found.insert(at) {
                found.insert(last);
            }
        }
        let mut sorted: Vec<u64> = found.into_iter().collect();
        sorted.sort_unstable();
        sorted
    }
}

/// Returns what is between sorted positions.
fn between(left_out: &[u64], len: u64) -> Vec<Range<u64>> {
    let mut ranges = Vec::with_capacity(left_out.len() + 1);
    let mut start = 0;
    for &at in left_out {
        ranges.push(start..at);
        start = at + 1;
    }
    ranges.push(start..len);
    ranges.retain(|range| !range.is_empty());
    ranges
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;

    fn positions(count: u64, len: u64, seed: u64) -> Vec<u64> {
        Sample { count, seed, is_second: false }
            .positions(len, "row")
            .unwrap()
            .into_iter()
            .flatten()
            .collect()
    }

    #[test]
    fn positions_are_distinct_and_in_order() {
        for len in 0..12 {
            for count in 0..=len {
                for seed in 0..20 {
                    let found = positions(count, len, seed);
                    assert_eq!(found.len() as u64, count);
                    assert!(found.is_sorted_by(|one, next| one < next), "{found:?}");
                    assert!(found.last().is_none_or(|last| *last < len));
                    assert_eq!(found, positions(count, len, seed));
                }
            }
        }
        assert_eq!(positions(3, u64::MAX, 5).len(), 3);
        let error = Sample { count: 3, seed: 0, is_second: false }.positions(2, "row").unwrap_err();
        assert_eq!(error.to_string(), "cannot sample 3 rows of 2");
    }

    #[test]
    fn all_sets_are_equally_likely() {
        for count in [2, 4] {
            let mut found = std::collections::BTreeMap::new();
            (0..15_000).for_each(|seed| *found.entry(positions(count, 6, seed)).or_insert(0) += 1);
            assert_eq!(found.len(), 15);
            assert!(found.values().all(|times| (850..1150).contains(times)), "{found:?}");
        }
    }
}
