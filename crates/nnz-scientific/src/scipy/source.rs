//! A matrix of SciPy as a matrix source.

use std::ops::Range;

use nnz_container::matrix::{Compressed, Coordinates};
use nnz_core::{
    About, ArrayAbout, Axis, Duplicates, Error, Header, MatrixSource, Names, Order, Projection,
    Result, Scalar, Shape, UnitReader, readable,
};

use super::blocks::Blocks;
use super::diagonals::Diagonals;
use super::layout::SparseFormat;
use super::open::Package;

/// A matrix of SciPy, open for reading.
#[derive(Debug)]
pub struct ScipySource {
    /// The size of the file, if known.
    bytes: Option<u64>,
    format: SparseFormat,
    /// Whether it is a sparse array, with the operators of NumPy arrays, rather than a sparse
    /// matrix.
    is_array: bool,
    package: Package,
    is_vector: bool,
    /// The names of members that are not part of the matrix.
    others: Vec<String>,
    form: Form,
    header: Header,
}

/// How entries are stored.
#[derive(Debug)]
pub(super) enum Form {
    Compressed(Compressed),
    Coordinates(Coordinates),
    Blocks(Blocks),
    Diagonals(Diagonals),
}

impl ScipySource {
    /// Creates a source. The second part of `shape` is whether it is a vector.
    pub(super) fn new(
        bytes: Option<u64>,
        (format, is_array, package): (SparseFormat, bool, Package),
        (shape, is_vector): (Shape, bool),
        form: Form,
    ) -> Self {
        let (order, sorted_majors) = match &form {
            // A vector is a column.
            Form::Compressed(matrix) => (matrix.order(), true),
            Form::Coordinates(matrix) => (matrix.order(), matrix.is_sorted()),
            Form::Blocks(matrix) => (Order::Row, matrix.is_sorted()),
            Form::Diagonals(matrix) => (Order::Row, matrix.is_sorted()),
        };
        let (value_type, entries) = match &form {
            Form::Compressed(matrix) => (matrix.value_type(), matrix.entries()),
            Form::Coordinates(matrix) => (matrix.value_type(), matrix.entries()),
            Form::Blocks(matrix) => (matrix.value_type(), matrix.entries()),
            Form::Diagonals(matrix) => (matrix.value_type(), matrix.entries()),
        };
        let header = Header::new(shape, order, value_type)
            .ordered(matches!(form, Form::Compressed(_)))
            .sorted_majors(sorted_majors)
            .nnz(entries)
            .duplicates(Duplicates::Summed);
        Self { bytes, format, is_array, package, is_vector, others: Vec::new(), form, header }
    }

    /// Sets the value of elements that are not stored, if it is not zero.
    pub(super) fn set_fill(&mut self, fill: Option<Scalar>) {
        self.header.fill = fill;
    }

    /// Sets the names of members that are not part of the matrix.
    pub(super) fn set_others(&mut self, others: Vec<String>) {
        self.others = others;
    }

    /// Returns the storage format.
    #[must_use]
    pub fn format(&self) -> SparseFormat {
        self.format
    }

    fn arrays(&self) -> Result<Vec<ArrayAbout>> {
        match &self.form {
            Form::Compressed(matrix) => matrix.about(),
            Form::Coordinates(matrix) => matrix.about(),
            Form::Blocks(matrix) => matrix.about(),
            Form::Diagonals(matrix) => matrix.about(),
        }
    }
}

/// Describes members that are not part of a matrix, if there are any.
#[must_use]
pub fn not_read(others: &[String]) -> Option<String> {
    (!others.is_empty()).then(|| format!("not part of the matrix: {}", others.join(", ")))
}

impl MatrixSource for ScipySource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let kind = match (self.is_vector, self.is_array) {
            (true, _) => "one-dimensional array",
            (false, true) => "array",
            (false, false) => "matrix",
        };
        Ok(About::new(
            match self.package {
                Package::SciPy => "SciPy sparse matrix",
                Package::PyData => self.package.array_name(),
            },
            "npz",
        )
        .dialect(format!("{} {kind}", self.format))
        .bytes(self.bytes)
        .arrays(self.arrays()?)
        .notes(not_read(&self.others).into_iter().collect()))
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn extras(&self) -> Result<Vec<String>> {
        Ok(self.others.clone())
    }

    fn random_access(&self) -> bool {
        matches!(self.form, Form::Compressed(_))
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let all = 0..self.header.shape.major(self.header.order);
        match &self.form {
            Form::Compressed(matrix) => matrix.units(majors, fields),
            _ if majors != all => {
                let (format, axis) = (self.format, self.header.order.major());
                let what = format!(
                    "a {format} matrix can only be read as a whole, not by a range of {axis}"
                );
                Err(Error::argument(what))
            }
            Form::Coordinates(matrix) => Ok(matrix.units(fields)),
            Form::Blocks(matrix) => matrix.units(fields),
            Form::Diagonals(matrix) => Ok(matrix.units(fields)),
        }
    }

    fn will_read(&self, majors: &[Range<u64>], fields: Projection) {
        if let Form::Compressed(matrix) = &self.form {
            // An array that cannot be read is an error when it is read.
            let _ = readable(matrix.will_read(majors, fields));
        }
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        match &self.form {
            Form::Compressed(matrix) => matrix.stored_before(major).map(Some),
            _ => Ok(None),
        }
    }

    fn is_vector(&self) -> bool {
        self.is_vector
    }

    fn notes(&self) -> Vec<String> {
        let (unused, what) = match &self.form {
            Form::Compressed(matrix) => (matrix.unused(), "entries"),
            Form::Blocks(matrix) => (matrix.unused(), "blocks"),
            _ => (0, ""),
        };
        let note =
            || format!("{unused} {what} after the last of indptr are not part of the matrix");
        (unused > 0).then(note).into_iter().collect()
    }
}
