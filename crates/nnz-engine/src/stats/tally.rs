//! Tallies of values.

use std::marker::PhantomData;

use super::{Moments, Number, Spread, Total};

/// Sums of values of a type, without overflow for any number of them.
pub(super) trait Sums: Copy + Default + Send + Sync + 'static {
    fn merge(&mut self, other: &Self);

    /// Returns the requested statistics of `count` values and `zeros` zeros.
    fn finish(&self, count: u64, zeros: u128) -> (Option<Total>, Option<Spread>);

    /// Returns whether rounding errors are small in what [`finish`](Self::finish) returns.
    fn is_precise(&self, zeros: u128) -> bool {
        let _ = zeros;
        true
    }
}

/// Sums of at most [`Slim::MOST`] values, in as few bytes as possible.
pub(super) trait Slim<T>: Copy + Default + Send + Sync + 'static {
    type Sums: Sums;

    /// The sums to compute instead if these are not [precise](Sums::is_precise).
    type Careful: Slim<T, Sums = Self::Sums>;

    /// Smaller sums, for values of which they have room.
    type Tight: Tight<T, Sums = Self::Sums>;

    /// Whether values are needed at all.
    const VALUES: bool = true;

    /// Whether the result is independent of the order of the values.
    const ORDER_FREE: bool = true;

    /// Maximum number of values.
    const MOST: u64 = u64::MAX;

    /// Returns the sums of any number of values.
    fn of(values: &[T]) -> Self::Sums;
    fn add(&mut self, value: T);
    /// Returns the sums of `count` values.
    fn widened(&self, count: u64) -> Self::Sums;
}

/// The number of values and their sums, as far as there is room.
pub(super) trait Tight<T>: Copy + Default + Send + Sync + 'static {
    type Sums: Sums;

    /// Returns how much of the [room](ROOM) some values take at most; `None` if there is never room for them.
    fn taken(values: &[T]) -> Option<[u64; 2]>;
    fn add(&mut self, value: T);
    fn widened(&self) -> Tally<Self::Sums>;
}

/// The greatest numbers of 32 and 64 bits.
pub(super) const ROOM: [u64; 2] = [u32::MAX as u64, u64::MAX];

/// There are no smaller sums.
#[derive(Clone, Copy)]
pub(super) struct NeverTight<S>(PhantomData<fn() -> S>);

impl<S> Default for NeverTight<S> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, S: Sums> Tight<T> for NeverTight<S> {
    type Sums = S;

    fn taken(_: &[T]) -> Option<[u64; 2]> {
        None
    }

    fn add(&mut self, _: T) {}

    fn widened(&self) -> Tally<S> {
        Tally::default()
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
        Tally { count: self.count, sums: self.sums.widened(self.count) }
    }
}

impl<S: Sums> Tally<S> {
    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sums.merge(&other.sums);
    }

    /// Returns whether rounding errors are small in the statistics of a list of `elements` numbers.
    pub(super) fn is_precise(&self, elements: u128) -> bool {
        elements < 2 || self.sums.is_precise(elements.saturating_sub(self.count.into()))
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
    type Careful = Self;
    type Tight = NeverTight<Self>;
    const VALUES: bool = false;

    fn of(_: &[T]) -> Self {
        Self
    }

    fn add(&mut self, _: T) {}

    fn widened(&self, _: u64) -> Self {
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
