//! What an element of a dataset or an attribute is.

use nnz_core::ValueType;

/// How characters are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CharacterSet {
    /// ASCII.
    Ascii = 0,
    /// UTF-8. The default.
    #[default]
    Utf8 = 1,
}

/// What fills a string of fixed length behind its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringPadding {
    /// A zero byte ends the string.
    NullTerminated = 0,
    /// Zero bytes, of which there may be none.
    NullPadded = 1,
}

/// What an element is. Numbers are little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementType {
    /// A number. As in h5py, a bint8 is an enumeration of FALSE and TRUE, and a complex number a
    /// compound of `r` and `i`.
    Number(ValueType),
    /// A float of 2 bytes.
    Float16,
    /// A string of a fixed number of bytes.
    FixedString {
        /// Its bytes, at least 1.
        bytes: u32,
        /// What fills it.
        padding: StringPadding,
        /// How its characters are encoded.
        character_set: CharacterSet,
    },
    /// A string of any length, in a heap of the file.
    VariableString(CharacterSet),
    /// A reference to an object of the file.
    Reference,
    /// Several elements of different types.
    Compound(Vec<Field>),
    /// A list of references of any length.
    ReferenceList,
    /// Several elements of one type, as a field of a compound.
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
    /// Its name.
    pub name: String,
    /// What it holds.
    pub element: ElementType,
}

impl ElementType {
    /// A string of any length in UTF-8, as h5py writes them.
    pub const TEXT: Self = Self::VariableString(CharacterSet::Utf8);

    /// Returns the bytes an element takes where it is stored.
    ///
    /// A string of variable length takes 16: its length, and where its bytes are.
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
