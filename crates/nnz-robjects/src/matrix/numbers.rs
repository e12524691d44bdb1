//! The values of a matrix of R.

use std::io;
use std::ops::Range;

use nnz_container::rds::{Integers, NA_INTEGER, NA_REAL_BITS, Reals, Value};
use nnz_core::{Bint8, Element, Error, ErrorKind, Place, Result, Scalar, ValueType, Values};

/// The values of all entries or elements.
pub(crate) enum Numbers {
    Real(Reals),
    Integer(Integers),
    Logical(Vec<i32>),
    /// Integers and logicals of which some are missing: doubles, which have a missing value.
    Missing(Integers),
    Complex(Vec<[f64; 2]>),
    Raw(Vec<u8>),
    /// A pattern: all values are true.
    Ones,
}

impl Numbers {
    /// Wraps a numeric vector; returns any other value as the error.
    pub(super) fn new(value: Value) -> Result<Self, Value> {
        Ok(match value {
            Value::Real(all) => Self::Real(all),
            Value::Integer(all) => Self::Integer(all),
            Value::Logical(all) => Self::Logical(all),
            Value::Complex(all) => Self::Complex(all),
            Value::Raw(all) => Self::Raw(all),
            other => return Err(other),
        })
    }

    /// Converts integers and logicals to doubles if some are missing.
    pub(super) fn with_missing(self, place: &Place) -> Result<Self> {
        Ok(match self {
            Self::Integer(all) => {
                let mut missing = false;
                let read = all.for_each_block(|_, block| {
                    missing |= block.contains(&NA_INTEGER);
                    !missing
                });
                within(read, place)?;
                if missing { Self::Missing(all) } else { Self::Integer(all) }
            }
            Self::Logical(mut all) if all.contains(&NA_INTEGER) => {
                // R treats any number but zero as true.
                let truth =
                    |flag: i32| if flag == NA_INTEGER { flag } else { i32::from(flag != 0) };
                all.iter_mut().for_each(|flag| *flag = truth(*flag));
                Self::Missing(Integers::Stored(all))
            }
            other => other,
        })
    }

    pub(super) fn value_type(&self) -> ValueType {
        match self {
            Self::Real(_) | Self::Missing(_) => ValueType::F64,
            Self::Integer(_) => ValueType::I32,
            Self::Logical(_) | Self::Ones => ValueType::Bint8,
            Self::Complex(_) => ValueType::ComplexF64,
            Self::Raw(_) => ValueType::U8,
        }
    }

    /// Returns the number of values; `None` if all entries share one.
    pub(super) fn len(&self) -> Option<u64> {
        match self {
            Self::Real(all) => Some(all.len()),
            Self::Integer(all) | Self::Missing(all) => Some(all.len()),
            Self::Logical(all) => Some(all.len() as u64),
            Self::Complex(all) => Some(all.len() as u64),
            Self::Raw(all) => Some(all.len() as u64),
            Self::Ones => None,
        }
    }

    /// Reads a range of values into `out`.
    pub(super) fn read(&self, range: Range<u64>, out: &mut Values, place: &Place) -> Result<()> {
        match self {
            Self::Real(all) => {
                let out = resized(f64::vec_mut(out), &range);
                within(all.read(range.start, out), place)
            }
            Self::Integer(all) => {
                let out = resized(i32::vec_mut(out), &range);
                within(all.read(range.start, out), place)
            }
            Self::Missing(all) => {
                let mut read = Vec::new();
                within(all.read(range.start, resized(&mut read, &range)), place)?;
                let number = |value| match value {
                    NA_INTEGER => f64::from_bits(NA_REAL_BITS),
                    value => f64::from(value),
                };
                let out = f64::vec_mut(out);
                out.clear();
                out.extend(read.into_iter().map(number));
                Ok(())
            }
            Self::Logical(all) => {
                let from = part(all, &range, place)?;
                let out = Bint8::vec_mut(out);
                out.clear();
                // R treats any number but zero as true.
                out.extend(from.iter().map(|&flag| Bint8(u8::from(flag != 0))));
                Ok(())
            }
            Self::Complex(all) => {
                let from = part(all, &range, place)?;
                resized(<[f64; 2]>::vec_mut(out), &range).copy_from_slice(from);
                Ok(())
            }
            Self::Raw(all) => {
                let from = part(all, &range, place)?;
                resized(u8::vec_mut(out), &range).copy_from_slice(from);
                Ok(())
            }
            Self::Ones => {
                *out = Values::Iso(Scalar::Bint8(Bint8(1)));
                Ok(())
            }
        }
    }
}

fn length(range: &Range<u64>) -> usize {
    usize::try_from(range.end - range.start).unwrap_or(usize::MAX)
}

/// Resizes a vector to the length of a range.
pub(super) fn resized<'a, T: Copy + Default>(
    vec: &'a mut Vec<T>,
    range: &Range<u64>,
) -> &'a mut [T] {
    vec.resize(length(range), T::default());
    vec
}

fn part<'a, T>(all: &'a [T], range: &Range<u64>, place: &Place) -> Result<&'a [T]> {
    let start = usize::try_from(range.start).unwrap_or(usize::MAX);
    let part = all.get(start..).and_then(|rest| rest.get(..length(range)));
    part.ok_or_else(|| past_the_end(place))
}

/// Gives an error of reading a part of a vector its place.
pub(super) fn within(read: io::Result<()>, place: &Place) -> Result<()> {
    read.map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => past_the_end(place),
        _ => Error::new(ErrorKind::Io(error), place.clone()),
    })
}

fn past_the_end(place: &Place) -> Error {
    Error::mismatch(place.clone(), "the end of the vector", "more elements")
}
