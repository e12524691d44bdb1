//! A matrix in the other storage order.

use std::ops::Range;
use std::sync::Mutex;

use nnz_core::{
    Error, Header, MatrixSource, Order, Place, Projection, Result, Storage, Unit, UnitReader,
    Wrapped,
};
use nnz_storage::TaskContext;

use crate::sort::sorted_units_after;
use crate::stages::{Builder, DropZeros, Step, Units};
use crate::stats::lock;

/// A matrix whose entries have been sorted. They can be read once.
struct Resorted<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    header: Header,
    units: Mutex<Option<Units<'static>>>,
}

impl std::fmt::Debug for Resorted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resorted").field("header", &self.header).finish_non_exhaustive()
    }
}

/// Sorts the entries of a matrix by a storage order, in memory or in a temporary file. Zeros that a dense matrix stores are left
/// out. They can be read once.
pub(in crate::compute) fn resort<'a>(
    inner: Box<dyn MatrixSource + 'a>,
    order: Order,
    context: &TaskContext,
) -> Result<Box<dyn MatrixSource + 'a>> {
    let Header { shape, order: stored, storage, .. } = *inner.header();
    let mut steps: Vec<Box<dyn Step>> = Vec::new();
    let mut header = inner.header().clone().order(order).sorted_majors(true);
    // There may be several entries of an element.
    header = header.sorted_indices(None);
    if storage == Storage::Dense {
        steps.push(Box::new(DropZeros(Builder::new(stored, shape))));
        header = header.storage(Storage::Sparse).fill(None).nnz(None);
    }
    let directory = context.temporary_directory();
    let (units, _) = sorted_units_after(&*inner, &steps, order, &directory, context)?;
    Ok(Box::new(Resorted { inner, header, units: Mutex::new(Some(units)) }))
}

/// Sorts the entries of a matrix as [`resort`]. Values that are computed are computed afterwards, from entries that take less memory.
pub(super) fn resorted<'a>(
    source: &'a dyn MatrixSource,
    order: Order,
    context: &TaskContext,
) -> Result<Box<dyn MatrixSource + 'a>> {
    let mut copy = |inner: Box<dyn MatrixSource + 'a>| resort(inner, order, context);
    match source.over_copy(None, &mut copy)? {
        Some(computed) => Ok(computed),
        None => resort(Box::new(source), order, context),
    }
}

impl MatrixSource for Resorted<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn random_access(&self) -> bool {
        false
    }

    fn rereadable(&self) -> bool {
        false
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let is_whole = majors == (0..self.header.shape.major(self.header.order));
        let Some(units) = is_whole.then(|| lock(&self.units).take()).flatten() else {
            let what = "sorted entries can only be read once, as a whole";
            return Err(Error::unsupported(Place::default(), what));
        };
        Ok(Box::new(Once(units)))
    }
}

/// Sorted units.
struct Once(Units<'static>);

impl<'a> UnitReader<'a> for Once {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        Ok(self.0.next_unit()?.map(|unit| -> Box<dyn Unit + 'a> { unit }))
    }

    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        self.0.on_decoded(entries)
    }

    fn counts_may_fail(&self) -> bool {
        self.0.counts_may_fail()
    }

    fn end(&mut self) -> Result<()> {
        self.0.end()
    }
}
