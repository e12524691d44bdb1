//! R matrices.

mod target;

use crate::Context;
use nnz_core::{Error, ErrorKind, MatrixSource, Result};
use nnz_robjects::matrix as r_matrix;

use crate::formats::{
    Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Probe,
};
use crate::{ConvertOptions, Dataset, Location, OpenOptions};

/// A matrix of R or its package Matrix, in an `.rds` file.
pub(in crate::formats) struct RMatrix;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("dgCMatrix"),
    aliases: &[],
    extensions: &[],
    summary: "R matrices (.rds): reads base R and classes of the Matrix package; writes dgCMatrix",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: false,
    options: &[],
    read_options: &[],
    ..FormatInfo::new("", "")
};

impl Format for RMatrix {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let found = probe.document(r_matrix::is_matrix)?;
        Ok(found.unwrap_or(false).then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, _: &OpenOptions) -> Result<Dataset> {
        let document = probe.take_document();
        let (Some((file, _)), Some(document)) = (probe.file(), document) else {
            let place = probe.location().source_place();
            let what = "contains no R matrix".to_owned();
            return Err(Error::new(ErrorKind::Unrecognized(what), place));
        };
        let source = Box::new(r_matrix::from_document(file, document)?);
        Ok(Dataset::Matrix(source))
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        _: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::RMatrixTarget::new(to, options, context)?))
    }
}
