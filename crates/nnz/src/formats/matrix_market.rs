//! Matrix Market.

mod target;

use std::path::Path;

use nnz_core::{Error, Finding, MatrixSource, Result};
use nnz_storage::InputDirectory;

use super::{Confidence, DatasetKind, Format, FormatInfo, MatrixTarget, Probe};
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// Matrix Market: text, plain or gzipped.
pub(super) struct MatrixMarket;

static INFO: FormatInfo = FormatInfo {
    name: "mtx",
    aliases: &["matrix-market", "matrixmarket"],
    extensions: &["mtx", "mtx.gz"],
    summary: "Matrix Market: coordinate and array text, plain or gzipped",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: false,
    options: target::OPTIONS,
    read_options: &[],
};

impl Format for MatrixMarket {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        // Only text can be read from a stream.
        if probe.is_stream() {
            return Ok(Some(Confidence::Certain));
        }
        let Some((_, start)) = probe.file() else { return Ok(None) };
        Ok(if nnz_matrix_market::looks_like(start) {
            Some(Confidence::Certain)
        } else {
            start.starts_with(b"\x1f\x8b").then_some(Confidence::Fallback)
        })
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let mut source = match probe.opened() {
            Some(opened) => nnz_matrix_market::from_opened(opened)?,
            None => nnz_matrix_market::open_stdin()?,
        };
        if let Some(repairs) = &options.repairs {
            source = source.repair_count(repairs)?;
        }
        Ok(Dataset::Matrix(Box::new(source)))
    }

    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let place = probe.location().source_place();
        let ended = ends_a_line(&probe)?;
        let read = self
            .open(probe, &options.open_options())
            .and_then(|dataset| crate::check::read_whole(dataset, &place, options, each));
        read.or_else(|error| nnz_engine::report_error(error.with_context(&place), each))?;
        if !ended {
            let what = "the last line does not end with a newline; it may be truncated";
            each(Finding::note(place, what));
        }
        Ok(())
    }

    fn is_entry(&self, path: &Path, _: Option<&InputDirectory>) -> Result<bool> {
        Ok(INFO.is_extension_of(path))
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

/// Returns whether the last line of a file ends with a newline. Compressed files have a checksum, which detects
/// truncation.
fn ends_a_line(probe: &Probe) -> Result<bool> {
    let Some((file, start)) = probe.file() else { return Ok(true) };
    let Some(last) = file.len().checked_sub(1) else { return Ok(true) };
    if start.starts_with(b"\x1f\x8b") {
        return Ok(true);
    }
    let mut byte = [0];
    file.read_exact_at(&mut byte, last).map_err(|error| Error::io(file.path(), error))?;
    Ok(byte == *b"\n")
}
