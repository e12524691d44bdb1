//! Compensated sums of floats.
#![expect(clippy::cast_precision_loss, reason = "counts of elements among floats")]

use super::tally::{Slim, Sums, extremes};
use super::{Number, Spread, Total};

/// The sum of floats with a compensation for rounding errors (Neumaier).
#[derive(Clone, Copy, Default)]
pub(super) struct FloatSum {
    sum: f64,
    lost: f64,
}

impl FloatSum {
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

impl<T: Into<f64> + Copy> Slim<T> for FloatSum {
    type Sums = Self;
    const ORDER_FREE: bool = false;

    fn of(values: &[T]) -> Self {
        let mut sum = Self::default();
        values.iter().for_each(|&value| sum.add_float(value.into()));
        sum
    }

    fn add(&mut self, value: T) {
        self.add_float(value.into());
    }

    fn widened(&self) -> Self {
        *self
    }
}

/// The sum of floats, their squared deviations from the mean (Welford), minimum and maximum.
#[derive(Clone, Copy, Default)]
pub(super) struct Float {
    sum: FloatSum,
    count: f64,
    mean: f64,
    spread: f64,
    min: f64,
    max: f64,
}

impl Float {
    fn add_float(&mut self, value: f64) {
        if self.count == 0.0 {
            (self.min, self.max) = (value, value);
        }
        self.sum.add_float(value);
        self.count += 1.0;
        let distance = value - self.mean;
        self.mean += distance / self.count;
        self.spread += distance * (value - self.mean);
        // NaN is kept: comparisons with it are false, so it is checked for.
        if value.is_nan() || value < self.min {
            self.min = value;
        }
        if value.is_nan() || value > self.max {
            self.max = value;
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
        if other.min.is_nan() || other.min < self.min {
            self.min = other.min;
        }
        if other.max.is_nan() || other.max > self.max {
            self.max = other.max;
        }
    }

    fn finish(&self, _: u64, zeros: u128) -> (Option<Total>, Option<Spread>) {
        let found = (self.count > 0.0).then_some((self.min, self.max));
        let (min, max) = extremes(found, 0.0, zeros, Number::Float);
        let zeros = zeros as f64;
        let elements = self.count + zeros;
        let spread = match self.count {
            0.0 => 0.0,
            count => self.spread + self.mean * self.mean * (count / elements * zeros),
        };
        let variance = match spread / (elements - 1.0) {
            _ if elements < 2.0 => f64::NAN,
            // The squares of finite numbers overflowed.
            variance if variance.is_nan() && self.min.is_finite() && self.max.is_finite() => {
                f64::INFINITY
            }
            variance => variance,
        };
        (Some(self.sum.of_elements(elements)), Some(Spread { variance, min, max }))
    }
}

impl<T: Into<f64> + Copy> Slim<T> for Float {
    type Sums = Self;
    const ORDER_FREE: bool = false;

    fn of(values: &[T]) -> Self {
        let mut sums = Self::default();
        values.iter().for_each(|&value| sums.add_float(value.into()));
        sums
    }

    fn add(&mut self, value: T) {
        self.add_float(value.into());
    }

    fn widened(&self) -> Self {
        *self
    }
}
