//! The types of elements of datasets and attributes.

use nnz_core::ValueType;

/// A character encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CharacterSet {
    /// ASCII.
    Ascii = 0,
    /// UTF-8. The default.
    #[default]
    Utf8 = 1,
}

/// The padding of strings of fixed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringPadding {
    /// Terminated by a zero byte.
    NullTerminated = 0,
    /// Padded with zero bytes, or none.
    NullPadded = 1,
}

/// The type of an element. Numbers are little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementType {
    /// A number. As in h5py, a bint8 is an enumeration of FALSE and TRUE, and a complex number a
    /// compound of `r` and `i`.
    Number(ValueType),
    /// A float of 2 bytes.
    Float16,
    /// A string of fixed length.
    FixedString {
        /// Its length in bytes, at least 1.
        bytes: u32,
        /// Its padding.
        padding: StringPadding,
        /// Its encoding.
        character_set: CharacterSet,
    },
    /// A string of variable length, in the global heap.
    VariableString(CharacterSet),
    /// A reference to an object of the file.
    Reference,
    /// A compound of fields of different types.
    Compound(Vec<Field>),
    /// A sequence of references of variable length.
    ReferenceList,
    /// An array of one type, as a field of a compound.
    Array {
        /// Their type.
        element: Box<ElementType>,
        /// The length of each dimension, of which there are 1 to 4.
        shape: Vec<u32>,
    },
}

/// A field of a compound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The type.
    pub element: ElementType,
}

impl ElementType {
    /// A string of variable length in UTF-8, as written by h5py.
    pub const TEXT: Self = Self::VariableString(CharacterSet::Utf8);

    /// Returns the stored size of an element in bytes.
    ///
    /// A string of variable length takes 16 bytes: its length and its heap ID.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Number(value_type) => value_type.size() as u64,
            Self::Float16 => 2,
            Self::FixedString { bytes, .. } => u64::from(*bytes),
            Self::VariableString(_) | Self::ReferenceList => 16,
            Self::Reference => 8,
            Self::Compound(fields) => {
                fields.iter().fold(0, |sum, field| sum.saturating_add(field.element.size()))
            }
            Self::Array { element, shape } => {
                shape.iter().fold(element.size(), |all, len| all.saturating_mul((*len).into()))
            }
        }
    }
}
