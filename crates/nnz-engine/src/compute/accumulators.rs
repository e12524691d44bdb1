//! Sums that many threads add to, in an order that does not depend on their number.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::float::Float;

/// Bytes of all accumulators together, unless one is larger.
const BYTES: usize = 128 << 20;

/// Maximum number of accumulators.
const MOST: usize = 4;

/// Several accumulators. Unit `n` is added to accumulator `n % count`, after the earlier units of that accumulator, so
/// that numbers are added in the same order by any number of threads.
pub(super) struct Accumulators<T> {
    all: Vec<Accumulator<T>>,
}

struct Accumulator<T> {
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
    accumulator: &'a Accumulator<T>,
    state: MutexGuard<'a, State<T>>,
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.state.done += 1;
        self.accumulator.passed.notify_all();
    }
}

impl<T: Float> Accumulators<T> {
    /// Returns the number of accumulators for a number of sums, which depends on nothing else.
    pub(super) fn count(sums: usize) -> usize {
        (BYTES / sums.saturating_mul(size_of::<T>()).max(1)).clamp(1, MOST)
    }

    pub(super) fn new(sums: usize) -> Self {
        let accumulator = || Accumulator {
            state: Mutex::new(State { done: 0, sums: vec![T::default(); sums] }),
            passed: Condvar::new(),
        };
        Self { all: std::iter::repeat_with(accumulator).take(Self::count(sums)).collect() }
    }

    /// Adds a unit, when the earlier units of its accumulator have been added. Each number is added once, and other
    /// threads are already adding the earlier ones.
    pub(super) fn add<R>(&self, number: u64, add: impl FnOnce(&mut [T]) -> R) -> R {
        let count = self.all.len() as u64;
        // The remainder is less than their number.
        let accumulator = &self.all[usize::try_from(number % count).unwrap_or(0)];
        let mut state = accumulator.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.done < number / count {
            state = accumulator.passed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let mut turn = Turn { accumulator, state };
        add(&mut turn.state.sums)
    }

    /// Returns the totals.
    pub(super) fn finish(self) -> Vec<T> {
        let mut all = self.all.into_iter().map(|accumulator| {
            accumulator.state.into_inner().unwrap_or_else(PoisonError::into_inner).sums
        });
        let mut total = all.next().unwrap_or_default();
        all.for_each(|sums| T::add(&mut total, &sums));
        total
    }
}
