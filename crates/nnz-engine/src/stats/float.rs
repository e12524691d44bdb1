//! Sums of floats.
#![expect(clippy::cast_precision_loss, reason = "counts of elements among floats")]

use super::extent::{Extent, Extremes, Ordered};
use super::tally::{NeverTight, Slim, Sums, extremes};
use super::{Number, Spread, Total};

/// The sum of floats with a compensation for rounding errors (Neumaier).
#[derive(Clone, Copy, Default)]
pub(super) struct FloatSum {
    sum: f64,
    lost: f64,
}

impl FloatSum {
    #[inline(always)]
    fn add_float(&mut self, value: f64) {
        let sum = self.sum + value;
        // The part of the smaller number that rounding lost.
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    fn total(&self) -> f64 {
        // With infinities, the compensation is NaN and not used.
        if self.lost.is_finite() { self.sum + self.lost } else { self.sum }
    }

    fn of_elements(&self, elements: f64) -> Total {
        Total { sum: Number::Float(self.total()), mean: self.total() / elements }
    }
}

impl Sums for FloatSum {
    fn merge(&mut self, other: &Self) {
        self.add_float(other.sum);
        self.lost += other.lost;
    }

    fn finish(&self, count: u64, zeros: u128) -> (Option<Total>, Option<Spread>) {
        (Some(self.of_elements(count as f64 + zeros as f64)), None)
    }
}

impl Slim<f64> for FloatSum {
    type Sums = Self;
    type Careful = Self;
    type Tight = NeverTight<Self>;
    const ORDER_FREE: bool = false;

    fn of(values: &[f64]) -> Self {
        of_blocks(values, |block| {
            let mut sum = Self::default();
            block.iter().for_each(|&value| sum.add_float(value));
            sum
        })
    }

    #[inline(always)]
    fn add(&mut self, value: f64) {
        self.add_float(value);
    }

    fn widened(&self, _: u64) -> Self {
        *self
    }
}

/// The sum of floats of 32 bits in 64 bits, whose rounding errors are far below those of the floats.
#[derive(Clone, Copy, Default)]
pub(super) struct PlainSum(f64);

impl Slim<f32> for PlainSum {
    type Sums = FloatSum;
    type Careful = Self;
    type Tight = NeverTight<FloatSum>;
    const ORDER_FREE: bool = false;

    fn of(values: &[f32]) -> FloatSum {
        of_blocks(values, |block| FloatSum { sum: sum_of(block, f64::from), lost: 0.0 })
    }

    #[inline(always)]
    fn add(&mut self, value: f32) {
        self.0 += f64::from(value);
    }

    fn widened(&self, _: u64) -> FloatSum {
        FloatSum { sum: self.0, lost: 0.0 }
    }
}

/// Values that are added together, so that they stay in the cache.
const BLOCK: usize = 2048;

fn of_blocks<T, S: Sums>(values: &[T], of_block: impl Fn(&[T]) -> S) -> S {
    let mut sums = S::default();
    values.chunks(BLOCK).for_each(|block| sums.merge(&of_block(block)));
    sums
}

/// Adds numbers in an order that processors compute in vectors.
#[inline(always)]
fn sum_of<T: Copy>(values: &[T], number: impl Fn(T) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights {
        for (sum, value) in sums.iter_mut().zip(eight) {
            *sum += number(*value);
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += number(*value);
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// The sum of floats, their squared deviations from the mean, minimum and maximum.
#[derive(Clone, Copy, Default)]
pub(super) struct Float {
    sum: FloatSum,
    count: f64,
    mean: f64,
    spread: f64,
    /// The sum of the squares from which deviations were computed: their rounding errors are relative to it.
    squares: f64,
    min: f64,
    max: f64,
}

/// Rounding errors are small as long as the squared deviations are not less than this part of the squares.
const LEAST_PART: f64 = 1e-3;

impl Float {
    /// Keeps only the extremes of at least one number.
    pub(super) fn of_extremes(min: f64, max: f64) -> Self {
        Self { count: 1.0, min, max, ..Self::default() }
    }

    fn of_block<T, P>(values: &[T]) -> Self
    where
        T: Ordered + Into<f64>,
        P: Slim<T, Sums = FloatSum>,
    {
        let sum = P::of(values);
        let count = values.len() as f64;
        let mean = sum.total() / count;
        if !mean.is_finite() {
            let mut floats = Self::default();
            values.iter().for_each(|value| floats.add_float((*value).into()));
            return floats;
        }
        let spread = sum_of(values, |value| {
            let distance = value.into() - mean;
            distance * distance
        });
        let mut extent = Extent::default();
        values.iter().for_each(|value| extent.add(*value));
        let (min, max) = extent.get().map_or((0.0, 0.0), |(min, max)| (min.into(), max.into()));
        Self { sum, count, mean, spread, squares: 0.0, min, max }
    }

    /// Adds a number (Welford).
    fn add_float(&mut self, value: f64) {
        if self.count == 0.0 {
            (self.min, self.max) = (value, value);
        }
        self.sum.add_float(value);
        self.count += 1.0;
        let distance = value - self.mean;
        self.mean += distance / self.count;
        self.spread += distance * (value - self.mean);
        if value.is_below(self.min) {
            self.min = value;
        }
        if value.is_above(self.max) {
            self.max = value;
        }
    }

    /// Returns the squared deviations of all elements from their mean.
    fn spread(&self, zeros: f64) -> f64 {
        match self.count {
            0.0 => 0.0,
            count => self.spread + self.mean * self.mean * (count / (count + zeros) * zeros),
        }
    }
}

impl Sums for Float {
    fn merge(&mut self, other: &Self) {
        if self.count == 0.0 || other.count == 0.0 {
            if other.count > 0.0 {
                *self = *other;
            }
            return;
        }
        self.sum.merge(&other.sum);
        let count = self.count + other.count;
        let distance = other.mean - self.mean;
        self.spread += other.spread + distance * distance * (self.count / count * other.count);
        self.mean += distance * (other.count / count);
        self.count = count;
        self.squares += other.squares;
        if other.min.is_below(self.min) {
            self.min = other.min;
        }
        if other.max.is_above(self.max) {
            self.max = other.max;
        }
    }

    fn finish(&self, _: u64, zeros: u128) -> (Option<Total>, Option<Spread>) {
        let found = (self.count > 0.0).then_some((self.min, self.max));
        let (min, max) = extremes(found, 0.0, zeros, Number::Float);
        let zeros = zeros as f64;
        let elements = self.count + zeros;
        let variance = match self.spread(zeros) / (elements - 1.0) {
            _ if elements < 2.0 => f64::NAN,
            // The squares of finite numbers overflowed.
            variance if variance.is_nan() && self.min.is_finite() && self.max.is_finite() => {
                f64::INFINITY
            }
            variance => variance,
        };
        (Some(self.sum.of_elements(elements)), Some(Spread { variance, min, max }))
    }

    fn is_precise(&self, zeros: u128) -> bool {
        // Not for NaN.
        self.squares == 0.0
            || (self.squares.is_finite() && self.spread(zeros as f64) >= self.squares * LEAST_PART)
    }
}

/// The sum of floats, compensated or not, the sum of their squares, and their extremes if these are kept.
#[derive(Clone, Copy, Default)]
pub(super) struct FloatPowers<P, E> {
    sum: P,
    squares: f64,
    extent: E,
}

impl<T, P, E> Slim<T> for FloatPowers<P, E>
where
    T: Ordered + Into<f64>,
    P: Slim<T, Sums = FloatSum>,
    E: Extremes<T>,
{
    type Sums = Float;
    type Careful = Welford;
    type Tight = NeverTight<Float>;
    const ORDER_FREE: bool = false;

    fn of(values: &[T]) -> Float {
        of_blocks(values, Float::of_block::<T, P>)
    }

    #[inline(always)]
    fn add(&mut self, value: T) {
        self.sum.add(value);
        let wide: f64 = value.into();
        self.squares += wide * wide;
        self.extent.add(value);
    }

    fn widened(&self, count: u64) -> Float {
        if count == 0 {
            return Float::default();
        }
        let (sum, count) = (self.sum.widened(count), count as f64);
        let mean = sum.total() / count;
        let spread = self.squares - sum.total() * mean;
        // NaN is kept.
        let spread = if spread < 0.0 { 0.0 } else { spread };
        let (min, max) =
            self.extent.get().map_or((0.0, 0.0), |(min, max)| (min.into(), max.into()));
        Float { sum, count, mean, spread, squares: self.squares, min, max }
    }
}

/// Sums of floats whose deviations from the mean are added one by one.
#[derive(Clone, Copy, Default)]
pub(super) struct Welford(Float);

impl<T: Ordered + Into<f64>> Slim<T> for Welford {
    type Sums = Float;
    type Careful = Self;
    type Tight = NeverTight<Float>;
    const ORDER_FREE: bool = false;

    fn of(values: &[T]) -> Float {
        let mut floats = Float::default();
        values.iter().for_each(|&value| floats.add_float(value.into()));
        floats
    }

    #[inline(always)]
    fn add(&mut self, value: T) {
        self.0.add_float(value.into());
    }

    fn widened(&self, _: u64) -> Float {
        self.0
    }
}
