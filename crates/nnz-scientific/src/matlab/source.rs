//! A variable as a matrix source.

use std::ops::Range;

use nnz_container::matrix::{Compressed, Dense};
use nnz_core::{
    About, Axis, Duplicates, Header, MatrixSource, Names, Order, Projection, Result, Shape,
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
#[expect(clippy::large_enum_variant, reason = "one for each matrix")]
pub(super) enum Form {
    Compressed(Compressed),
    Dense(Dense),
}

impl MatlabSource {
    pub(super) fn new(origin: &Origin<'_>, variable: &Variable, shape: Shape, form: Form) -> Self {
        let (value_type, entries, dense) = match &form {
            Form::Compressed(matrix) => (matrix.value_type(), matrix.entries(), false),
            Form::Dense(matrix) => (matrix.value_type(), matrix.entries(), true),
        };
        let header = Header::new(shape, Order::Col, value_type)
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
            Form::Dense(matrix) => matrix.about()?,
        }))
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
        match &self.form {
            Form::Compressed(matrix) => matrix.units(majors, fields),
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
            Form::Dense(_) => Ok(major.checked_mul(self.header.shape.rows)),
        }
    }
}
