//! Single `.npy` files with an array of numbers of any number of dimensions.

use std::io::Write;
use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Result, Values};

use super::element::Element;
use super::header::{MAX_LEN, NdHeader, PREAMBLE};
use crate::byte_order;
use nnz_storage::staging::{StagedFile, WriteOptions};
use nnz_storage::{FileReader, InputFile};

/// Maximum number of dimensions, as in NumPy.
const MAX_DIMENSIONS: usize = 64;

/// Number of bytes read at once.
const PIECE: usize = 1 << 20;

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
    let place = file.place();
    let mut reader = file.reader();
    let header = read_header(&mut reader, file)?;
    let NdHeader { element, shape, fortran } = NdHeader::parse(&header, &place)?;
    let Element::Number { value_type, big } = element else {
        return Err(Error::mismatch(place, "strings", "numbers"));
    };
    let at = place.clone().at(At::Byte(header.len() as u64));
    if shape.len() > MAX_DIMENSIONS {
        let found = format!("{} dimensions", shape.len());
        return Err(Error::mismatch(at, found, format!("at most {MAX_DIMENSIONS}")));
    }
    let count = count(&shape);
    let bytes = count.and_then(|count| count.checked_mul(value_type.size() as u64));
    let there = file.len().saturating_sub(header.len() as u64);
    let (Some(count), Some(bytes)) = (count, bytes.filter(|&bytes| bytes == there)) else {
        let expected = format!("elements of type {value_type} for the shape {shape:?}");
        return Err(Error::mismatch(at, format!("{there} bytes after the header"), expected));
    };
    let refused = |needed| Error::new(ErrorKind::Memory { needed, allowed: memory }, place.clone());
    let needed = if fortran { bytes.saturating_mul(2) } else { bytes };
    if needed > memory {
        return Err(refused(needed));
    }
    let zeroed = usize::try_from(count).ok().and_then(|n| Values::try_zeroed(value_type, n));
    let mut values = zeroed.ok_or_else(|| refused(needed))?;
    for piece in values.bytes_mut().chunks_mut(PIECE) {
        read_exact(&mut reader, piece, file)?;
    }
    byte_order::to_native(values.bytes_mut(), value_type, big);
    // The product of the lengths of an empty shape may overflow.
    if fortran && count > 1 {
        values = to_c_order(&values, &shape).ok_or_else(|| refused(needed))?;
    }
    Ok(NdArray { shape, values })
}

fn read_header(reader: &mut FileReader, file: &InputFile) -> Result<Vec<u8>> {
    let mut header = vec![0; PREAMBLE];
    read_exact(reader, &mut header, file)?;
    let length = NdHeader::length(&header, &file.place())?;
    header.resize(length.clamp(PREAMBLE, MAX_LEN), 0);
    read_exact(reader, &mut header[PREAMBLE..], file)?;
    Ok(header)
}

fn read_exact(reader: &mut FileReader, out: &mut [u8], file: &InputFile) -> Result<()> {
    std::io::Read::read_exact(reader, out).map_err(|error| file.error(error))
}

/// Returns the number of elements of a shape; `None` on overflow.
fn count(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_u64, |count, &extent| count.checked_mul(extent))
}

/// Converts numbers from Fortran to C order.
fn to_c_order(values: &Values, shape: &[u64]) -> Option<Values> {
    let count = values.len()?;
    let size = values.value_type().size();
    let mut ordered = Values::try_zeroed(values.value_type(), count)?;
    let extents: Option<Vec<usize>> = shape.iter().map(|&e| usize::try_from(e).ok()).collect();
    let extents = extents?;
    let mut strides = vec![1; extents.len()];
    for dimension in 1..extents.len() {
        strides[dimension] = strides[dimension - 1] * extents[dimension - 1];
    }
    let from = values.bytes();
    let mut index = vec![0; extents.len()];
    let mut at = 0;
    for element in ordered.bytes_mut().chunks_exact_mut(size) {
        element.copy_from_slice(&from[at * size..][..size]);
        for dimension in (0..extents.len()).rev() {
            index[dimension] += 1;
            at += strides[dimension];
            if index[dimension] < extents[dimension] {
                break;
            }
            at -= index[dimension] * strides[dimension];
            index[dimension] = 0;
        }
    }
    Some(ordered)
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
    let here = array.values.len().and_then(|len| u64::try_from(len).ok());
    if here.is_none() || here != count(&array.shape) || array.shape.len() > MAX_DIMENSIONS {
        let what =
            format!("an array of the shape {:?} with another number of elements", array.shape);
        return Err(Error::argument(what));
    }
    let big = cfg!(target_endian = "big");
    let element = Element::Number { value_type: array.values.value_type(), big };
    let mut file = StagedFile::create(path, options)?;
    let io = |error| Error::io(path, error);
    file.write_all(&NdHeader::write(element, &array.shape)).map_err(io)?;
    file.write_all(array.values.bytes()).map_err(io)?;
    Ok(file)
}
