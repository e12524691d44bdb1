//! Types of numbers in statistics.

use std::fmt;

use nnz_core::Element;

use super::exact::{Exact, ExactSum};
use super::float::{Float, FloatSum};
use super::narrow::{NarrowSum, NarrowSums};
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

    /// The tally of all statistics.
    type All: Slim<Self>;
}

macro_rules! values {
    ($($t:ty)*; $sum:ty, $all:ty) => {
        $(impl Value for $t {
            type Sum = $sum;
            type All = $all;
        })*
    };
}
values!(u32 i32; NarrowSum, NarrowSums<Self>);
values!(u64 i64; ExactSum, Exact);
values!(f32 f64; FloatSum, Float);
