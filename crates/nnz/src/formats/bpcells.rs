//! BPCells matrices.

mod target;

use crate::Context;
use std::path::Path;

use nnz_bpcells::RObject;
use nnz_container::{FoundGroup, NamedArrays};
use nnz_core::{Axis, ErrorKind, Finding, MatrixSource, Result, readable};
use nnz_storage::InputDirectory;

use super::cancellable::cancellable;
use super::checked_arrays::check_arrays;
use super::{
    Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Probe, arrays,
    bpcells_fragments,
};
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// A BPCells matrix, on any container.
pub(super) struct BpCells;

/// The attribute with the version of a BPCells store.
pub(super) const VERSION: &str = "version";

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("bpcells"),
    aliases: &[],
    extensions: &["bpcells", "rds"],
    summary: "BPCells matrices: directories, R objects, HDF5, NetCDF, Zarr, npz",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    containers: true,
    hdf5: true,
    options: target::OPTIONS,
    read_options: &[],
    group_attributes: &[VERSION],
    fragment_options: Some(target::OPTIONS),
    ..FormatInfo::new("", "")
};

impl Format for BpCells {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        take_r_object(probe)?;
        // A broken container, or one without a known format, is an error when it is opened.
        let Some(container) = readable(probe.container())? else {
            return Ok(Some(Confidence::Fallback));
        };
        let Some(container) = container else { return Ok(None) };
        let version = match container.attribute(VERSION) {
            // Arrays of another format. An R object is opened for the error.
            Err(error) if matches!(error.kind(), ErrorKind::Missing) && probe.has_kind() => {
                return Ok(None);
            }
            version => readable(version)?,
        };
        let certain = version.is_some_and(|version| version.contains("-matrix-"));
        Ok(Some(if certain { Confidence::Certain } else { Confidence::Fallback }))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let context = &probe.context().clone();
        let container = arrays(probe)?;
        if options.preferred == DatasetKind::Fragments {
            return bpcells_fragments::open(container, context);
        }
        let source = Box::new(nnz_bpcells::MatrixSource::open(container)?);
        Ok(Dataset::Matrix(source))
    }

    fn validate(
        &self,
        probe: Probe,
        _: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let place = probe.location().source_place();
        let container = arrays(probe)?;
        let cancellation = context.cancellation();
        let open = || Ok(cancellable(&container, cancellation));
        let source = readable(open().and_then(nnz_bpcells::MatrixSource::open))?;
        let entries = source.and_then(|source| source.header().nnz);
        check_arrays(&container, entries, 2, cancellation, context, |open| {
            nnz_bpcells::validate(open, each)
        })?;
        // Broken names have been reported.
        let source = readable(open().and_then(nnz_bpcells::MatrixSource::open))?;
        let Some(source) = source else { return Ok(()) };
        for axis in [Axis::Rows, Axis::Cols] {
            let names = readable(source.read_names(axis))?.flatten();
            let Some(mut names) = names else { continue };
            let repeated = nnz_engine::repeated_names(&mut *names, context.memory() / 2);
            if let Some(repeated) = readable(repeated)?.flatten() {
                let one = if axis == Axis::Rows { "row" } else { "column" };
                let what = format!("duplicate name of a {one}: {:?}", repeated.first);
                each(Finding::note(place.clone(), what));
            }
        }
        Ok(())
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        _: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::BpCellsTarget::new(to, options, context)?))
    }

    fn marks_group(&self, found: &FoundGroup) -> bool {
        found.text.contains("-matrix-")
    }

    fn is_entry(&self, _: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        directory.map_or(Ok(false), |directory| directory.exists(VERSION))
    }
}

/// Makes a container of an R object that is not an R matrix.
pub(super) fn take_r_object(probe: &Probe) -> Result<()> {
    if probe.document(|_| ())?.is_some()
        && let (Some(path), Some(document)) = (probe.path(), probe.take_document())
    {
        probe.set_container(NamedArrays::new(RObject::from_document(path, document)?));
    }
    Ok(())
}
