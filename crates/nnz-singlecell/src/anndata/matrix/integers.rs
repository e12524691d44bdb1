//! `indices` and `indptr`: integers of any type.

use std::fmt::Display;

use nnz_container::NumberArray;
use nnz_container::tree::Group;
use nnz_core::{At, Element, Error, Place, Result, ValueType};

/// Elements of another type that are read at a time.
const BLOCK: usize = 1 << 14;

/// An array of integers from 0.
pub(super) struct Integers(Box<dyn NumberArray>);

impl Integers {
    /// Opens an array of a group.
    pub(super) fn open(group: &dyn Group, name: &str) -> Result<Self> {
        let array = group.container()?.array(name)?;
        let found = array.value_type();
        if !found.is_integer() || found == ValueType::Bint8 {
            let found = format!("elements of type {found}");
            return Err(Error::mismatch(array.place(), found, "integers"));
        }
        Ok(Self(array))
    }

    pub(super) fn array(&self) -> &dyn NumberArray {
        &*self.0
    }

    pub(super) fn len(&self) -> u64 {
        self.0.len()
    }

    pub(super) fn place(&self, element: u64) -> Place {
        self.0.place().at(At::Element(element))
    }

    pub(super) fn get(&self, element: u64) -> Result<u64> {
        let mut one = [0];
        self.read(element, &mut one)?;
        Ok(one[0])
    }

    /// Fills `out` with elements from `first` on.
    pub(super) fn read<T: Index>(&self, first: u64, out: &mut [T]) -> Result<()> {
        let stored = self.0.value_type();
        if stored == T::TYPE {
            return self.0.read(first, out);
        }
        if stored == T::SIGNED {
            // The same bits, if none is negative.
            self.0.read_bytes(first, bytemuck::cast_slice_mut(out))?;
            return match out.iter().position(|&value| value > T::LARGEST_SIGNED) {
                None => Ok(()),
                Some(at) => Err(self.negative(first + at as u64)),
            };
        }
        match stored {
            ValueType::U8 => self.converted::<u8, T>(first, out),
            ValueType::U16 => self.converted::<u16, T>(first, out),
            ValueType::U32 => self.converted::<u32, T>(first, out),
            ValueType::U64 => self.converted::<u64, T>(first, out),
            ValueType::I8 => self.converted::<i8, T>(first, out),
            ValueType::I16 => self.converted::<i16, T>(first, out),
            ValueType::I32 => self.converted::<i32, T>(first, out),
            _ => self.converted::<i64, T>(first, out),
        }
    }

    fn negative(&self, element: u64) -> Error {
        Error::mismatch(self.place(element), "a negative number", "0 or more")
    }

    fn converted<A, T>(&self, first: u64, out: &mut [T]) -> Result<()>
    where
        A: Element + Copy + Display,
        T: Index + TryFrom<A>,
    {
        let mut block = vec![A::zeroed(); BLOCK.min(out.len())];
        for (start, out) in (first..).step_by(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let block = &mut block[..out.len()];
            self.0.read(start, block)?;
            let mut bad = false;
            for (place, &value) in out.iter_mut().zip(&*block) {
                let converted = T::try_from(value);
                bad |= converted.is_err();
                *place = converted.unwrap_or(T::zeroed());
            }
            if bad {
                let at = block.iter().position(|&value| T::try_from(value).is_err()).unwrap_or(0);
                let place = self.place(start + at as u64);
                let expected = format!("a whole number from 0 to {}", T::LARGEST);
                return Err(Error::mismatch(place, block[at], expected));
            }
        }
        Ok(())
    }
}

/// A type that indices are read into.
pub(super) trait Index:
    Element
    + Copy
    + Ord
    + Display
    + Into<u64>
    + TryFrom<u8>
    + TryFrom<u16>
    + TryFrom<u32>
    + TryFrom<u64>
    + TryFrom<i8>
    + TryFrom<i16>
    + TryFrom<i32>
    + TryFrom<i64>
{
    const LARGEST: u64;
    /// The signed type of the same size, and its largest number.
    const SIGNED: ValueType;
    const LARGEST_SIGNED: Self;
}

impl Index for u32 {
    const LARGEST: u64 = 0xffff_ffff;
    const SIGNED: ValueType = ValueType::I32;
    const LARGEST_SIGNED: Self = Self::MAX >> 1;
}

impl Index for u64 {
    const LARGEST: u64 = Self::MAX;
    const SIGNED: ValueType = ValueType::I64;
    const LARGEST_SIGNED: Self = Self::MAX >> 1;
}
