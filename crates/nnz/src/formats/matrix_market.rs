//! Matrix Market.

mod target;

use crate::Context;
use crate::collection::SeveralMatrices;
use std::path::Path;

use nnz_core::{At, Error, Finding, MatrixSource, Result, readable};
use nnz_lines::Compression;
use nnz_matrix_market::archive::{self, Archive, ArchiveMatrix};
use nnz_storage::InputDirectory;

use super::{Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Member, Probe};
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// Matrix Market: text, plain or gzipped.
pub(super) struct MatrixMarket;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("mtx"),
    aliases: &["matrix-market", "matrixmarket"],
    extensions: &["mtx", "mtx.gz"],
    summary: "Matrix Market: coordinate and array text, plain, gzipped, or in a .tar.gz",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: false,
    options: target::OPTIONS,
    read_options: &[],
    streams: true,
    ..FormatInfo::new("", "")
};

/// Returns the paths of the matrices of an archive, if none is selected and none is the main one.
pub(super) fn several(archive: &Archive, probe: &Probe) -> Option<Vec<String>> {
    let none_selected = probe.member().is_none() && archive.main().is_none();
    let paths = archive.matrices().iter().map(ArchiveMatrix::path).collect::<Vec<_>>();
    (none_selected && !paths.is_empty()).then_some(paths)
}

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
        if is_archive(probe)? {
            return Ok(Some(Confidence::Fallback));
        }
        Ok(if nnz_matrix_market::looks_like(start) {
            Some(Confidence::Certain)
        } else {
            let is_compressed = Compression::of(start) != Compression::None && !probe.has_kind();
            is_compressed.then_some(Confidence::Fallback)
        })
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        if let Some(archive) = open_archive(&probe)? {
            // If this format is given, the text without names beside it.
            let bare = options.format == Some(INFO.name);
            if let Some(names) = several(&archive, &probe) {
                return SeveralMatrices::open(&INFO, names, (&probe, options));
            }
            let matrix = archive.select(probe.member())?;
            let opened = archive.open_matrix(matrix, bare, options.repairs.as_deref())?;
            return Ok(Dataset::Matrix(opened));
        }
        let mut source = match probe.opened() {
            Some(opened) => nnz_matrix_market::from_opened(opened)?,
            None => nnz_matrix_market::open_stdin()
                .map_err(|error| if options.format.is_none() { hinted(error) } else { error })?,
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
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let place = probe.location().source_place();
        // All matrices of an archive without a main one.
        if let Some(archive) = readable(open_archive(&probe))?.flatten()
            && several(&archive, &probe).is_some()
        {
            let bare = options.open.format == Some(INFO.name);
            return archive.matrices().iter().try_for_each(|matrix| {
                let opened = archive.open_matrix(matrix, bare, None).map(Dataset::Matrix);
                let read = opened
                    .and_then(|opened| crate::check::read_whole(opened, &place, context, each));
                read.or_else(|error| nnz_engine::report_error(error.with_context(&place), each))
            });
        }
        let ended = ends_a_line(&probe)?;
        let read = self
            .open(probe, &options.open)
            .and_then(|dataset| crate::check::read_whole(dataset, &place, context, each));
        read.or_else(|error| nnz_engine::report_error(error.with_context(&place), each))?;
        if !ended {
            let what = "the last line does not end with a newline; it may be truncated";
            each(Finding::note(place, what));
        }
        Ok(())
    }

    fn selects(&self, probe: &Probe) -> Result<bool> {
        is_archive(probe)
    }

    /// Lists the files of an archive.
    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        let Some(archive) = open_archive(probe)? else { return Ok(Vec::new()) };
        let member = |matrix: &ArchiveMatrix| {
            let header = archive.header(matrix)?;
            let shape = header.as_ref().map(|header| vec![header.shape.rows, header.shape.cols]);
            Ok(Member {
                path: matrix.path(),
                shape: shape.unwrap_or_default(),
                axes: Vec::new(),
                // `validate` reports the fault.
                kind: if header.is_some() { "matrix" } else { Member::INVALID }.to_owned(),
                value_type: header.map(|own| own.value_type.to_string()).unwrap_or_default(),
            })
        };
        archive.matrices().iter().map(member).collect()
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
        Ok(Box::new(target::MatrixMarketTarget::new(to, options, source, context)?))
    }
}

/// Adds a hint to the error for standard input that does not begin as this format, which is the default there.
fn hinted(error: Error) -> Error {
    match error.place().at {
        Some(At::Line { line: 1, column: 1 }) => {
            error.with_hint("OpenOptions::format", "csv, or another format, reads other text")
        }
        _ => error,
    }
}

/// Opens a file that is an archive of texts.
pub(super) fn open_archive(probe: &Probe) -> Result<Option<Archive>> {
    match probe.file() {
        Some((file, _)) if is_archive(probe)? => Archive::open(file).map(Some),
        _ => Ok(None),
    }
}

/// Returns whether a file is an archive of texts.
pub(super) fn is_archive(probe: &Probe) -> Result<bool> {
    probe.file().map_or(Ok(false), |(file, start)| archive::is_archive(file, start))
}

/// Returns whether the last line of a file ends with a newline. Compressed files have a checksum, which detects
/// truncation.
fn ends_a_line(probe: &Probe) -> Result<bool> {
    let Some((file, start)) = probe.file() else { return Ok(true) };
    let Some(last) = file.len().checked_sub(1) else { return Ok(true) };
    if Compression::of(start) != Compression::None || is_archive(probe)? {
        return Ok(true);
    }
    let mut byte = [0];
    file.read_exact_at(&mut byte, last).map_err(|error| Error::io(file.path(), error))?;
    Ok(byte == *b"\n")
}
