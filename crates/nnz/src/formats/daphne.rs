//! DAPHNE files and directories.

mod options;
mod target;

use crate::Context;
use std::path::Path;

use nnz_core::{Error, Finding, MatrixSource, Result, readable};
use nnz_daphne::{DataType, FrameSource, ReadOptions, SegmentsSource};
use nnz_storage::{InputDirectory, Opened};

pub(crate) use options::DaphneOptions;

use super::{Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Probe};
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// The name of the format.
pub(crate) const NAME: FormatName = FormatName::new("daphne");

/// A DAPHNE matrix or frame, or a directory of segments.
pub(super) struct Daphne;

static INFO: FormatInfo = FormatInfo {
    name: NAME,
    aliases: &["dbdf"],
    extensions: &["dbdf", "dbdf.hdfs"],
    summary: "DAPHNE matrices and data frames: a file or a directory of segments; frames also as .csv",
    reads: &[DatasetKind::Matrix, DatasetKind::Table],
    writes: &[DatasetKind::Matrix, DatasetKind::Table],
    containers: false,
    hdf5: false,
    options: options::OPTIONS,
    read_options: &[],
    ..FormatInfo::new("", "")
};

impl Format for Daphne {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let found = match (probe.directory(), probe.file()) {
            (Some(directory), _) => SegmentsSource::is_in(directory)?,
            (_, Some((file, start))) => {
                nnz_daphne::looks_like(&start[..start.len().min(64)], file.len())
            }
            _ => false,
        };
        Ok(found.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let options = ReadOptions { dialect: options.dialect };
        let opened = opened(&probe)?;
        let source: Box<dyn MatrixSource> = match opened {
            Opened::Directory(directory) => {
                Box::new(SegmentsSource::from_directory(directory, &options)?)
            }
            Opened::File(file)
                if readable(nnz_daphne::data_type_of(file))? == Some(DataType::Frame) =>
            {
                return Ok(Dataset::Table(FrameSource::from_opened(opened, &options)?));
            }
            _ => Box::new(nnz_daphne::MatrixSource::from_opened(opened, &options)?),
        };
        Ok(Dataset::Matrix(source))
    }

    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let opened = opened(&probe)?;
        let read = ReadOptions { dialect: options.open.dialect };
        let place = probe.location().source_place();
        match nnz_daphne::validate_opened(opened, &read, context.cancellation(), each) {
            // If a dialect is given, the file need not be detected as DAPHNE.
            Err(error) if options.open.dialect.is_none() => {
                nnz_engine::report_error(error.with_context(&place), each)
            }
            done => done,
        }
    }

    fn is_entry(&self, path: &Path, _: Option<&InputDirectory>) -> Result<bool> {
        Ok(INFO.is_extension_of(path))
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::DaphneTarget::new(to, options, source, context)?))
    }
}

/// Returns the opened file or directory, which has no groups.
fn opened(probe: &Probe) -> Result<&Opened> {
    match (probe.location(), probe.opened()) {
        (Location::Path { group, .. }, Some(opened))
            if group.as_deref().is_none_or(str::is_empty) =>
        {
            Ok(opened)
        }
        (location, _) => {
            let what = "a DAPHNE file has a path and no groups";
            Err(Error::argument(format!("{location}: {what}")))
        }
    }
}
