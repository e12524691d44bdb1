//! Storage of a source, as printed by `info`.

use std::io;

use crate::{Error, ErrorKind, Result, ValueType};

/// Describes how a matrix is stored.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
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
#[non_exhaustive]
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

crate::setters! {
    About {
        version: Option<String>,
        dialect: Option<String>,
        bytes: Option<u64>,
        arrays: Vec<ArrayAbout>,
        notes: Vec<String>,
    }
}

impl About {
    /// Describes a matrix of a format in a container.
    #[must_use]
    pub fn new(format: impl Into<String>, container: impl Into<String>) -> Self {
        Self { format: format.into(), container: container.into(), ..Self::default() }
    }

    /// Sets the arrays, and the size to the sum of theirs, if all are known.
    #[must_use]
    pub fn with_arrays(self, arrays: Vec<ArrayAbout>) -> Self {
        self.bytes(arrays.iter().map(|array| array.bytes).sum::<Option<u64>>()).arrays(arrays)
    }
}

crate::setters! {
    ArrayAbout { value_type: Option<ValueType>, len: Option<u64>, bytes: Option<u64> }
}

impl ArrayAbout {
    /// Describes an array of which only the name is known.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), value_type: None, len: None, bytes: None }
    }

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
