//! What is kept of a list of values.

use super::number::Value;
use super::{Moments, Number};

/// Sums of values of a type.
pub(super) trait Add<T>: Copy + Default + Send + Sync + 'static {
    fn add(&mut self, value: T);
    fn add_all(&mut self, values: &[T]);
    fn merge(&mut self, other: &Self);

    /// Returns sum, mean, variance, least and greatest of the values added and of `zeros` zeros.
    fn finish(&self, count: u64, zeros: u128) -> Moments;
}

/// The number of values, and their sums.
pub(super) struct Tally<T: Value> {
    count: u64,
    sums: T::Sums,
}

impl<T: Value> Clone for Tally<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Value> Copy for Tally<T> {}

impl<T: Value> Default for Tally<T> {
    fn default() -> Self {
        Self { count: 0, sums: T::Sums::default() }
    }
}

impl<T: Value> Tally<T> {
    pub(super) fn of(values: &[T]) -> Self {
        let mut sums = T::Sums::default();
        sums.add_all(values);
        Self { count: values.len() as u64, sums }
    }

    pub(super) fn add(&mut self, value: T) {
        self.count += 1;
        self.sums.add(value);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sums.merge(&other.sums);
    }

    /// Returns what the values come to in a list of `cells` cells, the others of which are zero.
    pub(super) fn moments(&self, cells: u128) -> Moments {
        let moments = self.sums.finish(self.count, cells.saturating_sub(self.count.into()));
        if cells == 0 && self.count == 0 {
            let (mean, variance) = (f64::NAN, f64::NAN);
            return Moments { mean, variance, min: None, max: None, ..moments };
        }
        moments
    }
}

/// Takes zeros into a least and a greatest value.
pub(super) fn extremes<N: PartialOrd + Copy>(
    found: Option<(N, N)>,
    zero: N,
    zeros: u128,
    number: fn(N) -> Number,
) -> (Option<Number>, Option<Number>) {
    let (min, max) = match (found, zeros) {
        (None, 0) => return (None, None),
        (None, _) => (zero, zero),
        (Some(found), 0) => found,
        (Some((min, max)), _) => {
            (if zero < min { zero } else { min }, if zero > max { zero } else { max })
        }
    };
    (Some(number(min)), Some(number(max)))
}
