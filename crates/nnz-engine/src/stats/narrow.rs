//! Sums of integers of 32 bits in little memory.

use nnz_core::Element;

use super::exact::{Exact, ExactSum};
use super::extent::{Extent, Extremes, Ordered};
use super::tally::{Slim, Sums as _, Tally, Tight};

/// A type of integers of 32 bits.
pub(super) trait Narrow: Element + Ordered {
    fn wide(self) -> i64;

    fn sum(values: &[Self]) -> i64 {
        values.iter().map(|value| value.wide()).sum()
    }

    fn fold(values: &[Self]) -> Exact {
        let mut sums = NarrowPowers::<Extent<Self>>::default();
        values.iter().for_each(|&value| sums.add(value));
        Slim::<Self>::widened(&sums, values.len() as u64)
    }

    /// Returns whether values have at most 16 bits, and none is negative.
    fn are_small(values: &[Self]) -> bool;

    /// Returns the sum of values and the sum of their squares, if none is negative.
    fn sum_and_squares(values: &[Self]) -> Option<(u64, u128)>;
}

impl Narrow for i32 {
    #[inline(always)]
    fn wide(self) -> i64 {
        self.into()
    }

    fn are_small(values: &[Self]) -> bool {
        <u32 as Narrow>::are_small(bytemuck::cast_slice(values))
    }

    fn sum_and_squares(values: &[Self]) -> Option<(u64, u128)> {
        let values: &[u32] = bytemuck::cast_slice(values);
        let fold = nnz_bitpack::Fold::of(values);
        (fold.max <= Self::MAX.cast_unsigned()).then_some((fold.sum, fold.squares))
    }
}

impl Narrow for u32 {
    #[inline(always)]
    fn wide(self) -> i64 {
        self.into()
    }

    fn sum(values: &[Self]) -> i64 {
        nnz_bitpack::sum(values).cast_signed()
    }

    fn fold(values: &[Self]) -> Exact {
        let nnz_bitpack::Fold { sum, squares, min, max } = nnz_bitpack::Fold::of(values);
        match values.is_empty() {
            true => Exact::default(),
            false => Exact::new(sum.into(), squares, min.into(), max.into()),
        }
    }

    fn are_small(values: &[Self]) -> bool {
        nnz_bitpack::max(values).is_none_or(|max| max <= u32::from(u16::MAX))
    }

    fn sum_and_squares(values: &[Self]) -> Option<(u64, u128)> {
        let fold = nnz_bitpack::Fold::of(values);
        Some((fold.sum, fold.squares))
    }
}

/// The sum of 2^31 values of 32 bits has 63 bits.
const MOST: u64 = 1 << 31;
const MOST_AT_ONCE: usize = 1 << 31;

/// The sum of numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct NarrowSum(i64);

impl<T: Narrow> Slim<T> for NarrowSum {
    type Sums = ExactSum;
    type Careful = Self;
    type Tight = CountAndSum;
    const MOST: u64 = MOST;

    fn of(values: &[T]) -> ExactSum {
        ExactSum(values.chunks(MOST_AT_ONCE).map(|some| i128::from(T::sum(some))).sum())
    }

    #[inline(always)]
    fn add(&mut self, value: T) {
        self.0 += value.wide();
    }

    fn widened(&self, _: u64) -> ExactSum {
        ExactSum(self.0.into())
    }
}

/// A number of values in the upper half and their sum in the lower half: an entry changes one word.
#[derive(Clone, Copy, Default)]
pub(super) struct CountAndSum(u64);

impl CountAndSum {
    #[inline(always)]
    fn add(&mut self, value: u64) {
        self.0 += 1 << 32 | value;
    }

    fn count(self) -> u64 {
        self.0 >> 32
    }

    fn sum(self) -> i128 {
        i128::from(self.0 & u64::from(u32::MAX))
    }
}

impl<T: Narrow> Tight<T> for CountAndSum {
    type Sums = ExactSum;

    fn taken(values: &[T]) -> Option<[u64; 2]> {
        let sum = match T::LEAST.wide() {
            0 => T::sum(values).cast_unsigned(),
            _ => T::sum_and_squares(values)?.0,
        };
        Some([sum.saturating_add(values.len() as u64), 0])
    }

    #[inline(always)]
    fn add(&mut self, value: T) {
        self.add(value.wide().cast_unsigned());
    }

    fn widened(&self) -> Tally<ExactSum> {
        Tally { count: self.count(), sums: ExactSum(self.sum()) }
    }
}

/// Sums of few small numbers and of their squares, and their extremes if these are kept.
#[derive(Clone, Copy, Default)]
pub(super) struct TightPowers<E> {
    first: CountAndSum,
    squares: u64,
    extent: E,
}

impl<T: Narrow, E: Extremes<T>> Tight<T> for TightPowers<E> {
    type Sums = Exact;

    fn taken(values: &[T]) -> Option<[u64; 2]> {
        let (sum, squares) = T::sum_and_squares(values)?;
        Some([sum.saturating_add(values.len() as u64), u64::try_from(squares).ok()?])
    }

    #[inline(always)]
    fn add(&mut self, value: T) {
        let wide = value.wide().cast_unsigned();
        self.first.add(wide);
        self.squares += wide * wide;
        self.extent.add(value);
    }

    fn widened(&self) -> Tally<Exact> {
        let count = self.first.count();
        let (min, max) = wide_extremes(&self.extent);
        let sums = match count {
            0 => Exact::default(),
            _ => Exact::new(self.first.sum(), self.squares.into(), min, max),
        };
        Tally { count, sums }
    }
}

/// A number of values of 16 bits and their extremes, in 8 bytes.
#[derive(Clone, Copy, Default)]
pub(super) struct TightExtent {
    count: u32,
    max: u16,
    /// By how much the minimum is below the greatest number.
    below: u16,
}

impl<T: Narrow> Tight<T> for TightExtent {
    type Sums = Exact;

    fn taken(values: &[T]) -> Option<[u64; 2]> {
        T::are_small(values).then_some([values.len() as u64, 0])
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it has 16 bits")]
    fn add(&mut self, value: T) {
        let value = value.wide() as u16;
        self.count += 1;
        // A branch is predicted, as extremes seldom change, and nothing is written then.
        if value > self.max || u16::MAX - value > self.below {
            self.max = self.max.max(value);
            self.below = self.below.max(u16::MAX - value);
        }
    }

    fn widened(&self) -> Tally<Exact> {
        let (min, max) = (u16::MAX - self.below, self.max);
        let sums = match self.count {
            0 => Exact::default(),
            _ => Exact::of_extremes(min.into(), max.into()),
        };
        Tally { count: self.count.into(), sums }
    }
}

/// Returns the extremes of at least one value, if they are kept.
fn wide_extremes<T: Narrow, E: Extremes<T>>(extent: &E) -> (i128, i128) {
    extent.get().map_or((0, 0), |(min, max)| (min.wide().into(), max.wide().into()))
}

/// Sums of numbers and of their squares, and their extremes if these are kept.
#[derive(Clone, Copy, Default)]
pub(super) struct NarrowPowers<E> {
    sum: i64,
    squares: Squares,
    extent: E,
}

/// A number of 96 bits, because 128 bits would make the struct a third larger.
#[derive(Clone, Copy, Default)]
struct Squares {
    low: u64,
    high: u32,
}

impl Squares {
    #[inline(always)]
    fn add(&mut self, square: u64) {
        let (low, carry) = self.low.overflowing_add(square);
        self.low = low;
        self.high += u32::from(carry);
    }
}

impl From<Squares> for u128 {
    fn from(Squares { low, high }: Squares) -> Self {
        Self::from(high) << 64 | Self::from(low)
    }
}

impl<T: Narrow, E: Extremes<T>> Slim<T> for NarrowPowers<E> {
    type Sums = Exact;
    type Careful = Self;
    type Tight = TightPowers<E>;
    const MOST: u64 = MOST;

    fn of(values: &[T]) -> Exact {
        let mut sums = Exact::default();
        values.chunks(MOST_AT_ONCE).for_each(|some| sums.merge(&T::fold(some)));
        sums
    }

    #[inline(always)]
    fn add(&mut self, value: T) {
        let wide = value.wide();
        self.sum += wide;
        self.squares.add(wide.unsigned_abs() * wide.unsigned_abs());
        self.extent.add(value);
    }

    fn widened(&self, count: u64) -> Exact {
        let (min, max) = wide_extremes(&self.extent);
        match count {
            0 => Exact::default(),
            _ => Exact::new(self.sum.into(), self.squares.into(), min, max),
        }
    }
}
