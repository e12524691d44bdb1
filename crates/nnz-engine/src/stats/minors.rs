//! Tallies of all rows or columns across the storage order.

use std::marker::PhantomData;
use std::sync::Mutex;

use nnz_core::{Batch, Minors};

use super::counting::lock;
use super::number::Value;
use super::tally::{ROOM, Slim, Sums, Tally, Tight};
use crate::accumulators::{self, Accumulators};

/// Tallies of all minors that many threads add to.
pub(super) enum SharedTallies<T, S: Slim<T>> {
    /// One list for each thread that needed one.
    OfThreads(u64, Mutex<Vec<MinorTallies<T, S>>>),
    /// Lists to which batches are added in an order, because sums depend on it.
    InOrder(Accumulators<MinorTallies<T, S>>),
}

impl<T: Value, S: Slim<T>> SharedTallies<T, S> {
    pub(super) fn new(len: u64) -> Self {
        match S::ORDER_FREE {
            true => Self::OfThreads(len, Mutex::default()),
            false => {
                let lists = Accumulators::new(Self::lists(len), || MinorTallies::new(len));
                Self::InOrder(lists)
            }
        }
    }

    /// Returns the number of lists if sums depend on the order.
    fn lists(len: u64) -> usize {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        accumulators::count_of(len.saturating_mul(size_of::<Tally<S>>()))
    }

    /// Returns the bytes of a minor: for all threads, and for each.
    pub(super) fn bytes(len: u64) -> [usize; 2] {
        match S::ORDER_FREE {
            true => [0, MinorTallies::<T, S>::BYTES],
            false => [Self::lists(len) * size_of::<Tally<S>>(), 0],
        }
    }

    /// Adds each entry of some batches to the tally of its minor. `number` counts these calls.
    pub(super) fn add(&self, number: u64, batches: &[[Batch; 2]]) {
        let add = |tallies: &mut MinorTallies<T, S>| {
            batches.iter().for_each(|[batch, _]| tallies.add(batch));
        };
        match self {
            Self::OfThreads(len, lists) => {
                let spare = lock(lists).pop();
                let mut tallies = spare.unwrap_or_else(|| MinorTallies::new(*len));
                add(&mut tallies);
                lock(lists).push(tallies);
            }
            Self::InOrder(lists) => lists.add(number, add),
        }
    }

    /// Returns the tallies of all batches.
    pub(super) fn finish(self) -> Vec<Tally<S::Sums>> {
        let mut all: Option<Vec<Tally<S::Sums>>> = None;
        let mut merge = |tallies: MinorTallies<T, S>| {
            let tallies = tallies.widened();
            match &mut all {
                None => all = Some(tallies),
                Some(all) => merge_all(all, tallies.into_iter()),
            }
        };
        match self {
            Self::OfThreads(_, lists) => {
                std::mem::take(&mut *lock(&lists)).into_iter().for_each(merge);
            }
            Self::InOrder(lists) => lists.finish().for_each(&mut merge),
        }
        all.unwrap_or_default()
    }
}

/// A tally of each minor.
pub(super) struct MinorTallies<T, S: Slim<T>> {
    len: usize,
    /// Each entry accesses few cache lines, so these are used as long as there is room.
    tight: Vec<S::Tight>,
    /// The room that is left.
    room: [u64; 2],
    slim: Vec<Tally<S>>,
    /// The number of entries that can still be added to `slim`.
    slim_left: u64,
    /// Sums of the others from each time they were full.
    wide: Vec<Tally<S::Sums>>,
    values: PhantomData<fn(T)>,
}

impl<T: Value, S: Slim<T>> MinorTallies<T, S> {
    /// Bytes per minor.
    const BYTES: usize = match S::VALUES {
        true => size_of::<S::Tight>() + size_of::<Tally<S>>() + size_of::<Tally<S::Sums>>(),
        // Counts are not widened.
        false => size_of::<Tally<S>>(),
    };

    fn new(len: u64) -> Self {
        Self {
            len: usize::try_from(len).unwrap_or(usize::MAX),
            tight: Vec::new(),
            room: [0; 2],
            slim: Vec::new(),
            slim_left: 0,
            wide: Vec::new(),
            values: PhantomData,
        }
    }

    /// Adds each entry of a batch to the tally of its minor.
    fn add(&mut self, batch: &Batch) {
        let values = T::slice(&batch.values).unwrap_or_default();
        if let (Minors::U32(minors), true) = (&batch.minors, S::VALUES)
            && let Some(taken) = S::Tight::taken(values)
            && taken.iter().zip(ROOM).all(|(taken, room)| *taken <= room)
        {
            self.reserve_tight(taken);
            let tallies = &mut self.tight[..];
            for (&minor, &value) in minors.iter().zip(values) {
                if let Some(tally) = tallies.get_mut(minor as usize) {
                    tally.add(value);
                }
            }
            return;
        }
        self.reserve(batch.entries() as u64);
        match &batch.minors {
            Minors::U32(minors) if S::VALUES => {
                let tallies = &mut self.slim[..];
                for (&minor, &value) in minors.iter().zip(values) {
                    if let Some(tally) = tallies.get_mut(minor as usize) {
                        tally.add(value);
                    }
                }
            }
            _ => {
                let _ = batch.try_for_each(|entry, _, minor| {
                    let minor = usize::try_from(minor).unwrap_or(usize::MAX);
                    match self.slim.get_mut(minor) {
                        Some(tally) if S::VALUES => tally.add(values[entry]),
                        Some(tally) => tally.count += 1,
                        None => {}
                    }
                    Ok::<(), ()>(())
                });
            }
        }
    }

    fn reserve_tight(&mut self, taken: [u64; 2]) {
        if self.tight.is_empty() || taken.iter().zip(self.room).any(|(taken, room)| *taken > room) {
            self.spill_tight();
            self.tight.resize(self.len, S::Tight::default());
            self.room = ROOM;
        }
        self.room.iter_mut().zip(taken).for_each(|(room, taken)| *room -= taken);
    }

    fn reserve(&mut self, entries: u64) {
        if entries > self.slim_left {
            self.spill_slim();
            self.slim.resize(self.len, Tally::default());
            self.slim_left = S::MOST;
        }
        self.slim_left = self.slim_left.saturating_sub(entries);
    }

    fn spill_tight(&mut self) {
        let tallies = self.tight.drain(..).map(|tally| tally.widened());
        merge_all(&mut self.wide, tallies);
    }

    fn spill_slim(&mut self) {
        let slim = std::mem::take(&mut self.slim);
        if self.wide.is_empty() {
            // In place, if both have the same size.
            self.wide = slim.into_iter().map(|tally| tally.widened()).collect();
        } else {
            merge_all(&mut self.wide, slim.into_iter().map(|tally| tally.widened()));
        }
    }

    fn widened(mut self) -> Vec<Tally<S::Sums>> {
        self.spill_tight();
        self.spill_slim();
        self.wide
    }
}

/// Merges tallies one by one; missing ones are empty.
fn merge_all<S: Sums>(into: &mut Vec<Tally<S>>, from: impl Iterator<Item = Tally<S>>) {
    for (position, tally) in from.enumerate() {
        match into.get_mut(position) {
            Some(into) => into.merge(&tally),
            None => into.push(tally),
        }
    }
}

#[cfg(test)]
mod tests {
    use nnz_core::{Order, Values};

    use super::*;
    use crate::stats::extent::{Extent, NoExtent, OnlyExtent};
    use crate::stats::narrow::{Narrow, NarrowPowers, NarrowSum};

    fn batch(minors: &[u32], values: &[u32]) -> Batch {
        Batch {
            offsets: vec![0, minors.len()],
            minors: Minors::U32(minors.to_vec()),
            ..Batch::new(Order::Col, Values::U32(values.to_vec()))
        }
    }

    fn counts_and_sums<S: Slim<u32>>(batches: &[Batch]) -> Vec<(u64, crate::Number)> {
        let mut tallies = MinorTallies::<u32, S>::new(3);
        batches.iter().for_each(|batch| tallies.add(batch));
        let each = tallies.widened();
        each.iter().map(|tally| (tally.count, tally.moments(9).total.unwrap().sum)).collect()
    }

    #[test]
    fn sums_of_minors_do_not_overflow_into_counts() {
        const LARGE: u32 = u32::MAX - 7;
        let sum = |number: u64| crate::Number::Integer(number.into());
        let mut batches = vec![batch(&[0, 2], &[5, 1]), batch(&[2], &[LARGE])];
        batches.push(batch(&[0, 1, 2], &[LARGE, LARGE, LARGE]));
        batches.push(batch(&[2, 0], &[LARGE, 0]));
        batches.extend((0..4).map(|_| batch(&[0, 2], &[1 << 30, 3])));
        let large = u64::from(LARGE);
        let expected =
            vec![(7, sum(5 + large + (4 << 30))), (1, sum(large)), (8, sum(1 + 3 * large + 12))];
        assert_eq!(counts_and_sums::<NarrowSum>(&batches), expected);
        assert_eq!(counts_and_sums::<NarrowPowers<NoExtent>>(&batches), expected);
        assert_eq!(counts_and_sums::<NarrowPowers<Extent<u32>>>(&batches), expected);
    }

    #[test]
    fn extremes_of_small_and_large_values_are_merged() {
        let batches = [
            batch(&[0, 2, 0], &[7, 65_535, 9]),
            batch(&[0, 1], &[65_536, u32::MAX]),
            batch(&[0, 2], &[3, 0]),
        ];
        let mut tallies = MinorTallies::<u32, OnlyExtent<u32>>::new(4);
        batches.iter().for_each(|batch| tallies.add(batch));
        let found: Vec<_> = tallies.widened().iter().map(|tally| tally.moments(9)).collect();
        let extremes = |at: usize| {
            let spread = found[at].spread.unwrap();
            (found[at].nnz, spread.min.unwrap(), spread.max.unwrap())
        };
        let number = |number: u32| crate::Number::Integer(number.into());
        // Elements without an entry are zero.
        assert_eq!(extremes(0), (4, number(0), number(65_536)));
        assert_eq!(extremes(1), (1, number(0), number(u32::MAX)));
        assert_eq!(extremes(2), (2, number(0), number(65_535)));
        assert_eq!(found[3].nnz, 0);
        let full = batch(&[0, 0], &[5, 8]);
        let mut tallies = MinorTallies::<u32, OnlyExtent<u32>>::new(1);
        tallies.add(&full);
        let spread = tallies.widened()[0].moments(2).spread.unwrap();
        assert_eq!((spread.min, spread.max), (Some(number(5)), Some(number(8))));
        assert!(!<i32 as Narrow>::are_small(&[1, -1]) && <i32 as Narrow>::are_small(&[1, 65_535]));
    }
}
