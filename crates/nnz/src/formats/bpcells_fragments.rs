//! BPCells fragments.

use crate::Context;
use nnz_container::{FoundGroup, NamedArrays};
use nnz_core::{Finding, Result, readable};

use super::bpcells::{VERSION, take_r_object};
use super::cancellable::cancellable;
use super::checked_arrays::check_arrays;
use super::{Confidence, DatasetKind, Format, FormatInfo, FormatName, Probe, arrays};
use crate::{Dataset, OpenOptions, ValidateOptions};

/// BPCells fragments, on any container.
pub(super) struct BpCellsFragments;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("bpcells-fragments"),
    aliases: &[],
    extensions: &["fragments", "rds"],
    summary: "BPCells fragments: directory, HDF5 group or R object; see nnz fragments",
    reads: &[DatasetKind::Fragments],
    writes: &[DatasetKind::Fragments],
    containers: true,
    hdf5: true,
    options: &[],
    read_options: &[],
    derived: &["end_max"],
    group_attributes: &[VERSION],
    ..FormatInfo::new("", "")
};

impl Format for BpCellsFragments {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        take_r_object(probe)?;
        let container = readable(probe.container())?.flatten();
        let Some(container) = container else { return Ok(None) };
        let found = readable(nnz_bpcells::holds_fragments(container))?;
        Ok(found.unwrap_or(false).then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, _: &OpenOptions) -> Result<Dataset> {
        let context = &probe.context().clone();
        open(arrays(probe)?, context)
    }

    fn validate(
        &self,
        probe: Probe,
        _: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let container = arrays(probe)?;
        let cancellation = context.cancellation();
        let opened = cancellable(&container, cancellation);
        let source = nnz_bpcells::FragmentSource::open_with_limit(opened, context.memory());
        let source: Option<Box<dyn nnz_core::FragmentSource>> =
            readable(source)?.map(|source| Box::new(source) as _);
        let fragments = source.map(|source| source.header().count);
        check_arrays(&container, fragments, 2, cancellation, context, |open| {
            nnz_bpcells::validate_fragments(open, context.memory(), each)
        })
    }

    fn marks_group(&self, found: &FoundGroup) -> bool {
        found.text.contains("-fragments-")
    }
}

/// Opens the fragments of a container.
pub(super) fn open(container: NamedArrays, context: &Context) -> Result<Dataset> {
    let source = nnz_bpcells::FragmentSource::open_with_limit(container, context.memory())?;
    Ok(Dataset::Fragments(Box::new(source)))
}
