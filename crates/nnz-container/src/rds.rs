//! R objects in `.rds` files: S4 objects, whose slots are the members, and named lists.
//!
//! R has 32-bit integers and doubles. Integer and logical vectors are arrays of `uint32` with the
//! same bits; the format interprets them. Members of a nested list are named as in R:
//! `dimnames[[1]]`. `NULL` is an empty list of strings.
//!
//! R reads and writes a file sequentially, so an object that is read is in memory, except for vectors of a megabyte and
//! more: these stay in the file if it is not compressed, and are packed, or in a temporary file, otherwise. While an object is
//! written, its arrays are in unnamed files next to the target.

mod arrays;
mod new_object;
mod numbers;
mod reader;
mod spool;
mod writer;

use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Place, Result};

pub use arrays::{ArraySpool, SpooledArray};
pub use new_object::{NewFile, NewObject, NewTexts, NewValue};
pub use nnz_rds::{
    Compression, Cursor, Document, Entry, Integers, Limits, NA_INTEGER, NA_REAL_BITS, Object,
    Reals, Strings, TextRef, Value, Version,
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

/// Reads the object of a file, of any type. Functions and environments are skipped.
///
/// # Errors
///
/// Fails if the file cannot be read, is damaged, or takes more memory than `limits`, and if cancelled.
pub fn read(file: &InputFile, limits: Limits) -> Result<Document> {
    spool::read(file, limits).map_err(|error| match file.context().check() {
        // Reading stopped because of that.
        Err(cancelled) => cancelled,
        Ok(()) => placed(file.path(), error),
    })
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
