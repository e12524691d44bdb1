//! Element types of arrays, from their `descr`.

use nnz_core::ValueType;

/// The type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// A number.
    Number { value_type: ValueType, big: bool },
    /// A string of 32-bit code points, of this length, padded with zeros.
    Unicode { length: u64, big: bool },
    /// A string of bytes, of this length, padded with zeros.
    Bytes { length: u64 },
}

/// The types of numbers, and their names after the byte order.
const NUMBERS: [(ValueType, &str); 13] = [
    (ValueType::Bint8, "b1"),
    (ValueType::U8, "u1"),
    (ValueType::U16, "u2"),
    (ValueType::U32, "u4"),
    (ValueType::U64, "u8"),
    (ValueType::I8, "i1"),
    (ValueType::I16, "i2"),
    (ValueType::I32, "i4"),
    (ValueType::I64, "i8"),
    (ValueType::F32, "f4"),
    (ValueType::F64, "f8"),
    (ValueType::ComplexF32, "c8"),
    (ValueType::ComplexF64, "c16"),
];

impl Element {
    /// Parses a `descr` such as `<f8`; `None` if it is not supported.
    pub(crate) fn parse(descr: &str) -> Option<Self> {
        let order = descr.chars().next()?;
        let rest = descr.get(order.len_utf8()..)?;
        let big = match order {
            '<' | '|' => false,
            '>' => true,
            '=' => cfg!(target_endian = "big"),
            _ => return None,
        };
        if let Some((value_type, _)) = NUMBERS.iter().find(|(_, name)| *name == rest) {
            let ordered = order != '|' || value_type.size() == 1;
            return ordered.then_some(Self::Number { value_type: *value_type, big });
        }
        let digits = rest.get(1..)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let length = digits.parse().ok()?;
        match rest.as_bytes().first()? {
            b'U' if order != '|' => Some(Self::Unicode { length, big }),
            b'S' | b'a' => Some(Self::Bytes { length }),
            _ => None,
        }
    }

    /// Parses a type by any of its names in NumPy, such as `<i4`, `i4` and `int32`, which are in native byte order if
    /// they have none.
    pub(crate) fn parse_name(name: &str) -> Option<Self> {
        let big = cfg!(target_endian = "big");
        let named = ValueType::ALL.iter().find(|value_type| value_type.name() == name);
        if let Some(value_type) = named.filter(|found| !found.is_complex()) {
            let value_type = *value_type;
            return Some(Self::Number { value_type, big: big && value_type.size() > 1 });
        }
        Self::parse(name).or_else(|| Self::parse(&format!("={name}")))
    }

    /// Returns the `descr`.
    pub(crate) fn descr(self) -> String {
        let order = |big| if big { '>' } else { '<' };
        match self {
            Self::Number { value_type, big } => {
                let name = NUMBERS.iter().find(|(t, _)| *t == value_type).map_or("", |(_, n)| n);
                let order = if value_type.size() == 1 { '|' } else { order(big) };
                format!("{order}{name}")
            }
            Self::Unicode { length, big } => format!("{}U{length}", order(big)),
            Self::Bytes { length } => format!("|S{length}"),
        }
    }

    /// Returns the size of an element in bytes; `None` on overflow.
    pub(crate) fn size(self) -> Option<u64> {
        match self {
            Self::Number { value_type, .. } => Some(value_type.size() as u64),
            Self::Unicode { length, .. } => length.checked_mul(4),
            Self::Bytes { length } => Some(length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descr_round_trips() {
        for &value_type in ValueType::ALL {
            for big in [false, true] {
                let element = Element::Number { value_type, big: big && value_type.size() > 1 };
                assert_eq!(Element::parse(&element.descr()), Some(element));
            }
        }
        assert_eq!(Element::parse("<U12"), Some(Element::Unicode { length: 12, big: false }));
        assert_eq!(Element::parse(">U0"), Some(Element::Unicode { length: 0, big: true }));
        assert_eq!(Element::parse("|S3"), Some(Element::Bytes { length: 3 }));
    }

    #[test]
    fn unsupported_types_are_refused() {
        for descr in [
            "", "<", "f8", "|O", "<f2", "<f16", "<c32", "<M8[ns]", "|V4", "<U", "<U-1", "|u4", "é8",
        ] {
            assert_eq!(Element::parse(descr), None, "{descr}");
        }
    }
}
