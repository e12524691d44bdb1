//! The smallest and the largest of some values.

use super::exact::Exact;
use super::float::Float;
use super::narrow::TightExtent;
use super::tally::{NeverTight, Slim, Sums, Tight};

/// A type with an order.
pub(super) trait Ordered: Copy + Send + Sync + 'static {
    const LEAST: Self;
    const GREATEST: Self;

    /// Returns whether the value is less, or NaN.
    fn is_below(self, other: Self) -> bool;
    /// Returns whether the value is greater, or NaN.
    fn is_above(self, other: Self) -> bool;

    /// Returns the value if it is less, or NaN, and otherwise the other one.
    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        if self.is_below(other) { self } else { other }
    }

    /// Returns the value if it is greater, or NaN, and otherwise the other one.
    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        if self.is_above(other) { self } else { other }
    }
}

macro_rules! integers {
    ($($t:ty)*) => {
        $(impl Ordered for $t {
            const LEAST: Self = Self::MIN;
            const GREATEST: Self = Self::MAX;

            #[inline(always)]
            fn is_below(self, other: Self) -> bool { self < other }

            #[inline(always)]
            fn is_above(self, other: Self) -> bool { self > other }

            // Without a branch.
            #[inline(always)]
            fn lesser(self, other: Self) -> Self { self.min(other) }

            #[inline(always)]
            fn greater(self, other: Self) -> Self { self.max(other) }
        })*
    };
}
integers!(u32 i32 u64 i64);

macro_rules! floats {
    ($($t:ty)*) => {
        $(impl Ordered for $t {
            const LEAST: Self = Self::NEG_INFINITY;
            const GREATEST: Self = Self::INFINITY;

            // NaN is kept: comparisons with it are false, so it is checked for.
            #[inline(always)]
            fn is_below(self, other: Self) -> bool { self.is_nan() || self < other }

            #[inline(always)]
            fn is_above(self, other: Self) -> bool { self.is_nan() || self > other }
        })*
    };
}
floats!(f32 f64);

/// The minimum and the maximum of values, or nothing.
pub(super) trait Extremes<T>: Copy + Default + Send + Sync + 'static {
    fn add(&mut self, value: T);
    /// Returns the minimum and the maximum of at least one value, if they are kept.
    fn get(&self) -> Option<(T, T)>;
}

/// Nothing is kept.
#[derive(Clone, Copy, Default)]
pub(super) struct NoExtent;

impl<T> Extremes<T> for NoExtent {
    #[inline(always)]
    fn add(&mut self, _: T) {}

    fn get(&self) -> Option<(T, T)> {
        None
    }
}

/// The minimum and the maximum.
#[derive(Clone, Copy)]
pub(super) struct Extent<T> {
    min: T,
    max: T,
}

impl<T: Ordered> Default for Extent<T> {
    fn default() -> Self {
        Self { min: T::GREATEST, max: T::LEAST }
    }
}

impl<T: Ordered> Extremes<T> for Extent<T> {
    #[inline(always)]
    fn add(&mut self, value: T) {
        self.min = value.lesser(self.min);
        self.max = value.greater(self.max);
    }

    fn get(&self) -> Option<(T, T)> {
        Some((self.min, self.max))
    }
}

/// A type whose extremes are kept in sums.
pub(super) trait Kept: Ordered {
    type Sums: Sums;

    /// The extremes of small values.
    type Tight: Tight<Self, Sums = Self::Sums>;

    fn sums(min: Self, max: Self) -> Self::Sums;
}

macro_rules! kept {
    ($($t:ty)*; $sums:ty, $tight:ty) => {
        $(impl Kept for $t {
            type Sums = $sums;
            type Tight = $tight;

            fn sums(min: Self, max: Self) -> $sums {
                <$sums>::of_extremes(min.into(), max.into())
            }
        })*
    };
}
kept!(u32 i32; Exact, TightExtent);
kept!(u64 i64; Exact, NeverTight<Exact>);
kept!(f32 f64; Float, NeverTight<Float>);

/// Only the extremes of values.
#[derive(Clone, Copy)]
pub(super) struct OnlyExtent<T>(Extent<T>);

impl<T: Ordered> Default for OnlyExtent<T> {
    fn default() -> Self {
        Self(Extent::default())
    }
}

impl<T: Kept> Slim<T> for OnlyExtent<T> {
    type Sums = T::Sums;
    type Careful = Self;
    type Tight = T::Tight;

    fn of(values: &[T]) -> T::Sums {
        let mut extent = Extent::default();
        values.iter().for_each(|value| extent.add(*value));
        Self(extent).widened(values.len() as u64)
    }

    #[inline(always)]
    fn add(&mut self, value: T) {
        self.0.add(value);
    }

    fn widened(&self, count: u64) -> T::Sums {
        match count {
            0 => T::Sums::default(),
            _ => T::sums(self.0.min, self.0.max),
        }
    }
}
