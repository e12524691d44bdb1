//! The error of a task.

use std::fmt;
use std::io;
use std::path::Path;

/// A message for the developer.
#[derive(Debug)]
pub(crate) struct Error(String);

/// The result of a task.
pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Creates an error with a message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Creates an error from an I/O error and its path.
    pub(crate) fn at(path: &Path, error: &io::Error) -> Self {
        Self(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
