//! Whole numbers, added up exactly.
#![expect(clippy::cast_precision_loss, reason = "means and variances are floats")]

use nnz_core::Bint8;

use super::tally::{Add, extremes};
use super::{Moments, Number};

/// Sums of whole numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct Exact {
    sum: i128,
    /// The sum of squares, and the same as a float for when it does not fit.
    squares: Option<u128>,
    near_squares: f64,
    any: bool,
    min: i128,
    max: i128,
}

impl Exact {
    fn add_wide(&mut self, value: i128) {
        if !self.any {
            *self = Self { squares: Some(0), any: true, min: value, max: value, ..*self };
        }
        self.sum += value;
        let square = value.unsigned_abs().checked_mul(value.unsigned_abs());
        self.squares = self.squares.zip(square).and_then(|(a, b)| a.checked_add(b));
        self.near_squares += (value as f64) * (value as f64);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    fn merge_wide(&mut self, other: &Self) {
        if !self.any || !other.any {
            if other.any {
                *self = *other;
            }
            return;
        }
        self.sum += other.sum;
        self.squares = self.squares.zip(other.squares).and_then(|(a, b)| a.checked_add(b));
        self.near_squares += other.near_squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    fn variance(&self, cells: u128) -> f64 {
        if cells < 2 {
            return f64::NAN;
        }
        // cells * squares - sum^2, exact while it fits.
        let exact = || {
            let spread = self.squares.unwrap_or(0).checked_mul(cells)?;
            let sum = self.sum.unsigned_abs();
            spread.checked_sub(sum.checked_mul(sum)?)
        };
        let known = self.squares.is_some() || !self.any;
        match exact().filter(|_| known) {
            Some(spread) => spread as f64 / cells as f64 / (cells - 1) as f64,
            None => {
                let mean = self.sum as f64 / cells as f64;
                let spread = self.near_squares - self.sum as f64 * mean;
                spread.max(0.0) / (cells - 1) as f64
            }
        }
    }
}

/// A type whose values fit 128 bits.
trait Whole: Copy {
    fn wide(self) -> i128;
}

macro_rules! whole {
    ($($t:ty)*) => {
        $(impl Whole for $t {
            fn wide(self) -> i128 { i128::from(self) }
        })*
    };
}
whole!(u8 u16 u32 u64 i8 i16 i32 i64);

impl Whole for Bint8 {
    fn wide(self) -> i128 {
        i128::from(self.0)
    }
}

impl<T: Whole> Add<T> for Exact {
    fn add(&mut self, value: T) {
        self.add_wide(value.wide());
    }

    fn add_all(&mut self, values: &[T]) {
        values.iter().for_each(|value| self.add_wide(value.wide()));
    }

    fn merge(&mut self, other: &Self) {
        self.merge_wide(other);
    }

    fn finish(&self, count: u64, zeros: u128) -> Moments {
        let cells = zeros.saturating_add(count.into());
        let found = self.any.then_some((self.min, self.max));
        let (min, max) = extremes(found, 0, zeros, Number::Integer);
        Moments {
            nnz: count,
            sum: Number::Integer(self.sum),
            mean: self.sum as f64 / cells as f64,
            variance: self.variance(cells),
            min,
            max,
        }
    }
}
