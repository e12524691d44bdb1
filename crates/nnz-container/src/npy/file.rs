//! A single `.npy` file.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{At, Error, Result};
use nnz_storage::InputFile;

use super::header::MAGIC;
use super::reader::Source;
use super::tree::NumpyArray;
use crate::tree::{NdArray, View};

/// Returns whether a file starts like a `.npy` file.
#[must_use]
pub fn is_npy(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(MAGIC)
}

/// An open `.npy` file.
#[derive(Debug)]
pub struct NpyFile {
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// Whether elements are in Fortran order, with the first index changing fastest.
    pub fortran_order: bool,
    /// All elements in stored order, as an array of one dimension.
    pub elements: Box<dyn NdArray>,
}

impl NpyFile {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a `.npy` file, or is longer or shorter than its header states.
    pub fn open(path: &Path) -> Result<Self> {
        Self::from_file(&InputFile::open(path)?)
    }

    /// Reads the header of an opened file.
    ///
    /// # Errors
    ///
    /// Fails if it is not a `.npy` file, or is longer or shorter than its header states.
    pub fn from_file(file: &InputFile) -> Result<Self> {
        let (shape, fortran_order, flat) = open(file)?.flatten();
        Ok(Self { shape, fortran_order, elements: Box::new(View::new(Arc::new(flat))?) })
    }
}

/// Opens an array of any number of dimensions.
pub(super) fn open(file: &InputFile) -> Result<NumpyArray> {
    let (place, len) = (file.place(), file.len());
    let source = Source { file: file.clone(), place: place.clone() };
    let array = NumpyArray::open(Box::new(source), place.clone())?;
    if let Some(end) = array.end().filter(|end| *end < len) {
        let found = format!("{} bytes after the last element", len - end);
        return Err(Error::mismatch(place.at(At::Byte(end)), found, "none"));
    }
    Ok(array)
}
