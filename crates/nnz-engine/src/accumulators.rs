//! Sums that many threads add to, in an order that does not depend on their number.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of all accumulators together, unless one is larger.
const BYTES: usize = 128 << 20;

/// Maximum number of accumulators.
const MOST: usize = 4;

/// Returns the number of accumulators of a size in bytes, which depends on nothing else.
pub(crate) fn count_of(bytes: usize) -> usize {
    (BYTES / bytes.max(1)).clamp(1, MOST)
}

/// Units that are added to an accumulator together, so that it stays in the cache.
pub(crate) const TOGETHER: usize = 8;

/// Several accumulators. Unit `n` is added to accumulator `n % count`, after the earlier units of that accumulator, so
/// that numbers are added in the same order by any number of threads.
pub(crate) struct Accumulators<T> {
    all: Vec<Accumulator<T>>,
}

struct Accumulator<T> {
    state: Mutex<State<T>>,
    passed: Condvar,
}

struct State<T> {
    /// Units that have been added.
    done: u64,
    sums: T,
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

impl<T> Accumulators<T> {
    pub(crate) fn new(count: usize, empty: impl Fn() -> T) -> Self {
        let accumulator = || Accumulator {
            state: Mutex::new(State { done: 0, sums: empty() }),
            passed: Condvar::new(),
        };
        Self { all: std::iter::repeat_with(accumulator).take(count.max(1)).collect() }
    }

    /// Adds a unit, when the earlier units of its accumulator have been added. Each number is added once, and other
    /// threads are already adding the earlier ones.
    pub(crate) fn add<R>(&self, number: u64, add: impl FnOnce(&mut T) -> R) -> R {
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

    /// Returns what was added to each.
    pub(crate) fn finish(self) -> impl Iterator<Item = T> {
        self.all.into_iter().map(|accumulator| {
            accumulator.state.into_inner().unwrap_or_else(PoisonError::into_inner).sums
        })
    }
}
