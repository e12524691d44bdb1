//! The types of arrays in a descriptor.

use std::fmt;
use std::str::FromStr;

use nnz_core::ValueType;

/// The type of an array, and whether it has one value for all entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataType {
    /// Whether the array has one element that all entries share.
    pub iso: bool,
    /// The type of the elements.
    pub value_type: ValueType,
}

impl From<ValueType> for DataType {
    fn from(value_type: ValueType) -> Self {
        Self { iso: false, value_type }
    }
}

impl FromStr for DataType {
    type Err = String;

    /// Parses a type such as `float32` or `iso[complex[float64]]`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let inner = text.strip_prefix("iso[").and_then(|text| text.strip_suffix(']'));
        let name = inner.unwrap_or(text);
        let value_type = ValueType::ALL.iter().copied().find(|t| t.name() == name);
        let value_type = value_type.ok_or_else(|| format!("{text:?}"))?;
        Ok(Self { iso: inner.is_some(), value_type })
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.iso { write!(f, "iso[{}]", self.value_type) } else { self.value_type.fmt(f) }
    }
}
