//! A variable as a matrix source.

use std::ops::Range;

use nnz_container::matrix::{Compressed, Coordinates, Dense};
use nnz_core::{
    About, Axis, Duplicates, Error, Header, MatrixSource, Names, Order, Projection, Result, Shape,
    Storage, UnitReader, readable,
};

use super::open::Origin;
use super::variable::Variable;

/// A matrix of a MAT-file, by column.
#[derive(Debug)]
pub struct MatlabSource {
    /// The size of the file, if known.
    bytes: Option<u64>,
    version: &'static str,
    /// The class, such as `sparse double`.
    kind: String,
    form: Form,
    header: Header,
}

/// How entries are stored.
#[derive(Debug)]
pub(super) enum Form {
    Compressed(Compressed),
    Coordinates(Coordinates),
    Dense(Dense),
}

impl MatlabSource {
    pub(super) fn new(origin: &Origin<'_>, variable: &Variable, shape: Shape, form: Form) -> Self {
        let (value_type, entries, dense) = match &form {
            Form::Compressed(matrix) => (matrix.value_type(), matrix.entries(), false),
            Form::Coordinates(matrix) => (matrix.value_type(), matrix.entries(), false),
            Form::Dense(matrix) => (matrix.value_type(), matrix.entries(), true),
        };
        let (order, majors) = match &form {
            Form::Coordinates(matrix) => (matrix.order(), matrix.is_sorted()),
            _ => (Order::Col, true),
        };
        let header = Header::new(shape, order, value_type)
            .ordered(!matches!(form, Form::Coordinates(_)))
            .sorted_majors(majors)
            .sorted_indices(dense.then_some(true))
            .nnz(entries)
            .storage(if dense { Storage::Dense } else { Storage::Sparse })
            .duplicates(Duplicates::Refused);
        let (bytes, version) = (origin.bytes, origin.version);
        Self { bytes, version, kind: variable.kind(), form, header }
    }
}

impl MatrixSource for MatlabSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        Ok(About::new(
            "MATLAB MAT-file",
            if self.version == super::v73::VERSION { "HDF5" } else { "file" },
        )
        .version(self.version.to_owned())
        .dialect(self.kind.clone())
        .bytes(self.bytes)
        .arrays(match &self.form {
            Form::Compressed(matrix) => matrix.about()?,
            Form::Coordinates(matrix) => matrix.about()?,
            Form::Dense(matrix) => matrix.about()?,
        }))
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn random_access(&self) -> bool {
        !matches!(self.form, Form::Coordinates(_))
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        match &self.form {
            Form::Compressed(matrix) => matrix.units(majors, fields),
            Form::Coordinates(_) if majors != (0..self.header.shape.major(self.header.order)) => {
                let what =
                    "a sparse matrix of version 4 can only be read as a whole, not by a range";
                Err(Error::argument(what))
            }
            Form::Coordinates(matrix) => Ok(matrix.units(fields)),
            Form::Dense(matrix) => matrix.units(majors, fields),
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
            Form::Coordinates(_) => Ok(None),
            Form::Dense(_) => Ok(major.checked_mul(self.header.shape.rows)),
        }
    }
}
