//! The type of the values of a text, and reading values of that type.

use nnz_core::{Element, ValueType};
use nnz_lines::number::{Invalid, Number, integer, number, real, unsigned};

/// Properties of all values read so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValueProperties {
    /// A value that is no integer of 64 bits.
    real: bool,
    negative: bool,
    /// An integer above the largest signed one.
    large: bool,
    /// An integer that float64 does not hold exactly.
    inexact: bool,
    any: bool,
}

impl ValueProperties {
    #[inline]
    pub(crate) fn add(&mut self, number: Number) {
        self.any = true;
        self.inexact |= !is_exact(number);
        match number {
            Number::Unsigned(value) => self.large |= value > i64::MAX.unsigned_abs(),
            Number::Negative(_) => self.negative = true,
            Number::Real(_) => self.real = true,
        }
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.real |= other.real;
        self.negative |= other.negative;
        self.large |= other.large;
        self.inexact |= other.inexact;
        self.any |= other.any;
    }

    /// Returns the type that holds all values: integers if all are, otherwise floats.
    pub(crate) fn value_type(self) -> ValueType {
        match self {
            Self { any: false, .. } | Self { real: true, .. } => ValueType::F64,
            Self { large: false, .. } => ValueType::I64,
            Self { negative: false, .. } => ValueType::U64,
            _ => ValueType::F64,
        }
    }

    /// Returns whether float64 holds all values.
    pub(crate) fn fits_floats(self) -> bool {
        !self.inexact
    }
}

/// Returns whether float64 holds a number as it is written; only integers are meant exactly.
#[inline]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "compared with the number"
)]
fn is_exact(number: Number) -> bool {
    match number {
        Number::Unsigned(value) => value <= 1 << 53 || value as f64 as i128 == value.into(),
        Number::Negative(value) => value >= -(1 << 53) || value as f64 as i128 == value.into(),
        Number::Real(_) => true,
    }
}

/// A type of values.
pub(crate) trait Value: Element {
    /// Parses a value.
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Invalid>;

    /// Converts a value of a column whose type holds it.
    fn of(number: Number) -> Self;
}

impl Value for i64 {
    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Invalid> {
        integer(text, at).ok_or(Invalid::Malformed)
    }

    fn of(number: Number) -> Self {
        match number {
            Number::Unsigned(value) => Self::try_from(value).unwrap_or(Self::MAX),
            Number::Negative(value) => value,
            Number::Real(_) => 0,
        }
    }
}

impl Value for u64 {
    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Invalid> {
        unsigned(text, at).ok_or(Invalid::Malformed)
    }

    fn of(number: Number) -> Self {
        match number {
            Number::Unsigned(value) => value,
            Number::Negative(_) | Number::Real(_) => 0,
        }
    }
}

impl Value for f64 {
    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Invalid> {
        /// All smaller integers are floats.
        const LARGE: f64 = 9_007_199_254_740_992.0;
        let (value, end) = real(text, at)?;
        if value.abs() >= LARGE && !is_exact(number(text, at)?.0) {
            return Err(Invalid::Inexact);
        }
        Ok((value, end))
    }

    #[expect(clippy::cast_precision_loss, reason = "the nearest float, as of any other number")]
    fn of(number: Number) -> Self {
        match number {
            Number::Unsigned(value) => value as Self,
            Number::Negative(value) => value as Self,
            Number::Real(value) => value,
        }
    }
}

/// Skips a number of any type, to check it.
#[inline]
pub(crate) fn skip(text: &[u8], at: usize, seen: &mut ValueProperties) -> Result<usize, Invalid> {
    let (number, end) = number(text, at)?;
    seen.add(number);
    Ok(end)
}
