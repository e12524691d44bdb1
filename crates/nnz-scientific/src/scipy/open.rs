//! Opening a file of any sparse format.

use std::sync::Arc;

use nnz_container::matrix::{Compressed, CompressedArrays, Coordinates, Indices, Vector};
use nnz_container::tree::{Group, NdArray};
use nnz_core::{
    Error, MatrixSource as _, Order, Place, Repairs, Result, Rounding, Scalar, Shape, ValueType,
    Values, readable,
};

use super::blocks::Blocks;
use super::diagonals::Diagonals;
use super::layout::{SparseFormat, other_members, read_order, read_shape};
use super::source::{Form, ScipySource};

/// The largest size of a value, in bytes.
const LONGEST_FILL: u64 = 16;

/// The content of a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum ScipyFile {
    /// A matrix, or a vector, which is a matrix with one column.
    Matrix(Box<ScipySource>),
    /// A sparse array of three dimensions or more.
    Tensor(Box<CooTensor>),
}

/// A sparse array of three or more dimensions, with entries in any order.
#[derive(Debug)]
pub struct CooTensor {
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// The indices of all entries along each dimension.
    pub coordinates: Vec<Indices>,
    /// The value of each entry.
    pub values: Vector,
    /// The value of elements without an entry, if it is not zero.
    pub fill: Option<Scalar>,
    /// The package that wrote it.
    pub package: Package,
    /// The names of members of the file that are not part of the array.
    pub others: Vec<String>,
}

/// The Python package of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    /// SciPy.
    SciPy,
    /// sparse, of PyData, whose arrays have a fill value.
    PyData,
}

impl Package {
    fn of(file: &dyn Group) -> Result<Self> {
        Ok(match file.child("fill_value")? {
            Some(_) => Self::PyData,
            None => Self::SciPy,
        })
    }

    /// Returns the name of its arrays.
    #[must_use]
    pub fn array_name(self) -> &'static str {
        match self {
            Self::SciPy => "SciPy sparse array",
            Self::PyData => "PyData sparse array",
        }
    }
}

/// Returns whether an `.npz` file contains a sparse matrix of SciPy.
///
/// # Errors
///
/// Fails if its entries cannot be listed.
pub fn is_scipy(file: &dyn Group) -> Result<bool> {
    let children = file.children()?;
    let has = |name: &str| children.iter().any(|child| child.name == name);
    // Binsparse and BPCells have some of the same names.
    if has("binsparse") || has("version") {
        return Ok(false);
    }
    let parts = ["data", "shape", "indices", "indptr", "row", "col", "coords", "offsets"];
    let there = parts.iter().filter(|name| has(name)).count();
    Ok((has("format") && there >= 1)
        || (has("indptr") && there >= 3)
        || (has("coords") && there >= 3))
}

impl ScipyFile {
    /// Opens the matrix in an `.npz` file of `bytes` bytes.
    ///
    /// # Errors
    ///
    /// Fails if an entry is missing or invalid, or if entries contradict each other.
    pub fn open(file: &dyn Group, bytes: Option<u64>) -> Result<Self> {
        Self::open_with_repairs(file, bytes, None)
    }

    /// Opens the matrix in an `.npz` file. With `repairs`, pointers that overflowed are corrected.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    pub fn open_with_repairs(
        file: &dyn Group,
        bytes: Option<u64>,
        repairs: Option<&Repairs>,
    ) -> Result<Self> {
        let format = SparseFormat::read(file)?;
        let shape = read_shape(file)?;
        let is_array = file.array("_is_array").and_then(|array| array.read(&array.all(), 1));
        let is_array = readable(is_array)?.is_some_and(|values| values.bytes() == [1]);
        let form = match (format, &shape[..]) {
            (SparseFormat::Csr | SparseFormat::Gcxs, &[len]) => {
                // A vector is stored as a single row, and read as a single column.
                compressed(file, Shape { rows: len, cols: 1 }, Order::Col, repairs)
            }
            (SparseFormat::Csr, &[rows, cols]) => {
                compressed(file, Shape { rows, cols }, Order::Row, repairs)
            }
            (SparseFormat::Csc, &[rows, cols]) => {
                compressed(file, Shape { rows, cols }, Order::Col, repairs)
            }
            (SparseFormat::Gcxs, &[rows, cols]) => {
                compressed(file, Shape { rows, cols }, read_order(file)?, repairs)
            }
            (SparseFormat::Bsr, &[rows, cols]) => {
                Blocks::open(file, Shape { rows, cols }).map(Form::Blocks)
            }
            (SparseFormat::Dia, &[rows, cols]) => {
                Diagonals::open(file, Shape { rows, cols }).map(Form::Diagonals)
            }
            (SparseFormat::Coo | SparseFormat::Dok, &[len]) => vector(file, len),
            (SparseFormat::Coo | SparseFormat::Dok, &[rows, cols]) => {
                coordinates(file, Shape { rows, cols })
            }
            (SparseFormat::Coo | SparseFormat::Dok, _) => {
                return tensor(file, shape).map(|tensor| Self::Tensor(Box::new(tensor)));
            }
            _ => {
                let place = Place::array(file.path(), "shape");
                let found = format!("{} dimensions", shape.len());
                let expected = match format {
                    SparseFormat::Gcxs => {
                        "1 or 2; arrays of more dimensions are read as coo".to_owned()
                    }
                    _ => format!("2, like every {format} array"),
                };
                return Err(Error::mismatch(place, found, expected));
            }
        }?;
        let shape = match shape[..] {
            [rows, cols] => (Shape { rows, cols }, false),
            _ => (Shape { rows: shape.first().copied().unwrap_or(0), cols: 1 }, true),
        };
        let package = Package::of(file)?;
        let is_array = is_array || package == Package::PyData;
        let mut source = ScipySource::new(bytes, (format, is_array, package), shape, form);
        source.set_others(other_members(file)?);
        source.set_fill(read_fill(file, source.header().value_type)?);
        Ok(Self::Matrix(Box::new(source)))
    }
}

/// Reads the value of elements that are not stored, if it is not zero. The Python package `sparse`
/// (PyData) stores it in addition to the arrays of SciPy.
fn read_fill(file: &dyn Group, value_type: ValueType) -> Result<Option<Scalar>> {
    if file.child("fill_value")?.is_none() {
        return Ok(None);
    }
    let array = file.array("fill_value")?;
    let values = array.read(&array.all(), LONGEST_FILL)?;
    let only = values.get(0).filter(|_| values.len() == Some(1));
    let found = only.ok_or_else(|| {
        let found = format!("an array of shape {:?}", array.shape());
        Error::mismatch(array.place(), found, "one value")
    })?;
    let Ok(value) = found.cast(value_type, Rounding::Refused) else {
        let expected = format!("a value that fits into {value_type}, the type of data");
        return Err(Error::mismatch(array.place(), found, expected));
    };
    let zero = Values::try_zeroed(value_type, 1).and_then(|zero| zero.get(0));
    Ok(Some(value).filter(|value| Some(*value) != zero))
}

fn compressed(
    file: &dyn Group,
    shape: Shape,
    order: Order,
    repairs: Option<&Repairs>,
) -> Result<Form> {
    let arrays = CompressedArrays {
        pointers: Indices::open(file, "indptr")?,
        indices: Indices::open(file, "indices")?,
        values: Vector::open(file, "data")?,
    };
    Compressed::open(arrays, shape, order, repairs).map(Form::Compressed)
}

fn has_coords(file: &dyn Group) -> Result<bool> {
    Ok(file.child("coords")?.is_some())
}

/// Opens `coords`, each row of which has the indices along one dimension.
fn coords(file: &dyn Group, rank: u64) -> Result<Vec<Indices>> {
    let array: Arc<dyn NdArray> = file.array("coords")?.into();
    match array.shape() {
        &[rows, _] if rows == rank => {}
        shape => {
            let found = match shape {
                &[rows, _] => format!("indices for {rows} dimensions"),
                _ => format!("an array of {} dimensions", shape.len()),
            };
            let expected = format!("indices for {rank} dimensions");
            return Err(Error::mismatch(array.place(), found, expected));
        }
    }
    (0..rank).map(|row| Vector::row(&array, row).and_then(Indices::new)).collect()
}

fn coordinates(file: &dyn Group, shape: Shape) -> Result<Form> {
    let values = Vector::open(file, "data")?;
    let [rows, cols] = if has_coords(file)? {
        two(coords(file, 2)?)?
    } else {
        [Indices::open(file, "row")?, Indices::open(file, "col")?]
    };
    Coordinates::new(rows, cols, values, shape).map(Form::Coordinates)
}

fn vector(file: &dyn Group, len: u64) -> Result<Form> {
    let values = Vector::open(file, "data")?;
    let [rows, cols] = if has_coords(file)? {
        let zeros = Vector::zeros(values.len(), Place::array(file.path(), "coords"));
        let mut all = coords(file, 1)?;
        all.push(Indices::new(zeros)?);
        two(all)?
    } else {
        // SciPy 1.13 to 1.15 stored the indices as `col`, and zeros as `row`.
        [Indices::open(file, "col")?, Indices::open(file, "row")?]
    };
    Coordinates::new(rows, cols, values, Shape { rows: len, cols: 1 }).map(Form::Coordinates)
}

fn two(indices: Vec<Indices>) -> Result<[Indices; 2]> {
    indices.try_into().map_err(|_| Error::argument("two dimensions require two lists of indices"))
}

fn tensor(file: &dyn Group, shape: Vec<u64>) -> Result<CooTensor> {
    if !has_coords(file)? && file.child("row")?.is_some() {
        let what = format!(
            "SciPy 1.15 stored the indices of the last two of {} dimensions only; the others are lost",
            shape.len()
        );
        return Err(Error::unsupported(Place::array(file.path(), "row"), what));
    }
    let coordinates = coords(file, shape.len() as u64)?;
    let values = Vector::open(file, "data")?;
    let fill = read_fill(file, values.value_type())?;
    for indices in &coordinates {
        if indices.len() != values.len() {
            let found = format!("{} indices", indices.len());
            let expected = format!("{}, the number of values", values.len());
            return Err(Error::mismatch(indices.vector().place(), found, expected));
        }
    }
    let (package, others) = (Package::of(file)?, other_members(file)?);
    Ok(CooTensor { shape, coordinates, values, fill, package, others })
}
