//! Whole numbers, added up exactly.
#![expect(clippy::cast_precision_loss, reason = "means and variances are floats")]

use nnz_core::Bint8;

use super::tally::{Slim, Sums, extremes};
use super::{Number, Spread, Total};

/// A type whose values fit 128 bits.
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
whole!(u8 u16 u32 u64 i8 i16 i32 i64);

impl Whole for Bint8 {
    #[inline(always)]
    fn wide(self) -> i128 {
        i128::from(self.0)
    }
}

/// The sum of whole numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct ExactSum(pub(super) i128);

impl Sums for ExactSum {
    fn merge(&mut self, other: &Self) {
        self.0 += other.0;
    }

    fn finish(&self, count: u64, zeros: u128) -> (Option<Total>, Option<Spread>) {
        let cells = zeros.saturating_add(count.into());
        let mean = self.0 as f64 / cells as f64;
        (Some(Total { sum: Number::Integer(self.0), mean }), None)
    }
}

impl<T: Whole> Slim<T> for ExactSum {
    type Sums = Self;

    fn of(values: &[T]) -> Self {
        Self(values.iter().map(|value| value.wide()).sum())
    }

    fn add(&mut self, value: T) {
        self.0 += value.wide();
    }

    fn widened(&self) -> Self {
        *self
    }
}

/// Sums of whole numbers and of their squares, and the extremes.
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
    /// Puts together what is known of at least one number.
    pub(super) fn new(sum: i128, squares: u128, min: i128, max: i128) -> Self {
        Self { sum, squares: Some(squares), near_squares: squares as f64, any: true, min, max }
    }

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

impl Sums for Exact {
    fn merge(&mut self, other: &Self) {
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

    fn finish(&self, count: u64, zeros: u128) -> (Option<Total>, Option<Spread>) {
        let cells = zeros.saturating_add(count.into());
        let found = self.any.then_some((self.min, self.max));
        let (min, max) = extremes(found, 0, zeros, Number::Integer);
        let mean = self.sum as f64 / cells as f64;
        let total = Total { sum: Number::Integer(self.sum), mean };
        (Some(total), Some(Spread { variance: self.variance(cells), min, max }))
    }
}

impl<T: Whole> Slim<T> for Exact {
    type Sums = Self;

    fn of(values: &[T]) -> Self {
        let mut sums = Self::default();
        values.iter().for_each(|value| sums.add_wide(value.wide()));
        sums
    }

    fn add(&mut self, value: T) {
        self.add_wide(value.wide());
    }

    fn widened(&self) -> Self {
        *self
    }
}
