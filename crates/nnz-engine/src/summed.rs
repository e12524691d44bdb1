//! A matrix whose duplicate entries are summed.

use nnz_storage::TaskContext;
use std::ops::Range;

use nnz_core::{
    BatchUnits, Duplicates, Error, Header, MatrixSource, Place, Projection, Result,
    SequentialReader, UnitReader, Wrapped,
};

use crate::sort::sorted_units;
use crate::stages::{Builder, Unique, empty_batch};

/// A matrix with one entry for each stored element, the sum of its entries.
///
/// The entries are sorted out of core each time they are read, so only the whole matrix can be read.
pub struct Summed<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    header: Header,
    context: TaskContext,
}

impl std::fmt::Debug for Summed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Summed").field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> Summed<'a> {
    /// Sums the duplicate entries of a matrix if its format does and they may be anywhere, as in coordinates in any order. Others
    /// are returned as they are.
    #[must_use]
    pub fn of_unordered(
        inner: Box<dyn MatrixSource + 'a>,
        context: &TaskContext,
    ) -> Box<dyn MatrixSource + 'a> {
        let header = inner.header();
        match header.duplicates == Duplicates::Summed && !header.sorted_majors {
            true => Box::new(Self::new(inner, context)),
            false => inner,
        }
    }

    /// Sums the duplicate entries of a matrix.
    #[must_use]
    pub fn new(inner: Box<dyn MatrixSource + 'a>, context: &TaskContext) -> Self {
        let header = inner
            .header()
            .clone()
            .ordered(true)
            .sorted_majors(true)
            .sorted_indices(true)
            .nnz(None)
            .duplicates(Duplicates::Refused);
        Self { inner, header, context: context.without_progress() }
    }
}

impl MatrixSource for Summed<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        &self.header
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
        let directory = self.context.temporary_directory();
        let (units, _) = sorted_units(&*self.inner, order, &directory, &self.context)?;
        let builder = Builder::new(order, shape);
        let unique = Unique::new(Box::new(SequentialReader(units)), order, builder);
        Ok(Box::new(BatchUnits::new(Box::new(unique), empty_batch(order, value_type))))
    }
}
