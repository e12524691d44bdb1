//! Complex numbers, stored by h5py as compounds of two floats, `r` and `i`.

use nnz_core::ValueType;

use super::{description, float};

/// Size of the datatype message of a float.
const FLOAT: usize = 20;

/// Parses the datatype of a complex number.
pub(super) fn complex(stored: &[u8]) -> Option<(ValueType, bool)> {
    let (class, flags, size, mut members) = description(stored)?;
    let version = stored.first()? >> 4;
    // The flags have the number of members.
    if class != 6 || flags != [2, 0, 0] {
        return None;
    }
    let real = member(&mut members, version, (b'r', 0))?;
    let imaginary = member(&mut members, version, (b'i', size / 2))?;
    let value_type = match (real.0, size) {
        (ValueType::F32, 8) => ValueType::ComplexF32,
        (ValueType::F64, 16) => ValueType::ComplexF64,
        _ => return None,
    };
    (real == imaginary).then_some((value_type, real.1))
}

/// Parses a member: its name, its offset in the compound, its type.
fn member(rest: &mut &[u8], version: u8, (name, place): (u8, u32)) -> Option<(ValueType, bool)> {
    // Names end with a zero byte; old versions pad them to a multiple of eight bytes. The oldest
    // version has dimensions, of which a number has none.
    let (name_bytes, place_bytes, dimensions) = match version {
        1 => (8, 4, 28),
        2 => (8, 4, 0),
        _ => (2, 1, 0),
    };
    let (named, tail) = rest.split_at_checked(name_bytes)?;
    let (placed, tail) = tail.split_at_checked(place_bytes)?;
    let (dimensions, tail) = tail.split_at_checked(dimensions)?;
    let (described, tail) = tail.split_at_checked(FLOAT)?;
    *rest = tail;
    let placed = placed.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte));
    let scalar = dimensions.first().is_none_or(|&count| count == 0);
    let expected = named.starts_with(&[name, 0]) && placed == place && scalar;
    expected.then(|| float(described))?
}
