//! Sums of integers of 32 bits in little memory.

use nnz_core::Element;

use super::exact::{Exact, ExactSum};
use super::tally::Slim;

/// A type of integers of 32 bits.
pub(super) trait Narrow: Element {
    const LEAST: Self;
    const GREATEST: Self;

    fn wide(self) -> i64;

    fn sum(values: &[Self]) -> i64 {
        values.iter().map(|value| value.wide()).sum()
    }

    fn sums(values: &[Self]) -> NarrowSums<Self> {
        let mut sums = NarrowSums::default();
        values.iter().for_each(|&value| sums.add(value));
        sums
    }
}

impl Narrow for i32 {
    const LEAST: Self = Self::MIN;
    const GREATEST: Self = Self::MAX;

    #[inline(always)]
    fn wide(self) -> i64 {
        self.into()
    }
}

impl Narrow for u32 {
    const LEAST: Self = Self::MIN;
    const GREATEST: Self = Self::MAX;

    #[inline(always)]
    fn wide(self) -> i64 {
        self.into()
    }

    fn sum(values: &[Self]) -> i64 {
        nnz_bitpack::sum(values).cast_signed()
    }

    fn sums(values: &[Self]) -> NarrowSums<Self> {
        let nnz_bitpack::Fold { sum, squares, min, max } = nnz_bitpack::Fold::of(values);
        NarrowSums { sum: sum.cast_signed(), squares: Squares::from(squares), min, max }
    }
}

/// The sum of 2^31 values of 32 bits has 63 bits.
const MOST: u64 = 1 << 31;

/// The sum of numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct NarrowSum(i64);

impl<T: Narrow> Slim<T> for NarrowSum {
    type Sums = ExactSum;
    const MOST: u64 = MOST;

    fn of(values: &[T]) -> Self {
        Self(T::sum(values))
    }

    #[inline(always)]
    fn add(&mut self, value: T) {
        self.0 += value.wide();
    }

    fn widened(&self) -> ExactSum {
        ExactSum(self.0.into())
    }

    fn total(values: &[T]) -> Option<u64> {
        (T::LEAST.wide() == 0).then(|| T::sum(values).cast_unsigned())
    }

    #[inline(always)]
    fn low(value: T) -> u32 {
        u32::try_from(value.wide()).unwrap_or(0)
    }

    fn of_total(total: u32) -> Self {
        Self(total.into())
    }
}

/// Sums of numbers and of their squares, minimum and maximum.
#[derive(Clone, Copy)]
pub(super) struct NarrowSums<T> {
    sum: i64,
    squares: Squares,
    /// Larger than `max` if there are no numbers.
    min: T,
    max: T,
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

impl From<u128> for Squares {
    fn from(wide: u128) -> Self {
        // The sum of 2^31 squares of 64 bits has 95 bits.
        let low = u64::try_from(wide & u128::from(u64::MAX)).unwrap_or(u64::MAX);
        Self { low, high: u32::try_from(wide >> 64).unwrap_or(u32::MAX) }
    }
}

impl From<Squares> for u128 {
    fn from(Squares { low, high }: Squares) -> Self {
        Self::from(high) << 64 | Self::from(low)
    }
}

impl<T: Narrow> Default for NarrowSums<T> {
    fn default() -> Self {
        Self { sum: 0, squares: Squares::default(), min: T::GREATEST, max: T::LEAST }
    }
}

impl<T: Narrow> Slim<T> for NarrowSums<T> {
    type Sums = Exact;
    const MOST: u64 = MOST;

    fn of(values: &[T]) -> Self {
        T::sums(values)
    }

    #[inline(always)]
    fn add(&mut self, value: T) {
        let wide = value.wide();
        self.sum += wide;
        self.squares.add(wide.unsigned_abs() * wide.unsigned_abs());
        if wide < self.min.wide() {
            self.min = value;
        }
        if wide > self.max.wide() {
            self.max = value;
        }
    }

    fn widened(&self) -> Exact {
        let (min, max) = (self.min.wide(), self.max.wide());
        if min > max {
            return Exact::default();
        }
        Exact::new(self.sum.into(), self.squares.into(), min.into(), max.into())
    }
}
