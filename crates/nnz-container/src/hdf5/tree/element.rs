//! Element types of the array model for datatypes of HDF5.

use nnz_chunk::byte_order;
use nnz_core::{Scalar, ValueType, Values};
use nnz_hdf5::{Class, CompoundMember, Datatype, Padding};

use crate::tree::{Member, StoredField, StoredType, TextForm};

/// Converts a type. Those that are not supported are named.
pub(super) fn element(datatype: &Datatype) -> StoredType {
    let bytes = datatype.bytes;
    let other = |what: &str| StoredType::Other { bytes, what: what.to_owned() };
    if let Some((value_type, big)) = datatype.number() {
        return StoredType::Number { value_type, big };
    }
    match &datatype.class {
        Class::Integer { .. } => other(&format!("integers of {bytes} bytes in an unusual form")),
        Class::Float(float) if float.ieee_bytes() == Some(2) && bytes == 2 => {
            StoredType::Float16 { big: float.big }
        }
        Class::Float(_) => other(&format!("floats of {bytes} bytes other than IEEE 754")),
        Class::Time => other("times"),
        Class::String(padding) => {
            let form = match padding {
                Padding::Terminated => TextForm::Terminated,
                Padding::Zeros => TextForm::Zeros,
                Padding::Spaces => TextForm::Spaces,
                Padding::Other => return other("strings with unknown padding"),
            };
            StoredType::Text { bytes, form }
        }
        Class::BitField { .. } => other("bit fields"),
        Class::Opaque(tag) => other(&format!("opaque elements {tag:?}")),
        Class::Compound(members) => match members.as_slice() {
            [real, imaginary] if is_complex(real, imaginary) => complex(&real.datatype, bytes),
            _ => None,
        }
        .unwrap_or_else(|| {
            let field = |member: &CompoundMember| StoredField {
                name: member.name.clone(),
                offset: member.offset,
                element: element(&member.datatype),
            };
            StoredType::Record { bytes, fields: members.iter().map(field).collect() }
        }),
        Class::ObjectReference => StoredType::Reference { bytes },
        Class::Enumeration { base, members } => enumeration(bytes, base, members)
            .unwrap_or_else(|| other("enumerations of an unusual form")),
        Class::VariableString(_) => StoredType::Variable { bytes },
        Class::Sequence(_) => other("sequences of variable length"),
        Class::Array { lengths, base } => {
            StoredType::Array { lengths: lengths.clone(), element: Box::new(element(base)) }
        }
        Class::Complex(part) => {
            complex(part, bytes).unwrap_or_else(|| other("complex numbers of an unusual form"))
        }
        _ => other("references other than object references"),
    }
}

/// Returns whether members form a complex number, as written by h5py.
fn is_complex(real: &CompoundMember, imaginary: &CompoundMember) -> bool {
    let named = real.name == "r" && imaginary.name == "i";
    let adjacent = real.offset == 0 && imaginary.offset == real.datatype.bytes;
    named && adjacent && real.datatype == imaginary.datatype
}

/// Two adjacent floats are a complex number.
fn complex(part: &Datatype, bytes: usize) -> Option<StoredType> {
    let (value_type, big) = match part.number()? {
        (ValueType::F32, big) => (ValueType::ComplexF32, big),
        (ValueType::F64, big) => (ValueType::ComplexF64, big),
        _ => return None,
    };
    (value_type.size() == bytes).then_some(StoredType::Number { value_type, big })
}

fn enumeration(bytes: usize, base: &Datatype, members: &[(String, Vec<u8>)]) -> Option<StoredType> {
    let (value_type, big) = base.number().or_else(|| narrow(base))?;
    let has = |name: &str, value: u8| members.iter().any(|(n, v)| n == name && v == &[value]);
    let boolean = members.len() == 2 && has("FALSE", 0) && has("TRUE", 1);
    if value_type.size() != bytes {
        return None;
    }
    if bytes == 1 && boolean {
        return Some(StoredType::Number { value_type: ValueType::Bint8, big: false });
    }
    let stored: Vec<u8> = members.iter().flat_map(|(_, value)| value).copied().collect();
    let values = integers(value_type, big, &stored)?;
    let members = members.iter().zip(values);
    let members = members.map(|((name, _), value)| Member { name: name.clone(), value }).collect();
    Some(StoredType::Enumeration { value_type, big, members })
}

/// Returns the type of an unsigned integer of fewer bits than its bytes have, the others of which are zero, as R's hdf5r
/// writes the base of an enumeration. It is read as an integer of all bits.
fn narrow(base: &Datatype) -> Option<(ValueType, bool)> {
    let Class::Integer { big, signed: false, bits: (0, 1..), padded: false } = base.class else {
        return None;
    };
    let value_type = match base.bytes {
        1 => ValueType::U8,
        2 => ValueType::U16,
        4 => ValueType::U32,
        8 => ValueType::U64,
        _ => return None,
    };
    Some((value_type, big))
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

    fn integer(bytes: usize, signed: bool, bits: u16) -> Datatype {
        let class = Class::Integer { big: false, signed, bits: (0, bits), padded: false };
        Datatype { bytes, class }
    }

    fn named(base: Datatype, members: &[(&str, u8)]) -> StoredType {
        let members = members.iter().map(|(name, value)| ((*name).to_owned(), vec![*value]));
        let class = Class::Enumeration { base: Box::new(base), members: members.collect() };
        element(&Datatype { bytes: 1, class })
    }

    #[test]
    fn only_full_width_integers_are_numbers() {
        let expected = StoredType::Number { value_type: ValueType::I32, big: false };
        assert_eq!(element(&integer(4, true, 32)), expected);
        assert!(matches!(element(&integer(4, true, 31)), StoredType::Other { bytes: 4, .. }));
    }

    #[test]
    fn enumerations_of_false_and_true_are_booleans() {
        let boolean = StoredType::Number { value_type: ValueType::Bint8, big: false };
        assert_eq!(named(integer(1, true, 8), &[("FALSE", 0), ("TRUE", 1)]), boolean);
        let member = |name: &str, value| Member { name: name.to_owned(), value };
        let (value_type, members) = (ValueType::I8, vec![member("FALSE", 1), member("TRUE", 0)]);
        let other = named(integer(1, true, 8), &[("FALSE", 1), ("TRUE", 0)]);
        assert_eq!(other, StoredType::Enumeration { value_type, big: false, members });
        // An unsigned byte of which 2 bits are used, as hdf5r writes it.
        let (value_type, members) = (ValueType::U8, vec![member("G1", 3)]);
        let factor = named(integer(1, false, 2), &[("G1", 3)]);
        assert_eq!(factor, StoredType::Enumeration { value_type, big: false, members });
    }
}
