//! Shared fragments.

use std::ops::Range;
use std::sync::Arc;

use nnz::engine::TaskContext;
use nnz::fragments::{FragmentBatch, FragmentFields, FragmentHeader, FragmentSource};
use nnz::matrix::{About, Names, StringList, UnitReader};
use nnz::plot::PackedWidths;
use nnz::{Place, Result};

/// Fragments that are shared with a handle. Long sequential reads can be cancelled.
pub(super) struct Shared {
    pub(super) inner: Arc<dyn FragmentSource>,
    pub(super) context: TaskContext,
}

impl FragmentSource for Shared {
    fn header(&self) -> &FragmentHeader {
        self.inner.header()
    }

    fn place(&self) -> Place {
        self.inner.place()
    }

    fn about(&self) -> Result<About> {
        self.inner.about()
    }

    fn chromosome_names(&self) -> Result<StringList> {
        self.inner.chromosome_names()
    }

    fn cell_names(&self) -> Result<StringList> {
        self.inner.cell_names()
    }

    fn read_cell_names(&self) -> Result<Names<'_>> {
        self.inner.read_cell_names()
    }

    fn cell_count(&self) -> Result<u64> {
        self.inner.cell_count()
    }

    fn packed_widths(&self, bins: usize) -> Result<Option<Vec<PackedWidths>>> {
        self.inner.packed_widths(bins)
    }

    fn units(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
    ) -> Result<Box<dyn UnitReader<'_, FragmentBatch> + '_>> {
        self.inner.units(positions, fields)
    }

    fn for_each(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
        each: &mut dyn FnMut(&mut FragmentBatch) -> Result<()>,
    ) -> Result<()> {
        self.inner.for_each(positions, fields, &mut |batch| {
            self.context.check()?;
            each(batch)
        })
    }

    fn for_each_mapped(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
        each: &mut dyn FnMut(&mut FragmentBatch) -> Result<()>,
    ) -> Result<()> {
        self.inner.for_each_mapped(positions, fields, &mut |batch| {
            self.context.check()?;
            each(batch)
        })
    }

    fn overlapping(&self, chromosome: u32, bases: Range<u32>) -> Result<Range<u64>> {
        self.inner.overlapping(chromosome, bases)
    }
}
