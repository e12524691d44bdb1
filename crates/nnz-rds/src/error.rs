//! Errors, and their position.

use std::fmt;
use std::io;

/// The result of reading or writing.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The stream could not be read, decompressed or written.
    Io(io::Error),
    /// Something is not as expected.
    Mismatch {
        /// Description of the actual content.
        found: String,
        /// Description of the expected content.
        expected: String,
    },
    /// The content is recognized, but not supported.
    Unsupported(String),
    /// The operation needs more memory than allowed.
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
}

/// An error with its position in the uncompressed stream.
#[derive(Debug)]
pub struct Error(Box<(ErrorKind, u64)>);

impl Error {
    pub(crate) fn new(kind: ErrorKind, offset: u64) -> Self {
        Self(Box::new((kind, offset)))
    }

    pub(crate) fn mismatch(
        offset: u64,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> Self {
        let kind = ErrorKind::Mismatch { found: found.to_string(), expected: expected.to_string() };
        Self::new(kind, offset)
    }

    pub(crate) fn unsupported(offset: u64, what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported(what.into()), offset)
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.0
    }

    /// Returns the position in the uncompressed stream, in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.1
    }

    /// Splits the error into kind and position.
    #[must_use]
    pub fn into_parts(self) -> (ErrorKind, u64) {
        *self.0
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Mismatch { found, expected } => write!(f, "found {found}, expected {expected}"),
            Self::Unsupported(what) => f.write_str(what),
            Self::Memory { needed, allowed } => {
                write!(f, "needs {needed} bytes of memory, {allowed} are allowed")
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset(), self.kind())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}
