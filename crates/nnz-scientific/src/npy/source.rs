//! A dense array as a matrix source.

use std::ops::Range;

use nnz_container::matrix::{Dense, Vector};
use nnz_container::npy::NpyFile;
use nnz_core::{
    About, Axis, Duplicates, Error, Header, MatrixSource, Names, Order, Projection, Result, Shape,
    Storage, UnitReader,
};
use nnz_storage::InputFile;

/// An array of one or two dimensions as a matrix. A one-dimensional array is a column.
#[derive(Debug)]
pub struct NpySource {
    /// The size of the file.
    bytes: u64,
    matrix: Dense,
    is_vector: bool,
    header: Header,
}

impl NpySource {
    /// Creates a source for an array in an open file.
    ///
    /// # Errors
    ///
    /// Fails if it does not have one or two dimensions, or is not numeric.
    pub fn new(file: &InputFile, array: NpyFile) -> Result<Self> {
        let (shape, order) = match (&array.shape[..], array.fortran_order) {
            (&[rows], _) => (Shape { rows, cols: 1 }, Order::Col),
            (&[rows, cols], false) => (Shape { rows, cols }, Order::Row),
            (&[rows, cols], true) => (Shape { rows, cols }, Order::Col),
            (shape, _) => {
                let found = format!("an array of {} dimensions", shape.len());
                return Err(Error::mismatch(file.place(), found, "a matrix with two"));
            }
        };
        let is_vector = array.shape.len() == 1;
        let matrix = Dense::new(Vector::new(array.elements)?, shape, order)?;
        let header = Header::new(shape, order, matrix.value_type())
            .sorted_indices(true)
            .nnz(matrix.entries())
            .storage(Storage::Dense)
            .duplicates(Duplicates::Refused);
        Ok(Self { bytes: file.len(), matrix, is_vector, header })
    }
}

impl MatrixSource for NpySource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let dialect = match self.header.order {
            Order::Row => "by row (C)",
            Order::Col if self.is_vector => "one dimension",
            Order::Col => "by column (Fortran)",
        };
        Ok(About::new("NumPy array", "npy").dialect(dialect.to_owned()).bytes(self.bytes))
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.matrix.units(majors, fields)
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        Ok(major.checked_mul(self.header.shape.minor(self.header.order)))
    }

    fn is_vector(&self) -> bool {
        self.is_vector
    }
}
