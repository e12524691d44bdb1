//! Storage of a source, as printed by `info`.

use std::io;

use crate::{Error, ErrorKind, Result, ValueType};

/// Describes how a matrix is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The format, such as `BPCells matrix`.
    pub format: String,
    /// The container of its arrays, such as `directory` or `gzip file`.
    pub container: String,
    /// The version in the file, if it has one.
    pub version: Option<String>,
    /// The variant, for a format with several, such as `coordinate real symmetric`.
    pub dialect: Option<String>,
    /// Size on disk in bytes, if known.
    pub bytes: Option<u64>,
    /// The arrays of the matrix, if it is stored in arrays.
    pub arrays: Vec<ArrayAbout>,
    /// Additional information, such as which programs can read it.
    pub notes: Vec<String>,
}

/// Describes one array of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayAbout {
    /// The array's name.
    pub name: String,
    /// The type of its elements, or `None` for strings.
    pub value_type: Option<ValueType>,
    /// Number of elements, if known without reading the whole array.
    pub len: Option<u64>,
    /// Size in bytes, if known.
    pub bytes: Option<u64>,
}

impl ArrayAbout {
    /// Returns a size, or `None` if the parts of an array cannot be listed, as on a web server.
    ///
    /// # Errors
    ///
    /// Fails with any other error.
    pub fn size(bytes: Result<u64>) -> Result<Option<u64>> {
        match bytes {
            Err(error) if is_denied(&error) => Ok(None),
            bytes => bytes.map(Some),
        }
    }
}

fn is_denied(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(error) if error.kind() == io::ErrorKind::PermissionDenied)
}
