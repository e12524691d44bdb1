//! A matrix whose duplicate entries are summed.

use std::ops::Range;

use nnz_core::{
    Annotations, Axis, BatchUnits, Cancellation, Duplicates, Error, Header, MatrixSource, Names,
    Place, Projection, Result, SequentialReader, UnitReader,
};

use crate::flow::Workers;
use crate::progress::NoProgress;
use crate::sort::sorted_units;
use crate::stages::{Builder, Unique, empty_batch};

/// A matrix with one entry for each stored element, the sum of its entries.
///
/// The entries are sorted out of core each time they are read, so only the whole matrix can be read.
pub struct Summed<'a> {
    inner: Inner<'a>,
    header: Header,
    memory: u64,
    threads: usize,
    cancellation: Option<Cancellation>,
}

/// The matrix whose entries are summed.
enum Inner<'a> {
    Borrowed(&'a dyn MatrixSource),
    Owned(Box<dyn MatrixSource>),
}

impl<'a> std::ops::Deref for Inner<'a> {
    type Target = dyn MatrixSource + 'a;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Borrowed(source) => *source,
            Self::Owned(source) => &**source,
        }
    }
}

impl std::fmt::Debug for Summed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Summed").field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> Summed<'a> {
    /// Sums the duplicate entries of a matrix, with an amount of memory in bytes for sorting.
    #[must_use]
    pub fn new(
        source: Box<dyn MatrixSource>,
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
    ) -> Summed<'static> {
        Summed::of(Inner::Owned(source), memory, threads, cancellation)
    }

    /// Sums the duplicate entries of a borrowed matrix.
    pub(crate) fn borrowed(
        source: &'a dyn MatrixSource,
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
    ) -> Self {
        Self::of(Inner::Borrowed(source), memory, threads, cancellation)
    }

    fn of(
        inner: Inner<'a>,
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
    ) -> Self {
        let header = Header {
            ordered: true,
            sorted_majors: true,
            sorted_indices: Some(true),
            nnz: None,
            duplicates: Duplicates::Refused,
            ..inner.header().clone()
        };
        Self { inner, header, memory, threads, cancellation }
    }
}

impl MatrixSource for Summed<'_> {
    nnz_core::forward_source! {
        inner: about, rereadable, extras, metadata, levels, is_vector, notes
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.inner.read_names(axis)
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        self.inner.annotations(axis)
    }

    fn random_access(&self) -> bool {
        false
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let Header { shape, order, value_type, .. } = self.header;
        if majors != (0..shape.major(order)) {
            let what = "summed entries can only be read as a whole";
            return Err(Error::unsupported(Place::default(), what));
        }
        let workers = Workers { threads: self.threads, cancellation: self.cancellation.as_ref() };
        let directory = nnz_storage::temporary_directory();
        let (units, _) =
            sorted_units(&*self.inner, order, self.memory, &directory, workers, &NoProgress)?;
        let builder = Builder::new(order, shape);
        let unique = Unique::new(Box::new(SequentialReader(units)), order, builder);
        Ok(Box::new(BatchUnits::new(Box::new(unique), empty_batch(order, value_type))))
    }
}
