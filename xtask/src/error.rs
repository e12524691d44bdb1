//! What stops a chore.

use std::fmt;
use std::io;
use std::path::Path;

/// A message for the developer.
#[derive(Debug)]
pub(crate) struct Error(String);

/// What a chore returns.
pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Wraps a message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Wraps an I/O error with the place where it happened.
    pub(crate) fn at(path: &Path, error: &io::Error) -> Self {
        Self(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
