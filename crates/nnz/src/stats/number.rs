//! The numbers that are added up.

use std::fmt;

use nnz_core::{Bint8, Element};

use super::exact::Exact;
use super::float::Float;
use super::tally::Add;

/// A number that is exact if it is whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
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

/// A type of value that can be added up.
pub(super) trait Value: Element {
    /// How it is added up.
    type Sums: Add<Self>;

    /// Whether the order makes no difference to the sum.
    const ORDER_FREE: bool;
}

macro_rules! values {
    ($($integer:ty)*; $($float:ty)*) => {
        $(impl Value for $integer {
            type Sums = Exact;
            const ORDER_FREE: bool = true;
        })*
        $(impl Value for $float {
            type Sums = Float;
            const ORDER_FREE: bool = false;
        })*
    };
}
values!(u8 u16 u32 u64 i8 i16 i32 i64 Bint8; f32 f64);
