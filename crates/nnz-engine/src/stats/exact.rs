//! Exact sums of integers.
#![expect(clippy::cast_precision_loss, reason = "means and variances are floats")]

use super::tally::{NeverTight, Slim, Sums, extremes};
use super::{Number, Spread, Total};

/// A type whose values fit into 128 bits.
pub(super) trait Whole: Copy + 'static {
    fn wide(self) -> i128;
}

macro_rules! whole {
    ($($t:ty)*) => {
        $(impl Whole for $t {
            #[inline(always)]
            fn wide(self) -> i128 { i128::from(self) }
        })*
    };
}
whole!(u64 i64);

/// The sum of integers.
#[derive(Clone, Copy, Default)]
pub(super) struct ExactSum(pub(super) i128);

impl Sums for ExactSum {
    fn merge(&mut self, other: &Self) {
        self.0 += other.0;
    }

    fn finish(&self, count: u64, zeros: u128) -> (Option<Total>, Option<Spread>) {
        let elements = zeros.saturating_add(count.into());
        let mean = self.0 as f64 / elements as f64;
        (Some(Total { sum: Number::Integer(self.0), mean }), None)
    }
}

impl<T: Whole> Slim<T> for ExactSum {
    type Sums = Self;
    type Careful = Self;
    type Tight = NeverTight<Self>;

    fn of(values: &[T]) -> Self {
        Self(values.iter().map(|value| value.wide()).sum())
    }

    fn add(&mut self, value: T) {
        self.0 += value.wide();
    }

    fn widened(&self, _: u64) -> Self {
        *self
    }
}

/// Sums of integers and of their squares, minimum and maximum.
#[derive(Clone, Copy, Default)]
pub(super) struct Exact {
    sum: i128,
    squares: Wide,
    any: bool,
    min: i128,
    max: i128,
}

impl Exact {
    /// Combines the sums of at least one number.
    pub(super) fn new(sum: i128, squares: u128, min: i128, max: i128) -> Self {
        Self { sum, squares: Wide::from(squares), any: true, min, max }
    }

    /// Keeps only the extremes of at least one number.
    pub(super) fn of_extremes(min: i128, max: i128) -> Self {
        Self { any: true, min, max, ..Self::default() }
    }

    fn add_wide(&mut self, value: i128) {
        if !self.any {
            *self = Self { any: true, min: value, max: value, ..*self };
        }
        self.sum += value;
        self.squares.add(Wide::product(value.unsigned_abs(), value.unsigned_abs()));
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Deviations are relative to the integer below the mean, with a correction for the difference:
    /// as integers, they have no rounding errors, even for large values.
    fn variance(&self, elements: u128) -> f64 {
        if elements < 2 {
            return f64::NAN;
        }
        // The differences between numbers are the same if all are negated.
        let sum = self.sum.unsigned_abs();
        let (below, off) = (sum / elements, sum % elements);
        let mut distances = self.squares;
        distances.subtract(Wide::product(below, sum));
        distances.subtract(Wide::product(below, off));
        let spread = match distances {
            // The number of elements times the squared deviations, minus the squared correction:
            // exact.
            Wide { high: 0, low } => {
                let mut spread = Wide::product(low, elements);
                spread.subtract(Wide::product(off, off));
                spread.float() / elements as f64
            }
            large => large.float() - off as f64 / elements as f64 * off as f64,
        };
        spread / (elements - 1) as f64
    }
}

/// A number of 256 bits, for sums of squares of 64-bit numbers.
#[derive(Clone, Copy, Default)]
struct Wide {
    high: u128,
    low: u128,
}

impl Wide {
    fn product(a: u128, b: u128) -> Self {
        const HALF: u128 = u64::MAX as u128;
        let [(a_high, a_low), (b_high, b_low)] = [a, b].map(|n| (n >> 64, n & HALF));
        let low = Self::from(a_low * b_low);
        let high = Self { high: a_high * b_high, low: 0 };
        let mut product = high;
        product.add(low);
        for middle in [a_high * b_low, a_low * b_high] {
            product.add(Self { high: middle >> 64, low: middle << 64 });
        }
        product
    }

    fn add(&mut self, other: Self) {
        let (low, carry) = self.low.overflowing_add(other.low);
        self.low = low;
        self.high = self.high.wrapping_add(other.high).wrapping_add(carry.into());
    }

    fn subtract(&mut self, other: Self) {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        self.low = low;
        self.high = self.high.wrapping_sub(other.high).wrapping_sub(borrow.into());
    }

    fn float(self) -> f64 {
        const TWO_TO_128: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
        self.high as f64 * TWO_TO_128 + self.low as f64
    }
}

impl From<u128> for Wide {
    fn from(low: u128) -> Self {
        Self { high: 0, low }
    }
}

impl Sums for Exact {
    fn merge(&mut self, other: &Self) {
        if !self.any || !other.any {
            if other.any {
                *self = *other;
            }
            return;
        }
        self.sum += other.sum;
        self.squares.add(other.squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    fn finish(&self, count: u64, zeros: u128) -> (Option<Total>, Option<Spread>) {
        let elements = zeros.saturating_add(count.into());
        let found = self.any.then_some((self.min, self.max));
        let (min, max) = extremes(found, 0, zeros, Number::Integer);
        let mean = self.sum as f64 / elements as f64;
        let total = Total { sum: Number::Integer(self.sum), mean };
        (Some(total), Some(Spread { variance: self.variance(elements), min, max }))
    }
}

impl<T: Whole> Slim<T> for Exact {
    type Sums = Self;
    type Careful = Self;
    type Tight = NeverTight<Self>;

    fn of(values: &[T]) -> Self {
        let mut sums = Self::default();
        values.iter().for_each(|value| sums.add_wide(value.wide()));
        sums
    }

    fn add(&mut self, value: T) {
        self.add_wide(value.wide());
    }

    fn widened(&self, _: u64) -> Self {
        *self
    }
}
