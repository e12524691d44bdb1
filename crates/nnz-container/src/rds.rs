//! Objects of R in `.rds` files: S4 objects, whose slots are the members, and lists with names.
//!
//! R has 32-bit integers and doubles. Integer (and logical) vectors are arrays of `uint32`, bit for
//! bit; what an array means beyond that is known to the format that owns it. A member of a list
//! that is a member itself is named as R does: `dimnames[[1]]`. `NULL` is a list of no strings.
//!
//! R reads and writes a file from its start to its end, so an object that is read lies in memory.
//! One that is written does not: its arrays wait beside the target in files without a name.

mod numbers;
mod reader;
mod writer;

use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Place, Result};

pub use nnz_rds::{
    Compression, Cursor, Document, Entry, Integers, Limits, Object, Reals, Strings, TextRef, Value,
    Version,
};
pub use reader::Rds;
pub use writer::{Form, RdsOptions, RdsWriter};

use nnz_storage::InputFile;
pub use nnz_storage::Texts;

/// Returns whether a file starts like an object of R, compressed or not.
///
/// # Errors
///
/// Fails where the file cannot be read.
pub fn is_rds(file: &InputFile) -> Result<bool> {
    nnz_rds::looks_like(file.start_reader()).map_err(|error| file.error(error))
}

/// Reads the object of a file, whatever it is.
///
/// # Errors
///
/// Fails where the file cannot be read, is damaged, takes more memory than `limits` say, or holds
/// code or environments.
pub fn read(file: &InputFile, limits: Limits) -> Result<Document> {
    nnz_rds::read(file.reader(), limits).map_err(|error| placed(file.path(), error))
}

/// Says in which file an error was found.
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
