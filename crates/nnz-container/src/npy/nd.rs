//! Single files, with an array of numbers of any number of dimensions.

use std::io::Write;
use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Result, Values};

use super::element::Element;
use super::header::{Header, LONGEST, NdHeader, PREAMBLE};
use crate::byte_order;
use nnz_storage::staging::{StagedFile, WriteOptions};
use nnz_storage::{FileReader, InputFile};

/// The most dimensions that are handled, as many as NumPy has.
const MOST_DIMENSIONS: usize = 64;

/// Bytes read at a time.
const PIECE: usize = 1 << 20;

/// Numbers with any number of dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct NdArray {
    /// The length of each dimension; none of a single number.
    pub shape: Vec<u64>,
    /// The numbers, of which the last index changes fastest.
    pub values: Values,
}

/// Reads a `.npy` file into at most so many bytes.
///
/// # Errors
///
/// Fails where it is no array of numbers, is cut short, or takes more.
pub fn read_array(path: &Path, memory: u64) -> Result<NdArray> {
    read_array_from(&InputFile::open(path)?, memory)
}

/// Reads a `.npy` file that was opened into at most so many bytes.
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
    if shape.len() > MOST_DIMENSIONS {
        let found = format!("{} dimensions", shape.len());
        return Err(Error::mismatch(at, found, format!("at most {MOST_DIMENSIONS}")));
    }
    let count = count(&shape);
    let bytes = count.and_then(|count| count.checked_mul(value_type.size() as u64));
    let there = file.len().saturating_sub(header.len() as u64);
    let (Some(count), Some(bytes)) = (count, bytes.filter(|&bytes| bytes == there)) else {
        let expected = format!("elements of type {value_type} for the shape {shape:?}");
        return Err(Error::mismatch(at, format!("{there} bytes behind the header"), expected));
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
    // An empty shape may have lengths whose product no number holds.
    if fortran && count > 1 {
        values = last_index_fastest(&values, &shape).ok_or_else(|| refused(needed))?;
    }
    Ok(NdArray { shape, values })
}

fn read_header(reader: &mut FileReader, file: &InputFile) -> Result<Vec<u8>> {
    let mut header = vec![0; PREAMBLE];
    read_exact(reader, &mut header, file)?;
    let length = Header::length(&header, &file.place())?;
    header.resize(length.clamp(PREAMBLE, LONGEST), 0);
    read_exact(reader, &mut header[PREAMBLE..], file)?;
    Ok(header)
}

fn read_exact(reader: &mut FileReader, out: &mut [u8], file: &InputFile) -> Result<()> {
    std::io::Read::read_exact(reader, out).map_err(|error| file.error(error))
}

/// Returns the number of elements of a shape; `None` if 64 bits cannot count them.
fn count(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_u64, |count, &extent| count.checked_mul(extent))
}

/// Puts numbers of which the first index changes fastest into the other order.
fn last_index_fastest(values: &Values, shape: &[u64]) -> Option<Values> {
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

/// Writes a `.npy` file as NumPy does, byte by byte. The caller puts it in its place.
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
/// Fails where the shape has another number of elements, or the file cannot be written.
pub fn write_array(path: &Path, array: &NdArray, options: WriteOptions) -> Result<StagedFile> {
    let here = array.values.len().and_then(|len| u64::try_from(len).ok());
    if here.is_none() || here != count(&array.shape) || array.shape.len() > MOST_DIMENSIONS {
        let what = format!("an array of the shape {:?} with other elements", array.shape);
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
