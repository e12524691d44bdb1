//! Indices and pointers, stored as integers of any type.

use std::cell::RefCell;
use std::fmt::Display;

use nnz_core::{Element, Error, Minors, Result, Scalar, ValueType};

use super::Vector;
use crate::tree::Group;

/// Maximum length of an axis with 32-bit indices.
const NARROW: u64 = 1 << 32;

thread_local! {
    /// Elements before conversion. Each thread reuses the buffer.
    static STORED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// An array of indices or pointers.
#[derive(Debug)]
pub struct Indices(Vector);

/// The types that indices are read as: `u32` and `u64`.
pub trait Index: Element + Copy + Ord + Into<u64> + private::FromAny {
    /// The signed type of the same size.
    const SIGNED: ValueType;
    /// The smallest number that the signed type cannot represent.
    const NEGATIVE: u64;
}

impl Index for u32 {
    const SIGNED: ValueType = ValueType::I32;
    const NEGATIVE: u64 = 1 << 31;
}

impl Index for u64 {
    const SIGNED: ValueType = ValueType::I64;
    const NEGATIVE: u64 = 1 << 63;
}

mod private {
    /// Conversion from every integer type.
    pub trait FromAny:
        TryFrom<u8>
        + TryFrom<u16>
        + TryFrom<u32>
        + TryFrom<u64>
        + TryFrom<i8>
        + TryFrom<i16>
        + TryFrom<i32>
        + TryFrom<i64>
    {
    }

    impl FromAny for u32 {}
    impl FromAny for u64 {}
}

impl Indices {
    /// Opens an array of a group.
    ///
    /// # Errors
    ///
    /// Fails as [`Vector::open`], or if elements are not integers.
    pub fn open(group: &dyn Group, name: &str) -> Result<Self> {
        Self::new(Vector::open(group, name)?)
    }

    /// Wraps numbers as indices.
    ///
    /// # Errors
    ///
    /// Fails if they are not integers.
    pub fn new(vector: Vector) -> Result<Self> {
        let found = vector.value_type();
        if found.is_integer() && found != ValueType::Bint8 {
            return Ok(Self(vector));
        }
        let found = format!("elements of type {found}");
        Err(Error::mismatch(vector.place(), found, "integers"))
    }

    /// Returns the numbers.
    #[must_use]
    pub fn vector(&self) -> &Vector {
        &self.0
    }

    /// Caches short reads, as [`Vector::cached`].
    #[must_use]
    pub fn cached(self) -> Self {
        Self(self.0.cached())
    }

    /// Returns the numbers.
    #[must_use]
    pub fn into_vector(self) -> Vector {
        self.0
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Creates the error that an element is not as expected.
    pub fn wrong(&self, element: u64, value: impl Display, expected: impl Display) -> Error {
        Error::mismatch(self.0.place_of(element), value, expected)
    }

    /// Reads an element, which must be less than `bound`.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](Self::read).
    pub fn get(&self, element: u64, bound: u64) -> Result<u64> {
        let mut one = [0];
        self.read(element, bound, &mut one)?;
        Ok(one[0])
    }

    /// Fills `out` with elements from `first` on, which must be less than `bound`.
    ///
    /// # Errors
    ///
    /// Fails if one is not, or is negative, or if the storage cannot be read.
    pub fn read<T: Index>(&self, first: u64, bound: u64, out: &mut [T]) -> Result<()> {
        let stored = self.0.value_type();
        let good = if stored == T::TYPE {
            self.0.read_bytes(first, bytemuck::cast_slice_mut(out))?;
            below(out, bound)
        } else if stored == T::SIGNED {
            // The same bits; a negative number becomes a large one.
            self.0.read_bytes(first, bytemuck::cast_slice_mut(out))?;
            below(out, bound.min(T::NEGATIVE))
        } else {
            let good = match stored {
                ValueType::U8 => self.convert::<u8, T>(first, out)?,
                ValueType::U16 => self.convert::<u16, T>(first, out)?,
                ValueType::U32 => self.convert::<u32, T>(first, out)?,
                ValueType::U64 => self.convert::<u64, T>(first, out)?,
                ValueType::I8 => self.convert::<i8, T>(first, out)?,
                ValueType::I16 => self.convert::<i16, T>(first, out)?,
                ValueType::I32 => self.convert::<i32, T>(first, out)?,
                _ => self.convert::<i64, T>(first, out)?,
            };
            good && below(out, bound)
        };
        if good { Ok(()) } else { Err(self.find_wrong(first, out.len() as u64, bound)) }
    }

    /// Reads `count` elements from `first` on as the minors of a batch, for an axis of length
    /// `len`.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](Self::read).
    pub fn read_minors(&self, first: u64, count: usize, len: u64, out: &mut Minors) -> Result<()> {
        if len <= NARROW {
            let out = out.u32_buffer();
            out.resize(count, 0);
            return self.read(first, len, out);
        }
        let out = out.u64_mut();
        out.resize(count, 0);
        self.read(first, len, out)
    }

    /// Reads and converts elements of another type; returns whether all of them fit.
    fn convert<A, T>(&self, first: u64, out: &mut [T]) -> Result<bool>
    where
        A: Element + Copy,
        T: Index + TryFrom<A>,
    {
        STORED.with_borrow_mut(|words| {
            words.resize((out.len() * size_of::<A>()).div_ceil(size_of::<u64>()), 0);
            let stored: &mut [A] = &mut bytemuck::cast_slice_mut(words)[..out.len()];
            self.0.read_bytes(first, bytemuck::cast_slice_mut(stored))?;
            let mut good = true;
            for (place, &value) in out.iter_mut().zip(&*stored) {
                let converted = T::try_from(value);
                good &= converted.is_ok();
                *place = converted.unwrap_or(T::zeroed());
            }
            Ok(good)
        })
    }

    /// Finds the first element that is negative or not less than `bound`.
    #[cold]
    fn find_wrong(&self, first: u64, count: u64, bound: u64) -> Error {
        let expected = match bound {
            0 => "no indices, as the axis has length 0".to_owned(),
            _ => format!("0 to {}", bound - 1),
        };
        for element in first..first.saturating_add(count) {
            match self.0.get(element) {
                Ok(value) if whole(value).is_some_and(|value| value < bound) => {}
                Ok(value) => return self.wrong(element, value, expected),
                Err(error) => return error,
            }
        }
        Error::new(nnz_core::ErrorKind::Changed, self.0.place())
    }
}

fn below<T: Index>(values: &[T], bound: u64) -> bool {
    values.iter().max().is_none_or(|&largest| largest.into() < bound)
}

fn whole(value: Scalar) -> Option<u64> {
    match value {
        Scalar::U8(value) => Some(value.into()),
        Scalar::U16(value) => Some(value.into()),
        Scalar::U32(value) => Some(value.into()),
        Scalar::U64(value) => Some(value),
        Scalar::I8(value) => value.try_into().ok(),
        Scalar::I16(value) => value.try_into().ok(),
        Scalar::I32(value) => value.try_into().ok(),
        Scalar::I64(value) => value.try_into().ok(),
        _ => None,
    }
}
