//! Element types, parsed from datatype messages (section IV.A.2.d).

use super::compound;
use crate::byte_order;
use crate::hdf5::datatype::{float, integer};
use crate::tree::{Member, Stored, TextForm};
use nnz_core::{Scalar, ValueType, Values};

/// Maximum depth of nested types.
const MAX_DEPTH: usize = 16;

/// Size of the common fields of all types: class and version, flags, size.
pub(super) const HEAD: usize = 8;

/// A datatype message that is being parsed.
pub(super) struct Description<'a> {
    pub(super) version: u8,
    class: u8,
    pub(super) flags: [u8; 3],
    pub(super) size: u32,
    /// The remaining bytes, of this type and others.
    pub(super) rest: &'a [u8],
    /// The bytes from the start on.
    all: &'a [u8],
    depth: usize,
}

/// Parses an element type; `None` if the message is truncated or inconsistent.
pub(in crate::hdf5) fn element(description: &[u8]) -> Option<Stored> {
    read(&mut &*description, MAX_DEPTH)
}

/// Parses a type and advances past it.
pub(super) fn read(bytes: &mut &[u8], depth: usize) -> Option<Stored> {
    let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
    let mut here = Description {
        version: head[0] >> 4,
        class: head[0] & 0xf,
        flags: [head[1], head[2], head[3]],
        size: u32::from_le_bytes([head[4], head[5], head[6], head[7]]),
        rest,
        all: bytes,
        depth: depth.checked_sub(1)?,
    };
    let element = here.element()?;
    *bytes = here.rest;
    Some(element)
}

impl<'a> Description<'a> {
    pub(super) fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(taken)
    }

    /// Parses a little-endian number of up to four bytes.
    pub(super) fn number(&mut self, bytes: usize) -> Option<u32> {
        Some(self.take(bytes)?.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte)))
    }

    /// Parses a name that ends with a zero byte; old versions pad names to a multiple of 8 bytes.
    pub(super) fn name(&mut self) -> Option<String> {
        let end = memchr::memchr(0, self.rest)?;
        let bytes = if self.version < 3 { (end + 1).next_multiple_of(8) } else { end + 1 };
        let name = self.take(bytes)?;
        Some(String::from_utf8_lossy(&name[..end]).into_owned())
    }

    /// Parses the type of an inner element.
    pub(super) fn inner(&mut self) -> Option<Stored> {
        read(&mut self.rest, self.depth)
    }

    fn bytes(&self) -> Option<usize> {
        usize::try_from(self.size).ok()
    }

    fn other(&self, what: impl Into<String>) -> Option<Stored> {
        Some(Stored::Other { bytes: self.bytes()?, what: what.into() })
    }

    fn element(&mut self) -> Option<Stored> {
        let bytes = self.bytes()?;
        match self.class {
            0 => {
                self.take(4)?;
                match integer(self.all) {
                    Some((value_type, big)) => Some(Stored::Number { value_type, big }),
                    None => self.other(format!("integers of {bytes} bytes in an unusual form")),
                }
            }
            1 => {
                let properties = self.take(12)?;
                match float(self.all) {
                    Some((value_type, big)) => Some(Stored::Number { value_type, big }),
                    None if self.is_float16(properties) => {
                        Some(Stored::Float16 { big: self.flags[0] & 1 != 0 })
                    }
                    None => self.other(format!("floats of {bytes} bytes other than IEEE 754")),
                }
            }
            2 => {
                self.take(2)?;
                self.other("times")
            }
            3 => {
                let form = match self.flags[0] & 0xf {
                    0 => TextForm::Terminated,
                    1 => TextForm::Zeros,
                    2 => TextForm::Spaces,
                    _ => return self.other("strings with unknown padding"),
                };
                Some(Stored::Text { bytes, form })
            }
            4 => {
                self.take(4)?;
                self.other("bit fields")
            }
            5 => {
                let tag = self.take(self.flags[0].into())?;
                let end = memchr::memchr(0, tag).unwrap_or(tag.len());
                let tag = String::from_utf8_lossy(&tag[..end]).into_owned();
                self.other(format!("opaque elements {tag:?}"))
            }
            6 => compound::read(self),
            7 if self.flags[0] & 0xf == 0 => Some(Stored::Reference { bytes }),
            7 => self.other("references other than object references"),
            8 => self.enumeration(),
            9 => self.variable(),
            10 => self.array(),
            11 => {
                let inner = self.inner()?;
                self.complex(&inner).or_else(|| self.other("complex numbers of an unusual form"))
            }
            class => self.other(format!("elements of the class {class}")),
        }
    }

    /// Two adjacent floats are a complex number.
    pub(super) fn complex(&self, part: &Stored) -> Option<Stored> {
        let (value_type, big) = match *part {
            Stored::Number { value_type: ValueType::F32, big } => (ValueType::ComplexF32, big),
            Stored::Number { value_type: ValueType::F64, big } => (ValueType::ComplexF64, big),
            _ => return None,
        };
        (value_type.size() == self.bytes()?).then_some(Stored::Number { value_type, big })
    }

    fn is_float16(&self, properties: &[u8]) -> bool {
        /// Offset and precision in bits; position and size of exponent and mantissa; bias.
        const HALF: [u8; 12] = [0, 0, 16, 0, 10, 5, 0, 10, 15, 0, 0, 0];
        let [order, sign, _] = self.flags;
        self.size == 2 && properties == HALF && order & 0x70 == 0x20 && sign == 15
    }

    /// Parses an enumeration.
    fn enumeration(&mut self) -> Option<Stored> {
        let count = u16::from_le_bytes([self.flags[0], self.flags[1]]);
        let described = self.rest;
        let base = match self.inner()? {
            // As R's hdf5r writes them.
            Stored::Other { .. } => narrow(described)?,
            base => base,
        };
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(self.name()?);
        }
        let width = base.bytes()?;
        let values = self.take(width.checked_mul(count.into())?)?;
        let small =
            matches!(base, Stored::Number { value_type: ValueType::I8 | ValueType::U8, .. });
        let holds = |name: &str, value: u8| {
            names.iter().zip(values).any(|(found, &held)| found == name && held == value)
        };
        if small && self.size == 1 && count == 2 && holds("FALSE", 0) && holds("TRUE", 1) {
            return Some(Stored::Number { value_type: ValueType::Bint8, big: false });
        }
        match base {
            Stored::Number { value_type, big } if self.bytes() == Some(width) => {
                let values = integers(value_type, big, values)?;
                let members = names.into_iter().zip(values);
                let members = members.map(|(name, value)| Member { name, value }).collect();
                Some(Stored::Enumeration { value_type, big, members })
            }
            _ => self.other("enumerations of an unusual form"),
        }
    }

    fn variable(&mut self) -> Option<Stored> {
        let bytes = self.bytes()?;
        let kind = self.flags[0] & 0xf;
        self.inner()?;
        match kind {
            1 => Some(Stored::Variable { bytes }),
            _ => self.other("sequences of variable length"),
        }
    }

    fn array(&mut self) -> Option<Stored> {
        let rank = self.number(1)?;
        if self.version < 3 {
            self.take(3)?;
        }
        let mut lengths = Vec::new();
        for _ in 0..rank {
            lengths.push(self.number(4)?.into());
        }
        if self.version < 3 {
            // The permutation of dimensions, which is not used.
            self.take(usize::try_from(rank).ok()?.checked_mul(4)?)?;
        }
        let array = Stored::Array { lengths, element: Box::new(self.inner()?) };
        (array.bytes() == self.bytes()).then_some(array)
    }
}

/// Parses the base of an enumeration that is an unsigned integer of fewer bits than its bytes have, the others of which
/// are zero. It is read as an integer of all bits. Any other type is returned as it is.
fn narrow(description: &[u8]) -> Option<Stored> {
    let mut rest = description;
    let other = read(&mut rest, MAX_DEPTH);
    let (head, properties) = description.split_first_chunk::<HEAD>()?;
    let [class, flags, _, _, size @ ..] = *head;
    let (offset, precision) = (properties.get(..2)?, properties.get(2..4)?);
    let precision = u32::from(u16::from_le_bytes([*precision.first()?, *precision.get(1)?]));
    let size = u32::from_le_bytes(size);
    let value_type = match size {
        1 => ValueType::U8,
        2 => ValueType::U16,
        4 => ValueType::U32,
        8 => ValueType::U64,
        _ => return other,
    };
    // Class 0; flags: padding with ones, and the sign.
    let is_narrow = class & 0xf == 0
        && flags & 0b1110 == 0
        && offset == [0, 0]
        && (1..size * 8).contains(&precision);
    match is_narrow {
        true => Some(Stored::Number { value_type, big: flags & 1 != 0 }),
        false => other,
    }
}

/// Reads integers in stored form.
fn integers(value_type: ValueType, big: bool, stored: &[u8]) -> Option<Vec<i128>> {
    let mut values = Values::new(value_type);
    let count = stored.len() / value_type.size();
    values.resize_bytes(count).copy_from_slice(stored);
    byte_order::to_native(values.bytes_mut(), value_type, big);
    let whole = |at| {
        Some(match values.get(at)? {
            Scalar::U8(value) => value.into(),
            Scalar::U16(value) => value.into(),
            Scalar::U32(value) => value.into(),
            Scalar::U64(value) => value.into(),
            Scalar::I8(value) => value.into(),
            Scalar::I16(value) => value.into(),
            Scalar::I32(value) => value.into(),
            Scalar::I64(value) => value.into(),
            _ => return None,
        })
    };
    (0..count).map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINGLE: &[u8] = &[0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0];

    #[test]
    fn arrays_and_booleans_are_parsed() {
        // Version 3, class 10, 12 bytes; one dimension of 3.
        let array = [&[0x3a, 0, 0, 0, 12, 0, 0, 0, 1, 3, 0, 0, 0][..], SINGLE].concat();
        let single = Stored::Number { value_type: ValueType::F32, big: false };
        let expected = Stored::Array { lengths: vec![3], element: Box::new(single) };
        assert_eq!(element(&array), Some(expected));
        for end in 0..array.len() {
            assert_eq!(element(&array[..end]), None, "{end}");
        }
        // Class 8, 2 members, 1 byte; the base is a signed byte; then names and values.
        let head = [0x38, 2, 0, 0, 1, 0, 0, 0, 0x10, 8, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0];
        let boolean = [&head[..], b"FALSE\0TRUE\0", &[0, 1]].concat();
        let expected = Stored::Number { value_type: ValueType::Bint8, big: false };
        assert_eq!(element(&boolean), Some(expected));
        let other = [&head[..], b"FALSE\0TRUE\0", &[1, 0]].concat();
        let member = |name: &str, value| Member { name: name.to_owned(), value };
        let (value_type, members) = (ValueType::I8, vec![member("FALSE", 1), member("TRUE", 0)]);
        let expected = Stored::Enumeration { value_type, big: false, members };
        assert_eq!(element(&other), Some(expected));
        for end in 0..other.len() {
            assert_eq!(element(&other[..end]), None, "{end}");
        }
        // Class 8, 1 member; the base is an unsigned byte of which 2 bits are used, as hdf5r writes it.
        let head = [0x38, 1, 0, 0, 1, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0];
        let factor = [&head[..], b"G1\0", &[3]].concat();
        let (value_type, members) = (ValueType::U8, vec![member("G1", 3)]);
        let expected = Stored::Enumeration { value_type, big: false, members };
        assert_eq!(element(&factor), Some(expected));
    }

    #[test]
    fn complex_numbers_are_compounds_of_two_floats() {
        // As written by h5py for old libraries: names of 8 bytes, 4 for the offset, 28 for
        // dimensions.
        let member = |name: u8, place: u8| {
            [&[name, 0, 0, 0, 0, 0, 0, 0, place][..], &[0; 31], SINGLE].concat()
        };
        let head = [0x16, 2, 0, 0, 8, 0, 0, 0];
        let old = [&head, &member(b'r', 0)[..], &member(b'i', 4)].concat();
        let expected = Some(Stored::Number { value_type: ValueType::ComplexF32, big: false });
        assert_eq!(element(&old), expected);
        // As written for new libraries.
        let head = [0x36, 2, 0, 0, 8, 0, 0, 0];
        let new = [&head, &[b'r', 0, 0][..], SINGLE, &[b'i', 0, 4], SINGLE].concat();
        assert_eq!(element(&new), expected);
        for end in 0..new.len() {
            assert_eq!(element(&new[..end]), None);
        }
        // A change of any of these bytes gives another compound: class, count, size, names,
        // offsets, types.
        for at in [0, 1, 4, 8, 10, 11, 12, 15, 31, 33, 34, 35] {
            let mut other = new.clone();
            other[at] ^= 1;
            assert_ne!(element(&other), expected, "byte {at}");
        }
    }

    #[test]
    fn the_depth_of_types_is_limited() {
        // A sequence of sequences of ...
        let endless = [0x19, 0, 0, 0, 16, 0, 0, 0].repeat(1000);
        assert_eq!(element(&endless), None);
    }
}
