//! A single `.npy` file.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{At, Error, Place, Result};

use super::header::MAGIC;
use super::reader::Source;
use super::tree::NumpyArray;
use crate::tree::{NdArray, View};

/// Returns whether a file that starts with these bytes is an array of NumPy.
#[must_use]
pub fn is_npy(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(MAGIC)
}

/// A `.npy` file, open for reading.
#[derive(Debug)]
pub struct NpyFile {
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// Whether the first index changes fastest, as in Fortran; otherwise the last one does.
    pub fortran_order: bool,
    /// All elements in the order they are stored in, as an array of one dimension.
    pub elements: Box<dyn NdArray>,
}

impl NpyFile {
    /// Opens a file. Its header is read.
    ///
    /// # Errors
    ///
    /// Fails where there is no array of NumPy at `path`, or one that is longer or shorter than its
    /// header says.
    pub fn open(path: &Path) -> Result<Self> {
        let place = Place::path(path);
        let found = path.metadata().map_err(|error| Error::io(path, error))?;
        if !found.is_file() {
            return Err(Error::mismatch(place, "no regular file", "a file"));
        }
        let file = File::open(path).map_err(|error| Error::io(path, error))?;
        let source = Source::new(file, found.len(), place.clone());
        let array = NumpyArray::open(Box::new(source), place.clone())?;
        if let Some(end) = array.end().filter(|end| *end < found.len()) {
            let found = format!("{} bytes behind the last element", found.len() - end);
            return Err(Error::mismatch(place.at(At::Byte(end)), found, "none"));
        }
        let (shape, fortran_order, flat) = array.flattened();
        Ok(Self { shape, fortran_order, elements: Box::new(View::new(Arc::new(flat))?) })
    }
}
