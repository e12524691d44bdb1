//! Tallies of values.

use super::{Moments, Number, Spread, Total};

/// Sums of values of a type, without overflow for any number of them.
pub(super) trait Sums: Copy + Default + Send + Sync + 'static {
    fn merge(&mut self, other: &Self);

    /// Returns the requested statistics of `count` values and `zeros` zeros.
    fn finish(&self, count: u64, zeros: u128) -> (Option<Total>, Option<Spread>);
}

/// Sums of at most [`Slim::MOST`] values, in as few bytes as possible.
pub(super) trait Slim<T>: Copy + Default + Send + Sync + 'static {
    type Sums: Sums;

    /// Whether values are needed at all.
    const VALUES: bool = true;

    /// Whether the result is independent of the order of the values.
    const ORDER_FREE: bool = true;

    /// Maximum number of values.
    const MOST: u64 = u64::MAX;

    fn of(values: &[T]) -> Self;
    fn add(&mut self, value: T);
    fn widened(&self) -> Self::Sums;

    /// Returns the sum of values, if nothing else is kept and none is negative.
    fn total(values: &[T]) -> Option<u64> {
        let _ = values;
        None
    }

    /// Creates a tally from a sum of at most 32 bits, as returned by [`total`](Self::total).
    fn low(value: T) -> u32 {
        let _ = value;
        0
    }

    /// Creates a tally from a sum.
    fn of_total(total: u32) -> Self {
        let _ = total;
        Self::default()
    }
}

/// The number of values and their sums.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally<S> {
    pub(super) count: u64,
    pub(super) sums: S,
}

impl<S> Tally<S> {
    #[inline(always)]
    pub(super) fn add<T>(&mut self, value: T)
    where
        S: Slim<T>,
    {
        self.count += 1;
        self.sums.add(value);
    }

    pub(super) fn widened<T>(&self) -> Tally<S::Sums>
    where
        S: Slim<T>,
    {
        Tally { count: self.count, sums: self.sums.widened() }
    }
}

impl<S: Sums> Tally<S> {
    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sums.merge(&other.sums);
    }

    /// Returns the statistics of the values in a list of `elements` numbers; the others are zero.
    pub(super) fn moments(&self, elements: u128) -> Moments {
        let zeros = elements.saturating_sub(self.count.into());
        let (mut total, mut spread) = self.sums.finish(self.count, zeros);
        if elements == 0 && self.count == 0 {
            total = total.map(|total| Total { mean: f64::NAN, ..total });
            spread = spread.map(|_| Spread { variance: f64::NAN, min: None, max: None });
        }
        Moments { nnz: self.count, total, spread }
    }
}

/// Only the number of values is needed.
#[derive(Clone, Copy, Default)]
pub(super) struct Nothing;

impl Sums for Nothing {
    fn merge(&mut self, _: &Self) {}

    fn finish(&self, _: u64, _: u128) -> (Option<Total>, Option<Spread>) {
        (None, None)
    }
}

impl<T> Slim<T> for Nothing {
    type Sums = Self;
    const VALUES: bool = false;

    fn of(_: &[T]) -> Self {
        Self
    }

    fn add(&mut self, _: T) {}

    fn widened(&self) -> Self {
        Self
    }
}

/// Includes zeros in a minimum and a maximum.
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
        // A negative zero is the smaller of the zeros.
        (Some((min, max)), _) => {
            (if zero < min { zero } else { min }, if zero >= max { zero } else { max })
        }
    };
    (Some(number(min)), Some(number(max)))
}
