//! What `info` tells of a source beyond its header.

use crate::ValueType;

/// Describes how a matrix is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The format, such as `BPCells matrix`.
    pub format: String,
    /// Where its arrays lie, such as `directory` or `gzip file`.
    pub container: String,
    /// The version the file states, where it states one.
    pub version: Option<String>,
    /// The variant of a format that has several, such as `coordinate real symmetric`.
    pub dialect: Option<String>,
    /// Bytes the whole takes on disk, where that can be told.
    pub bytes: Option<u64>,
    /// The arrays it is made of, where it is made of arrays.
    pub arrays: Vec<ArrayAbout>,
    /// What else is good to know, such as which programs read it.
    pub notes: Vec<String>,
}

/// Describes one array of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayAbout {
    /// The array's name.
    pub name: String,
    /// The type of its elements, or `None` for strings.
    pub value_type: Option<ValueType>,
    /// Number of elements, where known without reading it whole.
    pub len: Option<u64>,
    /// Bytes it takes.
    pub bytes: u64,
}
