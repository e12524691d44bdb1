//! "The Data Element Tag": the type and size of an element.

use nnz_core::ValueType;

/// `miMATRIX`.
pub(super) const MATRIX: u32 = 14;

/// `miCOMPRESSED`.
pub(super) const COMPRESSED: u32 = 15;

/// The tag of an element, and where its data is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// The type.
    pub(super) kind: u32,
    /// The size of the data.
    pub(super) bytes: u64,
    /// The offset of the data.
    pub(super) data: u64,
    /// The offset of the next element. Data is padded to 8 bytes.
    pub(super) next: u64,
}

impl Tag {
    /// Parses the tag at an offset; `None` if a small element states more than 4 bytes.
    pub(super) fn parse(bytes: [u8; 8], at: u64, big: bool) -> Option<Self> {
        let [a, b, c, d, e, f, g, h] = bytes;
        let word = |bytes| if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
        let first = word([a, b, c, d]);
        // "Small Data Element Format": the size is in the upper half, and the data follows.
        if first > 0xffff {
            let (kind, bytes) = (first & 0xffff, u64::from(first >> 16));
            let (data, next) = (at.checked_add(4)?, at.checked_add(8)?);
            return (bytes <= 4).then_some(Self { kind, bytes, data, next });
        }
        let (bytes, data) = (u64::from(word([e, f, g, h])), at.checked_add(8)?);
        let next = data.checked_add(bytes.next_multiple_of(8))?;
        Some(Self { kind: first, bytes, data, next })
    }

    /// Returns the type of the numbers; `None` if the data is not numeric.
    pub(super) fn value_type(&self) -> Option<ValueType> {
        Some(match self.kind {
            1 => ValueType::I8,
            2 => ValueType::U8,
            3 => ValueType::I16,
            4 => ValueType::U16,
            5 => ValueType::I32,
            6 => ValueType::U32,
            7 => ValueType::F32,
            9 => ValueType::F64,
            12 => ValueType::I64,
            13 => ValueType::U64,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_elements_have_their_size_in_the_upper_half() {
        let tag = Tag::parse([5, 0, 4, 0, 1, 2, 3, 4], 16, false).unwrap();
        assert_eq!(tag, Tag { kind: 5, bytes: 4, data: 20, next: 24 });
        let tag = Tag::parse([0, 4, 0, 5, 1, 2, 3, 4], 16, true).unwrap();
        assert_eq!(tag, Tag { kind: 5, bytes: 4, data: 20, next: 24 });
        assert_eq!(Tag::parse([5, 0, 5, 0, 0, 0, 0, 0], 16, false), None);
    }

    #[test]
    fn others_are_padded_to_8_bytes() {
        let tag = Tag::parse([9, 0, 0, 0, 9, 0, 0, 0], 16, false).unwrap();
        assert_eq!(tag, Tag { kind: 9, bytes: 9, data: 24, next: 40 });
        assert_eq!(tag.value_type(), Some(ValueType::F64));
        assert_eq!(Tag::parse([9, 0, 0, 0, 9, 0, 0, 0], u64::MAX - 9, false), None);
    }
}
