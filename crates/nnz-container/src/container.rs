//! Capabilities of containers, and groups that were found.

use nnz_core::ValueType;

/// The types and texts that a container supports.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Capabilities {
    /// The types of numbers.
    pub value_types: &'static [ValueType],
    /// Whether strings may have line breaks.
    pub line_breaks: bool,
    /// Whether strings may be any bytes, not only UTF-8 without zero bytes.
    pub any_bytes: bool,
    /// Whether attributes may have any length and line breaks.
    pub multiline_attributes: bool,
}

nnz_core::setters! {
    const Capabilities {
        value_types: &'static [ValueType],
        line_breaks: bool,
        any_bytes: bool,
        multiline_attributes: bool,
    }
}

impl Capabilities {
    /// All types of numbers, strings in UTF-8, and attributes of any length.
    pub const TEXTS: Self = Self {
        value_types: ValueType::ALL,
        line_breaks: true,
        any_bytes: false,
        multiline_attributes: true,
    };
}

/// A group that has one of the attributes searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundGroup {
    /// The path of the group without a leading slash; empty for the root group.
    pub group: String,
    /// The attribute's name.
    pub attribute: String,
    /// The value of the attribute; empty if it is not text.
    pub text: String,
}
