//! Single `.npy` files with an array of numbers of any number of dimensions.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, Result, Values};

use super::element::Element;
use super::file;
use super::header;
use crate::tree::{self, View};
use nnz_chunk::product;
use nnz_storage::InputFile;
use nnz_storage::staging::{StagedFile, WriteOptions};

/// An array of numbers in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct NdArray {
    /// The length of each dimension; empty for a scalar.
    pub shape: Vec<u64>,
    /// The numbers in C order.
    pub values: Values,
}

/// Reads a `.npy` file into at most `memory` bytes.
///
/// # Errors
///
/// Fails if it is not an array of numbers, is truncated, or takes more memory.
pub fn read_array(path: &Path, memory: u64) -> Result<NdArray> {
    read_array_from(&InputFile::open(path)?, memory)
}

/// Reads an opened `.npy` file into at most `memory` bytes.
///
/// # Errors
///
/// Fails as [`read_array`].
pub fn read_array_from(file: &InputFile, memory: u64) -> Result<NdArray> {
    let array = View::new(Arc::new(file::open(file)?))?;
    let array: &dyn tree::NdArray = &array;
    let values = array.read(&array.all(), memory)?;
    Ok(NdArray { shape: array.shape().to_vec(), values })
}

/// Writes a `.npy` file with the same bytes as NumPy. The caller commits it.
///
/// ```
/// use nnz_container::npy::{NdArray, read_array, write_array};
/// use nnz_storage::staging::WriteOptions;
/// use nnz_core::Values;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.npy");
/// let array = NdArray { shape: vec![2, 1], values: Values::F32(vec![0.5, -0.0]) };
/// write_array(&path, &array, WriteOptions::default())?.commit()?;
/// assert_eq!(read_array(&path, 1 << 20)?, array);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the shape has another number of elements, or if the file cannot be written.
pub fn write_array(path: &Path, array: &NdArray, options: WriteOptions) -> Result<StagedFile> {
    let stated = match array.shape.contains(&0) {
        true => Ok(0),
        false => product(array.shape.iter().copied()),
    };
    let here = array.values.len().and_then(|len| u64::try_from(len).ok());
    if here.is_none() || here != stated.ok() {
        let what = format!("the number of elements does not match the shape {:?}", array.shape);
        return Err(Error::argument(what));
    }
    let big = cfg!(target_endian = "big");
    let element = Element::Number { value_type: array.values.value_type(), big };
    let mut file = StagedFile::create(path, &options)?;
    let io = |error| Error::io(path, error);
    file.write_all(&header::write(element, &array.shape)).map_err(io)?;
    file.write_all(array.values.bytes()).map_err(io)?;
    Ok(file)
}
