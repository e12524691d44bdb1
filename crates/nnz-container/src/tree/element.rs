//! Element types of arrays.

use std::fmt;

use nnz_core::{TimeType, ValueType};

use crate::npy::Element;

/// The type of the elements of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementType {
    /// Numbers or booleans.
    Number(ValueType),
    /// 16-bit IEEE 754 floats, which are read as `float32`.
    Float16,
    /// Dates or durations, which are read as `int64`.
    Time(TimeType),
    /// Integers with names: an enumeration of HDF5 other than booleans.
    Enumeration(Vec<Member>),
    /// Strings of fixed length.
    FixedString {
        /// Stored length in bytes.
        bytes: u64,
        /// The encoding.
        encoding: StringEncoding,
    },
    /// Strings of variable length.
    String,
    /// Compounds of named fields.
    Compound(Vec<Field>),
    /// References to objects of the same file.
    Reference,
    /// Another type, described for messages.
    Other(String),
}

/// The encoding of strings of fixed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StringEncoding {
    /// Bytes, padded with zeros or spaces.
    Bytes,
    /// 32-bit code points, as in NumPy's `U`.
    Utf32,
}

/// A named integer of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name.
    pub name: String,
    /// The integer.
    pub value: i128,
}

/// A field of a compound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The type of its elements.
    pub element: ElementType,
    /// The lengths of its own dimensions, which follow the dimensions of the array; usually none.
    pub shape: Vec<u64>,
}

impl ElementType {
    /// Returns the type that elements are read as; `None` if they are not numbers.
    #[must_use]
    pub fn value_type(&self) -> Option<ValueType> {
        match self {
            Self::Number(value_type) => Some(*value_type),
            Self::Float16 => Some(ValueType::F32),
            Self::Time(_) => Some(ValueType::I64),
            _ => None,
        }
    }

    /// Returns whether elements are strings.
    #[must_use]
    pub fn is_string(&self) -> bool {
        matches!(self, Self::FixedString { .. } | Self::String)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(ValueType::Bint8) => f.write_str("bool"),
            Self::Number(value_type) => write!(f, "{value_type}"),
            Self::Float16 => f.write_str("float16"),
            Self::Time(time) => write!(f, "{time}"),
            Self::Enumeration(members) => {
                let names: Vec<&str> = members.iter().take(3).map(|m| m.name.as_str()).collect();
                let more = if members.len() > names.len() { ", ..." } else { "" };
                write!(f, "enumeration of {}{more}", names.join(", "))
            }
            Self::FixedString { bytes, encoding: StringEncoding::Bytes } => {
                write!(f, "string of {bytes} bytes")
            }
            Self::FixedString { bytes, encoding: StringEncoding::Utf32 } => {
                write!(f, "string of {} code points", bytes / 4)
            }
            Self::String => f.write_str("string"),
            Self::Compound(fields) => {
                let names: Vec<&str> = fields.iter().take(3).map(|f| f.name.as_str()).collect();
                let more = if fields.len() > names.len() { ", ..." } else { "" };
                write!(f, "compound of {}{more}", names.join(", "))
            }
            Self::Reference => f.write_str("reference"),
            Self::Other(what) => f.write_str(what),
        }
    }
}

/// How an element is stored. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoredType {
    Number {
        value_type: ValueType,
        big: bool,
    },
    Float16 {
        big: bool,
    },
    Time {
        time: TimeType,
        big: bool,
    },
    /// Named integers.
    Enumeration {
        value_type: ValueType,
        big: bool,
        members: Vec<Member>,
    },
    Text {
        bytes: usize,
        form: TextForm,
    },
    /// A string outside of the record, which has an ID of this size.
    Variable {
        bytes: usize,
    },
    Record {
        bytes: usize,
        fields: Vec<StoredField>,
    },
    /// An array of elements.
    Array {
        lengths: Vec<u64>,
        element: Box<StoredType>,
    },
    Reference {
        bytes: usize,
    },
    Other {
        bytes: usize,
        what: String,
    },
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredField {
    pub(crate) name: String,
    /// Its offset in the record.
    pub(crate) offset: usize,
    pub(crate) element: StoredType,
}

/// The padding of a string of fixed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// It ends at the first zero byte.
    Terminated,
    /// Padded with zero bytes.
    Zeros,
    /// Padded with spaces.
    Spaces,
    /// 32-bit code points, padded with zeros.
    Utf32 { big: bool },
}

impl StoredType {
    /// Returns the size of an element in bytes; `None` on overflow.
    pub(crate) fn bytes(&self) -> Option<usize> {
        match self {
            Self::Number { value_type, .. } | Self::Enumeration { value_type, .. } => {
                Some(value_type.size())
            }
            Self::Float16 { .. } => Some(2),
            Self::Time { .. } => Some(8),
            Self::Text { bytes, .. }
            | Self::Variable { bytes }
            | Self::Record { bytes, .. }
            | Self::Reference { bytes }
            | Self::Other { bytes, .. } => Some(*bytes),
            Self::Array { lengths, element } => {
                lengths.iter().try_fold(element.bytes()?, |all, &length| {
                    all.checked_mul(usize::try_from(length).ok()?)
                })
            }
        }
    }

    /// Returns the innermost element of nested arrays, and their lengths.
    pub(crate) fn flatten(&self) -> (Vec<u64>, &Self) {
        let (mut all, mut here) = (Vec::new(), self);
        while let Self::Array { lengths, element } = here {
            all.extend(lengths);
            here = element;
        }
        (all, here)
    }

    /// Returns the element type for readers, with arrays as dimensions.
    pub(crate) fn element_type(&self) -> ElementType {
        match self.flatten().1 {
            Self::Number { value_type, .. } => ElementType::Number(*value_type),
            Self::Float16 { .. } => ElementType::Float16,
            Self::Time { time, .. } => ElementType::Time(*time),
            Self::Enumeration { members, .. } => ElementType::Enumeration(members.clone()),
            Self::Text { bytes, form } => ElementType::FixedString {
                bytes: *bytes as u64,
                encoding: match form {
                    TextForm::Utf32 { .. } => StringEncoding::Utf32,
                    _ => StringEncoding::Bytes,
                },
            },
            Self::Variable { .. } => ElementType::String,
            Self::Record { fields, .. } => ElementType::Compound(
                fields
                    .iter()
                    .map(|field| Field {
                        name: field.name.clone(),
                        element: field.element.element_type(),
                        shape: field.element.flatten().0,
                    })
                    .collect(),
            ),
            Self::Reference { .. } => ElementType::Reference,
            Self::Other { what, .. } => ElementType::Other(what.clone()),
            // Flattened above.
            Self::Array { .. } => ElementType::Other("arrays".to_owned()),
        }
    }
}

impl StoredType {
    /// Converts an element type of NumPy; `None` if its size overflows.
    pub(crate) fn of_numpy(element: Element) -> Option<Self> {
        Some(match element {
            Element::Number { value_type, big } => Self::Number { value_type, big },
            Element::Unicode { length, big } => {
                let bytes = usize::try_from(length.checked_mul(4)?).ok()?;
                Self::Text { bytes, form: TextForm::Utf32 { big } }
            }
            Element::Bytes { length } => {
                Self::Text { bytes: usize::try_from(length).ok()?, form: TextForm::Zeros }
            }
        })
    }
}

impl TextForm {
    /// Returns a string of bytes without its padding.
    pub(crate) fn strip(self, string: &[u8]) -> &[u8] {
        let kept = |fill: u8| string.iter().rposition(|&byte| byte != fill).map_or(0, |at| at + 1);
        let end = match self {
            Self::Terminated => memchr::memchr(0, string).unwrap_or(string.len()),
            Self::Zeros | Self::Utf32 { .. } => kept(0),
            Self::Spaces => kept(b' '),
        };
        &string[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::TextForm;

    #[test]
    fn only_the_padding_of_strings_is_removed() {
        assert_eq!(TextForm::Terminated.strip(b"a \0b"), b"a ");
        assert_eq!(TextForm::Zeros.strip(b"a\0b\0\0"), b"a\0b");
        assert_eq!(TextForm::Spaces.strip(b" a  "), b" a");
        assert_eq!(TextForm::Spaces.strip(b"  "), b"");
    }
}
