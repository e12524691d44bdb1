//! Files and directories of DAPHNE.

mod options;
mod target;

use std::path::Path;

use nnz_core::{Error, Finding, MatrixSource, Result};
use nnz_daphne::{DataType, FrameSource, ReadOptions, SegmentsSource};

pub(crate) use options::DaphneOptions;

use super::{Confidence, DatasetKind, Format, FormatInfo, MatrixTarget, Probe};
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// The name of the format.
pub(crate) const NAME: &str = "daphne";

/// A matrix or frame of DAPHNE, or a directory of segments.
pub(super) struct Daphne;

static INFO: FormatInfo = FormatInfo {
    name: NAME,
    aliases: &["dbdf"],
    extensions: &["dbdf", "dbdf.hdfs"],
    summary: "DAPHNE matrices and frames (.csv is read and written, too), files and segments",
    reads: &[DatasetKind::Matrix, DatasetKind::Table],
    writes: &[DatasetKind::Matrix, DatasetKind::Table],
    containers: false,
    options: options::OPTIONS,
};

impl Format for Daphne {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let found = match (probe.directory(), probe.file()) {
            (Some(path), _) => SegmentsSource::is_at(path),
            (_, Some((_, start, len))) => {
                nnz_daphne::looks_like(&start[..start.len().min(64)], len)
            }
            _ => false,
        };
        Ok(found.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let path = path(&probe)?;
        let options = ReadOptions { dialect: options.dialect };
        let source: Box<dyn MatrixSource> = if path.is_dir() {
            Box::new(SegmentsSource::open(path, &options)?)
        } else if matches!(nnz_daphne::data_type(path), Ok(DataType::Frame)) {
            return Ok(Dataset::Table(FrameSource::open(path, &options)?));
        } else {
            Box::new(nnz_daphne::MatrixSource::open(path, &options)?)
        };
        Ok(Dataset::Matrix(source))
    }

    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let path = path(&probe)?;
        let read = ReadOptions { dialect: options.dialect };
        let place = probe.location().source_place();
        match nnz_daphne::validate(path, &read, options.cancellation.as_ref(), each) {
            // With a dialect, the file need not be one of DAPHNE.
            Err(error) if options.dialect.is_none() => {
                nnz_engine::report_error(error.with_context(&place), each)
            }
            done => done,
        }
    }

    fn is_entry(&self, path: &Path) -> bool {
        INFO.is_extension_of(path)
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::Target::new(to, options, source)?))
    }
}

/// Returns the path, which has no groups.
fn path(probe: &Probe) -> Result<&Path> {
    match probe.location() {
        Location::Path { path, group } if group.as_deref().is_none_or(str::is_empty) => Ok(path),
        location => {
            let what = "a file of DAPHNE has a path, and no groups";
            Err(Error::argument(format!("{location}: {what}")))
        }
    }
}
