//! Values and names as text.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use nnz_core::{Error, Place, Result};

use crate::Selection;

pub use nnz_core::{escaped, is_unprintable, write_scalar};

/// Reads names or positions to select, one a line.
///
/// # Errors
///
/// Fails where the file cannot be read.
pub fn read_selection(path: impl AsRef<Path>) -> Result<Selection> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    Selection::read_lines(BufReader::new(file), &Place::path(path))
}
