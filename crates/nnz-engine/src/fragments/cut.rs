//! Cutting sorted sequences into pieces that can be merged independently.

use std::collections::VecDeque;
use std::ops::Range;

use nnz_core::Result;

/// Sequences sorted by key.
pub(super) trait Sequences {
    /// Returns the length of each.
    fn lens(&self) -> &[u64];

    /// Returns the key of an item.
    fn key(&self, sequence: usize, item: u64) -> Result<u64>;
}

/// Consecutive items of a sequence.
pub(super) type Slice = (usize, Range<u64>);

/// Cuts sequences at the same keys, so that all items of one piece come before all items of the next.
///
/// A piece has slices in the order of the sequences, and at most `most` items. If more items have
/// the same key, they are returned in several pieces, in the order of the sequences.
pub(super) struct Cutter {
    /// The current position in each sequence.
    next: Vec<u64>,
    /// Sequences that have not ended.
    left: Vec<usize>,
    most: u64,
    /// Items of one key, to be returned without merging.
    same: VecDeque<Slice>,
}

impl Cutter {
    pub(super) fn new(sequences: &dyn Sequences, most: u64) -> Self {
        let lens = sequences.lens();
        let left = (0..lens.len()).filter(|&sequence| lens[sequence] > 0).collect();
        Self { next: vec![0; lens.len()], left, most: most.max(1), same: VecDeque::new() }
    }

    /// Returns the slices of the next piece; empty at the end.
    pub(super) fn next(&mut self, sequences: &dyn Sequences) -> Result<Vec<Slice>> {
        if let Some(piece) = self.next_same() {
            return Ok(vec![piece]);
        }
        let lens = sequences.lens();
        self.left.retain(|&sequence| self.next[sequence] < lens[sequence]);
        let step = (self.most / (self.left.len() as u64).max(1)).max(1);
        // Below this key, no sequence has more than a step.
        let mut limit = None;
        let mut lowest = u64::MAX;
        for &sequence in &self.left {
            let at = self.next[sequence];
            lowest = lowest.min(sequences.key(sequence, at)?);
            if let Some(far) = at.checked_add(step).filter(|&far| far < lens[sequence]) {
                let key = sequences.key(sequence, far)?;
                limit = Some(limit.map_or(key, |limit: u64| limit.min(key)));
            }
        }
        let Some(limit) = limit else {
            return self.take(|_, sequence| Ok(lens[sequence]));
        };
        if limit > lowest {
            return self.take(|from, sequence| {
                let to = from.saturating_add(step).min(lens[sequence]);
                first_from(sequences, sequence, from..to, limit)
            });
        }
        // More items have the lowest key than fit.
        let slices = self.take(|from, sequence| match lowest.checked_add(1) {
            Some(above) => first_from(sequences, sequence, from..lens[sequence], above),
            None => Ok(lens[sequence]),
        })?;
        self.same = slices.into();
        Ok(self.next_same().into_iter().collect())
    }

    fn next_same(&mut self) -> Option<Slice> {
        let (sequence, items) = self.same.front_mut()?;
        let end = items.end.min(items.start.saturating_add(self.most));
        let piece = (*sequence, items.start..end);
        items.start = end;
        if items.is_empty() {
            self.same.pop_front();
        }
        Some(piece)
    }

    /// Takes the items of each sequence up to `end`.
    fn take(&mut self, end: impl Fn(u64, usize) -> Result<u64>) -> Result<Vec<Slice>> {
        let mut slices = Vec::new();
        for &sequence in &self.left {
            let from = self.next[sequence];
            let to = end(from, sequence)?;
            if from < to {
                slices.push((sequence, from..to));
                self.next[sequence] = to;
            }
        }
        Ok(slices)
    }
}

/// Returns the first item whose key is not below this one, or the end.
fn first_from(
    sequences: &dyn Sequences,
    sequence: usize,
    items: Range<u64>,
    key: u64,
) -> Result<u64> {
    let Range { mut start, mut end } = items;
    while start < end {
        let middle = start + (end - start) / 2;
        if sequences.key(sequence, middle)? < key {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    Ok(start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Lists(Vec<Vec<u64>>, Vec<u64>);

    impl Sequences for Lists {
        fn lens(&self) -> &[u64] {
            &self.1
        }

        fn key(&self, sequence: usize, item: u64) -> Result<u64> {
            Ok(self.0[sequence][usize::try_from(item).unwrap()])
        }
    }

    proptest! {
        #[test]
        fn pieces_are_small_and_in_order(
            mut lists in prop::collection::vec(prop::collection::vec(0_u64..20, 0..40), 0..6),
            most in 1_u64..20,
            largest in any::<bool>(),
        ) {
            for list in &mut lists {
                if largest {
                    list.iter_mut().for_each(|key| *key = u64::MAX - *key / 4);
                }
                list.sort_unstable();
            }
            let mut expected: Vec<(u64, usize, usize)> = Vec::new();
            for (sequence, list) in lists.iter().enumerate() {
                expected.extend(list.iter().enumerate().map(|(item, &key)| (key, sequence, item)));
            }
            expected.sort_unstable();

            let lens = lists.iter().map(|list| list.len() as u64).collect();
            let lists = Lists(lists, lens);
            let mut cutter = Cutter::new(&lists, most);
            let mut found = Vec::new();
            loop {
                let slices = cutter.next(&lists).unwrap();
                if slices.is_empty() {
                    break;
                }
                let mut piece = Vec::new();
                for (sequence, items) in slices {
                    for item in items {
                        let item = usize::try_from(item).unwrap();
                        piece.push((lists.0[sequence][item], sequence, item));
                    }
                }
                prop_assert!(piece.len() as u64 <= most.max(lists.0.len() as u64));
                piece.sort_by_key(|&(key, ..)| key);
                found.append(&mut piece);
            }
            prop_assert_eq!(found, expected);
        }
    }
}
