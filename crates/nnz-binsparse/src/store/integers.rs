//! Indices and pointers, stored as integers of any type.

use std::fmt::Display;
use std::ops::Range;

use nnz_container::{NamedArrays, Vector};
use nnz_core::{At, Bint8, Element, Error, Place, Result, ValueType};

use super::absent::array_or_empty;
use crate::descriptor::Descriptor;
use crate::deviation::Deviations;

/// Elements of another type that are read at a time.
const BLOCK: usize = 1 << 14;

/// An array of indices or pointers.
pub(crate) struct Integers(Vector);

impl Integers {
    /// Caches short reads.
    pub(crate) fn cached(self) -> Self {
        Self(self.0.cached())
    }

    /// Opens an array that has a type in the descriptor.
    pub(crate) fn open(
        container: &NamedArrays,
        descriptor: &Descriptor,
        name: &str,
        found: &mut Deviations,
    ) -> Option<Self> {
        let declared = descriptor.data_type(name)?;
        let place = Place::array(container.path(), name);
        if declared.iso || !is_index(declared.value_type) {
            let expected = "an integer type in binsparse.data_types";
            found.refuse(Error::mismatch(place, format!("the type {declared}"), expected));
            return None;
        }
        let array = array_or_empty(container, descriptor, name, found)?;
        let stored = array.value_type();
        if !is_index(stored) {
            let text = format!("elements of type {stored}");
            found.refuse(Error::mismatch(place, text, "integers"));
            return None;
        }
        if stored != declared.value_type {
            let text = format!("elements of type {stored}");
            found.tolerate(Error::mismatch(place, text, format!("{declared}, as declared")));
        }
        check_end(&array, found);
        Some(Self(array))
    }

    pub(crate) fn len(&self) -> u64 {
        self.0.len()
    }

    pub(crate) fn place(&self, element: u64) -> Place {
        self.0.place().at(At::Element(element))
    }

    /// Returns the error for an invalid element.
    pub(crate) fn wrong(&self, element: u64, value: u64, expected: impl Display) -> Error {
        Error::mismatch(self.place(element), value, expected)
    }

    /// Announces that ranges of elements will be read soon.
    pub(crate) fn will_read(&self, ranges: &[Range<u64>]) {
        self.0.will_read(ranges);
    }

    pub(crate) fn vector(&self) -> &Vector {
        &self.0
    }

    pub(crate) fn has_latency(&self) -> bool {
        self.0.has_latency()
    }

    pub(crate) fn get(&self, element: u64) -> Result<u64> {
        let mut one = [0];
        self.read(element, &mut one)?;
        Ok(one[0])
    }

    /// Reads elements from `first` on into `out`.
    pub(crate) fn read<T: Index>(&self, first: u64, out: &mut [T]) -> Result<()> {
        if self.0.value_type() == T::TYPE {
            return self.0.read_into(first, out);
        }
        match self.0.value_type() {
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

    fn converted<A, T>(&self, first: u64, out: &mut [T]) -> Result<()>
    where
        A: Element + Copy + Display,
        T: Index + TryFrom<A>,
    {
        let mut block = vec![A::zeroed(); BLOCK.min(out.len())];
        for (start, out) in (first..).step_by(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let block = &mut block[..out.len()];
            self.0.read_into(start, block)?;
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

    /// Returns the first position in `range` whose element is not less than `value`; elements must
    /// ascend.
    pub(crate) fn search(&self, mut range: std::ops::Range<u64>, value: u64) -> Result<u64> {
        while range.start < range.end {
            let middle = range.start + (range.end - range.start) / 2;
            if self.get(middle)? < value {
                range.start = middle + 1;
            } else {
                range.end = middle;
            }
        }
        Ok(range.start)
    }
}

/// A type into which indices are read.
pub(crate) trait Index:
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
}

impl Index for u32 {
    const LARGEST: u64 = 0xffff_ffff;
}

impl Index for u64 {
    const LARGEST: u64 = Self::MAX;
}

/// Returns whether a type is allowed for indices.
pub(crate) fn is_index(value_type: ValueType) -> bool {
    value_type.is_integer() && value_type != Bint8::TYPE
}

/// Checks that an array does not end inside an element.
pub(super) fn check_end(array: &Vector, found: &mut Deviations) {
    if array.trailing_bytes() > 0 {
        let place = array.place().at(At::Element(array.len()));
        let text = format!("{} bytes after the last whole element", array.trailing_bytes());
        found.refuse(Error::mismatch(place, text, "none"));
    }
}
