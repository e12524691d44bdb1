//! Reporting the progress of reading.

use std::ops::Range;

use nnz_core::{Header, MatrixSource, Projection, Result, Unit, UnitReader, Wrapped};

use crate::Progress;

/// A source that reports how many entries of another one were read.
///
/// ```
/// # use nnz_core::{MatrixSource, Result};
/// use nnz_engine::{Observed, Stats, StatsOptions, TaskContext, stats};
///
/// fn observed(source: &dyn MatrixSource, context: &TaskContext) -> Result<Stats> {
///     let observed = Observed::new(source, "reading", context.progress());
///     stats(&observed, &StatsOptions::default(), context)
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    source: &'a dyn MatrixSource,
    what: &'a str,
    progress: &'a dyn Progress,
}

impl std::fmt::Debug for Observed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observed").field("header", self.source.header()).finish_non_exhaustive()
    }
}

impl<'a> Observed<'a> {
    /// Reports reading of the source under a name, such as `reading`. Each range that is read is a part.
    #[must_use]
    pub fn new(source: &'a dyn MatrixSource, what: &'a str, progress: &'a dyn Progress) -> Self {
        Self { source, what, progress }
    }
}

impl MatrixSource for Observed<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(self.source)
    }

    fn header(&self) -> &Header {
        self.source.header()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let header = self.source.header();
        let is_whole = majors == (0..header.shape.major(header.order));
        let units = self.source.units(majors, fields)?;
        self.progress.begin(self.what, header.nnz.filter(|_| is_whole));
        Ok(Box::new(ObservedUnits { units, progress: self.progress }))
    }

    fn units_within(
        &self,
        majors: Range<u64>,
        minors: &[Range<u64>],
        fields: Projection,
    ) -> Result<Option<Box<dyn UnitReader<'_> + '_>>> {
        let units = self.source.units_within(majors, minors, fields)?;
        Ok(units.map(|units| {
            self.progress.begin(self.what, None);
            Box::new(ObservedUnits { units, progress: self.progress }) as Box<dyn UnitReader<'_>>
        }))
    }

    fn random_access(&self) -> bool {
        self.source.random_access()
    }
}

/// Ends the part when it is dropped.
struct ObservedUnits<'a> {
    units: Box<dyn UnitReader<'a> + 'a>,
    progress: &'a dyn Progress,
}

impl<'a> UnitReader<'a> for ObservedUnits<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        self.units.next_unit()
    }

    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        self.progress.advance(entries);
        self.units.on_decoded(entries)
    }

    fn counts_may_fail(&self) -> bool {
        self.units.counts_may_fail()
    }

    fn end(&mut self) -> Result<()> {
        self.units.end()
    }
}

impl Drop for ObservedUnits<'_> {
    fn drop(&mut self) {
        self.progress.end();
    }
}
