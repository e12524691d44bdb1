//! What an element is: a number of a standard form, a string, or something else.
//!
//! Numbers are judged by the stored bytes of their description: the parsed form leaves out where
//! the bits lie, and a 12-bit integer in 16 bits must not be taken for one of 16.

mod complex;

use hdf5_reader::{Datatype, StringPadding, StringSize};
use nnz_core::ValueType;

/// An element of a dataset or attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number; `big` says that its bytes come highest first.
    Number { value_type: ValueType, big: bool },
    /// A string of a fixed number of bytes.
    Fixed { bytes: u32, padding: Padding },
    /// A string somewhere else in the file.
    Variable,
    /// Anything else, described for a message.
    Other(String),
}

/// What fills a string up to its fixed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// The string ends at the first zero byte.
    Terminated,
    /// Zero bytes at the end are filling.
    Zeros,
    /// Blanks at the end are filling.
    Blanks,
}

impl Padding {
    fn of(padding: StringPadding) -> Self {
        match padding {
            StringPadding::NullTerminate => Self::Terminated,
            StringPadding::NullPad => Self::Zeros,
            StringPadding::SpacePad => Self::Blanks,
        }
    }

    /// Returns a string without its filling.
    pub(super) fn strip(self, string: &[u8]) -> &[u8] {
        let kept = |fill: u8| string.iter().rposition(|&byte| byte != fill).map_or(0, |at| at + 1);
        let end = match self {
            Self::Terminated => memchr::memchr(0, string).unwrap_or(string.len()),
            Self::Zeros => kept(0),
            Self::Blanks => kept(b' '),
        };
        &string[..end]
    }
}

/// Says what an element is, from its description as parsed and as stored.
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
        // The base is described from byte 8 on.
        Datatype::Enum { members, .. } => match stored.get(8..).and_then(integer) {
            Some((ValueType::I8 | ValueType::U8, _)) if is_boolean(members) => {
                number(ValueType::Bint8, false)
            }
            _ => {
                let names: Vec<&str> =
                    members.iter().take(3).map(|member| member.name.as_str()).collect();
                Kind::Other(format!("an enumeration of {}", listed(&names, members.len())))
            }
        },
        Datatype::Compound { fields, .. } => match complex::complex(stored) {
            Some((value_type, big)) => number(value_type, big),
            None => {
                let names: Vec<&str> =
                    fields.iter().take(3).map(|field| field.name.as_str()).collect();
                Kind::Other(format!("compounds of {}", listed(&names, fields.len())))
            }
        },
        Datatype::Array { .. } => Kind::Other("arrays as elements".to_owned()),
        Datatype::Opaque { .. } => Kind::Other("opaque bytes".to_owned()),
        Datatype::Reference { .. } => Kind::Other("references".to_owned()),
        _ => Kind::Other("elements of a kind that is not handled".to_owned()),
    }
}

/// Lists names for a message, as far as they are told.
fn listed(names: &[&str], all: usize) -> String {
    let more = if all > names.len() { ", ..." } else { "" };
    format!("{}{more}", names.join(", "))
}

/// How booleans are written by h5py and by all that follow it.
fn is_boolean(members: &[hdf5_reader::EnumMember]) -> bool {
    let holds = |name: &str, value: u8| {
        members.iter().any(|member| member.name == name && member.value == [value])
    };
    members.len() == 2 && holds("FALSE", 0) && holds("TRUE", 1)
}

/// Reads the description of an integer that fills its bytes.
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

/// Reads the description of an IEEE 754 float.
pub(super) fn float(stored: &[u8]) -> Option<(ValueType, bool)> {
    let (class, flags, size, properties) = description(stored)?;
    // Offset and precision in bits; place and size of exponent and mantissa; bias.
    const SINGLE: [u8; 12] = [0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0];
    const DOUBLE: [u8; 12] = [0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0];
    let value_type = match (size, properties.get(..12)?) {
        (4, form) if form == SINGLE => ValueType::F32,
        (8, form) if form == DOUBLE => ValueType::F64,
        _ => return None,
    };
    // Bits 4 and 5: the highest bit of the mantissa is implied. Bit 6: the order of a VAX.
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
    fn only_whole_integers_are_numbers() {
        let mut stored = [0x10, 0x08, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0];
        assert_eq!(integer(&stored), Some((ValueType::I32, false)));
        stored[1] = 1;
        assert_eq!(integer(&stored), Some((ValueType::U32, true)));
        stored[10] = 31;
        assert_eq!(integer(&stored), None);
        assert_eq!(integer(&stored[..9]), None);
    }

    #[test]
    fn complex_numbers_are_two_floats_that_fill_their_compound() {
        const SINGLE: &[u8] =
            &[0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0];
        // As h5py writes it for old libraries: names of 8 bytes, 4 for the place, 28 for dimensions.
        let member = |name: u8, place: u8| {
            [&[name, 0, 0, 0, 0, 0, 0, 0, place][..], &[0; 31], SINGLE].concat()
        };
        let head = [0x16, 2, 0, 0, 8, 0, 0, 0];
        let old = [&head, &member(b'r', 0)[..], &member(b'i', 4)].concat();
        let expected = Some((ValueType::ComplexF32, false));
        assert_eq!(complex::complex(&old), expected);
        // As for new ones.
        let head = [0x56, 2, 0, 0, 8, 0, 0, 0];
        let new = [&head, &[b'r', 0, 0][..], SINGLE, &[b'i', 0, 4], SINGLE].concat();
        assert_eq!(complex::complex(&new), expected);
        for end in 0..new.len() {
            assert_eq!(complex::complex(&new[..end]), None);
        }
        // Each of these bytes makes it another compound: class, count, size, names, places, forms.
        for at in [0, 1, 4, 8, 10, 11, 12, 15, 31, 33, 34, 35] {
            let mut other = new.clone();
            other[at] ^= 1;
            assert_eq!(complex::complex(&other), None, "byte {at}");
        }
    }

    #[test]
    fn strings_lose_only_their_own_filling() {
        assert_eq!(Padding::Terminated.strip(b"a \0b"), b"a ");
        assert_eq!(Padding::Zeros.strip(b"a\0b\0\0"), b"a\0b");
        assert_eq!(Padding::Blanks.strip(b" a  "), b" a");
        assert_eq!(Padding::Blanks.strip(b"  "), b"");
    }
}
