//! Floats, added up with care.
#![expect(clippy::cast_precision_loss, reason = "counts of cells among floats")]

use super::tally::{Add, extremes};
use super::{Moments, Number};

/// Sums of floats: compensated (Neumaier), and distances from the mean (Welford).
#[derive(Clone, Copy, Default)]
pub(super) struct Float {
    sum: f64,
    lost: f64,
    count: f64,
    mean: f64,
    spread: f64,
    min: f64,
    max: f64,
}

impl Float {
    fn add_to_sum(&mut self, value: f64) {
        let sum = self.sum + value;
        // What the larger of the two could not take in of the smaller.
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    fn add_float(&mut self, value: f64) {
        if self.count == 0.0 {
            (self.min, self.max) = (value, value);
        }
        self.add_to_sum(value);
        self.count += 1.0;
        let distance = value - self.mean;
        self.mean += distance / self.count;
        self.spread += distance * (value - self.mean);
        // A NaN stays: nothing is less or greater, so it is looked for.
        if value.is_nan() || value < self.min {
            self.min = value;
        }
        if value.is_nan() || value > self.max {
            self.max = value;
        }
    }

    fn total(&self) -> f64 {
        // With infinities what was lost is no number, and nothing was.
        if self.lost.is_finite() { self.sum + self.lost } else { self.sum }
    }

    fn merge_float(&mut self, other: &Self) {
        if self.count == 0.0 || other.count == 0.0 {
            if other.count > 0.0 {
                *self = *other;
            }
            return;
        }
        self.add_to_sum(other.sum);
        self.lost += other.lost;
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
}

impl<T: Into<f64> + Copy> Add<T> for Float {
    fn add(&mut self, value: T) {
        self.add_float(value.into());
    }

    fn add_all(&mut self, values: &[T]) {
        values.iter().for_each(|&value| self.add_float(value.into()));
    }

    fn merge(&mut self, other: &Self) {
        self.merge_float(other);
    }

    fn finish(&self, count: u64, zeros: u128) -> Moments {
        let found = (self.count > 0.0).then_some((self.min, self.max));
        let (min, max) = extremes(found, 0.0, zeros, Number::Float);
        let zeros = zeros as f64;
        let cells = self.count + zeros;
        let spread = match self.count {
            0.0 => 0.0,
            count => self.spread + self.mean * self.mean * (count / cells * zeros),
        };
        Moments {
            nnz: count,
            sum: Number::Float(self.total()),
            mean: self.total() / cells,
            variance: if cells < 2.0 { f64::NAN } else { spread / (cells - 1.0) },
            min,
            max,
        }
    }
}
