//! The data of a variable.

use std::path::Path;

use nnz_container::matrix::{Compressed, CompressedArrays, Dense, Indices, Vector};
use nnz_core::{Error, Order, Place, Result, Shape, ValueType};

use super::numbers::Numbers;
use super::source::{Form, MatlabSource};
use super::variable::Variable;

/// The data of a variable.
#[derive(Debug)]
#[non_exhaustive]
pub enum MatlabData {
    /// A sparse matrix, or a dense one of two dimensions.
    Matrix(Box<MatlabSource>),
    /// A dense array of more dimensions.
    Tensor(MatlabTensor),
}

/// A dense array of three or more dimensions.
#[derive(Debug)]
pub struct MatlabTensor {
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// The elements in Fortran order.
    pub values: Vector,
    /// The version of the file.
    pub version: &'static str,
}

/// A file with its variables.
pub(super) struct Origin<'a> {
    pub(super) path: &'a Path,
    pub(super) bytes: Option<u64>,
    pub(super) version: &'static str,
}

/// The stored arrays of a sparse matrix.
pub(super) struct SparseArrays {
    pub(super) pointers: Indices,
    /// Number of entries, by the pointers.
    pub(super) entries: u64,
    pub(super) indices: Vector,
    pub(super) real: Vector,
    pub(super) imaginary: Option<Vector>,
}

/// Returns pointers, and the number of entries, which is the last of them.
pub(super) fn pointers(stored: Vector) -> Result<(Indices, u64)> {
    let pointers = Indices::new(stored)?;
    let last = pointers.len().checked_sub(1);
    let entries = last.map_or(Ok(0), |last| pointers.get(last, u64::MAX))?;
    Ok((pointers, entries))
}

impl Variable {
    /// Returns the type of values, or the error that the variable is not read.
    pub(super) fn required_type(&self, path: &Path) -> Result<ValueType> {
        self.value_type().ok_or_else(|| {
            let what = format!("a variable of class {}, which is not supported", self.kind());
            Error::unsupported(Place::array(path, &*self.path), what)
        })
    }
}

impl MatlabData {
    /// Creates a sparse matrix. Elements after the last of `arrays.entries` are reserved space.
    pub(super) fn sparse(
        origin: &Origin<'_>,
        variable: &Variable,
        arrays: SparseArrays,
    ) -> Result<Self> {
        let &[rows, cols] = &*variable.shape else {
            let place = Place::array(origin.path, &*variable.path);
            let found = format!("a sparse array of {} dimensions", variable.shape.len());
            return Err(Error::mismatch(place, found, "two"));
        };
        let shape = Shape { rows, cols };
        let value_type = variable.required_type(origin.path)?;
        let SparseArrays { pointers, entries, indices, real, imaginary } = arrays;
        let imaginary = imaginary.map(|imaginary| imaginary.truncated(entries));
        let arrays = CompressedArrays {
            pointers,
            indices: Indices::new(indices.truncated(entries))?,
            values: Numbers::cast(real.truncated(entries), imaginary, value_type)?,
        };
        let form = Form::Compressed(Compressed::new(arrays, shape, Order::Col)?);
        Ok(Self::Matrix(Box::new(MatlabSource::new(origin, variable, shape, form))))
    }

    /// Creates a dense array, whose elements are by column.
    pub(super) fn dense(origin: &Origin<'_>, variable: &Variable, values: Vector) -> Result<Self> {
        if let &[rows, cols] = &*variable.shape {
            let shape = Shape { rows, cols };
            let form = Form::Dense(Dense::new(values, shape, Order::Col)?);
            return Ok(Self::Matrix(Box::new(MatlabSource::new(origin, variable, shape, form))));
        }
        let (shape, version) = (variable.shape.clone(), origin.version);
        Ok(Self::Tensor(MatlabTensor { shape, values, version }))
    }
}
