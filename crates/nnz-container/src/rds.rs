//! R objects in `.rds` files: S4 objects, whose slots are the members, and named lists.
//!
//! R has 32-bit integers and doubles. Integer and logical vectors are arrays of `uint32` with the
//! same bits; the format interprets them. Members of a nested list are named as in R:
//! `dimnames[[1]]`. `NULL` is an empty list of strings.
//!
//! R reads and writes a file sequentially, so an object that is read is in memory. While an object
//! is written, its arrays are in unnamed files next to the target.

mod numbers;
mod reader;
mod writer;

use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Place, Result};

pub use nnz_rds::{
    Compression, Cursor, Document, Entry, Integers, Limits, Object, Reals, Strings, TextRef, Value,
    Version,
};
pub use reader::{INFO, Rds};
pub use writer::{Form, RdsOptions, RdsWriter};

use nnz_storage::InputFile;
pub use nnz_storage::Texts;

/// Returns whether a file starts like an R object, compressed or not.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn is_rds(file: &InputFile) -> Result<bool> {
    nnz_rds::looks_like(file.start_reader()).map_err(|error| file.error(error))
}

/// Reads the object of a file, of any type.
///
/// # Errors
///
/// Fails if the file cannot be read, is damaged, takes more memory than `limits`, or has code or
/// environments.
pub fn read(file: &InputFile, limits: Limits) -> Result<Document> {
    nnz_rds::read(file.reader(), limits).map_err(|error| placed(file.path(), error))
}

/// Adds the file to an error.
pub fn placed(path: &Path, error: nnz_rds::Error) -> Error {
    let (kind, offset) = error.into_parts();
    let place = Place::path(path).at(At::Byte(offset));
    let kind = match kind {
        nnz_rds::ErrorKind::Io(error) => ErrorKind::Io(error),
        nnz_rds::ErrorKind::Mismatch { found, expected } => ErrorKind::Mismatch { found, expected },
        nnz_rds::ErrorKind::Memory { needed, allowed } => ErrorKind::Memory { needed, allowed },
        nnz_rds::ErrorKind::Unsupported(what) => ErrorKind::Unsupported(what),
        other => ErrorKind::Unsupported(other.to_string()),
    };
    Error::new(kind, place)
}
