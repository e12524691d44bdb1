//! Types of numbers in statistics.

use std::fmt;

use nnz_core::Element;

use super::exact::{Exact, ExactSum};
use super::extent::{Extent, NoExtent, OnlyExtent};
use super::float::{FloatPowers, FloatSum, PlainSum};
use super::narrow::{NarrowPowers, NarrowSum};
use super::tally::Slim;

/// A number, exact if it is an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// A float.
    Float(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => {
                let mut text = Vec::new();
                nnz_core::write_float64(&mut text, *number);
                f.write_str(&String::from_utf8_lossy(&text))
            }
        }
    }
}

/// A type of values that can be summed.
pub(super) trait Value: Element {
    /// The tally if only sums are needed.
    type Sum: Slim<Self>;

    /// The tally if extremes are not needed.
    type Variance: Slim<Self>;

    /// The tally if only extremes are needed.
    type Extremes: Slim<Self>;

    /// The tally of all statistics.
    type All: Slim<Self>;
}

macro_rules! values {
    ($($t:ty)*; $sum:ty, $variance:ty, $extremes:ty, $all:ty) => {
        $(impl Value for $t {
            type Sum = $sum;
            type Variance = $variance;
            type Extremes = $extremes;
            type All = $all;
        })*
    };
}
values!(u32 i32; NarrowSum, NarrowPowers<NoExtent>, OnlyExtent<Self>, NarrowPowers<Extent<Self>>);
values!(u64 i64; ExactSum, Exact, OnlyExtent<Self>, Exact);
values!(f32; PlainSum, FloatPowers<PlainSum, NoExtent>, OnlyExtent<Self>, FloatPowers<PlainSum, Extent<Self>>);
values!(f64; FloatSum, FloatPowers<FloatSum, NoExtent>, OnlyExtent<Self>, FloatPowers<FloatSum, Extent<Self>>);
