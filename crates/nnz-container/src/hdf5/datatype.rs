//! Standard numbers, parsed from datatype messages.
//!
//! The form parsed by `hdf5-reader` lacks the position of bits, and a 12-bit integer in 16 bits must not be read as a
//! 16-bit integer.

use nnz_core::ValueType;

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
}
