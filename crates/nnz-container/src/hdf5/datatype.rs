//! The type of elements: standard numbers, strings, or something else.
//!
//! Numbers are parsed from the stored datatype message: the form parsed by `hdf5-reader` lacks the
//! position of bits, and a 12-bit integer in 16 bits must not be read as a 16-bit integer.

mod complex;

use hdf5_reader::{Datatype, StringPadding, StringSize};
use nnz_core::ValueType;

/// The type of elements of a dataset or attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number; `big` means big-endian.
    Number { value_type: ValueType, big: bool },
    /// A string of fixed length.
    Fixed { bytes: u32, padding: Padding },
    /// A string in the global heap.
    Variable,
    /// Another type, described for messages.
    Other(String),
}

/// The padding of strings of fixed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// The string ends at the first zero byte.
    Terminated,
    /// Padded with zero bytes.
    Zeros,
    /// Padded with spaces.
    Spaces,
}

impl Padding {
    fn of(padding: StringPadding) -> Self {
        match padding {
            StringPadding::NullTerminate => Self::Terminated,
            StringPadding::NullPad => Self::Zeros,
            StringPadding::SpacePad => Self::Spaces,
        }
    }

    /// Returns a string without its padding.
    pub(super) fn strip(self, string: &[u8]) -> &[u8] {
        let kept = |fill: u8| string.iter().rposition(|&byte| byte != fill).map_or(0, |at| at + 1);
        let end = match self {
            Self::Terminated => memchr::memchr(0, string).unwrap_or(string.len()),
            Self::Zeros => kept(0),
            Self::Spaces => kept(b' '),
        };
        &string[..end]
    }
}

/// Returns the type of elements, from the parsed and the stored message.
pub(super) fn kind(parsed: &Datatype, stored: &[u8]) -> Kind {
    let number = |value_type, big| Kind::Number { value_type, big };
    match parsed {
        Datatype::String { size: StringSize::Fixed(bytes), padding, .. } => {
            Kind::Fixed { bytes: *bytes, padding: Padding::of(*padding) }
        }
        Datatype::String { size: StringSize::Variable, .. } => Kind::Variable,
        Datatype::VarLen { kind: hdf5_reader::VarLenKind::String, .. } => Kind::Variable,
        Datatype::VarLen { .. } => Kind::Other("sequences of variable length".to_owned()),
        Datatype::FixedPoint { size, .. } => match integer(stored) {
            Some((value_type, big)) => number(value_type, big),
            None => Kind::Other(format!("integers of {size} bytes in an unusual form")),
        },
        Datatype::FloatingPoint { size, .. } => match float(stored) {
            Some((value_type, big)) => number(value_type, big),
            None => Kind::Other(format!("floats of {size} bytes other than IEEE 754 of 4 or 8")),
        },
        // The message of the base type starts at byte 8.
        Datatype::Enum { members, .. } => match stored.get(8..).and_then(integer) {
            Some((ValueType::I8 | ValueType::U8, _)) if is_boolean(members) => {
                number(ValueType::Bint8, false)
            }
            _ => {
                let names: Vec<&str> =
                    members.iter().take(3).map(|member| member.name.as_str()).collect();
                Kind::Other(format!("an enumeration of {}", list_names(&names, members.len())))
            }
        },
        Datatype::Compound { fields, .. } => match complex::complex(stored) {
            Some((value_type, big)) => number(value_type, big),
            None => {
                let names: Vec<&str> =
                    fields.iter().take(3).map(|field| field.name.as_str()).collect();
                Kind::Other(format!("compounds of {}", list_names(&names, fields.len())))
            }
        },
        Datatype::Array { .. } => Kind::Other("arrays as elements".to_owned()),
        Datatype::Opaque { .. } => Kind::Other("opaque bytes".to_owned()),
        Datatype::Reference { .. } => Kind::Other("references".to_owned()),
        _ => Kind::Other("elements of an unsupported type".to_owned()),
    }
}

/// Lists names for a message, followed by dots if there are more.
fn list_names(names: &[&str], all: usize) -> String {
    let more = if all > names.len() { ", ..." } else { "" };
    format!("{}{more}", names.join(", "))
}

/// Whether the members are those of booleans of h5py.
fn is_boolean(members: &[hdf5_reader::EnumMember]) -> bool {
    let holds = |name: &str, value: u8| {
        members.iter().any(|member| member.name == name && member.value == [value])
    };
    members.len() == 2 && holds("FALSE", 0) && holds("TRUE", 1)
}

/// Parses an integer that uses all of its bits.
pub(super) fn integer(stored: &[u8]) -> Option<(ValueType, bool)> {
    let (class, flags, size, properties) = description(stored)?;
    let [offset, precision] = [word(properties, 0)?, word(properties, 2)?];
    if class != 0 || offset != 0 || u32::from(precision) != size.checked_mul(8)? {
        return None;
    }
    let value_type = match (size, flags[0] & 8 != 0) {
        (1, false) => ValueType::U8,
        (2, false) => ValueType::U16,
        (4, false) => ValueType::U32,
        (8, false) => ValueType::U64,
        (1, true) => ValueType::I8,
        (2, true) => ValueType::I16,
        (4, true) => ValueType::I32,
        (8, true) => ValueType::I64,
        _ => return None,
    };
    Some((value_type, flags[0] & 1 != 0))
}

/// Parses an IEEE 754 float.
pub(super) fn float(stored: &[u8]) -> Option<(ValueType, bool)> {
    let (class, flags, size, properties) = description(stored)?;
    // Offset and precision in bits; position and size of exponent and mantissa; bias.
    const SINGLE: [u8; 12] = [0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0];
    const DOUBLE: [u8; 12] = [0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0];
    let value_type = match (size, properties.get(..12)?) {
        (4, form) if form == SINGLE => ValueType::F32,
        (8, form) if form == DOUBLE => ValueType::F64,
        _ => return None,
    };
    // Bits 4 and 5: the highest bit of the mantissa is implied. Bit 6: VAX byte order.
    let standard = class == 1 && flags[0] & 0x70 == 0x20 && u32::from(flags[1]) + 1 == size * 8;
    standard.then_some((value_type, flags[0] & 1 != 0))
}

type Description<'a> = (u8, [u8; 3], u32, &'a [u8]);

fn description(stored: &[u8]) -> Option<Description<'_>> {
    let (head, properties) = stored.split_at_checked(8)?;
    let size = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
    Some((head[0] & 0xf, [head[1], head[2], head[3]], size, properties))
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_width_integers_are_numbers() {
        let mut stored = [0x10, 0x08, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0];
        assert_eq!(integer(&stored), Some((ValueType::I32, false)));
        stored[1] = 1;
        assert_eq!(integer(&stored), Some((ValueType::U32, true)));
        stored[10] = 31;
        assert_eq!(integer(&stored), None);
        assert_eq!(integer(&stored[..9]), None);
    }

    #[test]
    fn complex_numbers_are_compounds_of_two_floats() {
        const SINGLE: &[u8] =
            &[0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0];
        // As written by h5py for old libraries: names of 8 bytes, 4 for the offset, 28 for
        // dimensions.
        let member = |name: u8, place: u8| {
            [&[name, 0, 0, 0, 0, 0, 0, 0, place][..], &[0; 31], SINGLE].concat()
        };
        let head = [0x16, 2, 0, 0, 8, 0, 0, 0];
        let old = [&head, &member(b'r', 0)[..], &member(b'i', 4)].concat();
        let expected = Some((ValueType::ComplexF32, false));
        assert_eq!(complex::complex(&old), expected);
        // As written for new libraries.
        let head = [0x56, 2, 0, 0, 8, 0, 0, 0];
        let new = [&head, &[b'r', 0, 0][..], SINGLE, &[b'i', 0, 4], SINGLE].concat();
        assert_eq!(complex::complex(&new), expected);
        for end in 0..new.len() {
            assert_eq!(complex::complex(&new[..end]), None);
        }
        // A change of any of these bytes gives another compound: class, count, size, names,
        // offsets, types.
        for at in [0, 1, 4, 8, 10, 11, 12, 15, 31, 33, 34, 35] {
            let mut other = new.clone();
            other[at] ^= 1;
            assert_eq!(complex::complex(&other), None, "byte {at}");
        }
    }

    #[test]
    fn only_the_padding_of_strings_is_removed() {
        assert_eq!(Padding::Terminated.strip(b"a \0b"), b"a ");
        assert_eq!(Padding::Zeros.strip(b"a\0b\0\0"), b"a\0b");
        assert_eq!(Padding::Spaces.strip(b" a  "), b" a");
        assert_eq!(Padding::Spaces.strip(b"  "), b"");
    }
}
