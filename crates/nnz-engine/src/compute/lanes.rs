//! Sums that many threads add to, in an order that does not depend on their number.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::float::Float;

/// Bytes of all sums together, as far as one set of sums is smaller.
const BYTES: usize = 128 << 20;

/// The most sets of sums.
const MOST: usize = 4;

/// Several sets of sums. The unit with number `n` is added to the set `n % count`, after the earlier units of that set, so that
/// each sum is added up in the same order by any number of threads.
pub(super) struct Lanes<T> {
    lanes: Vec<Lane<T>>,
}

struct Lane<T> {
    state: Mutex<State<T>>,
    passed: Condvar,
}

struct State<T> {
    /// Units that have been added.
    done: u64,
    sums: Vec<T>,
}

/// The turn of a unit, which ends also if adding panics: others wait for it.
struct Turn<'a, T> {
    lane: &'a Lane<T>,
    state: MutexGuard<'a, State<T>>,
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.state.done += 1;
        self.lane.passed.notify_all();
    }
}

impl<T: Float> Lanes<T> {
    /// Returns the number of sets for a number of sums, which depends on nothing else.
    pub(super) fn count(sums: usize) -> usize {
        (BYTES / sums.saturating_mul(size_of::<T>()).max(1)).clamp(1, MOST)
    }

    pub(super) fn new(sums: usize) -> Self {
        let lane = || Lane {
            state: Mutex::new(State { done: 0, sums: vec![T::default(); sums] }),
            passed: Condvar::new(),
        };
        Self { lanes: std::iter::repeat_with(lane).take(Self::count(sums)).collect() }
    }

    /// Adds a unit, when the earlier ones of its set have been added. Each number is added once; earlier numbers
    /// are already with other threads.
    pub(super) fn add<R>(&self, number: u64, add: impl FnOnce(&mut [T]) -> R) -> R {
        let count = self.lanes.len() as u64;
        // The remainder is less than the number of lanes.
        let lane = &self.lanes[usize::try_from(number % count).unwrap_or(0)];
        let mut state = lane.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.done < number / count {
            state = lane.passed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let mut turn = Turn { lane, state };
        add(&mut turn.state.sums)
    }

    /// Returns the totals.
    pub(super) fn finish(self) -> Vec<T> {
        let mut lanes = self
            .lanes
            .into_iter()
            .map(|lane| lane.state.into_inner().unwrap_or_else(PoisonError::into_inner).sums);
        let mut total = lanes.next().unwrap_or_default();
        lanes.for_each(|sums| T::add(&mut total, &sums));
        total
    }
}
