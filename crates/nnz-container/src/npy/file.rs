//! A single `.npy` file.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{At, Error, Result};
use nnz_storage::InputFile;

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
        Self::from_file(&InputFile::open(path)?)
    }

    /// Takes a file that was opened. Its header is read.
    ///
    /// # Errors
    ///
    /// Fails where it is no array of NumPy, or one that is longer or shorter than its header says.
    pub fn from_file(file: &InputFile) -> Result<Self> {
        let (place, len) = (file.place(), file.len());
        let source = Source { file: file.clone(), place: place.clone() };
        let array = NumpyArray::open(Box::new(source), place.clone())?;
        if let Some(end) = array.end().filter(|end| *end < len) {
            let found = format!("{} bytes behind the last element", len - end);
            return Err(Error::mismatch(place.at(At::Byte(end)), found, "none"));
        }
        let (shape, fortran_order, flat) = array.flattened();
        Ok(Self { shape, fortran_order, elements: Box::new(View::new(Arc::new(flat))?) })
    }
}
